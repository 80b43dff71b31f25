"""The whole loop over a book of its own: another package, other folders, and no engine at all."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from small_book import edit, read

import literate_book

DATA = Path(__file__).parent / "data" / "brick"
TOOLS = Path(literate_book.__file__).parent
WALL = "text/wall.md"
NO_ENGINE = 'raise ImportError("the tools imported literate_ad, which this book does not have")\n'


class SecondBook:
    """A copy of the book of bricks, and the tools run in it as its writer would run them."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "book"
        shutil.copytree(DATA, self.root)
        path = folder / "path"
        (path / "literate_ad").mkdir(parents=True)
        (path / "literate_ad" / "__init__.py").write_text(NO_ENGINE)
        (path / "literate_book").symlink_to(TOOLS)
        paths = [str(path), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.environment = {
            **{key: each for key, each in os.environ.items() if not key.startswith("PYTEST")},
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(self, module: str, *arguments: str) -> tuple[int, str]:
        """The exit status of ``python -m module``, and all that it printed."""
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def succeed(self, module: str, *arguments: str) -> str:
        """What a run printed that must end well."""
        status, output = self.run(module, *arguments)
        assert status == 0, output
        return output

    def fail(self, module: str, *arguments: str) -> str:
        """What a run printed that must end badly."""
        status, output = self.run(module, *arguments)
        assert status == 1, output
        return output


@pytest.fixture
def book(tmp_path: Path) -> SecondBook:
    """The book, its package assembled."""
    book = SecondBook(tmp_path)
    output = book.succeed("literate_book", "tangle")
    assert output.splitlines() == [
        "wrote brick/__init__.py",
        "wrote brick/wall.py",
        "2 articles, 3 blocks, 2 modules: now in step",
    ]
    return book


def test_the_articles_make_the_package(book: SecondBook) -> None:
    first = read(book.root, "brick/wall.py").split("\n")[0]
    command = "python -m literate_book tangle"
    assert first == f'# Assembled from the articles in text; edit those, then run "{command}".'
    book.succeed("literate_book", "check")
    book.succeed("literate_book", "audit")
    assert book.succeed("literate_book", "where", "weight").splitlines() == [
        "brick/wall.py:13 brick.wall.weight",
        "    text/wall.md:23 #src-weight",
    ]


def test_an_edit_of_the_package_goes_back_into_its_article(book: SecondBook) -> None:
    edit(book.root, "brick/wall.py", "rows * length", "length * rows")
    assert "brick/wall.py:9:1: edited by hand" in book.fail("literate_book", "check")
    assert "-> text/wall.md:6 #src-bricks" in book.succeed("literate_book", "stitch")
    assert "    return length * rows\n" in read(book.root, WALL)
    book.succeed("literate_book", "check")


def test_all_checks_of_the_articles_run_and_hold(book: SecondBook) -> None:
    output = book.succeed("pytest", "-v", "-p", "no:cacheprovider")
    kinds = ("value", "block", "example", "snapshot", "ablation", "excerpt", "output", "script")
    assert not [kind for kind in kinds if kind not in output], output
    assert "12 passed" in output


def test_a_wrong_value_and_a_wrong_experiment_fail_at_their_lines(book: SecondBook) -> None:
    edit(book.root, WALL, "| `2` | `20.0` |", "| `2` | `21.0` |")
    edit(book.root, "text/trials/count.py", "== 12", "== 13")
    output = book.fail("pytest", "-p", "no:cacheprovider")
    assert "text/wall.md:32:" in output
    assert "text/trials/count.py:5:" in output
    assert "3 failed, 9 passed" in output


def test_what_the_package_says_now_is_written_into_the_article(book: SecondBook) -> None:
    edit(book.root, WALL, "brick: float = 2.5", "brick: float = 3.5")
    book.succeed("literate_book", "tangle")
    output = book.succeed("pytest", "--update-book", "-p", "no:cacheprovider")
    assert "rewritten text/wall.md:32: `20.0` -> `28.0`" in output
    assert "| `1` | `14.0` |\n| `2` | `28.0` |\n" in read(book.root, WALL)
    book.succeed("pytest", "-p", "no:cacheprovider")


def test_the_site_shows_each_block_with_its_caption_and_line_numbers(book: SecondBook) -> None:
    book.succeed("literate_book", "build", "--site-dir", "out")
    page = BeautifulSoup(read(book.root, "out/wall.html"), "html.parser")
    block = page.find(id="src-weight")
    assert block is not None
    assert "brick/wall.py" in block.get_text()
    numbers = [
        each["data-linenos"].strip() for each in block.find_all(attrs={"data-linenos": True})
    ]
    assert numbers == ["13", "14", "15"]
    index = read(book.root, "out/search/search_index.json")
    assert "weighs" in index
