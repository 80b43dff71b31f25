"""The frame around the book: README, lock file, wheel."""

import doctest
import re
import socket
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from textwrap import indent

import pytest

from literate_book.publish.site import serve
from literate_book.source.articles import parse_article, read_book
from literate_book.source.config import book_root

ROOT = book_root()


def test_the_readme_shows_what_happens() -> None:
    fences = parse_article("README.md", (ROOT / "README.md").read_text()).fences
    sessions = [fence for fence in fences if fence.lang == "python"]
    assert sessions
    for fence in sessions:
        test = doctest.DocTestParser().get_doctest(
            fence.body, {}, "README.md", "README.md", fence.body_line - 1
        )
        assert test.examples
        assert not doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(test).failed


def test_the_readme_names_files_and_targets_that_exist() -> None:
    text = (ROOT / "README.md").read_text() + (ROOT / "CONTRIBUTING.md").read_text()
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / link).exists(), link
    for path in re.findall(r"`((?:docs|literate_ad|tests|benchmarks|overrides)[\w/]*)`", text):
        assert (ROOT / path).exists(), path
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"\bmake ([a-z]+)(?:`| +#)", text)
    assert "serve" in named
    assert set(named) <= set(targets)


def test_the_lock_pins_and_hashes_everything_and_names_no_place() -> None:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pin = re.compile(r"[a-z0-9._-]+==[\w.]+(?: ; [\w.' ()<>=!]+)? \\")
    digest = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}(?: \\)?")
    assert [line for line in lines if not line.startswith("#")]
    for before, line in zip(["", *lines], lines, strict=False):
        if not line.startswith("#"):
            assert digest.fullmatch(line) if before.endswith("\\") else pin.fullmatch(line), line


def test_the_lock_holds_all_that_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [
        *project["project"]["dependencies"],
        *(each for extra in project["project"]["optional-dependencies"].values() for each in extra),
        *project["dependency-groups"]["dev"],
    ]
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements.txt").read_text(), re.MULTILINE))
    names = {re.split(r"[<>=\[ ]", each)[0].lower() for each in asked}
    assert names <= locked


def test_numpy_is_all_that_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert [re.split(r"[<>=]", each)[0] for each in project["dependencies"]] == ["numpy"]


def test_the_wheel_holds_the_package_and_its_types(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if name.startswith("literate_ad/")}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "literate_ad").rglob("*.py")}
    assert held == {*modules, "literate_ad/py.typed"}


def test_a_port_in_use_is_told_before_anything_is_built(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert serve(ROOT, f"127.0.0.1:{taken.getsockname()[1]}") == 1
    assert "make serve PORT=" in capsys.readouterr().err


def test_articles_quote_scripts_as_they_are() -> None:
    scripts = [path.read_text() for path in (ROOT / "docs/en/assets").glob("*.js")]
    fences = [fence for article in read_book(ROOT) for fence in article.fences]
    quoted = [fence for fence in fences if fence.lang == "js"]
    assert len(quoted) >= 2
    for fence in quoted:
        pieces = [indent(fence.body, " " * columns) for columns in (0, 2)]
        assert any(piece in script for piece in pieces for script in scripts), (
            f"{fence.article}:{fence.line}: no script in docs/en/assets has these lines"
        )
