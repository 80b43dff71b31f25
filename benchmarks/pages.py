"""Weighs and times the pages of the built site, as a browser gets it from a server with gzip.

Run ``python benchmarks/pages.py [SITE]`` on a quiet machine; it builds the site into a folder of
its own unless you name one, and prints a table. It needs a Chromium (on Debian:
``apt-get install chromium``) and takes some minutes.

Each page is opened several times, each time in a fresh profile, so that nothing is cached; the
times are medians. Then it is scrolled to its end, and what moved by itself is added up.
"""

import functools
import gzip
import http.server
import re
import shutil
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from literate_book.publish.site import build
from literate_book.source.config import book_root

REPEATS = 3
WINDOW = {"width": 1280, "height": 800}
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
KINDS = {"document": "document", "stylesheet": "style", "script": "script", "image": "pictures"}
TOTALS = {"all", "requests"}
PACKED = {".html", ".css", ".js", ".json", ".svg", ".txt", ".xml"}

# Collects, from the beginning of a page, what the browser measures of it.
OBSERVE = """
window.measured = { paint: 0, largest: 0, shift: 0, tasks: [] };
const watch = (type, seen) => new PerformanceObserver(
    list => list.getEntries().forEach(seen)).observe({ type, buffered: true });
watch("paint", each => {
    if (each.name === "first-contentful-paint") measured.paint = each.startTime;
});
watch("largest-contentful-paint", each => { measured.largest = each.startTime; });
watch("layout-shift", each => { if (!each.hadRecentInput) measured.shift += each.value; });
watch("longtask", each => { measured.tasks.push(each.duration); });
"""


class Packed(http.server.SimpleHTTPRequestHandler):
    """Serves a folder the way static hosts do: text goes compressed."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer with the compressed file, and with anything else as it is."""
        path = Path(self.translate_path(self.path))
        if path.suffix not in PACKED or not path.is_file():
            super().do_GET()
            return
        body = packed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@functools.cache
def packed(path: Path) -> bytes:
    """A file as it goes over the wire."""
    return gzip.compress(path.read_bytes(), 6)


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """The address of the site."""
    handler = functools.partial(Packed, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def visit(browser: Browser, home: str, address: str, site: Path) -> tuple[dict[str, int], dict]:
    """The bytes of a page by kind with the number of requests, and what was measured of it."""
    profile = browser.new_context(viewport=WINDOW)
    page = profile.new_page()
    page.add_init_script(OBSERVE)
    asked: dict[str, str] = {}  # what the browser asks for twice comes from its memory then
    page.on("request", lambda request: asked.setdefault(request.url, request.resource_type))
    page.goto(f"{home}/{address}")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    weight: Counter[str] = Counter()
    for url, kind in asked.items():
        weight[KINDS.get(kind, kind)] += sent(site / url.removeprefix(f"{home}/"))
    times = measured(page)
    profile.close()
    return {**weight, "all": weight.total(), "requests": len(asked)}, times


def sent(path: Path) -> int:
    """How many bytes of a file go over the wire."""
    return len(packed(path)) if path.suffix in PACKED else path.stat().st_size


def measured(page: Page) -> dict[str, float]:
    """The times of a page, and how much moves while it is scrolled to its end."""
    found = page.evaluate("measured")
    at, end = 0, page.evaluate("document.documentElement.scrollHeight")
    while at < end:
        at += WINDOW["height"] // 2
        page.mouse.wheel(0, WINDOW["height"] // 2)
        page.wait_for_timeout(20)
    return {
        "first_paint_ms": found["paint"],
        "largest_paint_ms": found["largest"],
        "long_tasks": len(found["tasks"]),
        "blocking_ms": sum(task - 50 for task in found["tasks"]),
        "layout_shift": page.evaluate("measured.shift"),
    }


def measure(browser: Browser, home: str, address: str, site: Path) -> dict[str, Any]:
    """One page."""
    visits = [visit(browser, home, address, site) for _ in range(REPEATS)]
    names = visits[0][1]
    times = {name: statistics.median(each[1][name] for each in visits) for name in names}
    # What moves does so now and then: the worst of the visits counts.
    times["layout_shift"] = max(each[1]["layout_shift"] for each in visits)
    return {
        "bytes": visits[0][0],
        **{name: round(value, 4 if name == "layout_shift" else 0) for name, value in times.items()},
    }


def chosen(site: Path) -> list[str]:
    """Every page but those of single modules, which are alike."""
    addresses = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return sorted(each for each in addresses if not re.match(r"(source|reference)/.*\..*\.", each))


def main() -> None:
    """Measure the pages, and print what was found."""
    if not CHROMIUM:
        sys.exit("no Chromium on PATH to measure the pages with: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(sys.argv[1]) if sys.argv[1:] else Path(folder) / "site"
        if not sys.argv[1:] and build(book_root(Path(__file__)), site):
            sys.exit("the site could not be built: see above")
        addresses = chosen(site)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        with serving(site) as home:
            visit(browser, home, addresses[0], site)  # the browser's own first steps count for none
            for address in addresses:
                print(line(address, measure(browser, home, address, site)), flush=True)
        browser.close()


def line(address: str, page: dict[str, Any]) -> str:
    """A page as a line of the table."""
    weight = page["bytes"]
    kinds = ", ".join(
        f"{kind} {size / 1000:.0f}" for kind, size in weight.items() if kind not in TOTALS
    )
    return (
        f"{address:40} {weight['all'] / 1000:5.0f} kB  {weight['requests']:2} requests  "
        f"paint {page['first_paint_ms']:4.0f} ms  largest {page['largest_paint_ms']:4.0f} ms  "
        f"shift {page['layout_shift']:.3f}  long tasks {page['long_tasks']:2.0f}, "
        f"blocking {page['blocking_ms']:4.0f} ms  ({kinds})"
    )


if __name__ == "__main__":
    main()
