"""The commands of this sub-package: build, serve, print and publish."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from literate_book.publish import site, versions
from literate_book.source.config import load_config

Add = Callable[[str, Callable[..., int], str], argparse.ArgumentParser]


def add_commands(add: Add) -> None:
    """Add the commands to the command line."""
    build = add("build", run_build, "build the site, strictly")
    build.add_argument("--site-dir", type=Path, default=Path("site"), help="where to build")
    serve = add("serve", run_serve, "show the site and the checks of its articles; follow changes")
    serve.add_argument("--port", type=int, default=8000, help="the port on 127.0.0.1")
    add("print", run_print, "print the whole book into a PDF, with Chromium")
    publish = add("publish", run_publish, "build the site as a version on the branch gh-pages")
    publish.add_argument("version", help="numbers such as 0.2, or a name such as dev")


def run_build(root: Path, options: argparse.Namespace) -> int:
    """Build, and say where."""
    status = site.build(root, options.site_dir.resolve())
    if not status:
        print(f"the site is in {options.site_dir}")
    return status


def run_serve(root: Path, options: argparse.Namespace) -> int:
    """Stay until interrupted."""
    return site.serve(root, options.port)


def run_print(root: Path, _: argparse.Namespace) -> int:
    """Print. Only this command needs Chromium."""
    from literate_book.publish.printing import print_book

    name = load_config(root).package.replace("_", "-")
    try:
        return print_book(root, root / f"{name}.pdf")
    except OSError as problem:
        print(problem, file=sys.stderr)
        return 1


def run_publish(root: Path, options: argparse.Namespace) -> int:
    """Publish, and say how to let others have it."""
    status = versions.publish(root, options.version)
    if not status:
        print(f"version {options.version} is on the branch gh-pages: git push origin gh-pages")
    return status
