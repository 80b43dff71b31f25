"""The page of an experiment: the cells of its script, and below each what it printed in a run."""

import re
from pathlib import Path

from literate_book.check.experiments import CELL, run_cells


def experiment_page(root: Path, path: str, source: str) -> str:
    """The Markdown of an experiment; ``BookError`` if the script fails."""
    _, *cells = CELL.split(source)
    parts = []
    for kind, text, printed in zip(cells[::2], cells[1::2], run_cells(root, path, source)[1:]):
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
