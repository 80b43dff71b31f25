"""What is highlighted together on the built pages: nodes of drawn runs, their lines, their rows."""

import re
from pathlib import Path
from typing import Any

import pytest
from browser import LOOKED_AT, address
from bs4 import BeautifulSoup, Tag
from test_stepper import pages

from literate_book.check.checkers import Snapshot
from literate_book.check.documents import article_checks
from literate_book.record.matching import drawn_run, draws_run
from literate_book.source.articles import Article, read_book
from literate_book.source.config import book_root

ROOT = book_root(Path(__file__))
ARTICLES = {article.path: article for article in read_book(ROOT)}
LIT = [path for path, each in ARTICLES.items() if any(map(draws_run, each.fences))]

__all__ = ["pages"]  # a fixture: pytest finds it here


def keys(element: Tag) -> list[str]:
    """What an element lights with."""
    return str(element["data-lights"]).split()


@pytest.fixture(scope="module")
def built(site: Path) -> dict[str, BeautifulSoup]:
    """The pages of the site that have lights."""
    return {path: BeautifulSoup((site / address(path)).read_text(), "html.parser") for path in LIT}


def names_in(drawing: Tag) -> dict[str, str]:
    """The nodes of a drawing by their keys: named as tables do, by counting labels."""
    found: dict[str, str] = {}
    for lamp in drawing.select(".lamp"):
        word = str(lamp["aria-label"]).split(" = ")[0].removeprefix("root ")
        count = sum(name.rpartition("_")[0] == word or name == word for name in found.values())
        found[str(lamp["id"])] = f"{word}_{count + 1}" if count else word
    return found


@pytest.mark.parametrize("path", LIT)
def test_rows_name_the_nodes_that_they_light_with(path: str, built: dict[str, Tag]) -> None:
    names = {}
    for drawing in built[path].select(".drawing:has(.lamp)"):
        names |= names_in(drawing)
    tables = built[path].select("table:has(tr[data-lights])")
    checks = [check for check in article_checks(ARTICLES[path]) if isinstance(check, Snapshot)]
    linked = [each for each in checks if linked_graph(ARTICLES[path], each)]
    assert len(tables) == len(linked)
    for table in tables:
        rows = table.select("tbody tr")
        for row in rows:
            code = row.select_one("code")
            assert code is not None
            if "data-lights" in row.attrs:
                assert names[str(row["data-lights"])] == code.get_text().split()[-1]
                assert row.select_one(f'a[href="#{row["data-lights"]}"] > code') is code
            else:
                assert code.get_text() == "answer"


def linked_graph(article: Article, check: Snapshot) -> Any:
    """The graph that a table belongs to."""
    return drawn_run(article.fences, check.directive.of or check.directive.expression)


@pytest.mark.parametrize("path", LIT)
def test_what_lights_is_there_and_leads_there(path: str, built: dict[str, Tag]) -> None:
    soup = built[path]
    nodes = {str(lamp["id"]) for lamp in soup.select(".drawing .lamp")}
    for part in soup.select("[data-lights]"):
        assert set(keys(part)) <= nodes
    for link in soup.select("a.lamp"):
        assert soup.select_one(str(link["href"])) is not None
    for node in soup.select(".drawing .lamp"):
        for piece in str(node.get("data-pieces", "")).split():
            line = soup.select_one(f"#{piece.split(':')[0]}")
            assert line is not None
            assert node["id"] in keys(line)


# In the browser ------------------------------------------------------------------------------

LIT_NOW = """() => [...document.querySelectorAll(".lit")].map(each => each.id
    || each.querySelector("code").textContent + " of table "
       + [...document.querySelectorAll("table")].indexOf(each.closest("table"))).sort()"""


def together(soup: Tag, key: str) -> list[str]:
    """The parts of a page that light with a node, as the browser is asked for them."""
    tables = soup.select("table")
    return sorted(
        str(part.get("id"))
        if part.get("id")
        else f"{part.select_one('code').get_text()} of table "  # type: ignore[union-attr]
        f"{[part in table.select('tr') for table in tables].index(True)}"
        for part in soup.select("[data-lights]")
        if key in keys(part)
    )


THREE, FIVE, SEVEN = LIT[2], LIT[4], LIT[6]


@LOOKED_AT
@pytest.mark.parametrize("path", [THREE, FIVE, SEVEN])
def test_pointing_lights_what_belongs_together(path: str, pages: Any, built: Any) -> None:
    """A node lights its lines and rows, and a line or row its nodes; nothing moves meanwhile."""
    shown, soup = pages(path, viewport={"width": 1280, "height": 900}), built[path]
    places = """() => [...document.querySelectorAll(".md-content *")].filter(
        each => each.getClientRects().length).map(each => {
        const box = each.getBoundingClientRect();
        return [box.top + scrollY, box.left, box.width, box.height];
    })"""
    before = shown.evaluate(places)
    for node in soup.select(".drawing .lamp"):
        lamp = shown.locator(f"#{node['id']}")
        lamp.hover()
        assert shown.evaluate(LIT_NOW) == together(soup, str(node["id"]))
        hint = lamp.locator("xpath=ancestor::figure").locator(".hint")
        assert str(node["aria-label"]) in hint.text_content()
    moved = zip(shown.evaluate(places), before, strict=True)
    assert all(abs(a - b) < 0.1 for now, then in moved for a, b in zip(now, then, strict=True))
    for number, part in enumerate(soup.select("tr[data-lights], .listing [data-lights]")):
        shown.locator("tr[data-lights], .listing [data-lights]").nth(number).hover()
        wanted = {each for key in keys(part) for each in together(soup, key)}
        assert shown.evaluate(LIT_NOW) == sorted(wanted)
    shown.mouse.move(0, 0)
    assert shown.evaluate(LIT_NOW) == []
    if path == SEVEN:
        marked = "[...CSS.highlights.get('asked') ?? []].map(String)"
        for name, piece in [("v1", "column + row"), ("v2", "(column + row) * weights")]:
            shown.locator(f".drawing .lamp[id$='-{name}']").hover()
            assert shown.evaluate(marked) == [piece]
        shown.locator(".drawing .lamp[id$='-x0']").hover()
        assert shown.evaluate(marked) == []


# The theme writes the heading that is in sight into the address, so links are asked themselves.
FOLLOWED = """window.followed = []; addEventListener("click", event => {
    const link = event.target.closest("a");
    if (link && !event.defaultPrevented) followed.push(link.getAttribute("href"));
})"""


@LOOKED_AT
def test_the_keyboard_lights_and_goes_to_the_line_and_back(pages: Any) -> None:
    shown = pages(THREE)
    shown.evaluate(FOLLOWED)
    shown.locator(".drawing .scroll").focus()
    shown.keyboard.press("Tab")
    shown.keyboard.press("Tab")
    place = shown.evaluate("scrollY")
    assert "drawing-1-v1" in shown.evaluate(LIT_NOW)
    shown.keyboard.press("Escape")
    assert shown.evaluate(LIT_NOW) == []
    assert shown.evaluate("scrollY") == place
    shown.keyboard.press("Enter")
    assert shown.evaluate("followed") == ["#listing-1-4"]
    shown.locator("#listing-1-4 .lamp").focus()
    assert "drawing-1-v1" in shown.evaluate(LIT_NOW)
    shown.keyboard.press("Enter")
    assert shown.evaluate("followed") == ["#listing-1-4", "#drawing-1-v1"]
    shown.locator("#drawing-1-v1").blur()
    assert shown.evaluate(LIT_NOW) == []
    tokens = shown.locator("#listing-1-4 > span")  # escape holds until the pointer goes elsewhere
    tokens.first.hover()
    assert shown.evaluate(LIT_NOW)
    shown.keyboard.press("Escape")
    tokens.last.hover()
    assert shown.evaluate(LIT_NOW) == []
    shown.locator("#listing-1-3 > span").first.hover()
    tokens.first.hover()
    assert "drawing-1-v1" in shown.evaluate(LIT_NOW)
    shown.mouse.move(0, 0)
    running = "[...document.querySelectorAll('.listing .running')].map(each => each.id)"
    shown.locator("trace-stepper").evaluate("each => each.go(4)")  # a stepper lights lines too
    assert shown.evaluate(running)[0] == "listing-1-4"
    assert len(shown.evaluate(running)) == 2
    shown.locator("trace-stepper").evaluate("each => each.go(1)")
    assert "listing-1-4" not in shown.evaluate(running)


@LOOKED_AT
def test_a_tap_lights_and_a_second_one_goes_there(pages: Any) -> None:
    size = {"width": 390, "height": 800}
    shown = pages(THREE, viewport=size, has_touch=True)
    shown.evaluate(FOLLOWED)
    lamp = shown.locator("#drawing-1-v1")
    lamp.tap()
    assert "listing-1-4" in shown.evaluate(LIT_NOW)
    assert shown.evaluate("followed") == []
    lamp.tap()
    assert shown.evaluate("followed") == ["#listing-1-4"]
    shown.locator("h1").tap()
    assert shown.evaluate(LIT_NOW) == []


@LOOKED_AT
def test_without_a_script_there_are_links_and_no_promise(pages: Any) -> None:
    shown = pages(THREE, java_script_enabled=False)
    assert shown.locator(".hint").is_hidden()
    shown.locator("#drawing-1-v1").click()
    assert shown.url.endswith("#listing-1-4")
    shown.locator("#listing-1-4 .lamp").click()
    assert shown.url.endswith("#drawing-1-v1")


@LOOKED_AT
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_lit_can_be_read(scheme: str, pages: Any) -> None:
    shown = pages(THREE, color_scheme=scheme)
    shown.locator("#drawing-1-v1").hover()
    colours = """() => {
        const of = (element, name) => getComputedStyle(element)[name];
        const lit = [...document.querySelectorAll("tr.lit, span.lit")];
        const sheet = of(lit[0], "backgroundColor");
        const inks = lit.flatMap(each => [...each.querySelectorAll("span, code, td")]);
        return inks.map(each => [of(each, "color"), sheet]);
    }"""
    shown.wait_for_timeout(400)
    for ink, sheet in shown.evaluate(colours):
        assert contrast(ink, sheet) >= 4.5, (ink, sheet)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as the guidelines for accessible pages define it."""

    def light(colour: str) -> float:
        parts = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([light(one), light(other)])
    return (high + 0.05) / (low + 0.05)
