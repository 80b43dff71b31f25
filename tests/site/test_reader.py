"""The built site as its readers use it: by pointer, by keyboard, without a script."""

import subprocess
import sys
from typing import Any
from urllib.parse import urljoin

from browser import LOOKED_AT, ROOT, WRITTEN, Reader
from visits import ask, generated

pytestmark = LOOKED_AT

PHONE = {"width": 390, "height": 844}
FIRST = "articles/01-derivative-programs.html"


def place(page: Any) -> str:
    """The address of the page that is shown, from the root of the site."""
    return str(page.evaluate("location.pathname")).lstrip("/") or "index.html"


def follow(page: Any, link: str) -> str:
    """Follow a link of the bar at the bottom; where that leads."""
    with page.expect_navigation():
        page.locator("nav.series--bottom").locator(link).click()
    return place(page)


def test_a_search_works_by_keyboard_alone(reader: Reader) -> None:
    from playwright.sync_api import expect

    page = reader("index.html")
    page.keyboard.press("/")
    page.keyboard.type("unbroadcast")
    page.locator("a.md-search-result__link").first.wait_for()
    page.keyboard.press("ArrowDown")
    wanted = page.evaluate("document.activeElement.pathname")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{wanted}**")
    assert "unbroadcast" in page.locator("article").inner_text()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".md-search__output")).to_be_hidden()


PAPER = "getComputedStyle(document.body).backgroundColor"


def test_the_scheme_follows_the_reader_and_stays_as_chosen(reader: Reader) -> None:
    page = reader("index.html", color_scheme="light")
    light = page.evaluate(PAPER)
    page.get_by_title("Switch to dark").click()
    dark = page.evaluate(PAPER)
    assert (light, dark) == ("rgb(253, 252, 249)", "rgb(22, 24, 28)")
    assert follow(page, "a[rel=next]") == FIRST
    assert page.evaluate(PAPER) == dark
    page.get_by_title("Switch to light").click()
    assert page.evaluate(PAPER) == light
    assert reader("index.html", color_scheme="dark").evaluate(PAPER) == dark


def test_buttons_copy_what_stands_beside_them(reader: Reader) -> None:
    page = reader("articles/03-grad.html", permissions=["clipboard-read"])
    buttons = page.locator("button.copy")
    assert buttons.count()
    for button in buttons.all():
        button.dispatch_event("click")
        text = button.get_attribute("data-clipboard-text")
        assert page.evaluate("navigator.clipboard.readText()") == text


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


def test_the_skip_link_leads_past_the_navigation(reader: Reader) -> None:
    page = reader("articles/03-grad.html")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('article').contains(document.activeElement)")


def test_an_answer_opens_by_keyboard(reader: Reader) -> None:
    page = reader(FIRST)
    answer = page.locator("article details.question").last
    assert answer.locator("summary").count()
    answer.locator("summary").press("Enter")
    assert answer.locator("> *").nth(1).is_visible()


def test_arrows_scroll_tables_listings_and_formulas_on_a_phone(reader: Reader) -> None:
    for selector in ("div.table", ".listing pre > code", ".formula"):
        page = reader(FIRST, viewport={"width": 320, "height": 740}, reduced_motion="reduce")
        index = page.locator(f"article {selector}").evaluate_all(
            "all => all.findIndex(each => each.checkVisibility()"
            " && each.scrollWidth > each.clientWidth + 20)"
        )
        assert index >= 0, f"nothing of {selector} scrolls"
        box = page.locator(f"article {selector}").nth(index)
        box.focus()
        page.keyboard.press("ArrowRight")
        element = box.element_handle()
        page.wait_for_function("each => each.scrollLeft > 0", arg=element)


# What only a script could bring to life, or show.
LIFELESS = """
const ON_DEMAND = "details, svg, math, .copy, .headerlink, .with-search, .hint, script, style";
return [
    ...all("button, input, label[for]").filter(each => seen(each)
        && each.getBoundingClientRect().width > 1
        && !each.closest("trace-stepper") && !each.matches("[id=__drawer], [for=__drawer]")
    ).map(each => `without life: ${short(each)}`),
    ...all("article *").filter(each => !each.closest(ON_DEMAND) && each.textContent.trim()
        && !each.matches("[hidden]") && !seen(each)).map(each => `hidden: ${short(each)}`),
];
"""


def test_a_page_is_complete_without_a_script(
    reader: Reader, addresses: list[str], site: Any
) -> None:
    page = reader("404.html", java_script_enabled=False)
    home, found = page.url, []
    for address in [*WRITTEN, *generated(site, addresses)]:
        page.goto(urljoin(home, address))
        found += [f"{address}: {each}" for each in ask(page, LIFELESS)]
        for summary in page.locator("article summary:visible").all()[:1]:
            summary.click()
            if not summary.locator("xpath=following-sibling::*").first.is_visible():
                found.append(f"{address}: an answer stays shut")
    assert not found, "\n".join(found)


def test_a_reader_without_a_script_finds_the_way(reader: Reader) -> None:
    page = reader("index.html", java_script_enabled=False)
    assert follow(page, "a[rel=next]") == FIRST
    with page.expect_navigation():
        page.locator(".md-sidebar--primary a", has_text="Overview").click()
    assert place(page) == "index.html"
    small = reader("index.html", java_script_enabled=False, viewport=PHONE)
    small.locator(".md-header label[for=__drawer]").click()
    with small.expect_navigation():
        small.locator(".md-sidebar--primary a", has_text="grad").first.click()
    assert place(small) == "articles/03-grad.html"


def test_a_phone_shows_the_navigation_by_keyboard(reader: Reader) -> None:
    page = reader(FIRST, viewport=PHONE)
    overview = page.locator(".md-sidebar--primary").get_by_role("link", name="Overview")
    assert not overview.is_visible()
    page.locator("#__drawer").focus()
    page.keyboard.press("Space")
    overview.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert place(page) == "index.html"
