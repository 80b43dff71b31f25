"""MkDocs' server with the book's plugin: what a writer sees after a save."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from small_book import block, edit, make_site_book

import literate_book
from literate_book.weave.tangle import tangle

ONE = block("init", '"""Small."""\n', "__init__.py") + "\n"
ONE += block("one", "def one():\n    return 1\n", "first.py")
TWO = block("two", "TWO = 2\n", "first.py")
FIRST = f"""\
# First

{ONE}
See [the second](second.md#src-two), and its [experiment](experiments/small.py).

```python
>>> from literate_ad.first import one
>>> one()
1
```
"""
SECOND = f"# Second\n\n{TWO}"
SCRIPT = """\
# %% [markdown]
# # Small

# %%
assert 1 + 1 == 2
print("all checks passed")
"""


class Server:
    """A running ``python -m literate_book serve``."""

    def __init__(self, root: Path, log: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.root, self.log = root, log
        paths = [str(Path(literate_book.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        with log.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "literate_book", "serve", "--port", str(self.port)],
                cwd=root,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *paths])},
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    def get(self, path: str) -> str:
        """What the server answers; empty while it does not."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/{path}") as answer:
                text: str = answer.read().decode()
        except (URLError, ConnectionError):
            return ""
        return text

    def wait(self, path: str, wanted: str) -> str:
        """What the server answers, as soon as it contains a text."""
        while wanted not in (found := self.get(path)):
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.05)
        return found

    def result(self, path: str, wanted: str) -> Any:
        """The result of an article's checks, as soon as all results contain a text."""
        self.wait("checks.json", f'"docs/en/{path}": {{')
        return json.loads(self.wait("checks.json", wanted))["results"][f"docs/en/{path}"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A small book, served."""
    texts = {"index.md": FIRST, "second.md": SECOND, "experiments/small.py": SCRIPT}
    texts = {name: text.replace("literate_ad", "little") for name, text in texts.items()}
    root = make_site_book(tmp_path / "book", texts)
    edit(root, "pyproject.toml", "'literate_ad'", "'little'")
    tangle(root)
    server = Server(root, tmp_path / "log")
    yield server
    server.process.kill()
    server.process.wait()


def test_a_save_is_assembled_shown_and_checked(server: Server) -> None:
    page = server.wait("index.html", "checks.js")
    assert 'data-article="docs/en/index.md"' in page
    assert server.result("index.md", '"passed": 4')["failures"] == []
    module = re.findall(r'href="([^"#]+)#src-one"', page)[-1]
    assert 'id="src-one"' in server.get(module)

    edit(server.root, "docs/en/index.md", "    return 1\n", "    # thrice\n    return 3\n")
    server.wait("index.html", "# thrice")
    assert "return 3" in (server.root / "little/first.py").read_text()
    (failure,) = server.result("index.md", 'failures": ["')["failures"]
    assert failure.startswith("docs/en/index.md:18:1: ")
    # The second article is where it was, and its block is a line further down in the module.
    server.wait("second.html", 'data-linenos="10 "')
    assert 'id="src-one"' in server.get(module)
    assert "WARNING" not in server.log.read_text()


def test_a_failed_build_keeps_the_pages_and_says_why(server: Server) -> None:
    server.wait("index.html", "return")
    edit(server.root, "docs/en/second.md", "# Second\n", "# Second\n\nSince $\\nope$.\n")
    found = json.loads(server.wait("checks.json", "nope"))
    assert "docs/en/second.md:3:7: this formula cannot be shown" in found["problem"]
    assert "Second" in server.get("second.html")
    assert "docs/en/second.md:3:7: " in server.log.read_text()

    edit(server.root, "docs/en/second.md", "$\\nope$", "$x$")
    server.wait("second.html", "<math")
    assert json.loads(server.get("checks.json"))["problem"] == ""


def test_a_block_that_cannot_be_assembled_is_told_at_its_line(server: Server) -> None:
    server.wait("index.html", "return")
    edit(server.root, "docs/en/second.md", "TWO = 2\n", "TWO = (2\n")
    found = json.loads(server.wait("checks.json", "does not parse"))
    assert "docs/en/second.md:4:7: this block does not parse" in found["problem"]
    assert "TWO = 2" in (server.root / "little/first.py").read_text()


def test_an_interrupt_ends_the_server_and_its_checks(server: Server) -> None:
    server.wait("checks.json", "{")
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait() == 0
    assert "Traceback" not in server.log.read_text()


def test_a_taken_port_is_told_with_what_to_do(tmp_path: Path) -> None:
    root = make_site_book(tmp_path, {"index.md": "# One\n"})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "literate_book", "serve", "--port", str(port)],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"port {port} cannot be used: ")
    assert "Take another: make serve PORT=" in done.stderr
