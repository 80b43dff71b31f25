"""What the tests of the site share: a built site, a server of it, a browser."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, addresses, browser, complaints, pages, reader, served, site

# Small books for tests are made there.
sys.path.append(str(Path(__file__).parents[1] / "book"))

# Found here by all.
__all__ = ["addresses", "browser", "complaints", "pages", "reader", "served", "site"]

MISSING = "no Chromium on PATH to look at the pages with: apt-get install chromium"


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark of tests that look at pages known."""
    config.addinivalue_line("markers", "chromium: looks at pages in Chromium")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Without Chromium skip the tests that need it; in CI fail them."""
    if item.get_closest_marker("chromium") and not CHROMIUM:
        (pytest.fail if "CI" in os.environ else pytest.skip)(MISSING)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line that pages were not looked at."""
    skipped = [
        each for each in terminalreporter.getreports("skipped") if MISSING in each.longreprtext
    ]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests did not run: {MISSING}", yellow=True)
