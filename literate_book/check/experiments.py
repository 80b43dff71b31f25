"""Experiments: scripts beside the articles that must run, and what articles show of them."""

import ast
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import ClassVar

from literate_book.check.checks import Book, Check, Finding, Namespace
from literate_book.source.articles import Fence, read_text
from literate_book.source.errors import BookError

FOLDER = "docs/en/experiments"
ENGINE = Path(__file__).parents[2]  # the folder that holds the package these tests run on
LAST_LINE = "all checks passed"


@cache
def run_experiment(root: Path, name: str) -> list[str]:
    """The lines that an experiment prints, run as a reader runs it.

    Raises ``BookError`` for a script that fails or does not end as it should.
    """
    path = f"{FOLDER}/{name}"
    paths = [str(ENGINE), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-B", str(root / path)],
        cwd=(root / path).parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BookError(
            path, failing_line(done.stderr, str(root / path)), 1, f"this failed:\n{done.stderr}"
        )
    lines, source = done.stdout.splitlines(), read_text(root, path)
    if not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source))):
        raise BookError(path, 1, 1, "nothing in this script can fail: assert what it shows")
    if not lines or lines[-1] != LAST_LINE:
        message = f"the last line printed must be “{LAST_LINE}”: print it here"
        raise BookError(path, source.count("\n"), 1, message)
    return lines


def failing_line(stderr: str, path: str) -> int:
    """The line of the script that a traceback names last."""
    numbers = [
        line.split(", line ")[1].split(",")[0]
        for line in stderr.splitlines()
        if line.lstrip().startswith(f'File "{path}", line ')
    ]
    return int(numbers[-1]) if numbers else 1


@dataclass(frozen=True)
class Shown(Check):
    """A fence that shows lines which an experiment prints: all of them, or some in their order."""

    kind: ClassVar[str] = "output"
    fence: Fence

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        name = experiment_of(book, self.fence)
        actual = run_experiment(book.root, name)
        starts, place = self.fence.line_starts, 0
        shown = self.fence.body.splitlines()
        for index, line in enumerate(shown):
            if line in actual[place:]:
                place = actual.index(line, place) + 1
                continue
            missing = nearest(line, actual[place:])
            message = f"`{line}` is not among the lines that {name} prints here"
            if missing is None:
                yield Finding(starts[index] + len(self.fence.indent), message)
                continue
            place = actual.index(missing, place) + 1
            text = self.fence.indented(f"{missing}\n")
            at = starts[index] + len(self.fence.indent)
            yield Finding(
                at, f"{message}, but `{missing}` is", starts[index], starts[index + 1], text
            )


def nearest(line: str, candidates: list[str]) -> str | None:
    """The candidate that reads like ``line`` with other values, or None."""
    close = get_close_matches(line, candidates, 1, 0.6)
    return close[0] if close else None


@dataclass(frozen=True)
class Excerpt(Check):
    """A fence that shows lines of an experiment's source as they stand, but for their indent."""

    kind: ClassVar[str] = "excerpt"
    fence: Fence

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        name = experiment_of(book, self.fence)
        source = read_text(book.root, f"{FOLDER}/{name}").splitlines()
        shown, starts = self.fence.body.splitlines(), self.fence.line_starts
        firsts = range(len(source) + 1)
        first = max(firsts, key=lambda first: agreeing(shown, source[first:]))
        count = agreeing(shown, source[first:])
        if count < len(shown):
            there = "".join(source[first + count : first + count + 1]).strip() or "an empty line"
            message = f"{name} has `{there}` in this place: copy its lines as they are"
            yield Finding(starts[count] + len(self.fence.indent), message)


def agreeing(shown: list[str], source: list[str]) -> int:
    """How many lines of ``shown`` begin ``source``, when both are moved to the left edge."""
    moved = textwrap.dedent("\n".join(source[: len(shown)])).split("\n")
    return next(
        (i for i, (a, b) in enumerate(zip(shown, moved, strict=False)) if a != b), len(moved)
    )


def experiment_of(book: Book, fence: Fence) -> str:
    """The experiment that a fence shows something of."""
    name = fence.attrs["of"]
    if not (book.root / FOLDER / name).is_file():
        raise fence.error(f"there is no experiment {name} in {FOLDER}", "of=")
    if not fence.body.strip():
        raise fence.error(f"this shows nothing of {name}: copy at least one line of it")
    return name
