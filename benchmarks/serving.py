"""Measures how long a writer waits under ``make serve``: for the page, and for its checks.

Run ``python benchmarks/serving.py``; it prints a row for each article. A copy of this book is
served. In each article that has a block of the package one line is added to the last of them and
saved, so the package is assembled too. Times count from the save.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from literate_book.source.articles import Fence, read_book
from literate_book.source.config import book_root, load_config

REPEATS = 3
NOT_COPIED = (".git", ".venv", "site", "__pycache__", ".*_cache", ".hypothesis")


def wait_for(address: str, wanted: str, server: "subprocess.Popen[str] | None" = None) -> str:
    """What an address answers, as soon as it contains a text; ends with the ``server``."""
    while server is None or server.poll() is None:
        try:
            with urlopen(address) as answer:
                found: str = answer.read().decode()
        except URLError:
            found = ""
        if wanted in found:
            return found
        time.sleep(0.02)
    raise SystemExit("the server has ended: make serve says why")


def seconds(home: str, page: str, block: Fence, file: Path, text: str) -> tuple[float, float, int]:
    """Add a line to a block: the seconds to the page and to its checks, and their number."""
    line = f"# {time.time()}"
    start = time.perf_counter()
    file.write_text(text[: block.body_end] + f"{line}\n" + text[block.body_end :])
    wait_for(f"{home}/{page}", line)
    shown = time.perf_counter() - start
    results = json.loads(wait_for(f"{home}/checks.json", f'"{block.article}": {{'))["results"]
    checked = time.perf_counter() - start
    return shown, checked, results[block.article]["passed"]


def measure(root: Path, home: str) -> None:
    """One row for each article: the median of several times."""
    articles = load_config(root).articles
    for article in read_book(root):
        blocks = [fence for fence in article.fences if fence.is_source]
        if not blocks:
            continue
        file, page = root / article.path, Path(article.path).relative_to(articles)
        found = []
        for _ in range(REPEATS):
            found.append(
                seconds(home, page.with_suffix(".html").as_posix(), blocks[-1], file, article.text)
            )
            time.sleep(1)
        pages, verdicts, checks = zip(*found)
        file.write_text(article.text)
        row = {
            "article": file.stem,
            "checks": checks[0],
            "page_s": round(sorted(pages)[REPEATS // 2], 2),
            "verdict_s": round(sorted(verdicts)[REPEATS // 2], 2),
        }
        print(row, flush=True)
        time.sleep(4)


def main() -> None:
    """Serve a copy of the book, measure, and store the result."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "book")
        shutil.copytree(book_root(), root, ignore=shutil.ignore_patterns(*NOT_COPIED))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "literate_book", "serve", "--port", str(port)]
        paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        with tempfile.TemporaryFile("w+") as log:
            server = subprocess.Popen(
                command, cwd=root, env=environment, stdout=log, stderr=log, text=True
            )
            try:
                wait_for(f"http://127.0.0.1:{port}/checks.json", "{", server)
                measure(root, f"http://127.0.0.1:{port}")
            finally:
                server.terminate()
                server.wait()


if __name__ == "__main__":
    main()
