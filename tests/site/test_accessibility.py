"""Every page of the built site, in both schemes, held to WCAG 2.2 AA by axe."""

from typing import Any
from urllib.parse import urljoin

import pytest
from browser import LOOKED_AT, Reader

pytestmark = LOOKED_AT

# Everything that axe knows but its experiments. What keeps the rules needs no list of its places.
OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
# The theme keeps the box that opens the contents in front of the header, outside of every landmark;
# what it opens must stand behind it, so there it stays. No rule of WCAG asks for more.
OUTSIDE = 'id="__drawer"'
# The theme lets a keyboard reach what scrolls sideways a moment after the page is there.
REACHABLE = """[...document.querySelectorAll("pre > code")].every(
    each => each.scrollWidth <= each.clientWidth || each.tabIndex === 0)"""


def violations(page: Any) -> list[str]:
    """What axe finds on a page as it is shown now."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options=OPTIONS).response
    assert found["passes"]
    return [
        f"{rule['id']}: {node['html'][:200]}"
        for rule in found["violations"]
        for node in rule["nodes"]
        if not (rule["id"] == "region" and OUTSIDE in node["html"])
    ]


# Axe needs minutes for all pages. In parts it shows how far it is, and is begun before short files.
PARTS = 40


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(
    scheme: str, part: int, reader: Reader, addresses: list[str]
) -> None:
    assert len(addresses) > PARTS
    page = reader("index.html", color_scheme=scheme)
    found = {}
    for address in addresses[part::PARTS]:
        page.goto(urljoin(page.url, f"/{address}"))
        settled(page)
        if wrong := violations(page):
            found[address] = wrong
    assert not found


def settled(page: Any) -> None:
    """Wait until all that scrolls can be reached."""
    while not page.evaluate(REACHABLE):
        page.wait_for_timeout(50)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_a_page_is_used(scheme: str, reader: Reader) -> None:
    page = reader("articles/03-grad.html", color_scheme="light", reduced_motion="reduce")
    if scheme == "dark":
        page.get_by_title("Switch to dark").click()
    stepper = page.locator("trace-stepper").first
    for _ in range(9):
        stepper.get_by_role("button", name="One step forward").click()
    for summary in page.locator("article summary").all():
        summary.press("Enter")
    settled(page)
    assert violations(page) == []
    page.keyboard.press("/")
    page.keyboard.type("cotangent")
    page.locator("a.md-search-result__link").first.wait_for()
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_phone(scheme: str, reader: Reader) -> None:
    page = reader(
        "articles/05-reverse-pass.html",
        color_scheme=scheme,
        reduced_motion="reduce",
        viewport={"width": 360, "height": 740},
    )
    settled(page)
    assert violations(page) == []
    page.locator(".md-header label[for=__drawer]").click()
    page.wait_for_timeout(400)
    assert violations(page) == []
