"""The frame around the book: README and lock file."""

import doctest
import re
import tomllib

from literate_book.source.articles import parse_article
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
