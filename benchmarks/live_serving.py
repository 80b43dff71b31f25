"""Measures how long a writer waits under ``make serve``: for the page, and for its checks.

Run ``python benchmarks/live_serving.py``; it writes ``benchmarks/data/live_serving.json``. A copy
of this book is served. In each article one sentence is saved, and then one line of a block: that
one assembles the package as well. Times count from the save.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from literate_ad.book.articles import book_root, read_book

RESULT = Path(__file__).parent / "data" / "live_serving.json"
REPEATS = 3
NOT_COPIED = (".git", ".venv", "site", "__pycache__", ".*_cache", ".hypothesis")


class Reader:
    """Somebody who looks at the book on a server."""

    def __init__(self, home: str) -> None:
        self.home = home

    def get(self, address: str) -> bytes:
        """What the server sends."""
        with urlopen(f"{self.home}/{address}") as answer:
            content: bytes = answer.read()
        return content

    def state(self, page: str, seen: int = 0) -> dict[str, Any]:
        """What is known of a page and its checks."""
        found: dict[str, Any] = json.loads(self.get(f"checks.json?page={page}&seen={seen}"))
        return found

    def rest(self, page: str) -> dict[str, Any]:
        """The same when nothing is under way any more."""
        state = self.state(page)
        while state["state"] == "running":
            state = self.state(page, state["version"])
        return state

    def times(self, page: str, file: Path, text: str) -> dict[str, float]:
        """Save a text, and count the seconds until things can be seen."""
        before = self.rest(page)
        start = time.perf_counter()
        file.write_text(text)
        state = before
        while state["edition"] == before["edition"]:
            state = self.state(page, state["version"])
        self.get(page)
        times = {"page_s": time.perf_counter() - start}
        while state["state"] == "running":
            if state["of"]:
                times.setdefault("progress_s", time.perf_counter() - start)
            state = self.state(page, state["version"])
        assert state["state"] in ("passed", "failed"), state
        times["verdict_s"] = time.perf_counter() - start
        times.setdefault("progress_s", times["verdict_s"])
        return {**times, "checks": state["of"]}


def edits(text: str, first: int) -> dict[str, str]:
    """The text with a sentence more, and with a comment more in the block that ends at a line."""
    lines = text.split("\n")
    return {
        "sentence": f"{text}\nOne sentence more, at {time.time()}.\n",
        "block": "\n".join([*lines[: first - 1], f"# {time.time()}", *lines[first - 1 :]]),
    }


def measure(root: Path, reader: Reader) -> list[dict[str, Any]]:
    """One row for each article: the shortest of several times."""
    rows = []
    for article in read_book(root):
        file = root / article.path
        page = f"{article.path.removeprefix('docs/en/').removesuffix('.md')}.html"
        blocks = [fence for fence in article.fences if fence.is_source]
        if not blocks:
            continue
        row: dict[str, Any] = {"article": file.stem}
        for kind in ("sentence", "block"):
            found = []
            for _ in range(REPEATS):
                text = edits(article.text, blocks[-1].end_line)[kind]
                found.append(reader.times(page, file, text))
                reader.times(page, file, article.text)
            row["checks"] = found[0].pop("checks")
            for name in ("page_s", "progress_s", "verdict_s"):
                row[f"{kind}_{name}"] = round(min(each[name] for each in found), 2)
        rows.append(row)
        print(row, flush=True)
    return rows


def main() -> None:
    """Serve a copy of the book, measure, and write it down."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "book")
        shutil.copytree(book_root(), root, ignore=shutil.ignore_patterns(*NOT_COPIED))
        command = [sys.executable, "-m", "literate_ad.book.site", "--serve", "127.0.0.1:0"]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        server = subprocess.Popen(
            command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            said = next(line for line in server.stdout if "http" in line)
            rows = measure(root, Reader(said.split()[4].rstrip(";")))
        finally:
            server.terminate()
            server.wait()
    result = {
        "command": "python benchmarks/live_serving.py",
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "rows": rows,
    }
    RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
