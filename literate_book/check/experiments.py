"""Experiments: scripts beside the articles that must run, and what articles show of them."""

import ast
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import ClassVar

from literate_book.check.checks import Book, Check, Finding, Namespace, first_difference, place_in
from literate_book.source.articles import Fence, read_text
from literate_book.source.errors import BookError

LAST_LINE = "all checks passed"


# A script in the percent format: a cell begins with such a line, and text is in comments.
CELL = re.compile(r"^# %%(.*)$\n?", re.M)
MARK = chr(30)  # printed at the beginning of each cell, in the place of that line
RUN = (
    "import sys; path = sys.argv[1];"
    "exec(compile(sys.stdin.read(), path, 'exec'), {'__name__': '__main__', '__file__': path})"
)


def run_experiment(book: Book, name: str) -> list[str]:
    """The lines that an experiment prints; raises ``BookError`` as ``run_cells`` does."""
    path = f"{book.config.experiments}/{name}"
    return "".join(run_cells(book.root, path, read_text(book.root, path))).splitlines()


@cache
def run_cells(root: Path, path: str, source: str) -> list[str]:
    """What each cell of an experiment prints, run once as a reader runs it.

    Lines keep their numbers. Raises ``BookError`` for a script that fails or does not end as it
    should.
    """
    paths = [str(root), *(each or os.getcwd() for each in sys.path)]
    done = subprocess.run(
        [sys.executable, "-B", "-c", RUN, str(root / path)],
        cwd=(root / path).parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        input=CELL.sub("print(chr(30), end='')\n", source),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        frame = rf'^ *File "{re.escape(str(root / path))}", line (\d+)'
        numbers = ["1", *re.findall(frame, done.stderr, re.M)]
        raise BookError(path, int(numbers[-1]), 1, f"this failed:\n{done.stderr}")
    if not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source))):
        raise BookError(path, 1, 1, "nothing in this script can fail: assert what it shows")
    before, *cells = done.stdout.split(MARK)
    if not f"\n{before}{''.join(cells)}".endswith(f"\n{LAST_LINE}\n"):
        message = f"the last line printed must be “{LAST_LINE}”: print it here"
        raise BookError(path, source.count("\n"), 1, message)
    return [before, *cells]


@dataclass(frozen=True)
class Printed(Check):
    """A fence that shows lines which an experiment prints: all of them, or some in their order."""

    kind: ClassVar[str] = "output"
    fence: Fence

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        fence, name = self.fence, experiment_of(book, self.fence)
        actual, starts = run_experiment(book, name), self.fence.line_starts
        for index, line in enumerate(fence.body.splitlines()):
            if line in actual:
                actual = actual[actual.index(line) + 1 :]
                continue
            message = f"`{line}` is not among the lines that {name} prints here"
            close = get_close_matches(line, actual, 1)
            if not close:
                yield Finding(place_in(fence, index), message)
                continue
            message, text = f"{message}, but `{close[0]}` is", fence.indented(f"{close[0]}\n")
            yield Finding(place_in(fence, index), message, starts[index], starts[index + 1], text)
            actual = actual[actual.index(close[0]) + 1 :]


@dataclass(frozen=True)
class Excerpt(Check):
    """A fence that shows lines of an experiment's source as they stand, but for their indent."""

    kind: ClassVar[str] = "excerpt"
    fence: Fence

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        name, lines = experiment_of(book, self.fence), self.fence.body.splitlines()
        source = read_text(book.root, f"{book.config.experiments}/{name}").splitlines()
        parts = [source[first : first + len(lines)] for first in range(len(source))]
        parts = [textwrap.dedent("\n".join(part)).split("\n") for part in parts]
        part = max(parts, key=lambda part: first_difference(lines, part), default=[])
        index = first_difference(lines, part)
        if index < len(lines):
            there = "".join(part[index : index + 1]).strip() or "an empty line"
            message = f"{name} has `{there}` in this place: copy its lines as they are"
            yield Finding(place_in(self.fence, index), message)


def experiment_of(book: Book, fence: Fence) -> str:
    """The experiment that a fence shows something of."""
    name, folder = fence.attrs["of"], book.config.experiments
    if not (book.root / folder / name).is_file():
        raise fence.error(f"there is no experiment {name} in {folder}", "of=")
    if not fence.body.strip():
        raise fence.error(f"this shows nothing of {name}: copy at least one line of it")
    return name
