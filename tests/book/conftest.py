"""A small book of one article that holds every kind of check, for the tests of the toolchain."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import literate_ad.numpy  # pytester unloads what its runs import, and NumPy loads only once
from literate_book.source.articles import read_book
from literate_book.source.config import load_config
from literate_book.weave.assemble import assemble

DATA = Path(__file__).parent / "data" / "book"


@pytest.fixture
def kinds_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The root of a copy of the small book, its one module assembled and importable.

    It is the current folder, as it is for a writer.
    """
    root = tmp_path / "book"
    shutil.copytree(DATA, root)
    for file, text in assemble(read_book(root), load_config(root)).files.items():
        (root / file).parent.mkdir(exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    monkeypatch.setattr(literate_ad, "__path__", [*literate_ad.__path__, str(root / "literate_ad")])
    monkeypatch.chdir(root)
    yield root
    sys.modules.pop("literate_ad.toy", None)
    vars(literate_ad).pop("toy", None)
