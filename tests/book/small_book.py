"""Makes small books in temporary folders, for the tests of the toolchain."""

import re
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from literate_book.source.articles import Article, parse_article
from literate_book.source.config import Config, book_root
from literate_book.source.errors import BookError, BookErrors

Result = TypeVar("Result")
FOLDER = "docs/en/articles"
CONFIG = Config("literate_ad", "docs/en", "docs/en/experiments", command="make book")
PYPROJECT = "".join(
    [
        "[tool.literate-book]\n",
        *(f"{key} = {value!r}\n" for key, value in asdict(CONFIG).items() if value),
    ]
)


def block(id_: str, body: str, file: str = "core.py", **attrs: str) -> str:
    """A source block as an article prints it."""
    extra = "".join(f' {key}="{value}"' for key, value in attrs.items())
    return f'```python {{#src-{id_} file="literate_ad/{file}"{extra}}}\n{body}```\n'


def article(text: str, name: str = "a.md") -> Article:
    """One article that needs no file."""
    return parse_article(f"{FOLDER}/{name}", text)


def make_book(root: Path, **texts: str) -> Path:
    """A book with the articles ``name.md``, in this order. Returns its root."""
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    (root / "literate_ad").mkdir(exist_ok=True)
    nav = "".join(f"  - articles/{name}.md\n" for name in texts)
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "mkdocs.yml").write_text(f"docs_dir: docs/en\nnav:\n{nav}")
    for name, text in texts.items():
        write(root, f"{FOLDER}/{name}.md", text)
    return root


def make_site_book(root: Path, texts: dict[str, str]) -> Path:
    """A book whose pages are these texts, with the look and the settings of the real one."""
    real = book_root()
    nav = "nav:\n" + "".join(f"  - {name}\n" for name in texts)
    config = (real / "mkdocs.yml").read_text()
    config, count = re.subn(r"^nav:\n(?: .*\n)+", nav, config, flags=re.MULTILINE)
    assert count == 1
    write(root, "pyproject.toml", PYPROJECT)
    write(root, "mkdocs.yml", config)
    for name, text in texts.items():
        write(root, f"docs/en/{name}", text)
    for folder in ("overrides", "docs/en/assets"):
        shutil.copytree(real / folder, root / folder)
    (root / "literate_ad").mkdir()
    return root


def write(root: Path, file: str, text: str) -> None:
    """Write one file to the byte."""
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_bytes(text.encode())


def read(root: Path, file: str) -> str:
    """Read one file to the byte."""
    return (root / file).read_bytes().decode()


def edit(root: Path, file: str, old: str, new: str) -> None:
    """Replace a text that stands in the file exactly once."""
    text = read(root, file)
    assert text.count(old) == 1, (file, old)
    write(root, file, text.replace(old, new))


def snapshot(root: Path) -> dict[str, bytes]:
    """All files of a book, to see that nothing was written."""
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def places(errors: BookErrors) -> list[tuple[str, int, int]]:
    """Where the complaints point, with the name of the file alone."""
    return [(Path(each.article).name, each.line, each.col) for each in errors.errors]


def outcome(
    run: Callable[..., Result], *arguments: object
) -> tuple[Result | None, list[BookError]]:
    """What a run gave, or the complaints it raised; any other exception goes through."""
    try:
        return run(*arguments), []
    except BookErrors as problem:
        return None, problem.errors or [BookError("nothing", 0, 0, "no complaint at all")]
