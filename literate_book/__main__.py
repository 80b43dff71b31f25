"""Weave a literate package, check it, and publish it as a site."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from traceback import extract_tb

from literate_book.publish.commands import add_commands
from literate_book.source.config import book_root
from literate_book.source.errors import BookError, BookErrors, refuse_if
from literate_book.weave.stitch import stitch
from literate_book.weave.tangle import check, counted, tangle
from literate_book.weave.where import NotFound, where


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 1 where the book is refused."""
    options = parser().parse_args(arguments)
    command: Callable[[Path, argparse.Namespace], int] = options.run
    try:
        return command(book_root(options.root), options)
    except BookErrors as problem:
        message = f"{problem}\n{counted(len(problem.errors), 'error')}; nothing was written"
    except NotFound as problem:
        message = str(problem)
    print(message, file=sys.stderr)
    return 1


def parser() -> argparse.ArgumentParser:
    """The command line; every command takes ``--root``."""
    result = argparse.ArgumentParser(prog="python -m literate_book", description=__doc__)
    commands = result.add_subparsers(required=True, metavar="command")

    def add(name: str, run: Callable[..., int], text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--root", type=Path, help="the folder of the book, or one below it")
        command.set_defaults(run=run)
        return command

    write = add("tangle", run_tangle, "assemble the package from the articles")
    write.add_argument("--discard", action="store_true", help="overwrite edits made by hand")
    write.add_argument(
        "--drop", action="append", default=[], metavar="ID", help="let a deleted block go"
    )
    add("check", run_check, "refuse if the package is not what the articles say")
    add("stitch", run_stitch, "put edits of the package back into the articles")
    add("audit", run_audit, "refuse if anything in the articles is untested")
    find = add("where", run_where, "from a name or a line to article and module")
    find.add_argument("query", help="core.backward_pass, #src-id, FILE or FILE:LINE")
    add_commands(add)
    return result


def run_tangle(root: Path, options: argparse.Namespace) -> int:
    """Assemble, and say what changed."""
    print(*tangle(root, options.discard, options.drop), sep="\n")
    return 0


def run_check(root: Path, _: argparse.Namespace) -> int:
    """Show the drift, if there is any."""
    report = check(root)
    print(report or "the package is what the articles say")
    return 1 if report else 0


def run_stitch(root: Path, _: argparse.Namespace) -> int:
    """Put edits back, and say where they went."""
    print(*stitch(root), sep="\n")
    return 0


def run_where(root: Path, options: argparse.Namespace) -> int:
    """Print the places found."""
    print(*where(root, options.query), sep="\n")
    return 0


def run_audit(root: Path, _: argparse.Namespace) -> int:
    """Refuse what is untested. Only this command loads the package that is checked."""
    try:
        from literate_book.check.audit import audit
    except Exception as problem:
        raise BookErrors([broken_import(root, problem)]) from None
    refuse_if(audit(root))
    print("everything in the articles is assembled, checked or exempt with a reason")
    return 0


def broken_import(root: Path, problem: Exception) -> BookError:
    """The complaint about a module that cannot be imported, at the line that fails."""
    frame = extract_tb(problem.__traceback__)[-1]
    file, line = Path(frame.filename), frame.lineno
    if isinstance(problem, SyntaxError) and problem.filename:
        file, line = Path(problem.filename), problem.lineno
    name = file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)
    what = f"{type(problem).__name__}: {problem}"
    message = f"the audit needs the package, and it breaks here: {what}"
    return BookError(name, line or 1, 1, message)


if __name__ == "__main__":
    sys.exit(main())
