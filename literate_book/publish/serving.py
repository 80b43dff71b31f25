"""What ``mkdocs serve`` does for a writer besides showing pages: it runs the checks of articles."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread, current_thread
from typing import Any
from xml.etree import ElementTree

from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from literate_book.source.articles import read_text
from literate_book.source.config import load_config
from literate_book.source.nav import nav_articles

log = logging.getLogger(f"mkdocs.{__name__}")
SCRIPT = Path(__file__).with_name("checks.js")
RESULTS = "checks.json"
PYTEST = ["nice", sys.executable, "-m", "pytest", "-q", "-p", "literate_book.check.plugin"]
PYTEST += ["-p", "no:cacheprovider", "--override-ini=addopts="]


def package_digest(root: Path) -> str:
    """A name for what the package is now."""
    digest = sha256()
    for file in sorted((root / load_config(root).package).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class Checks:
    """The checks of all articles and experiments, which pytest runs after each build."""

    def __init__(self) -> None:
        self.problem = ""  # why there are no new pages
        self.package, self.texts = "", dict[str, str]()  # what was checked last
        self.results: dict[str, dict[str, Any]] = {}
        self.lock, self.thread = Lock(), Thread()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, root: Path) -> None:
        """Check what may have another result now; files with a new text go first."""
        self.problem = ""
        scripts = (root / load_config(root).experiments).glob("*.py")
        paths = [*nav_articles(root)[0], *(each.relative_to(root).as_posix() for each in scripts)]
        package, texts = package_digest(root), {path: read_text(root, path) for path in paths}
        if (package, texts) == (self.package, self.texts) and self.thread.is_alive():
            return
        self.stop()
        same = {path for path in texts if self.texts.get(path) == texts[path]}
        known = same if package == self.package else ()
        self.results = {path: self.results[path] for path in known if path in self.results}
        self.package, self.texts = package, texts
        waiting = sorted(
            (path for path in paths if path not in self.results), key=same.__contains__
        )
        self.thread = Thread(target=self.run, args=[root, waiting], daemon=True)
        self.thread.start()

    def run(self, root: Path, paths: Sequence[str]) -> None:
        """Run the checks of one file after the other, until another run takes the place of this."""
        with TemporaryDirectory() as folder:
            report = Path(folder, "report.xml")
            for path in paths:
                with self.lock:
                    if self.thread is not current_thread():
                        return
                    command = [*PYTEST, f"--junitxml={report}", path]
                    self.process = subprocess.Popen(
                        command, cwd=root, stdout=subprocess.DEVNULL, start_new_session=True
                    )
                self.process.wait()
                if self.thread is current_thread():
                    self.results[path] = result_of(report)

    def stop(self) -> None:
        """End the run, and whatever the examples have started."""
        with self.lock:
            self.thread = Thread()
            if self.process and self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


def result_of(report: Path) -> dict[str, Any]:
    """How many checks passed, and what the others complain about, in a report of pytest."""
    try:
        suite = next(ElementTree.parse(report).iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return {"passed": 0, "failures": ["the checks could not be run to their end"]}
    finally:
        report.unlink(missing_ok=True)
    failed = [*suite.iter("failure"), *suite.iter("error")]
    passed = int(suite.get("tests", 0)) - len(failed)
    return {"passed": passed, "failures": [(each.text or "").strip() for each in failed]}


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
        before = site.with_name(f"{site.name}-before")
        site.rename(before)
        try:
            build()
        except BaseException as problem:
            shutil.rmtree(site, ignore_errors=True)
            before.rename(site)
            if isinstance(problem, KeyboardInterrupt):
                raise
            checks.stop()
            checks.problem = f"The pages are as they were before this:\n{str(problem).strip()}"
            log.error(str(problem).strip())
        else:
            shutil.rmtree(before)

    server.set_app(app)
    server.builder = build_or_keep
    return server
