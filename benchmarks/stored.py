"""Stored figures: with a digest of the code that they measured, and from a quiet machine.

A program that measures calls ``options`` and ``store``; a page that prints figures calls ``load``.
"""

import argparse
import ast
import hashlib
import json
import os
import platform
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "benchmarks" / "data"
QUIET = 0.5  # runnable processes for each processor, up to which a machine counts as quiet


class StaleError(RuntimeError):
    """The code that stored figures measured has changed since."""


def code_of(path: Path) -> str:
    """A module without comments, docstrings and blank lines: what can change a measurement."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def digest(paths: Iterable[str]) -> str:
    """The digest of the code in ``paths``, which are relative to the repository's root."""
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(f"{path}\n{code_of(ROOT / path)}\n".encode())
    return found.hexdigest()[:16]


def load(name: str) -> dict[str, Any]:
    """The figures in ``benchmarks/data/NAME.json``.

    Raises:
        FileNotFoundError: nothing is stored under this name.
        StaleError: the code that they measured has changed since.
    """
    path = DATA / f"{name}.json"
    if not path.exists():
        raise FileNotFoundError(f"no figures in {path}: run python benchmarks/{name}.py")
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    gone = [each for each in figures["measured"] if not (ROOT / each).exists()]
    if gone or digest(figures["measured"]) != figures["digest"]:
        raise StaleError(
            f"benchmarks/data/{name}.json is stale: the code that it measured has changed "
            f"({'removed: ' + ', '.join(gone) if gone else ', '.join(figures['measured'])}); "
            f"on a quiet machine run {figures['command']}, then pytest --update-book"
        )
    return figures


def options(description: str | None) -> argparse.Namespace:
    """The options of a program that measures, and the load at its start.

    Ends the program where the machine is busy.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--even-if-busy", action="store_true", help="measure anyway; the figures are marked as busy"
    )
    parser.add_argument("--to", type=Path, help="the file to write, instead of benchmarks/data")
    chosen = parser.parse_args()
    chosen.load = os.getloadavg()[0]
    if chosen.load > quiet_load() and not chosen.even_if_busy:
        raise SystemExit(refusal(chosen.load, quiet_load()))
    return chosen


def quiet_load() -> float:
    """The load average above which figures are refused."""
    return QUIET * (os.cpu_count() or 1)


def refusal(load_average: float, limit: float) -> str:
    return (
        f"nothing stored: the machine is busy, its load average is {load_average:.2f} and may be "
        f"{limit:.2f} at most. Wait until it is quiet, or try the program with "
        f"--even-if-busy --to FILE"
    )


def store(name: str, chosen: argparse.Namespace, measured: Iterable[str], **figures: Any) -> None:
    """Writes figures with the digest of what they measured. This process may add 1 to the load."""
    limit, load_at_end = quiet_load() + 1, os.getloadavg()[0]
    if load_at_end > limit and not chosen.even_if_busy:
        raise SystemExit(refusal(load_at_end, limit))
    measured = sorted(measured)
    report = {
        "command": f"python benchmarks/{name}.py",
        "busy": chosen.load > quiet_load() or load_at_end > limit,
        "load": [round(chosen.load, 2), round(load_at_end, 2)],
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "measured": measured,
        "digest": digest(measured),
        **figures,
    }
    path = chosen.to or DATA / f"{name}.json"
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"written: {path}")
