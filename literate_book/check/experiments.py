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


def run_experiment(book: Book, name: str) -> list[str]:
    """The lines that an experiment prints, run as a reader runs it, once in a process.

    Raises ``BookError`` for a script that fails or does not end as it should.
    """
    return run_script(book.root, f"{book.config.experiments}/{name}")


@cache
def run_script(root: Path, path: str) -> list[str]:
    """The lines that the script prints."""
    paths = [str(root), *(each or os.getcwd() for each in sys.path)]
    done = subprocess.run(
        [sys.executable, "-B", str(root / path)],
        cwd=(root / path).parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        line = failing_line(done.stderr, str(root / path))
        raise BookError(path, line, 1, f"this failed:\n{done.stderr}")
    lines, source = done.stdout.splitlines(), read_text(root, path)
    if not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source))):
        raise BookError(path, 1, 1, "nothing in this script can fail: assert what it shows")
    if not lines or lines[-1] != LAST_LINE:
        message = f"the last line printed must be “{LAST_LINE}”: print it here"
        raise BookError(path, source.count("\n"), 1, message)
    return lines


def failing_line(stderr: str, path: str) -> int:
    """The line of the script that a traceback names last."""
    numbers = re.findall(rf'^ *File "{re.escape(path)}", line (\d+)', stderr, re.M)
    return int(numbers[-1]) if numbers else 1


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
