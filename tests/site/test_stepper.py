"""The trace stepper in a browser: it shows each step as the engine was, and nothing moves."""

import re
from pathlib import Path
from typing import Any

import pytest
from browser import LOOKED_AT, Reader

from literate_book.check.checks import Book
from literate_book.check.documents import article_checks
from literate_book.check.replay import recordings
from literate_book.check.steppers import Steps
from literate_book.render.player import brief
from literate_book.source.articles import read_book
from literate_book.source.config import book_root

ROOT = book_root(Path(__file__))
ARTICLES = {article.path: article for article in read_book(ROOT)}
STEPPED = [
    path
    for path, article in ARTICLES.items()
    if any(isinstance(check, Steps) for check in article_checks(article))
]


# Every step of a player: what it shows, and whether it keeps its place. By the buttons.
WALK = """stepper => {
    const next = stepper.querySelector(".next"), back = stepper.querySelector(".back");
    const shown = () => {
        const [all, stage, node] = [stepper, stepper.stage,
            stepper.querySelector("[data-node].active .node") ?? stepper.stage
        ].map(each => each.getBoundingClientRect());
        return {
            words: stepper.words.firstChild.textContent,
            nodes: [...stepper.querySelectorAll(".node.there")].map(each => each.textContent),
            boxes: stepper.querySelectorAll(".box.there").length,
            pending: stepper.pending.firstChild.textContent,
            current: stepper.querySelector(".cotangent.current")?.textContent ?? "",
            program: stepper.querySelector(".program .running").textContent,
            step: stepper.querySelector("input").value,
            place: [all.height, stage.top - all.top, stage.height].join(),
            inside: node.left >= stage.left - 1 && node.right <= stage.right + 1
                && node.top >= stage.top - 1 && node.bottom <= stage.bottom + 1,
        };
    };
    const states = [shown()];
    while (next.ariaDisabled === "false") { next.click(); states.push(shown()); }
    const back_again = [shown()];
    while (back.ariaDisabled === "false") { back.click(); back_again.push(shown()); }
    return [states, back_again];
}"""


# The program, the drawing and the words fit into a window together.
IN_WINDOW = """stepper => stepper.words.getBoundingClientRect().bottom
    - stepper.getBoundingClientRect().top <= innerHeight"""


def expected(path: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    """What a player shall show at each step, as the engine had it."""
    names, fences = [node["name"] for node in found["nodes"]], ARTICLES[path].fences
    states = []
    for at, step in enumerate(found["steps"], 1):
        pending = ", ".join(f"{names[number]}: {text}" for number, text in step["pending"].items())
        line = found["expression"]
        if step["at"]:
            fence, number = step["at"]
            line = fences[fence].body.split("\n")[number - 1]
        states.append(
            {
                "words": step["words"].replace("`", ""),
                "nodes": [names[number] for number in step["nodes"]],
                "boxes": len(step["boxes"]),
                "pending": f"{{{pending}}}",
                "current": brief(step["current"][1]) if step["current"] else "",
                "program": re.sub(r"^(>>>|\.\.\.) ?", "", line) + "\n",
                "step": str(at),
            }
        )
    return states


@pytest.fixture
def pages(reader: Reader) -> Reader:
    """Opens the page of an article in a browser, at a step if one is named."""

    def opened(path: str, step: str = "", **settings: Any) -> Any:
        name = Path(path).relative_to("docs/en").with_suffix(".html").as_posix()
        return reader(f"{name}{step}", **settings)

    return opened


TALL = "docs/en/articles/05-reverse-pass.md"
WINDOWS = [*((path, 1280, 720) for path in STEPPED), (TALL, 390, 800)]


@LOOKED_AT
@pytest.mark.parametrize(("path", "width", "height"), WINDOWS)
def test_a_browser_steps_to_the_end_and_back_as_the_engine_went(
    path: str, width: int, height: int, pages: Any
) -> None:
    """Nothing moves meanwhile, and the node of each step is in sight."""
    window = {"width": width, "height": height}
    shown = pages(path, viewport=window, reduced_motion="reduce")
    for number, found in enumerate(recordings(Book(ROOT), ARTICLES[path])["steppers"]):
        stepper = shown.locator("trace-stepper").nth(number)
        there, back = stepper.evaluate(WALK)
        states = there + back
        assert {state.pop("inside") for state in states} == {True}
        assert len({state.pop("place") for state in states}) == 1
        assert there == expected(path, found)
        assert back == there[::-1]
        assert stepper.evaluate(IN_WINDOW)
    links = [each.get_attribute("href") for each in shown.locator(".count").all()]
    names = [f"stepper-{number}-" for number in range(1, len(links) + 1)]
    assert links == [f"#{name if len(links) > 1 else ''}step=1" for name in names]


GRAD = "docs/en/articles/03-grad.md"
NUMPY = "docs/en/articles/06-numpy-primitives.md"


@LOOKED_AT
def test_a_stepper_is_moved_by_keyboard_and_by_links(pages: Any) -> None:
    from playwright.sync_api import expect

    shown = pages(GRAD, "#step=4")
    stepper = shown.locator("trace-stepper")
    at = stepper.locator("input")
    assert at.input_value() == "4"
    assert stepper.locator(".count").get_attribute("href") == "#step=4"
    assert -0.5 < stepper.evaluate("each => each.getBoundingClientRect().top / innerHeight") < 1
    line = shown.locator("#src-binary-recorder .running")
    assert stepper.locator(".facts code").first.text_content() == line.text_content().strip()
    shown.evaluate("location.hash = '#step=13'")
    expect(at).to_have_value("13")
    stepper.locator(".stage").focus()
    for key, step in [
        ("ArrowRight", 13),
        ("ArrowLeft", 12),
        ("Home", 1),
        ("ArrowLeft", 1),
        ("ArrowRight", 2),
        ("End", 13),
        ("Home", 1),
    ]:
        shown.keyboard.press(key)
        assert at.input_value() == str(step), key
    shown.keyboard.press("Space")
    assert stepper.get_by_role("button", name="Pause").is_visible()
    expect(at).to_have_value("2")
    shown.keyboard.press("Space")
    assert stepper.get_by_role("button", name="Play").is_visible()
    at.focus()
    shown.keyboard.press("ArrowRight")
    assert at.input_value() == "3"
    stepper.get_by_role("button", name="Last step").press("Enter")
    shown.keyboard.press("ArrowLeft")
    assert at.input_value() == "12"
    stepper.get_by_role("button", name="First step").press("Enter")
    source = stepper.locator(".facts .line").first
    source.click()
    running = shown.locator("dialog.drawer .running")
    expect(running).to_be_in_viewport()
    code = stepper.locator(".facts code").first.text_content()
    assert running.text_content().strip() == code
    assert running.locator("[data-linenos]").get_attribute("data-linenos").strip() in (
        source.text_content()
    )


@LOOKED_AT
def test_without_a_script_a_browser_shows_the_list(pages: Any) -> None:
    stepper = pages(GRAD, java_script_enabled=False).locator("trace-stepper")
    assert stepper.locator("ol > li").count() == 13
    assert stepper.locator("ol > li").last.is_visible()
    assert stepper.locator("svg").is_visible()
    assert stepper.locator("button, input").count() == 0


@LOOKED_AT
def test_a_stepper_and_the_graphs_fit_a_small_window(pages: Any) -> None:
    shown = pages(NUMPY, "#step=36", viewport={"width": 360, "height": 740}, color_scheme="dark")
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    buttons = shown.locator("trace-stepper button")
    assert buttons.count() == 5
    for button in buttons.all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] + box["width"] <= 360
    for drawing in shown.locator(".drawing .scroll").all():
        assert drawing.evaluate("each => each.scrollWidth - each.clientWidth") <= 0
