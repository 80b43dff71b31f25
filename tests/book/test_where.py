"""From a name or a line to article and module, and back."""

from pathlib import Path

import pytest
from small_book import FOLDER, block, edit, make_book

from literate_book.weave.tangle import tangle
from literate_book.weave.where import NotFound, where

CORE = "literate_ad/core.py"
BOX = "class Box:\n    size = 1\n\n    def grow(self):\n        return self\n"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Two articles: the class comes first in the article, last in the module."""
    first = "# A\n\n" + block("box", BOX, after="#src-run") + block("run", "def run():\n    1\n")
    second = block("init", "def run():\n    2\n", "sub/__init__.py")
    make_book(tmp_path, a=first, b=second)
    tangle(tmp_path)
    return tmp_path


RUN = f"{CORE}:4 literate_ad.core.run\n    {FOLDER}/a.md:11 #src-run"
INIT = f"literate_ad/sub/__init__.py:4 literate_ad.sub.run\n    {FOLDER}/b.md:2 #src-init"
GROW = f"{CORE}:12 literate_ad.core.Box.grow\n    {FOLDER}/a.md:7 #src-box"
LINE = f"{CORE}:13\n    {FOLDER}/a.md:8 #src-box"
MARKER = f"{CORE}:8\n    {FOLDER}/a.md:3 #src-box"
BLOCKS = [f"{CORE}:4\n    {FOLDER}/a.md:11 #src-run", f"{CORE}:9\n    {FOLDER}/a.md:4 #src-box"]
FOUND = [
    ("run", [RUN, INIT]),
    ("core.run", [RUN]),
    ("literate_ad.sub.run", [INIT]),
    ("grow", [GROW]),
    ("Box.grow", [GROW]),
    ("src-box", [BLOCKS[1]]),
    ("#src-box", [BLOCKS[1]]),
    (f"{CORE}:13", [LINE]),
    (f"{FOLDER}/a.md:8", [LINE]),
    (f"{CORE}:8", [MARKER]),
    (f"{FOLDER}/a.md:3", [MARKER]),
    (CORE, BLOCKS),
    (f"{FOLDER}/a.md", BLOCKS[::-1]),
]


@pytest.mark.parametrize(("query", "expected"), FOUND)
def test_what_is_found(book: Path, query: str, expected: list[str]) -> None:
    assert where(book, query) == expected


MISSING = [
    ("ran", "no block defines ran; did you mean run?"),
    ("core.rum", "no block defines core.rum; did you mean core.run"),
    ("src-bax", "no block defines src-bax; did you mean src-box"),
    ("zzzzzz", "no block defines zzzzzz"),
    (
        "literate_ad/cor.py:3",
        f"literate_ad/cor.py holds no block of the package; did you mean {CORE}",
    ),
    (f"{CORE}:2", f"{CORE}:2 lies outside of the blocks; the nearest begins at 4"),
    (f"{FOLDER}/a.md:99", f"{FOLDER}/a.md:99 lies outside of the blocks; the nearest begins at 11"),
]


@pytest.mark.parametrize(("query", "message"), MISSING)
def test_what_is_not_found_is_told_with_what_comes_close(
    book: Path, query: str, message: str
) -> None:
    with pytest.raises(NotFound) as caught:
        where(book, query)
    assert str(caught.value).startswith(message)


def test_files_may_be_named_from_the_current_folder(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(book / "docs")
    assert where(book, "en/articles/a.md:8") == [LINE]
    monkeypatch.chdir("/")
    assert where(book, str(book / FOLDER / "a.md:8")) == [LINE]


def test_a_module_out_of_step_is_told(book: Path) -> None:
    edit(book, CORE, "    1\n", "    1\n\n")
    assert where(book, "core.run") == [
        RUN,
        f"{CORE} on the disk is out of step with its articles: its lines may differ",
    ]
    (book / CORE).unlink()
    assert len(where(book, "core.run")) == 2
