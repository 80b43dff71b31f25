"""The built site, a server for it, and a browser to read it with: what several tests share."""

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
from literate_book.source.config import book_root

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ROOT = book_root(Path(__file__))
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
# In CI a browser is installed, so there its absence is a failure.
LOOKED_AT = pytest.mark.skipif(
    not CHROMIUM and "CI" not in os.environ,
    reason="no Chromium on PATH to look at the pages with: apt-get install chromium",
)
# What the policy of a page refuses is told on the console, and said here once more by its event.
REFUSED = """addEventListener("securitypolicyviolation", refused =>
    console.error(`policy: ${refused.violatedDirective} refused ${refused.blockedURI}`))"""
ABORTED = "net::ERR_ABORTED"
Reader = Callable[..., "Page"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site built just now, once for all workers.

    Two builds side by side would start notebook kernels side by side, and those take ports from
    each other now and then.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    target, built = shared / "site", shared / "site-is-built"
    with (shared / "site-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            assert build(ROOT, target) == 0, "the strict build of the site failed: see above"
            built.touch()
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
    """The address of every page, whoever made it."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, BeautifulSoup]:
    """Every page by its address."""
    return {
        path.relative_to(site).as_posix(): BeautifulSoup(path.read_text(), "html.parser")
        for path in sorted(site.rglob("*.html"))
    }


def address(path: str) -> str:
    """The address of the page made from a file of the docs."""
    return str(Path(path).relative_to("docs/en").with_suffix(".html").as_posix())


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
    """What a browser had to complain about, with the page; anything in it fails the test."""
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
    """Write down what the browser says, what fails, and who else is asked for anything."""

    def heard(what: str) -> None:
        complaints.append(f"{page.url.removeprefix(home)}: {what}")

    page.add_init_script(REFUSED)
    page.on("console", lambda said: heard(said.text))
    page.on("pageerror", lambda error: heard(str(error)))
    # What a reader leaves behind by going on to another page has not failed.
    page.on(
        "requestfailed",
        lambda asked: asked.failure == ABORTED or heard(f"{asked.failure}: {asked.url}"),
    )
    page.on("response", lambda came: came.status < 400 or heard(f"{came.status}: {came.url}"))
    page.on("request", lambda asked: foreign(asked.url, home) and heard(f"foreign: {asked.url}"))


def foreign(url: str, home: str) -> bool:
    """Whether an address is none of ours."""
    return not url.startswith((f"{home}/", "data:", "blob:"))
