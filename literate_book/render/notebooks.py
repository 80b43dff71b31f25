"""The page of an experiment: the cells of its script, and below each what it printed in a run.

The script runs once, as a reader runs it, in a process without a notebook's kernel.
"""

import re
import subprocess
import sys
from pathlib import Path

from literate_book.check.experiments import failing_line
from literate_book.source.errors import BookError

# A script in the percent format: a cell begins with such a line, and text is in comments.
CELL = re.compile(r"^# %%(.*)$\n?", re.MULTILINE)
MARK = chr(30)  # printed at the beginning of each cell, in the place of that line
RUN = (
    "import sys; path = sys.argv[1];"
    "exec(compile(sys.stdin.read(), path, 'exec'), {'__name__': '__main__', '__file__': path})"
)
LIMIT = 300  # seconds


def experiment_page(root: Path, path: str, source: str) -> str:
    """The Markdown of an experiment; ``BookError`` if the script fails."""
    _, *cells = CELL.split(source)
    parts = []
    for kind, text, printed in zip(cells[::2], cells[1::2], outputs(root, path, source)):
        if "[markdown]" in kind:
            parts.append(re.sub("^# ?", "", text, flags=re.MULTILINE))
        elif text.strip():
            parts.append(fenced("python", text.strip("\n")))
        if printed:
            parts.append(fenced("text {.output}", printed.rstrip("\n")))
    return "\n".join(parts)


def fenced(info: str, text: str) -> str:
    """A text in a fence with more ticks than any in the text."""
    ticks = "`" * max((3, *(len(run) + 1 for run in re.findall("`+", text))))
    return f"{ticks}{info}\n{text}\n{ticks}\n"


def outputs(root: Path, path: str, source: str) -> list[str]:
    """What each cell of a script prints. Lines keep their numbers, so tracebacks are right."""
    marked = CELL.sub('print(chr(30), end="")\n', source)
    try:
        done = subprocess.run(
            [sys.executable, "-B", "-c", RUN, str(root / path)],
            cwd=(root / path).parent,
            input=marked,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"this did not end within {LIMIT} seconds: let it do less"
        raise BookError(path, 1, 1, message) from None
    if done.returncode:
        line = failing_line(done.stderr, str(root / path))
        raise BookError(path, line, 1, f"this failed:\n{done.stderr}")
    return done.stdout.split(MARK)[1:]
