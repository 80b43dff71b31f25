"""Publishes the site as a version on the branch ``gh-pages``, which a static host shows as it is.

mike builds and commits. Nothing is pushed: that is left to the maintainer.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from literate_book.publish.site import environment
from literate_book.source.config import load_config
from literate_book.weave.tangle import check

RELEASE = re.compile(r"\d+(?:\.\d+)*")


def is_newest(version: str, others: Sequence[str]) -> bool:
    """Whether a version is a release, and none of the others is a later one."""
    releases = [numbers(each) for each in others if RELEASE.fullmatch(each)]
    return bool(RELEASE.fullmatch(version)) and numbers(version) >= max(releases, default=())


def numbers(release: str) -> tuple[int, ...]:
    """A release as numbers, which have the order of time."""
    return tuple(map(int, release.split(".")))


def publish(root: Path, version: str) -> int:
    """Build one version and commit it beside the others; the status is 1 for anything amiss."""
    if report := check(root):
        print(report, file=sys.stderr)
        return 1
    known = json.loads(mike(root, "list", "--json", capture_output=True).stdout or "[]")
    newest = is_newest(version, [each["version"] for each in known])
    alias = ["latest", "--update-aliases"] if newest else []
    status = mike(root, "deploy", version, *alias).returncode
    if newest or not known:
        start = "latest" if newest else version
        status = status or mike(root, "set-default", start).returncode
    return status


def mike(
    root: Path, command: str, *arguments: str, capture_output: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run mike on the book, with the MkDocs installed here as the first that it finds."""
    known, site = environment(root), Path(load_config(root).site)
    published = str(site.with_stem(f"{site.stem}-published"))
    paths = os.pathsep.join([str(Path(sys.executable).parent), known.get("PATH", os.defpath)])
    start = [sys.executable, "-c", "from mike.driver import main; main()"]
    return subprocess.run(
        [*start, command, "--config-file", published, *arguments],
        cwd=root,
        env={**known, "PATH": paths},
        capture_output=capture_output,
        text=True,
        check=False,
    )
