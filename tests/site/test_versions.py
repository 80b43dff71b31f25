"""Published versions stand beside each other, and the newest release is found as the latest."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from test_site import SMALL, small_site

from literate_book.publish.versions import is_newest, publish
from literate_book.source.config import book_root

ROOT = book_root(Path(__file__))


def git(root: Path, *arguments: str) -> str:
    """What git answers in the repository ``root``."""
    who = ["-c", "user.name=reader", "-c", "user.email=reader@example.org"]
    run = subprocess.run(
        ["git", *who, *arguments], cwd=root, check=True, capture_output=True, text=True
    )
    return run.stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small book under git, ready to be published."""
    assert small_site(tmp_path) == 0
    shutil.copy(ROOT / "mkdocs-published.yml", tmp_path)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "reader")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "reader@example.org")
    monkeypatch.setenv("SITE_URL", "https://example.org/book/")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "A book")
    return tmp_path


def published(root: Path, path: str) -> str:
    return git(root, "show", f"gh-pages:{path}")


def test_versions_stand_beside_each_other(repository: Path) -> None:
    for version in ("dev", "0.9", "0.10", "0.9.1"):
        assert publish(repository, version) == 0
    known = json.loads(published(repository, "versions.json"))
    aliases = {each["version"]: each["aliases"] for each in known}
    assert aliases == {"dev": [], "0.9": [], "0.10": ["latest"], "0.9.1": []}
    page = published(repository, "0.10/index.html")
    assert "A small book" in page
    assert '"provider": "mike"' in page
    assert '<link rel="canonical" href="https://example.org/book/0.10/index.html"' in page
    forwarding = published(repository, "index.html")
    assert 'url=latest/"' in forwarding


def test_a_book_out_of_step_is_not_published(
    repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (repository / "docs/en/index.md").write_text(SMALL.replace("x = 1", "x = 2"))
    assert publish(repository, "0.1") == 1
    assert "make book" in capfd.readouterr().err
    assert "gh-pages" not in git(repository, "branch")


@pytest.mark.parametrize(
    ("version", "others", "newest"),
    [
        ("0.1", [], True),
        ("0.10", ["0.9", "dev"], True),
        ("0.9.1", ["0.10"], False),
        ("1", ["0.99"], True),
        ("0.1", ["0.1"], True),
        ("dev", [], False),
    ],
)
def test_the_newest_is_found_by_its_numbers(version: str, others: list[str], newest: bool) -> None:
    assert is_newest(version, others) is newest
