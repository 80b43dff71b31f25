"""The built site as its readers use it: by pointer, by keyboard, on a phone, without a script."""

import ast
import gzip
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from browser import LOOKED_AT, ROOT, Reader

from literate_book.source.articles import read_book

pytestmark = LOOKED_AT

WIDTHS = (360, 768, 1440)
PHONE = {"width": 360, "height": 740}
BOOK = [
    Path(article.path).relative_to("docs/en").with_suffix(".html").as_posix()
    for article in read_book(ROOT)
]
TYPICAL = ["index.html", "articles/03-grad.html", "experiments/simple_grad.html", "404.html"]


def place(page: Any) -> str:
    """The address of the page that is shown, from the root of the site."""
    return str(page.evaluate("location.pathname")).lstrip("/") or "index.html"


def comes_true(element: Any, question: str) -> bool:
    """Whether the answer of an element becomes true, as at the end of an animation."""
    for _ in range(250):
        if element.evaluate(question):
            return True
        time.sleep(0.02)
    return False


def follow(page: Any, link: str) -> str:
    """Follow a link of the bar at the bottom; where that leads."""
    with page.expect_navigation():
        page.locator("nav.series--bottom").locator(link).click()
    return place(page)


def test_every_page_shows_without_a_complaint_and_weighs_at_most_300_kilobytes(
    reader: Reader, addresses: list[str], site: Path
) -> None:
    """With all that it asks for, compressed as static hosts send it."""
    page = reader("index.html")
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(urlsplit(request.url).path.lstrip("/")))
    for address in addresses:
        asked.clear()
        page.goto(urljoin(page.url, f"/{address}"))
        page.wait_for_load_state("networkidle")
        weight = sum(len(gzip.compress((site / each).read_bytes(), 6)) for each in asked)
        assert address in asked
        assert weight <= 300_000, (address, weight, sorted(asked))


def test_next_leads_through_the_whole_book_and_previous_back(reader: Reader) -> None:
    page = reader("index.html")
    way = ["index.html"]
    while page.locator("nav.series--bottom a[rel=next]").count():
        way.append(follow(page, "a[rel=next]"))
    assert len(way) == len(set(way))
    assert [address for address in way if address in BOOK] == BOOK
    back = [way[-1]]
    while page.locator("nav.series--bottom a[rel=prev]").count():
        back.append(follow(page, "a[rel=prev]"))
    assert back == way[:0:-1]


def test_every_page_leads_to_the_overview(reader: Reader, addresses: list[str]) -> None:
    page = reader("index.html")
    for address in [each for each in addresses if each not in ("index.html", "404.html")]:
        page.goto(urljoin(page.url, f"/{address}"))
        assert follow(page, "a.series__overview") == "index.html"


def search(page: Any, words: str) -> Any:
    """Type words into the search; the links that it finds."""
    page.keyboard.press("/")
    page.keyboard.type(words)
    links = page.locator("a.md-search-result__link")
    links.first.wait_for()
    return links


@pytest.mark.parametrize("words", ["unbroadcast", "backward_pass", "cotangent"])
def test_a_search_leads_to_a_page_that_has_the_words(words: str, reader: Reader) -> None:
    page = reader("index.html")
    first = search(page, words).first
    wanted = first.evaluate("link => link.pathname")
    with page.expect_navigation():
        first.click()
    assert place(page) == wanted.lstrip("/")
    assert words in page.locator("article").inner_text()


def test_a_search_works_by_keyboard_alone(reader: Reader) -> None:
    from playwright.sync_api import expect

    page = reader("index.html")
    search(page, "unbroadcast")
    page.keyboard.press("ArrowDown")
    wanted = page.evaluate("document.activeElement.pathname")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{wanted}**")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".md-search__output")).to_be_hidden()


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("backward_pass", "articles/05-reverse-pass.html#src-backward-pass"),
        ("unbroadcast", "articles/07-broadcasting.html#src-unbroadcast"),
    ],
)
def test_a_search_for_a_name_leads_to_its_block(name: str, block: str, reader: Reader) -> None:
    page = reader("index.html")
    search(page, name)
    first = page.locator(".md-search-result__item").first.locator("a.md-search-result__link")
    found = [each.evaluate("each => each.pathname + each.hash") for each in first.all()]
    assert f"/{block}" in found


PAPER = "getComputedStyle(document.body).backgroundColor"


def test_a_scheme_that_is_chosen_stays_on_the_next_page(reader: Reader) -> None:
    page = reader("index.html", color_scheme="light")
    light = page.evaluate(PAPER)
    page.get_by_title("Switch to dark").click()
    dark = page.evaluate(PAPER)
    assert dark != light
    follow(page, "a[rel=next]")
    assert page.evaluate(PAPER) == dark
    page.get_by_title("Switch to light").click()
    assert page.evaluate(PAPER) == light


def test_every_answer_opens_by_keyboard(reader: Reader, addresses: list[str]) -> None:
    page = reader("index.html")
    opened = 0
    for address in addresses:
        page.goto(urljoin(page.url, f"/{address}"))
        for summary in page.locator("article summary:visible").all():
            answer = summary.locator("xpath=following-sibling::*").first
            assert not answer.is_visible()
            summary.press("Enter")
            assert answer.is_visible(), (address, summary.inner_text())
            opened += 1
    assert opened > len(BOOK)


def test_what_is_copied_is_python(reader: Reader, addresses: list[str]) -> None:
    page = reader("index.html")
    for address in addresses:
        page.goto(urljoin(page.url, f"/{address}"))
        listings = page.locator("figure.listing:is(.source, .ablation, :has(.gp)) > button.copy")
        for text in listings.evaluate_all("all => all.map(each => each.dataset.clipboardText)"):
            ast.parse(text)


# Runs a copied text as a prompt would, statement by statement.
PROMPT = """\
import ast, sys
for statement in ast.parse(sys.stdin.read()).body:
    exec(compile(ast.Interactive([statement]), "copied", "single"))
"""


def test_a_copied_example_runs_and_prints_what_the_page_prints(reader: Reader) -> None:
    page = reader("index.html", permissions=["clipboard-read"])
    example = page.locator("figure.listing:has(.go)").first
    example.locator("button.copy").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    run = subprocess.run(
        [sys.executable, "-B", "-c", PROMPT],
        input=copied,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    printed = example.locator(".go").all_inner_texts()
    assert printed
    assert run.stdout.split() == " ".join(printed).split()


# Functions for the page, for the tests below.
TOOLS = """
// Whether a reader sees it, when it has been scrolled to.
const seen = each => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const short = each => each.outerHTML.replace(/\\s+/g, " ").slice(0, 120);
// What Tab stops at, in the order of the page.
const STOPS = "a[href], button:enabled, input:enabled, summary, [tabindex]";
// Of the two boxes that switch the scheme it stops at one.
const radio = () => document.querySelector("[name=__palette]:checked")
    ?? document.querySelector("[name=__palette]");
const stops = () => [...document.querySelectorAll(STOPS)].filter(
    each => each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true })
        && (each.type !== "radio" || each === radio()));
const rgb = colour => colour.match(/[\\d.]+/g).map(Number);
const light = colour => {
    const linear = rgb(colour).slice(0, 3).map(each => each / 255)
        .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
};
const behind = each => {
    for (; each; each = each.parentElement) {
        const colour = getComputedStyle(each).backgroundColor;
        if ((rgb(colour)[3] ?? 1) === 1) return colour;
    }
    return "rgb(255, 255, 255)";
};
"""


def ask(page: Any, question: str) -> Any:
    """The answer of the page to a question that the tools above help with."""
    return page.evaluate(f"() => {{ {TOOLS} {question} }}")


# What has the focus: which stop it is, and what is wrong with the way it shows that.
FOCUSED = """
const each = document.activeElement;
if (each === document.body) return null;
const shown = each.type === "radio" ? each.form.querySelector("label:not([hidden])")
    : each.type === "checkbox" ? document.querySelector(`.md-header [for=${each.id}]`) : each;
const wrong = [];
const box = [...shown.getClientRects()].find(each => each.width && each.height);
if (!box || !seen(shown)) wrong.push("cannot be seen");
else {
    const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
    const y = Math.max(box.top, 0) + Math.min(box.height, innerHeight - Math.max(box.top, 0)) / 2;
    const top = document.elementFromPoint(x, y);
    if (!top || !(shown.contains(top) || top.contains(shown))) {
        wrong.push(`lies under ${top ? short(top) : "the edge of the window"}`);
    }
    const style = getComputedStyle(shown);
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1) wrong.push("no ring");
    const ring = contrast(style.outlineColor, behind(shown.parentElement));
    if (ring < 3) wrong.push(`a ring of contrast ${ring}`);
}
return { stop: stops().indexOf(each), html: short(each), wrong };
"""


# Under the open search the theme holds a phone's page in its place, and lets go of it only 0.1 s
# after the search is left. No hand is so quick that it would have pressed Tab again by then.
FREE = """() => document.getElementById("__search").checked
    || !document.body.hasAttribute("data-md-scrolllock")"""


def walk(page: Any) -> list[dict[str, Any]]:
    """Press Tab from the top of a page until nothing of it has the focus any more."""
    found: list[dict[str, Any]] = []
    for _ in range(2000):
        page.keyboard.press("Tab")
        page.wait_for_function(FREE)
        focused = ask(page, FOCUSED)
        if focused and focused["wrong"]:  # it may still be on its way into sight
            page.wait_for_timeout(500)
            focused = ask(page, FOCUSED)
        if focused is None or (found and focused["stop"] == found[0]["stop"]):
            return found
        found.append(focused)
    raise AssertionError("Tab never leaves the page")


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", TYPICAL)
def test_tab_goes_through_a_page(address: str, scheme: str, width: int, reader: Reader) -> None:
    page = reader(
        address,
        color_scheme=scheme,
        reduced_motion="reduce",
        viewport={"width": width, "height": 800},
    )
    found = walk(page)
    wrong = [f"{each['wrong']}: {each['html']}" for each in found if each["wrong"]]
    assert not wrong, "\n".join(wrong)
    # On a phone the button for the contents comes before the link that skips them.
    assert "md-skip" in found[0 if width > PHONE["width"] else 1]["html"]
    reached = [each["stop"] for each in found if each["stop"] >= 0]
    assert reached == list(range(ask(page, "return stops().length")))


def test_the_skip_link_leads_past_the_navigation(reader: Reader) -> None:
    page = reader("articles/03-grad.html")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('article').contains(document.activeElement)")


# What scrolls sideways on a page; in the player the arrows step, and its drawing follows.
SCROLLING = """
const scrolling = [...document.querySelectorAll("article *")].filter(each =>
    ["auto", "scroll"].includes(getComputedStyle(each).overflowX) && !each.matches(".stage")
        && each.scrollWidth > each.clientWidth + 1 && each.checkVisibility());
"""
OUT_OF_REACH = """
return scrolling.filter(each => (each.focus(), each !== document.activeElement)).map(short);
"""
# The first of each kind: table, listing, formula, drawing.
KINDS = """
const kind = each => each.tagName + each.parentElement.tagName;
return [...new Map(scrolling.toReversed().map(each => [kind(each), each])).values()];
"""


def scrolls(page: Any, box: Any) -> bool:
    """Whether a key scrolls what has the focus; a busy page may miss the key, as hands know."""
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        if comes_true(box, "each => each.scrollLeft"):
            return True
    return False


def test_what_scrolls_can_be_scrolled_by_keyboard(reader: Reader, addresses: list[str]) -> None:
    page = reader("index.html", viewport=PHONE, reduced_motion="reduce")
    scrolled = set()
    for address in addresses:
        page.goto(urljoin(page.url, f"/{address}"))
        assert ask(page, SCROLLING + OUT_OF_REACH) == [], address
        kinds = page.evaluate_handle(f"() => {{ {SCROLLING} {KINDS} }}")
        for each in kinds.get_properties().values():
            box = each.as_element()
            box.evaluate("each => (each.focus(), each.scrollLeft = 0)")
            html = box.evaluate("each => each.outerHTML.slice(0, 200)")
            assert scrolls(page, box), (address, html)
            scrolled.add(box.evaluate("each => each.tagName"))
    assert {"CODE", "DIV", "SPAN"} <= scrolled


# What is wrong with the room that a page takes.
ROOM = """
const wrong = [];
const wide = document.documentElement.scrollWidth - innerWidth;
if (wide > 0) wrong.push(`${wide} pixels wider than the window`);
for (const each of document.querySelectorAll("article *")) {
    if (each.closest("svg, math")?.tagName.toLowerCase() !== each.tagName.toLowerCase()
        && each.closest("svg, math")) continue;
    const box = each.getBoundingClientRect();
    if (!box.width || !seen(each)) continue;
    let inside = each.parentElement;
    while (inside && getComputedStyle(inside).overflowX === "visible") {
        inside = inside.parentElement;
    }
    const scrolls = inside && ["auto", "scroll"].includes(getComputedStyle(inside).overflowX)
        && inside.closest("article");
    if (!scrolls && box.right > innerWidth + 1) wrong.push(`cut off: ${short(each)}`);
}
return wrong;
"""
# Formulas have small exponents, as everywhere.
LETTERS = """
const NO_LETTERS = "math, script, style, title, .heard";
const small = new Map();
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
    const each = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || each.closest(NO_LETTERS)) continue;
    if (!seen(each) || !each.getClientRects().length) continue;
    const drawn = each.closest("svg") ? each.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(each).fontSize) * drawn;
    if (size < 11.95) small.set(`${size.toFixed(1)} px: ${short(each)}`, 1);
}
return [...small.keys()];
"""
# A link within a sentence is as high as its line; that is allowed.
TARGETS = """
const wrong = [];
for (const each of document.querySelectorAll("a[href], button, input, summary, label[for]")) {
    if (!seen(each) || getComputedStyle(each).display === "inline") continue;
    const box = each.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    if (Math.min(box.width, box.height) < 23.95) {
        wrong.push(`${box.width.toFixed(1)} x ${box.height.toFixed(1)}: ${short(each)}`);
    }
}
return wrong;
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_fits_its_window(width: int, reader: Reader, addresses: list[str]) -> None:
    page = reader("index.html", viewport={"width": width, "height": 740})
    found = {}
    for address in addresses:
        page.goto(urljoin(page.url, f"/{address}"))
        for question in (ROOM, LETTERS, TARGETS):
            if wrong := ask(page, question):
                found.setdefault(address, []).extend(wrong)
    assert not found, "\n".join(
        f"{address}: {each}" for address in found for each in found[address]
    )


def test_a_page_four_times_enlarged_still_reads_downwards(
    reader: Reader, addresses: list[str]
) -> None:
    """A window of 1280 pixels at 400 % has the room of 320 (WCAG 1.4.10)."""
    page = reader("index.html", viewport={"width": 320, "height": 256})
    for address in addresses:
        page.goto(urljoin(page.url, f"/{address}"))
        assert ask(page, ROOM) == [], address


# What only a script could bring to life, or show.
LIFELESS = """
const ON_DEMAND = "details, svg, math, .copy, .headerlink, .anchor-link, .with-search, .hint, "
    + ".zeroclipboard-container";
const wrong = [];
for (const each of document.querySelectorAll("button, input, label[for]")) {
    if (seen(each) && each.getBoundingClientRect().width > 1
        && !each.closest("trace-stepper") && !each.matches("[id=__drawer], [for=__drawer]")) {
        wrong.push(`without life: ${short(each)}`);
    }
}
for (const each of document.querySelectorAll("article *")) {
    if (each.closest(ON_DEMAND)) continue;
    if (!each.textContent.trim() || each.matches("script, style, [hidden]")) continue;
    if (each.closest("script, style")) continue;
    if (!seen(each)) wrong.push(`hidden: ${short(each)}`);
}
return wrong;
"""


def test_a_page_is_complete_without_a_script(reader: Reader, addresses: list[str]) -> None:
    page = reader("index.html", java_script_enabled=False)
    for address in addresses:
        page.goto(urljoin(page.url, f"/{address}"))
        assert ask(page, LIFELESS) == [], address
        for summary in page.locator("article summary:visible").all():
            summary.click()
            assert summary.locator("xpath=following-sibling::*").first.is_visible(), address


def test_a_reader_without_a_script_finds_the_way(reader: Reader) -> None:
    page = reader("index.html", java_script_enabled=False)
    assert follow(page, "a[rel=next]") == BOOK[1]
    with page.expect_navigation():
        page.locator(".md-sidebar--primary a", has_text="Overview").click()
    assert place(page) == "index.html"
    small = reader("index.html", java_script_enabled=False, viewport=PHONE)
    small.locator(".md-header label[for=__drawer]").click()
    with small.expect_navigation():
        small.locator(".md-sidebar--primary a", has_text="grad").first.click()
    assert place(small) == "articles/03-grad.html"


def test_a_phone_shows_the_navigation_by_keyboard(reader: Reader) -> None:
    page = reader("index.html", viewport=PHONE)
    navigation = page.locator(".md-sidebar--primary")
    assert not navigation.get_by_role("link", name="Overview").is_visible()
    page.locator("#__drawer").focus()
    page.keyboard.press("Space")
    navigation.get_by_role("link", name="Overview").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert place(page) == "index.html"
