"""Builds and serves the site: refuses drift, packs the experiments, runs the site generator."""

import argparse
import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from literate_book.check.experiments import FOLDER
from literate_book.source.config import book_root
from literate_book.source.errors import BookErrors
from literate_book.weave.tangle import check


def build(root: Path, target: Path) -> int:
    """Build the site strictly; the status is 1 for anything amiss."""
    if report := check(root):
        print(report, file=sys.stderr)
        return 1
    pack_experiments(root)
    # Not --quiet: that would silence the warnings which --strict counts.
    return generator(root, "build", "--strict", "--site-dir", str(target))


def generator(root: Path, *arguments: str) -> int:
    """Run MkDocs in the book; the status is its own."""
    command = [sys.executable, "-m", "literate_book.publish.generator", *arguments]
    return subprocess.run(command, cwd=root, env=environment(root), check=False).returncode


def environment(root: Path) -> dict[str, str]:
    """What MkDocs and the experiments find: the package that runs here, and their settings."""
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        # How notebooks become pages.
        "JUPYTER_CONFIG_PATH": str(root / ".jupyter"),
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONPATH": os.pathsep.join(paths),
        # An experiment is run for its output, not to leave compiled files behind.
        "PYTHONDONTWRITEBYTECODE": "1",
    }


ARCHIVE = "docs/en/assets/experiments.zip"
# A fixed time of the files in it makes the archive the same, byte by byte, for the same scripts.
EPOCH = (1980, 1, 1, 0, 0, 0)


def pack_experiments(root: Path) -> Path:
    """Put every experiment into one archive, for the site to offer."""
    archive = root / ARCHIVE
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w") as packed:
        for script in sorted((root / FOLDER).glob("*.py")):
            entry = zipfile.ZipInfo(f"experiments/{script.name}", EPOCH)
            packed.writestr(entry, script.read_bytes(), zipfile.ZIP_DEFLATED)
    return archive


def serve(root: Path, address: str) -> int:
    """Show the site at ``address`` until interrupted, following the articles."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_server((host, int(port))).close()
    except OSError as problem:
        print(f"{address}: {problem.strerror}. Try make serve PORT=8001", file=sys.stderr)
        return 1
    pack_experiments(root)
    command = [sys.executable, "-m", "literate_book.publish.live", address]
    os.chdir(root)
    # This process becomes the server, so that Ctrl-C reaches that one and nobody in between.
    return os.execve(command[0], command, environment(root))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m literate_book.publish.site")
    parser.add_argument("--serve", metavar="ADDRESS", help="serve at host:port and follow changes")
    parser.add_argument("--site-dir", type=Path, default=Path("site"), help="where to build")
    options = parser.parse_args(arguments)
    try:
        root = book_root()
        if options.serve:
            return serve(root, options.serve)
        status = build(root, options.site_dir.resolve())
    except BookErrors as problem:
        print(problem, file=sys.stderr)
        return 1
    if not status:
        print(f"the site is in {options.site_dir}")
    return status


if __name__ == "__main__":
    sys.exit(main())
