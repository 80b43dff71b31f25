"""The built site, a server for it, and a browser to read it with."""

import fcntl
import functools
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from bs4 import BeautifulSoup

from literate_book.publish.site import build
from literate_book.source.config import book_root, load_config

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ROOT = book_root(Path(__file__))
CONFIG = load_config(ROOT)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), "")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
]
# Tests with this mark need Chromium: conftest.py skips them without it, and in CI fails them.
LOOKED_AT = pytest.mark.chromium
ABORTED = "net::ERR_ABORTED"
Reader = Callable[..., "Page"]


def address(path: str) -> str:
    """The address of the page made from a file of the docs."""
    return Path(path).relative_to(CONFIG.articles).with_suffix(".html").as_posix()


WRITTEN = sorted(
    address(path.relative_to(ROOT).as_posix())
    for folder, pattern in ((CONFIG.articles, "**/*.md"), (CONFIG.experiments, "*.py"))
    for path in (ROOT / folder).glob(pattern)
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site built just now, once for all workers: the first holds the lock."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    target, outcome = shared / "site", shared / "site-outcome"
    with (shared / "site-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not outcome.exists():
            outcome.write_text("the strict build of the site failed: see above")
            if build(ROOT, target) == 0:
                outcome.write_text("")
    assert not outcome.read_text(), outcome.read_text()
    return target


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a folder on a server of our own."""

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    handler = functools.partial(Silent, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address of the built site."""
    with serving(site) as address:
        yield address


@pytest.fixture(scope="session")
def addresses(site: Path) -> list[str]:
    """The address of every page, written by hand or generated."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, BeautifulSoup]:
    """Every page by its address."""
    return {
        path.relative_to(site).as_posix(): BeautifulSoup(path.read_text(), "html.parser")
        for path in sorted(site.rglob("*.html"))
    }


RUNNING: "list[Browser]" = []


@contextmanager
def chromium() -> "Iterator[Browser]":
    """The browser of this machine: the one that runs already, or one for this block."""
    from playwright.sync_api import sync_playwright

    if RUNNING:
        yield RUNNING[0]
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        RUNNING.append(browser)
        try:
            yield browser
        finally:
            RUNNING.clear()
            browser.close()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """One browser for the tests of a module."""
    with chromium() as started:
        yield started


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """The complaints of a browser, each with its page; any of them fails the test."""
    heard: list[str] = []
    yield heard
    assert not heard, "\n".join(heard)


@pytest.fixture
def reader(browser: "Browser", served: str, complaints: list[str]) -> Iterator[Reader]:
    """Opens a page in a fresh profile; every complaint of the browser fails the test."""
    profiles: list[BrowserContext] = []

    def opened(address: str = "", **settings: Any) -> "Page":
        profile = browser.new_context(**settings)
        profiles.append(profile)
        page = profile.new_page()
        listen(page, served, complaints)
        page.goto(f"{served}/{address}")
        page.wait_for_load_state("networkidle")
        return page

    yield opened
    for profile in profiles:
        profile.close()


def listen(page: "Page", home: str, complaints: list[str]) -> None:
    """Note messages on the console, failed requests, and requests to other hosts."""

    def heard(what: str) -> None:
        complaints.append(f"{page.url.removeprefix(home)}: {what}")

    page.on("console", lambda message: heard(message.text))
    page.on("pageerror", lambda error: heard(str(error)))
    # A request that is left behind on the way to another page has not failed.
    page.on(
        "requestfailed",
        lambda failed: failed.failure == ABORTED or heard(f"{failed.failure}: {failed.url}"),
    )
    page.on("response", lambda came: came.status < 400 or heard(f"{came.status}: {came.url}"))
    page.on("request", lambda sent: foreign(sent.url, home) and heard(f"foreign: {sent.url}"))


def foreign(url: str, home: str) -> bool:
    """Whether an address is on another host."""
    return not url.startswith((f"{home}/", "data:", "blob:"))
