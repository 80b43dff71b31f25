"""What ``mkdocs serve`` does for a writer besides showing pages: it runs the articles' checks."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from pathlib import Path
from threading import Thread
from typing import Any

from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from literate_book.source.articles import read_text
from literate_book.source.config import load_config
from literate_book.source.nav import nav_articles

log = logging.getLogger(f"mkdocs.{__name__}")
SCRIPT = Path(__file__).with_name("checks.js")
RESULTS = "checks.json"


def package_digest(root: Path) -> str:
    """A name for what the package is now."""
    digest = sha256()
    for file in sorted((root / load_config(root).package).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class Checks:
    """The checks of all articles, which run in a process of their own after each build."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.problem = ""  # why there are no pages or no checks
        self.package, self.texts = "", dict[str, str]()  # what was checked last
        self.results: dict[str, dict[str, Any]] = {}

    def start(self, root: Path) -> None:
        """Check what may have another result now; articles with a new text go first."""
        self.stop()
        package = package_digest(root)
        scripts = (root / load_config(root).experiments).glob("*.py")
        paths = [*nav_articles(root)[0], *(each.relative_to(root).as_posix() for each in scripts)]
        texts = {path: read_text(root, path) for path in paths}
        same = {path for path in self.results if self.texts[path] == texts.get(path)}
        if package != self.package:
            self.results = {}
        self.results = {path: self.results[path] for path in same if path in self.results}
        order = sorted(texts.keys() - self.results.keys(), key=lambda path: (path in same, path))
        self.package, self.texts, self.problem = package, texts, ""
        self.process = subprocess.Popen(
            ["nice", sys.executable, "-m", "literate_book.publish.checking", *order],
            cwd=root,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        Thread(target=self.follow, args=[self.process], daemon=True).start()

    def follow(self, process: "subprocess.Popen[bytes]") -> None:
        """Collect the results, until the process ends or another one takes its place."""
        for line in process.stdout or ():
            result = json.loads(line)
            if process is self.process:
                self.results[result["article"]] = result
        if process.wait() and process is self.process:
            self.problem = "The checks could not be run to their end: see the terminal."

    def stop(self) -> None:
        """End the process, and whatever the examples have started."""
        process, self.process = self.process, None
        if process and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def add_script(output: str, root: Path, page: Page) -> str:
    """A page with the script that shows the results of its checks; generated pages have none."""
    if page.file.generated_by:
        return output
    path = Path(page.file.abs_src_path or "").relative_to(root).as_posix()
    src, results = (get_relative_url(name, page.url) for name in (SCRIPT.name, RESULTS))
    tag = f'<script defer src="{src}" data-article="{escape(path)}" data-results="{results}">'
    return output.replace("</body>", f"{tag}</script></body>")


def serve_checks(server: LiveReloadServer, checks: Checks, site: Path) -> LiveReloadServer:
    """Let the server answer for the checks, and keep its pages when a build fails."""
    files, build = server.get_app(), server.builder

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if not environ["PATH_INFO"].endswith(f"/{RESULTS}"):
            answer: Iterable[bytes] = files(environ, start_response)  # type: ignore[misc]
            return answer
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps({"problem": checks.problem, "results": checks.results}).encode()]

    def build_or_keep() -> None:
        checks.stop()
        before = site.with_name(f"{site.name}-before")
        site.rename(before)
        try:
            build()
        except BaseException as problem:
            shutil.rmtree(site, ignore_errors=True)
            before.rename(site)
            if isinstance(problem, KeyboardInterrupt):
                raise
            checks.problem = f"The pages are as they were before this:\n{str(problem).strip()}"
            log.error(str(problem).strip())
        else:
            shutil.rmtree(before)

    server.set_app(app)
    server.builder = build_or_keep
    return server
