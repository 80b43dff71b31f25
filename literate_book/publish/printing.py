"""Prints the book into a PDF.

Chromium prints one page that holds all pages. That page is in a site which is built for it and
deleted afterwards, beside the style sheets and pictures that it needs.
"""

import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Error, sync_playwright

from literate_book.publish.edition import Edition
from literate_book.publish.site import build

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
NO_BROWSER = (
    "Chromium prints the book, and it is not here: apt-get install chromium, or "
    ".venv/bin/playwright install chromium"
)


def to_pdf(page: Path, target: Path) -> None:
    """Let Chromium print a page, with an outline and tags; ``OSError`` without Chromium."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path)
        except Error as problem:
            raise OSError(f"{NO_BROWSER}\n{problem.message.splitlines()[0]}") from None
        shown = browser.new_page()
        shown.goto(page.as_uri(), timeout=0)
        looks: dict[str, Any] = {"prefer_css_page_size": True, "print_background": True}
        shown.pdf(path=target, outline=True, tagged=True, **looks)
        browser.close()


def print_book(root: Path, target: Path) -> int:
    """Build the site, make one page of it, and print that; the status is 1 for anything amiss."""
    started = time.monotonic()
    with TemporaryDirectory() as folder:
        site = Path(folder, "site")
        print("building the site", flush=True)
        if status := build(root, site):
            return status
        print("making one page of all", flush=True)
        page = site / "edition.html"
        page.write_text(Edition(root, site).html(), encoding="utf-8")
        print("printing it", flush=True)
        to_pdf(page, target)
    size, seconds = target.stat().st_size / 1e6, time.monotonic() - started
    print(f"{target.name}: {size:.1f} MB, in {seconds:.0f} s")
    return 0
