# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-book-publishing.md#src-live-imports
"""Serves the book while it is written: a save assembles, checks, and shows the page anew.

``python -m literate_ad.book.live 127.0.0.1:8000`` is what ``make serve`` runs.
"""

import json
import logging
import mimetypes
import signal
import sys
import time
import traceback
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from watchfiles import DefaultFilter

from literate_ad.book.articles import book_root
from literate_ad.book.errors import BookErrors
from literate_ad.book.experiments import FOLDER
from literate_ad.book.package import PACKAGE
from literate_ad.book.press import Press, anchor, complaints
from literate_ad.book.proof import Proofs
from literate_ad.book.rehearsal import TOOLCHAIN
from literate_ad.book.site import ARCHIVE, pack_experiments
from literate_ad.book.tangle import tangle
from literate_ad.book.watch import Change, saves

# --- docs/en/articles/13-book-publishing.md#src-live-constants
OURS = ("assets/checks.js", "assets/checks.css")
TAGS = (
    '<link rel="stylesheet" href="/assets/checks.css">'
    '<script type="module" src="/assets/checks.js" data-page="{page}" data-edition="{edition}">'
    "</script>"
)
WAIT = 20  # seconds until a question without news is answered
TOOLS = "The tools have changed: start make serve again to see what they do."
RENEWING = "All pages are being made anew: until then they are shown as they were."


# --- docs/en/articles/13-book-publishing.md#src-live-changes
class Written(DefaultFilter):
    """Files that somebody has saved, and not what an editor keeps beside them."""

    ignore_entity_patterns = (*DefaultFilter.ignore_entity_patterns, "^#.*#$")


class Changes:
    """Which saves change a file: not one that writes what was there, nor one of our own."""

    def __init__(self, root: Path) -> None:
        self.root, self.digests = root, dict[Path, bytes]()
        self.saves = saves(root, Written())

    def among(self, paths: Iterable[Path]) -> list[Path]:
        """The files whose content is not what it was; a file that is gone has none."""
        found = []
        for path in paths:
            digest = sha256(path.read_bytes()).digest() if path.is_file() else b""
            if self.digests.get(path, b"") != digest:
                self.digests[path] = digest
                found.append(path)
        return found

    def of(self, change: Change) -> list[Path]:
        """The files that a save has changed."""
        return self.among(Path(path) for _, path in change)

    def forget_own(self) -> None:
        """What the package holds now is no news."""
        self.among([*(self.root / PACKAGE).rglob("*.py"), self.root / ARCHIVE])


# --- docs/en/articles/13-book-publishing.md#src-live-live
class Live:
    """A book that is looked at while it is written."""

    def __init__(self, root: Path) -> None:
        self.root, self.notice = root, ""
        print(*tangle(root), "making the pages", sep="\n", flush=True)
        self.changes = Changes(root)
        self.press = Press(root)
        self.proofs = Proofs(root, self.tell)
        self.lock, self.news = Lock(), Condition()
        # The clock, so that a server that is started again goes on with higher numbers.
        self.version = self.edition = int(time.time() * 1000)

    def follow(self) -> None:
        """Follow every save. An error ends nothing, not even one of ours."""
        for change in self.changes.saves:
            try:
                if paths := self.changes.of(change):
                    self.change(paths)
            except Exception:
                traceback.print_exc()

    def change(self, paths: list[Path]) -> None:
        """Assemble, let all pages be made anew, and check the articles among the files."""
        with self.lock:
            self.proofs.end()
            refused = self.assemble()
            if any(path.parent == self.root / FOLDER for path in paths):
                paths.append(pack_experiments(self.root))
            self.changes.forget_own()
            self.press.change(paths, refused)
            self.publish()
            for path in self.press.built.sources.values():
                if self.root / path in paths and not self.press.refused:
                    self.proofs.of(path, time.monotonic())
        if self.press.renewing:
            self.press.renew()
            self.publish()

    def assemble(self) -> list[str]:
        """Assemble the package; what is wrong with it, if anything is."""
        try:
            told = tangle(self.root)
        except Exception as problem:
            return complaints(problem)
        if any(line.startswith(f"wrote {TOOLCHAIN}") for line in told):
            self.notice = TOOLS
        return []

    def publish(self) -> None:
        """Let all pages that are open load anew."""
        self.edition = self.version + 1
        self.tell()

    def tell(self) -> None:
        """Wake all who wait for news."""
        with self.news:
            self.version += 1
            self.news.notify_all()

    def state(self, name: str, seen: int) -> dict[str, Any]:
        """What is known of a page and its checks, as soon as there is more than was seen."""
        with self.news:
            self.news.wait_for(lambda: self.version > seen, WAIT)
            version = self.version
        told: dict[str, Any] = {"state": "none", "failures": [], "places": [], "warnings": []}
        with self.lock:
            built = self.press.built  # another one may take its place at any moment
            path = built.sources.get(name)
            if path and not self.press.refused and name not in self.press.unmade:
                told |= self.proofs.of(path, time.monotonic()).state
                page = built.pages[name]
                told["places"] = [anchor(page, line) for _, line, _ in told["failures"]]
                told["warnings"] = self.press.warned.get(name, [])
        notice = RENEWING if self.press.renewing else self.notice
        return {**told, "version": version, "edition": self.edition, "notice": notice}

    def read(self, name: str) -> bytes | None:
        """A file of the site; a page with the script that shows what is known of it."""
        if name in OURS:
            return Path(self.press.built.config.docs_dir, name).read_bytes()
        edition, content = self.edition, self.press.read(name)
        if content is None or not name.endswith(".html"):
            return content
        tags = TAGS.format(page=escape(name), edition=edition)
        return content.replace(b"</head>", f"{tags}</head>".encode(), 1)


# --- docs/en/articles/13-book-publishing.md#src-live-handler
def handler(live: Live) -> type[BaseHTTPRequestHandler]:
    """What answers the browser."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """A file of the site, or what is known of a page."""
            asked = urlsplit(self.path)
            name = unquote(asked.path).lstrip("/")
            if name == "checks.json":
                self.answer_bar(parse_qs(asked.query))
                return
            name += "index.html" if not name or name.endswith("/") else ""
            content = live.read(name)
            if content is None:
                self.answer(404, "404.html", live.read("404.html") or b"")
            else:
                self.answer(200, name, content)

        def do_HEAD(self) -> None:
            """The same, without what it holds."""
            self.do_GET()

        def answer_bar(self, query: dict[str, list[str]]) -> None:
            """What is known of a page, if that was the question."""
            page, seen = (query.get(key, [""])[0] for key in ("page", "seen"))
            if page and seen.isdecimal():
                state = live.state(page, int(seen))
                self.answer(200, "checks.json", json.dumps(state).encode())
            else:
                self.answer(400, "checks.txt", b"ask with page=NAME&seen=NUMBER\n")

        def answer(self, status: int, name: str, content: bytes) -> None:
            """Send a file; a browser that has gone on meanwhile does not want it."""
            with suppress(ConnectionError):
                self.send_response(status)
                kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                # The next look shall ask again.
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """A terminal that lists every request hides what matters."""

    return Handler


# --- docs/en/articles/13-book-publishing.md#src-live-main
def main() -> None:
    """The command line: an address, as host:port."""
    logging.basicConfig(format="%(levelname)s: %(message)s")
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.default_int_handler)
    host, _, port = sys.argv[1].rpartition(":")
    live = None
    try:
        live = Live(book_root())
        with ThreadingHTTPServer((host, int(port)), handler(live)) as server:
            Thread(target=live.follow, daemon=True).start()
            print(f"the book is on http://{host}:{server.server_port}; end with Ctrl-C", flush=True)
            server.serve_forever()
    except BookErrors as problem:
        sys.exit(str(problem))
    except KeyboardInterrupt:
        print()
    finally:
        if live:
            live.proofs.end()


if __name__ == "__main__":
    main()
