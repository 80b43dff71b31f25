"""Publishes the site under its version, on a branch that a static host can show as it is.

``python -m literate_book.publish.versions 0.2`` builds, and commits to the branch ``gh-pages``.
Nothing leaves the machine: to push the branch is left to those who may.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from literate_book.publish.site import environment, pack_experiments
from literate_book.source.config import book_root
from literate_book.source.errors import BookErrors
from literate_book.weave.tangle import check

RELEASE = re.compile(r"\d+(?:\.\d+)*")


def is_newest(version: str, others: Sequence[str]) -> bool:
    """Whether a version is a release, and none of the others is a later one."""
    releases = [numbers(each) for each in others if RELEASE.fullmatch(each)]
    return bool(RELEASE.fullmatch(version)) and numbers(version) >= max(releases, default=())


def numbers(release: str) -> tuple[int, ...]:
    """A release as numbers, which have the order of time."""
    return tuple(map(int, release.split(".")))


FORWARDING = "overrides/forwarding.html"


def publish(root: Path, version: str) -> int:
    """Build one version and commit it beside the others; the status is 1 for anything amiss."""
    if report := check(root):
        print(report, file=sys.stderr)
        return 1
    pack_experiments(root)
    known = json.loads(mike(root, "list", "--json", capture_output=True).stdout or "[]")
    newest = is_newest(version, [each["version"] for each in known])
    alias = ["latest", "--update-aliases"] if newest else []
    status = mike(root, "deploy", version, *alias).returncode
    if newest or not known:
        start = "latest" if newest else version
        status = status or mike(root, "set-default", start, "--template", FORWARDING).returncode
    return status


def mike(
    root: Path, command: str, *arguments: str, capture_output: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run mike on the book, with the MkDocs installed here as the first that it finds."""
    known = environment(root)
    paths = os.pathsep.join([str(Path(sys.executable).parent), known.get("PATH", os.defpath)])
    start = [sys.executable, "-c", "from mike.driver import main; main()"]
    return subprocess.run(
        [*start, command, "--config-file", "mkdocs-published.yml", *arguments],
        cwd=root,
        env={**known, "PATH": paths},
        capture_output=capture_output,
        text=True,
        check=False,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m literate_book.publish.versions")
    parser.add_argument("version", help="numbers such as 0.2, or a name such as dev")
    options = parser.parse_args(arguments)
    try:
        status = publish(book_root(), options.version)
    except BookErrors as problem:
        print(problem, file=sys.stderr)
        return 1
    if not status:
        print(f"version {options.version} is on the branch gh-pages: git push origin gh-pages")
    return status


if __name__ == "__main__":
    sys.exit(main())
