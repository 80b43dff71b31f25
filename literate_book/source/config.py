"""The configuration of a book: ``[tool.literate-book]`` of the project's pyproject.toml."""

import posixpath
import tomllib
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from literate_book.source.errors import BookError, BookErrors

PYPROJECT = "pyproject.toml"
TABLE = "tool.literate-book"


@dataclass(frozen=True)
class Config:
    """Where the parts of a book are, relative to the folder of pyproject.toml."""

    package: str  # the folder, and the import name, of the package that the articles make
    articles: str = "docs"  # the folder of the Markdown files: docs_dir of the site
    experiments: str = "docs/experiments"  # the folder of the scripts
    site: str = "mkdocs.yml"  # the configuration of the site, whose nav orders the articles
    command: str = "python -m literate_book tangle"  # what messages say assembles the package


def book_root(start: Path | None = None) -> Path:
    """The folder of the book's pyproject.toml: ``start`` (or the current folder), or one above."""
    start = (start or Path.cwd()).resolve()
    if not start.exists():
        raise complaint(f"there is no folder {start}: give a --root that exists")
    for folder in (start, *start.parents):
        file = folder / PYPROJECT
        if file.is_file() and f"[{TABLE}]" in file.read_text(encoding="utf-8", errors="replace"):
            return folder
    raise complaint(f"no [{TABLE}] in {start} or above: run inside the book, or give --root")


def load_config(root: Path) -> Config:
    """The configuration of the book in ``root``; read again only when the file has changed."""
    try:
        return read_table(root / PYPROJECT, (root / PYPROJECT).stat().st_mtime_ns)
    except OSError as problem:
        raise complaint(f"cannot be read: {problem.strerror}") from None


@lru_cache(maxsize=16)
def read_table(file: Path, _changed: int) -> Config:
    """Read and check the table. Raises ``BookErrors`` that say which setting is wrong."""
    try:
        tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise complaint(f"is not TOML: {problem}") from None
    table = tools.get("literate-book")
    if table is None:
        raise complaint(f'has no [{TABLE}]: add it, with package = "name"')
    known = {field.name for field in fields(Config)}
    if unknown := sorted(set(table) - known):
        raise complaint(f"[{TABLE}] has no setting {unknown[0]!r}: there are {sorted(known)}")
    if not str(table.get("package", "")).isidentifier():
        raise complaint(f'[{TABLE}] needs package = "name", a name that Python can import')
    for name, value in table.items():
        if not isinstance(value, str):
            raise complaint(f'[{TABLE}] {name} must be text: {name} = "..."')
        if name != "command" and not inside(value):
            raise complaint(f"[{TABLE}] {name} must be a path below this file, not {value!r}")
    command = table.pop("command", Config.command)
    paths = {name: posixpath.normpath(value) for name, value in table.items()}
    return Config(**paths, command=command)


def inside(path: str) -> bool:
    """Whether a path stays below the folder that it is relative to."""
    return not posixpath.normpath(path).startswith(("/", "..")) and posixpath.normpath(path) != "."


def complaint(message: str) -> BookErrors:
    """One complaint about pyproject.toml, ready to be raised."""
    return BookErrors([BookError(PYPROJECT, 1, 1, message)])
