"""The questions that the tests ask of a page when they visit it, all in one visit a viewport."""

import gzip
import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from browser import WRITTEN, Reader

# Functions for the page, for the questions below.
TOOLS = """
// Whether a reader sees it, when it has been scrolled to.
const seen = each => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const short = each => each.outerHTML.replace(/\\s+/g, " ").slice(0, 120);
const size = each => parseFloat(getComputedStyle(each).fontSize);
const all = selector => [...document.querySelectorAll(selector)];
const scroller = each => ["auto", "scroll"].includes(getComputedStyle(each).overflowX);
"""


def ask(page: Any, question: str) -> Any:
    """The answer of the page to a question that the tools above help with."""
    return page.evaluate(f"() => {{ {TOOLS} {question} }}")


# What is wrong with the room that a page takes.
ROOM = """
const wrong = [];
const wide = document.documentElement.scrollWidth - innerWidth;
if (wide > 0) wrong.push(`${wide} pixels wider than the window`);
for (const each of all("article :not(:is(svg, math) *)")) {
    const box = each.getBoundingClientRect();
    if (box.right <= innerWidth + 1 || !box.width || !seen(each)) continue;
    let inside = each.parentElement;
    while (inside && getComputedStyle(inside).overflowX === "visible") {
        inside = inside.parentElement;
    }
    if (!inside || !scroller(inside) || !inside.closest("article")) {
        wrong.push(`cut off: ${short(each)}`);
    }
}
return wrong;
"""
# Between the text and what is beside it there is a margin, also where that is the edge.
MARGINS = """
const text = document.querySelector("article").getBoundingClientRect();
const style = getComputedStyle(document.querySelector("article"));
// A sidebar in the flow of the page; on small windows one slides over the text.
const box = side => all(`.md-sidebar--${side}`).filter(
    each => each.offsetWidth && getComputedStyle(each).position !== "fixed"
)[0]?.getBoundingClientRect();
const margins = [
    text.left + parseFloat(style.paddingLeft) - (box("primary")?.right ?? 0),
    (box("secondary")?.left ?? innerWidth) - text.right + parseFloat(style.paddingRight),
];
const least = innerWidth < 720 ? 14 : 22;
return margins.filter(each => each < least).map(each => `a margin of ${each} pixels`);
"""
# Formulas have small exponents, as everywhere.
LETTERS = """
const NO_LETTERS = "math, script, style, title, .heard";
const small = new Set();
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
    const each = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || each.closest(NO_LETTERS)) continue;
    if (!seen(each) || !each.getClientRects().length) continue;
    const svg = each.closest("svg");
    // A phone shows all of a drawing, scaled to its column; a list has the names of the map again.
    const scaled = svg?.closest(".drawing") && innerWidth < 720;
    if (scaled && svg.closest(".map")) continue;
    const drawn = size(each) * (svg ? each.getScreenCTM().a : 1);
    if (drawn >= (scaled ? 6 : 11.95)) continue;
    small.add(`letters of ${drawn.toFixed(1)} px: ${short(each)}`);
}
return [...small];
"""
# Code is about as large as the prose around it, numbers stand on the right, messages wrap.
TYPE = """
const prose = document.querySelector("article > p");
const code = all("article > p > code, article > figure.listing pre > code");
const beside = each => size(each) / size(each.closest("p") ?? prose);
return [
    ...code.filter(each => beside(each) < 0.85 || beside(each) > 1)
        .map(each => `code at ${beside(each).toFixed(2)} of prose: ${short(each)}`),
    ...all("td.number").filter(each => !["end", "right"].includes(getComputedStyle(each).textAlign))
        .map(each => `a number on the left: ${short(each)}`),
    ...all(".wraps").filter(each => each.getBoundingClientRect().right
            > each.closest("pre").getBoundingClientRect().right + 1 && seen(each))
        .map(each => `does not wrap: ${short(each)}`),
];
"""
# A link within a sentence is as high as its line; that is allowed.
TARGETS = """
const wrong = [];
for (const each of all("a[href], button, input, summary, label[for]")) {
    const box = each.getBoundingClientRect();
    if (!box.width || !box.height || Math.min(box.width, box.height) >= 23.95) continue;
    if (!seen(each) || getComputedStyle(each).display === "inline") continue;
    wrong.push(`a target of ${box.width.toFixed(1)} x ${box.height.toFixed(1)}: ${short(each)}`);
}
return wrong;
"""
# What scrolls sideways takes the focus, so that arrow keys scroll it; a player has its own keys.
REACH = """
return all("article *").filter(each => each.scrollWidth > each.clientWidth + 1 && scroller(each)
        && !each.matches(".stage") && each.checkVisibility())
    .filter(each => each.tabIndex < 0)
    .map(each => `scrolls out of reach of the keyboard: ${short(each)}`);
"""
ORDER = 'return all("[tabindex]").filter(each => each.tabIndex > 0).map(short);'
# Notes each time that something moves while the page is read in.
WATCH = """
window.moves = [];
new PerformanceObserver(list => moves.push(...list.getEntries()
    .filter(each => !each.hadRecentInput)
    .map(each => [each.value, each.sources.map(
        source => source.node?.outerHTML?.slice(0, 100) ?? "").join(" | ")]))
).observe({ type: "layout-shift", buffered: true });
"""
MOVED = """
const sum = moves.reduce((sum, [value]) => sum + value, 0);
return sum < 0.02 ? [] : moves.map(([value, what]) => `moved by ${value.toFixed(3)}: ${what}`);
"""
# The theme lets a keyboard reach what scrolls sideways a moment after the page is there.
SETTLED = """() => [...document.querySelectorAll("pre > code")].every(
    each => each.scrollWidth <= each.clientWidth || each.tabIndex === 0)"""
OPEN = 'for (const each of all("article details")) each.open = true;'

# Everything that axe has but its experiments.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
ALL_ELSE = {"runOnly": RULES, "rules": {"color-contrast": {"enabled": False}}}
# The theme keeps the box that opens the contents in front of the header, outside of every landmark;
# what it opens must stand behind it, so there it stays. No rule of WCAG asks for more.
OUTSIDE = 'id="__drawer"'
# Axe needs most of its time for contrasts, and thousands of words have the same colours: of all
# that have the same letters on the same ground, in the same kind of element, it sees the first.
SAMPLE = """
const ground = each => {
    const layers = [];
    for (; each; each = each.parentElement) {
        const style = getComputedStyle(each);
        layers.push([style.backgroundColor, style.backgroundImage, style.opacity]);
        if (style.backgroundColor.startsWith("rgb(")) break;
    }
    return layers.filter(([colour, image, opacity]) =>
        colour !== "rgba(0, 0, 0, 0)" || image !== "none" || opacity !== "1");
};
const kinds = new Map();
for (const each of document.querySelectorAll("body *")) {
    each.removeAttribute("data-colours");
    const words = [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!words || !seen(each)) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(each);
    const kind = JSON.stringify([each.tagName, color, fontSize, fontWeight, ground(each)]);
    if (!kinds.has(kind)) kinds.set(kind, each);
}
for (const each of kinds.values()) each.setAttribute("data-colours", "");
"""


def violations(page: Any, options: dict[str, Any] = ALL_ELSE, context: Any = None) -> list[str]:
    """What axe finds on a page as it is shown now."""
    from axe_playwright_python.sync_playwright import Axe

    options = {**options, "resultTypes": ["violations"]}
    found = Axe().run(page, context=context, options=options).response
    assert found["passes"]
    return [
        f"axe, {rule['id']}: {node['html'][:200]}"
        for rule in found["violations"]
        for node in rule["nodes"]
        if not (rule["id"] == "region" and OUTSIDE in node["html"])
    ]


def contrasts(page: Any) -> list[str]:
    """The colours of a page that axe cannot read."""
    ask(page, SAMPLE)
    return violations(page, CONTRAST, "[data-colours]")


ONCE = (LETTERS, TYPE, TARGETS, ORDER)
EACH_WIDTH = (ROOM, MARGINS, REACH)
LIMIT = 300_000  # bytes of a page with all that it fetches


class Visitor:
    """Visits pages in one window, and lists what is wrong on each."""

    def __init__(self, reader: Reader, site: Path, **settings: Any) -> None:
        self.page = reader("404.html", **settings)
        self.home = self.page.url.removesuffix("404.html")
        self.site, self.viewport = site, self.page.viewport_size
        self.page.add_init_script(WATCH)
        self.fetched: set[str] = set()
        self.page.on("request", lambda sent: self.fetched.add(urlsplit(sent.url).path))

    def open(self, address: str) -> None:
        """Go to a page, and wait until all of it is there."""
        self.fetched.clear()
        self.page.set_viewport_size(self.viewport)
        self.page.goto(self.home + address)
        self.page.wait_for_function(SETTLED)

    def inspect(self, address: str, widths: Sequence[int], colours: bool) -> list[str]:
        """What is wrong on a page, each with the width of the window."""
        self.open(address)
        wrong = ask(self.page, MOVED)
        ask(self.page, OPEN)
        for question in ONCE:
            wrong += ask(self.page, question)
        wrong += violations(self.page) + (contrasts(self.page) if colours else [])
        for width in (self.viewport["width"], *widths):
            self.page.set_viewport_size({**self.viewport, "width": width})
            self.page.wait_for_function(SETTLED)
            for question in EACH_WIDTH:
                wrong += [f"at {width} pixels: {each}" for each in ask(self.page, question)]
        if (weight := self.weigh()) > LIMIT:
            wrong.append(f"{weight} bytes: {sorted(self.fetched)}")
        return [f"{address} in {self.viewport['width']} pixels: {each}" for each in wrong]

    def weigh(self) -> int:
        """The bytes that the page has fetched, compressed as static hosts send them; no search."""
        files = (self.site / path.lstrip("/") for path in self.fetched if "/search/" not in path)
        return sum(len(gzip.compress(file.read_bytes(), 6)) for file in files)


PRE = re.compile(r"<pre.*?</pre>", re.DOTALL)


def width(file: Path) -> int:
    """The length of the longest line of code on a page."""
    code = (re.sub(r"<[^>]*>", "", each) for each in PRE.findall(file.read_text()))
    return max((len(line) for each in code for line in html.unescape(each).split("\n")), default=0)


def generated(site: Path, addresses: Iterable[str]) -> list[str]:
    """Of the generated pages the longest, the shortest and the widest of each kind."""
    folders: dict[Path, list[Path]] = {}
    for address in sorted(set(addresses) - {*WRITTEN, "404.html"}):
        folders.setdefault((site / address).parent, []).append(site / address)
    chosen = set()
    for files in folders.values():
        single = [file for file in files if file.stem in ("index", "names")]
        alike = [file for file in files if file not in single]
        size = [(file.stat().st_size, file) for file in alike]
        chosen |= {*single, max(size)[1], min(size)[1], max(alike, key=width)}
    return sorted(file.relative_to(site).as_posix() for file in chosen)
