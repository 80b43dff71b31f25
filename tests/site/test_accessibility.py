"""Pages while they are used: what axe finds then, and the way of the Tab key."""

from typing import Any

import pytest
from browser import LOOKED_AT, Reader
from visits import SETTLED, ask, contrasts, violations

pytestmark = LOOKED_AT
PHONE = {"width": 390, "height": 844}


def test_axe_finds_nothing_while_a_page_is_used(reader: Reader) -> None:
    page = reader("articles/03-grad.html", color_scheme="light", reduced_motion="reduce")
    page.get_by_title("Switch to dark").click()
    stepper = page.locator("trace-stepper").first
    for _ in range(9):
        stepper.get_by_role("button", name="One step forward").click()
    page.locator("article details").evaluate_all("all => all.forEach(each => each.open = true)")
    page.wait_for_function(SETTLED)
    assert violations(page) + contrasts(page) == []
    page.keyboard.press("/")
    page.keyboard.type("cotangent")
    page.locator("a.md-search-result__link").first.wait_for()
    assert violations(page) + contrasts(page) == []


def test_axe_finds_nothing_in_the_contents_on_a_phone(reader: Reader) -> None:
    page = reader("index.html", color_scheme="dark", reduced_motion="reduce", viewport=PHONE)
    page.locator(".md-header label[for=__drawer]").click()
    page.wait_for_function("""() => document.querySelector(".md-sidebar--primary")
        .getBoundingClientRect().left >= 0""")
    assert violations(page) + contrasts(page) == []


# What Tab stops at, and colours.
STOPS = """
const LIST = "a[href], button:enabled, input:enabled, summary, [tabindex]";
// Of the two boxes that switch the scheme it stops at one.
const radio = () => document.querySelector("[name=__palette]:checked")
    ?? document.querySelector("[name=__palette]");
const stops = () => all(LIST).filter(
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
# What has the focus: which stop it is, and what is wrong with the way it shows that.
FOCUSED = (
    STOPS
    + """
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
)
# Under the open search the theme holds a phone's page in its place, and lets go of it only 0.1 s
# after the search is left. No hand is so quick that it would have pressed Tab again by then.
FREE = """document.getElementById("__search").checked
    || !document.body.hasAttribute("data-md-scrolllock")"""


def walk(page: Any) -> list[dict[str, Any]]:
    """Press Tab from the top of a page until nothing of it has the focus any more."""
    found: list[dict[str, Any]] = []
    for _ in range(2000):
        page.keyboard.press("Tab")
        if not page.evaluate(FREE):
            page.wait_for_function(f"() => {FREE}")
        focused = ask(page, FOCUSED)
        if focused and focused["wrong"]:  # it may still be on its way into sight
            page.wait_for_timeout(500)
            focused = ask(page, FOCUSED)
        if focused is None or (found and focused["stop"] == found[0]["stop"]):
            return found
        found.append(focused)
    raise AssertionError("Tab never leaves the page")


@pytest.mark.parametrize(
    ("address", "scheme", "width"),
    [
        ("index.html", "dark", 390),
        ("404.html", "light", 390),
        ("articles/03-grad.html", "light", 1440),
        ("articles/01-derivative-programs.html", "dark", 390),
        ("experiments/simple_grad.html", "dark", 1440),
    ],
)
def test_tab_goes_through_a_page(address: str, scheme: str, width: int, reader: Reader) -> None:
    page = reader(
        address,
        color_scheme=scheme,
        reduced_motion="reduce",
        viewport={"width": width, "height": 800},
    )
    found = walk(page)
    wrong = [f"{address}: {each['wrong']}: {each['html']}" for each in found if each["wrong"]]
    assert not wrong, "\n".join(wrong)
    # On a phone the button for the contents comes before the link that skips them.
    assert "md-skip" in found[0 if width > PHONE["width"] else 1]["html"]
    reached = [each["stop"] for each in found if each["stop"] >= 0]
    assert reached == list(range(ask(page, f"{STOPS} return stops().length")))
