"""The order of the book: the ``nav`` of the site's configuration, with the place of every entry."""

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from literate_book.source.config import Config, load_config
from literate_book.source.errors import BookError, BookErrors, refuse_if

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_site(root: Path) -> dict[str, yaml.Node]:
    """The top level of the site's configuration as YAML nodes, which have a line and a column.

    Nodes are composed and never constructed, so tags such as ``!!python/name`` do no harm.
    """
    site = load_config(root).site
    try:
        tree = yaml.compose((root / site).read_bytes(), Loader=Loader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise BookErrors([BookError(site, *place, f"is not YAML: {problem.problem}")]) from None
    except (yaml.YAMLError, RecursionError) as problem:
        message = f"is not YAML: {str(problem).splitlines()[0]}"
        raise BookErrors([BookError(site, 1, 1, message)]) from None
    except OSError as problem:
        message = f"cannot be read: {problem.strerror}"
        raise BookErrors([BookError(site, 1, 1, message)]) from None
    pairs = tree.value if isinstance(tree, yaml.MappingNode) else []
    return {key.value: value for key, value in pairs if isinstance(key, yaml.ScalarNode)}


def nav_entries(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """Every page of the nav, from top to bottom, however deep the sections."""
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from nav_entries(value)
    else:
        for item in node.value:
            yield from nav_entries(item)


def nav_articles(root: Path) -> tuple[list[str], list[BookError]]:
    """The articles in book order, relative to the root, and what is wrong with the nav."""
    config, site = load_config(root), read_site(root)
    refuse_if(site_problems(config, site))
    paths: dict[str, None] = {}
    errors: list[BookError] = []
    for entry in nav_entries(site["nav"]):
        path = posixpath.normpath(posixpath.join(config.articles, entry.value))
        if problem := entry_problem(root, config.articles, path, entry.value, paths):
            errors.append(error_at_node(config, entry, problem))
        elif path.endswith(".md"):
            paths[path] = None
    return list(paths), errors + left_out(root, config, paths)


def error_at_node(config: Config, node: yaml.Node, message: str) -> BookError:
    """A complaint about one place of the site's configuration."""
    return BookError(config.site, node.start_mark.line + 1, node.start_mark.column + 1, message)


def site_problems(config: Config, site: dict[str, yaml.Node]) -> Iterator[BookError]:
    """Complaints about the site's configuration as a whole."""
    docs = site.get("docs_dir")
    folder = posixpath.normpath(docs.value) if isinstance(docs, yaml.ScalarNode) else "docs"
    if folder != config.articles:
        message = f"docs_dir must be the articles' folder of pyproject.toml: {config.articles}"
        yield (
            error_at_node(config, docs, message) if docs else BookError(config.site, 1, 1, message)
        )
    if "nav" not in site:
        message = "has no nav: list the articles there, in the order of the book"
        yield BookError(config.site, 1, 1, message)
        return
    try:
        list(nav_entries(site["nav"]))
    except RecursionError:
        yield BookError(config.site, 1, 1, "the nav contains itself: take the alias out")


def entry_problem(root: Path, docs: str, path: str, entry: str, seen: dict[str, None]) -> str:
    """What is wrong with one entry of the nav; empty when nothing is."""
    if "://" in entry:
        return ""
    if not path.startswith(f"{docs}/"):
        return f"{entry} lies outside {docs}: move it there"
    if not path.isprintable() or not os.path.isfile(root / path):
        return f"there is no file {path}: write it, or take it out of the nav"
    if path in seen:
        return f"{path} stands in the nav twice: keep one"
    return ""


def left_out(root: Path, config: Config, paths: dict[str, None]) -> list[BookError]:
    """A complaint about every article that the nav does not name."""
    files = (root / config.articles).rglob("*.md")
    found = sorted(each.relative_to(root).as_posix() for each in files)
    message = f"not in the nav of {config.site}: add it there, or the book leaves it out"
    return [BookError(path, 1, 1, message) for path in found if path not in paths]
