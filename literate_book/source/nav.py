"""The order of the book: the ``nav`` of the site's configuration, with the place of every entry."""

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from literate_book.source.config import load_config
from literate_book.source.errors import BookError, refusal

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_site(root: Path) -> dict[str, yaml.Node]:
    """The top level of the site's configuration as YAML nodes, which have a line and a column.

    Nodes are composed and never constructed, so tags such as ``!!python/name`` do no harm.
    """
    site, line, col = load_config(root).site, 1, 1
    try:
        tree = yaml.compose((root / site).read_bytes(), Loader=Loader)
        pairs = tree.value if isinstance(tree, yaml.MappingNode) else []
        return {key.value: value for key, value in pairs if isinstance(key, yaml.ScalarNode)}
    except yaml.MarkedYAMLError as problem:
        message = f"is not YAML: {problem.problem}"
        if mark := problem.problem_mark:
            line, col = mark.line + 1, mark.column + 1
    except (yaml.YAMLError, RecursionError) as problem:
        message = f"is not YAML: {str(problem).splitlines()[0]}"
    except OSError as problem:
        message = f"cannot be read: {problem.strerror}"
    raise refusal(site, message, line, col)


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
    articles = config.articles
    errors: list[BookError] = []

    def complain(node: yaml.Node | None, message: str) -> None:
        place = (node.start_mark.line + 1, node.start_mark.column + 1) if node else (1, 1)
        errors.append(BookError(config.site, *place, message))

    folder = site.get("docs_dir")
    if (
        posixpath.normpath(folder.value if isinstance(folder, yaml.ScalarNode) else "docs")
        != articles
    ):
        complain(folder, f"docs_dir is not the articles' folder of pyproject.toml, {articles}")
        return [], errors
    if "nav" not in site:
        complain(None, "has no nav: list the articles there, in the order of the book")
        return [], errors
    paths: dict[str, None] = {}
    try:
        for entry in nav_entries(site["nav"]):
            path = posixpath.normpath(posixpath.join(articles, entry.value))
            if problem := entry_problem(root, articles, path, entry.value, paths):
                complain(entry, problem)
            elif path.endswith(".md"):
                paths[path] = None
    except RecursionError:
        complain(None, "the nav contains itself: take the alias out")
    found = sorted(each.relative_to(root).as_posix() for each in (root / articles).rglob("*.md"))
    message = f"not in the nav of {config.site}: add it there, or the book leaves it out"
    errors += [BookError(path, 1, 1, message) for path in found if path not in paths]
    return list(paths), errors


def entry_problem(root: Path, docs: str, path: str, entry: str, seen: dict[str, None]) -> str:
    """What is wrong with one entry of the nav; empty when nothing is."""
    if "://" in entry:
        return ""
    if not path.startswith(f"{docs}/"):
        return f"{entry} lies outside {docs}: move it there"
    if not path.isprintable() or not (root / path).is_file():
        return f"there is no file {path}: write it, or take it out of the nav"
    if path in seen:
        return f"{path} stands in the nav twice: keep one"
    return ""
