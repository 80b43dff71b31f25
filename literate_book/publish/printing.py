"""Prints the book: ``python -m literate_book.publish.printing`` writes ``literate-ad.pdf``.

Chromium prints one page that holds all pages. That page lies in a site which is built for it and
thrown away afterwards: there are the style sheets and pictures it needs.
"""

import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Error, sync_playwright

from literate_book.publish.edition import Edition
from literate_book.publish.site import build
from literate_book.source.config import book_root
from literate_book.source.errors import BookErrors

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
NO_BROWSER = (
    "Chromium prints the book, and it is not here: apt-get install chromium, or "
    ".venv/bin/playwright install chromium"
)


def to_pdf(page: Path, target: Path) -> None:
    """Let Chromium print a page, with an outline and tags; ``OSError`` where there is none."""
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


def main() -> int:
    """The command line."""
    try:
        root = book_root()
        return print_book(root, root / "literate-ad.pdf")
    except (BookErrors, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
