"""Builds and serves the site: MkDocs does it, with the book's plugin."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from literate_book.source.config import load_config
from literate_book.weave.tangle import check


def build(root: Path, target: Path) -> int:
    """Build the site strictly; the status is 1 for anything amiss."""
    if report := check(root):
        print(report, file=sys.stderr)
        return 1
    # Not --quiet: that would silence the warnings which --strict counts.
    command = mkdocs(root, "build", "--strict", "--site-dir", str(target))
    return subprocess.run(command, cwd=root, env=environment(root), check=False).returncode


def serve(root: Path, port: int) -> int:
    """Serve the site and follow changes, until interrupted."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except (OSError, OverflowError) as problem:
        message = f"port {port} cannot be used: {getattr(problem, 'strerror', problem)}"
        print(f"{message}. Take another: make serve PORT={port % 60000 + 1}", file=sys.stderr)
        return 1
    command = mkdocs(root, "serve", "--no-strict", "--dev-addr", f"127.0.0.1:{port}")
    os.chdir(root)
    # This process becomes MkDocs, so that Ctrl-C reaches only that one.
    return os.execve(command[0], command, environment(root))


def mkdocs(root: Path, *arguments: str) -> list[str]:
    """The command line of MkDocs for a book."""
    site = str(root / load_config(root).site)
    return [sys.executable, "-m", "mkdocs", *arguments, "--config-file", site]


def environment(root: Path) -> dict[str, str]:
    """The environment of MkDocs and all that it starts: these tools can be imported there."""
    paths = [str(root), str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        # An experiment is run for its output, not to leave compiled files behind.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
