# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-book-publishing.md#src-proof-imports
"""The checks of one page, run in the background for those who look at it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any

from literate_ad.book.checks import Book
from literate_ad.book.tracebacks import Places


# --- docs/en/articles/13-book-publishing.md#src-proof-proof
class Proof:
    """One run of the checks of a page; ``state`` says how far it is, ``tell`` is called for more.

    The run has a session of its own, so that all it starts can be ended with it, and a folder of
    its own for what its examples write.
    """

    def __init__(self, root: Path, path: str, tell: Callable[[], None]) -> None:
        self.root, self.tell, self.ended, self.asked = root, tell, False, 0.0
        self.state: dict[str, Any] = {"state": "running", "done": 0, "of": 0, "failures": []}
        self.desk = TemporaryDirectory(ignore_cleanup_errors=True)
        self.log = Path(self.desk.name, "log")
        # The page comes first, and checks take what it leaves.
        command = ["nice", sys.executable, "-m", "literate_ad.book.verdict", path]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                cwd=root,
                env={**os.environ, "TMPDIR": self.desk.name},
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        self.follower = Thread(target=self.follow)
        self.follower.start()

    def follow(self) -> None:
        """Hear all that the run has to say."""
        for line in self.process.stdout or ():
            said = json.loads(line)
            said["failures"] = self.state["failures"] + said["failures"]
            self.state = {**said, "state": "running"}
            self.tell()
        status = self.process.wait()
        if status and not self.ended:
            told = self.last_words() or f"the process has ended with status {status}"
            self.state = {**self.state, "state": "broken", "told": told}
        else:
            state = "failed" if self.state["failures"] else "passed"
            self.state = {**self.state, "state": state}
        self.tell()

    def last_words(self) -> str:
        """The end of what the run printed before it broke, each line of the package placed."""
        lines = self.log.read_text(errors="replace").rstrip().split("\n")
        return Places(Book(self.root)).annotate("\n".join(lines[-8:]))

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return bool(self.state["state"] == "running")

    def end(self) -> None:
        """Let the run go, and everything that it has started."""
        self.ended = True
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.follower.join()
        self.desk.cleanup()


# --- docs/en/articles/13-book-publishing.md#src-proof-proofs
PATIENCE = 2  # seconds that checks run on for nobody, when others are wanted


class Proofs:
    """The runs for all pages that are looked at, since the last save."""

    def __init__(self, root: Path, tell: Callable[[], None]) -> None:
        self.root, self.tell, self.lock = root, tell, Lock()
        self.proofs: dict[str, Proof] = {}

    def of(self, path: str, asked: float) -> Proof:
        """The run for a page, begun now or before; what nobody has asked for lately is ended."""
        with self.lock:
            for each, other in list(self.proofs.items()):
                if each != path and other.running and asked - other.asked > PATIENCE:
                    self.proofs.pop(each).end()
            if path not in self.proofs:
                self.proofs[path] = Proof(self.root, path, self.tell)
            self.proofs[path].asked = asked
            return self.proofs[path]

    def end(self) -> None:
        """End what runs, and forget what has run."""
        with self.lock:
            while self.proofs:
                self.proofs.popitem()[1].end()
