"""The order of the book: the ``nav`` of mkdocs.yml, with the place of every entry."""

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from literate_book.source.errors import BookError, BookErrors

CONFIG = "mkdocs.yml"


def book_root(start: Path | None = None) -> Path:
    """The folder that holds mkdocs.yml: ``start`` (or the current folder) or one above it."""
    start = (start or Path.cwd()).resolve()
    if not start.exists():
        raise complaint(f"there is no folder {start}: give a --root that exists")
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            return folder
    raise complaint(f"not found in {start} or above: run inside the book, or give --root")


def complaint(message: str, line: int = 1, col: int = 1) -> BookErrors:
    """One complaint about mkdocs.yml, ready to be raised."""
    return BookErrors([BookError(CONFIG, line, col, message)])


Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_config(root: Path) -> dict[str, yaml.Node]:
    """The top level of mkdocs.yml as YAML nodes, which know their line.

    Nodes are composed and never constructed, so tags such as ``!!python/name`` do no harm.
    """
    try:
        tree = yaml.compose((root / CONFIG).read_bytes(), Loader=Loader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise complaint(f"is not YAML: {problem.problem}", *place) from None
    except (yaml.YAMLError, RecursionError) as problem:
        raise complaint(f"is not YAML: {str(problem).splitlines()[0]}") from None
    except OSError as problem:
        raise complaint(f"cannot be read: {problem.strerror}") from None
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


def docs_dir(config: dict[str, yaml.Node]) -> str:
    """The folder of the articles, relative to the root."""
    node = config.get("docs_dir")
    docs = posixpath.normpath(node.value) if isinstance(node, yaml.ScalarNode) else "docs"
    if docs.startswith(("/", "..")) or docs == ".":
        mark = config["docs_dir"].start_mark
        raise complaint("docs_dir names a folder below this file", mark.line + 1, mark.column + 1)
    return docs


def nav_articles(root: Path) -> tuple[list[str], list[BookError]]:
    """The articles in book order, relative to the root, and what is wrong with the nav."""
    config = read_config(root)
    docs = docs_dir(config)
    if "nav" not in config:
        raise complaint("has no nav: list the articles there, in the order of the book")
    try:
        entries = list(nav_entries(config["nav"]))
    except RecursionError:
        raise complaint("the nav contains itself: take the alias out") from None
    paths: dict[str, None] = {}
    errors: list[BookError] = []
    for entry in entries:
        path = posixpath.normpath(posixpath.join(docs, entry.value))
        if problem := entry_problem(root, docs, path, entry.value, paths):
            mark = entry.start_mark
            errors.append(BookError(CONFIG, mark.line + 1, mark.column + 1, problem))
        elif path.endswith(".md"):
            paths[path] = None
    return list(paths), errors + left_out(root, docs, paths)


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


def left_out(root: Path, docs: str, paths: dict[str, None]) -> list[BookError]:
    """A complaint about every article that the nav does not name."""
    found = sorted(each.relative_to(root).as_posix() for each in (root / docs).rglob("*.md"))
    message = f"not in the nav of {CONFIG}: add it there, or the book leaves it out"
    return [BookError(path, 1, 1, message) for path in found if path not in paths]
