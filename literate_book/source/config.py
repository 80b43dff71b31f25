"""The configuration of a book: ``[tool.literate-book]`` of the project's pyproject.toml."""

import posixpath
import tomllib
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from literate_book.source.errors import refusal

PYPROJECT = "pyproject.toml"
TABLE = "tool.literate-book"
NO_PATHS = ("command", "rules")


@dataclass(frozen=True)
class Config:
    """Where the parts of a book are, relative to the folder of pyproject.toml."""

    package: str  # the folder, and the import name, of the package that the articles make
    articles: str = "docs"  # the folder of the Markdown files: docs_dir of the site
    experiments: str = "docs/experiments"  # the folder of the scripts
    site: str = "mkdocs.yml"  # the configuration of the site, whose nav orders the articles
    command: str = "python -m literate_book tangle"  # what messages say assembles the package
    rules: dict[str, Any] = field(default_factory=dict, hash=False)  # of the table of rules


def book_root(start: Path | None = None) -> Path:
    """The folder of the book's pyproject.toml: ``start`` (or the current folder), or one above."""
    start = (start or Path.cwd()).resolve()
    if not start.exists():
        raise refusal(PYPROJECT, f"there is no folder {start}: give a --root that exists")
    for folder in (start, *start.parents):
        file = folder / PYPROJECT
        if file.is_file() and f"[{TABLE}]" in file.read_text(encoding="utf-8", errors="replace"):
            return folder
    message = f"no [{TABLE}] in {start} or above: run inside the book, or give --root"
    raise refusal(PYPROJECT, message)


def load_config(root: Path) -> Config:
    """The configuration of the book in ``root``; read again only when the file has changed."""
    try:
        return read_table(root / PYPROJECT, (root / PYPROJECT).stat().st_mtime_ns)
    except OSError as problem:
        raise refusal(PYPROJECT, f"cannot be read: {problem.strerror}") from None


@lru_cache(maxsize=16)
def read_table(file: Path, _changed: int) -> Config:
    """Read and check the table. Raises ``BookErrors`` that say which setting is wrong."""
    try:
        tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise refusal(PYPROJECT, f"is not TOML: {problem}") from None
    table = tools.get("literate-book", {})
    if wrong := table_problem(table):
        raise refusal(PYPROJECT, f"[{TABLE}] {wrong}")
    paths = {name: posixpath.normpath(table[name]) for name in table if name not in NO_PATHS}
    return Config(**{**table, **paths})


def table_problem(table: dict[str, object]) -> str:
    """What is wrong with the table; empty when nothing is."""
    known = {field.name for field in fields(Config)}
    for name, value in table.items():
        if name not in known:
            return f"has no setting {name!r}: there are {', '.join(sorted(known))}"
        if name == "rules":
            continue
        if not isinstance(value, str):
            return f'{name} must be text: {name} = "..."'
        path = posixpath.normpath(value)
        if name not in NO_PATHS and (path == "." or path.startswith(("/", ".."))):
            return f"{name} must be a path below this file, not {value!r}"
    if not str(table.get("package", "")).isidentifier():
        return 'needs package = "name", a name that Python can import'
    return ""
