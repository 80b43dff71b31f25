"""The trace stepper: what it records of a run, what its page shows, and how a browser plays it."""

import gc
import json
import re
from pathlib import Path
from typing import Any

import numpy as onp
import pytest
from browser import LOOKED_AT, Reader, chromium
from bs4 import BeautifulSoup, Tag
from markdown import markdown
from small_book import make_book
from test_checkers import SETUP, complaints

import literate_ad.numpy as np
from literate_ad import grad, make_jvp
from literate_book.check.checks import Book
from literate_book.check.documents import article_checks
from literate_book.check.playing import recordings
from literate_book.check.stepper import Recording, Steps, steps
from literate_book.record.recorder import reverse_history, short
from literate_book.render import player
from literate_book.render.markdown import BookExtension
from literate_book.render.player import Layout, brief, edges, states
from literate_book.source.articles import read_book
from literate_book.source.config import book_root
from literate_book.source.errors import BookErrors

ROOT = book_root(Path(__file__))
ARTICLES = {article.path: article for article in read_book(ROOT)}
STEPPED = [
    path
    for path, article in ARTICLES.items()
    if any(isinstance(check, Steps) for check in article_checks(article))
]


def square(x):
    return x * x


def fan_out(x):
    doubled = x + x
    return doubled * np.sin(doubled) + x


def sums(x):
    return np.sum(np.exp(x[0] * x) / (1.0 + x))


def played(path: str) -> list[dict[str, Any]]:
    """What the steppers of an article recorded."""
    return recordings(Book(ROOT), ARTICLES[path])["steppers"]


def said(recording: Recording) -> list[str]:
    """The words of every step."""
    return [step.words.replace("`", "") for step in recording.steps]


def test_a_run_goes_forwards_and_back() -> None:
    recording = steps(grad(square), 3.0)
    assert recording.nodes == [("x", "3.0", []), ("multiply", "9.0", [0, 0])]
    assert said(recording) == [
        "A run will begin. Its root is the node x: it has no parents.",
        "3.0 goes into a box, which refers to the node x.",
        "The function is called. All it gets is the box.",
        "multiply of 3.0 and 3.0 is 9.0. The new node multiply refers to x, twice.",
        "9.0 goes into a box, which refers to the node multiply.",
        "The run is over. Its value 9.0 leaves the box; the end node is multiply.",
        "The way back begins at multiply, with the seed 1.0 and an empty purse.",
        "multiply is opened. Its rule turns 1.0 into (3.0, 3.0) for x, twice.",
        "3.0 is filed in the purse for x, which queues.",
        "x has 3.0 in the purse. With this 3.0 it has 6.0.",
        "x is the newest node that waits. Its 6.0 is taken out of the purse.",
        "x has no rule. It is the root, and 6.0 is the answer.",
        "What you asked for is there: 6.0. Nobody refers to the graph any more, so it is gone.",
    ]


def test_what_exists_is_what_somebody_refers_to() -> None:
    recording = steps(grad(square), 3.0)
    assert [step.nodes for step in recording.steps] == [(0,)] * 3 + [(0, 1)] * 9 + [()]
    boxes = [(), (0,), (0,), (0,), (0, 1), (0, 1), *[()] * 7]
    assert [step.boxes for step in recording.steps] == boxes


def test_a_box_that_nobody_needs_is_gone_before_the_run_is_over() -> None:
    recording = steps(grad(lambda x: np.exp(np.sin(x)) * 2.0), 3.0)
    assert [node[0] for node in recording.nodes] == ["x", "sin", "exp", "multiply"]
    last = next(step for step in recording.steps if "multiply` of" in step.words)
    assert last.nodes == (0, 1, 2, 3)
    assert 1 not in last.boxes


def test_a_graph_that_somebody_keeps_is_not_said_to_be_gone() -> None:
    kept: list[Any] = []

    def keeping(x):
        kept.append(x)
        return x * x

    last = steps(grad(keeping), 3.0).steps[-1]
    assert "gone" not in last.words
    assert (last.nodes, last.boxes) == ((0,), (0,))


@pytest.mark.parametrize(
    ("fun", "x"),
    [
        (square, 3.0),
        (fan_out, 0.7),
        (lambda x: x + x * x, 3.0),
        (lambda x: np.sum(x[:2] * x[1:]), onp.array([3.0, 9.0, 1.0])),
        (sums, onp.array([0.5, 1.5, 2.0])),
        (lambda x: np.sum(x * onp.ones((2, 3))), onp.ones((2, 1))),
    ],
)
def test_the_way_back_is_the_one_that_the_engine_goes(fun: Any, x: Any) -> None:
    recording = steps(grad(fun), x)
    expected = reverse_history(fun, x)
    opened = [step for step in recording.steps if re.search("is opened|has no rule", step.words)]
    names = [recording.nodes[step.active][0] for step in opened if step.active is not None]
    assert names == [row["node opened"] for row in expected]
    assert [step.hand and step.hand[1] for step in opened] == [row["taken out"] for row in expected]
    answer = short(grad(fun)(x))
    assert opened[-1].opened[0] == answer
    assert recording.steps[-1].words.startswith(f"What you asked for is there: `{answer}`")


def test_a_run_is_recorded_the_same_each_time() -> None:
    x = onp.array([0.5, 1.5, 2.0])
    assert [steps(grad(sums), x).steps for _ in range(2)] == [steps(grad(sums), x).steps] * 2


def test_what_the_collector_calls_is_no_part_of_a_run() -> None:
    x = onp.array([0.5, 1.5, 2.0])
    expected, threshold = steps(grad(sums), x).steps, gc.get_threshold()

    def collected(phase: str, info: dict[str, int]) -> None:
        """Somebody who wants to know of every collection."""

    gc.callbacks.append(collected)
    gc.set_threshold(1)
    try:
        assert steps(grad(sums), x).steps == expected
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(collected)
    assert gc.isenabled()


def test_nested_derivatives_are_one_graph_gone_back_twice() -> None:
    recording = steps(grad(grad(lambda x: x * x * x)), 3.0)
    begun = [words for words in said(recording) if words.startswith("The way back begins")]
    assert len(begun) == 2
    assert [node[0] for node in recording.nodes[:2]] == ["x", "x_2"]
    assert recording.steps[-2].hand == (0, "18.0")
    assert recording.steps[-1].nodes == ()


def test_a_derivative_inside_a_rule_leaves_the_purse_of_the_outer_pass_alone() -> None:
    from literate_ad.extend import defvjp, primitive

    @primitive
    def cube(x):
        return x**3

    defvjp(cube, lambda ans, x: lambda g: g * grad(lambda y: y * y * y)(x))
    recording = steps(grad(lambda x: cube(x) + x), 2.0)
    after = [step for step in recording.steps if "`cube` is opened" in step.words]
    assert [step.purse for step in after] == [{0: "1.0"}]
    assert recording.steps[-2].hand == (0, "13.0")


def test_forward_mode_has_tangents_and_no_way_back() -> None:
    recording = steps(lambda: make_jvp(lambda x: x * np.sin(x))(2.0)(1.0))
    assert [node[::2] for node in recording.nodes] == [
        ("x", []),
        ("sin", [0]),
        ("multiply", [0, 1]),
    ]
    assert not [words for words in said(recording) if "purse" in words]
    assert recording.steps[-1].opened[2] == short(recording.value[1])
    assert recording.steps[-1].opened[0] == "1.0"


def test_what_is_no_derivative_has_no_steps() -> None:
    assert steps(square, 3.0).steps == []


def test_every_stepper_of_the_book_ends_with_what_the_engine_gives() -> None:
    assert {"01", "03", "04", "05", "06", "07"} <= {Path(path).stem[:2] for path in STEPPED}
    for found in (each for path in STEPPED for each in played(path)):
        *_, before, last = found["steps"]
        if any(step["hand"] for step in found["steps"]):
            assert before["words"].endswith("is the answer.")
            assert before["opened"][0] in last["words"]
        else:  # forwards: the answer is the tangent of the last node
            assert before["words"].startswith("The run is over.")
            assert before["opened"][max(before["opened"])] in last["words"]
        assert {step["source"][0].split("/")[0] for step in found["steps"]} == {"literate_ad"}


def test_a_step_shows_the_line_of_the_article_that_led_to_it() -> None:
    found, *_ = played("docs/en/articles/05-reverse-pass.md")
    programs = [step["program"] for step in found["steps"]]
    called = "grad(twice_doubled)(1.0)"
    assert list(dict.fromkeys(programs)) == [called, "b = a + a", "c = b + b"]


CASES = {
    "no expression": ("<!-- stepper -->\n", "1:1: say what is run: <!-- stepper: EXPR -->"),
    "not Python": ("<!-- stepper: grad(f)( -->\n", "1:1: this is not Python"),
    "an expression that fails": (
        "<!-- stepper: grad(nobody)(3.0) -->\n",
        "1:15: `grad(nobody)(3.0)` raised NameError: name 'nobody' is not defined",
    ),
    "nothing traced": ("<!-- stepper: f(3.0) -->\n", "1:15: nothing is traced in `f(3.0)`"),
    "a value that changes": (
        "```python\n>>> runs = []\n>>> def g(x):\n...     runs.append(x)\n"
        "...     return x * len(runs)\n```\n\n<!-- stepper: grad(g)(3.0) -->\n",
        "8:15: the last step of `grad(g)(3.0)`: the article says `1.0`, the engine says `2.0`",
    ),
    "a name like it": ("<!-- steper: grad(f)(3.0) -->\n", "1:1: no check is called “steper”"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_stepper_that_is_wrong_is_refused_at_its_line(name: str) -> None:
    text, expected = CASES[name]
    found = complaints(ROOT, text)
    assert len(found) == 1, found
    assert found[0].startswith(expected)


def test_a_stepper_that_is_right_needs_one_line() -> None:
    assert complaints(ROOT, "<!-- stepper: grad(f)(3.0) -->\n") == []


def test_a_step_outside_of_every_block_is_refused(kinds_book: Path) -> None:
    found = complaints(kinds_book, "<!-- stepper: grad(f)(3.0) -->\n")
    assert "1:15: a step happens at literate_ad/core.py:" in found[0]


def test_a_value_is_short_in_the_drawing() -> None:
    assert brief("9.0") == "9.0"
    assert brief("0.90929743") == "0.91"
    assert brief("[1.64872127, 4.48168907, 7.3890561]") == "[1.65, 4.48, 7.39]"
    assert (
        brief("[[11.0, 42.0, 93.0], [48.0, 110.0, 192.0]]") == "2 \N{MULTIPLICATION SIGN} 3 numbers"
    )
    assert brief("array of shape (40, 50)") == "(40, 50)"
    assert brief("[1.0, 2.0, 3.0, 4.0, 5.0]").endswith(" …")


def test_an_arrow_passes_beside_the_cells_that_it_goes_by() -> None:
    nodes = [("x", "1.0", []), ("sin", "2.0", [0]), ("add", "3.0", [0, 1])]
    layout = Layout(nodes, [["1.0", "x", ""], ["2.0", "sin", ""], ["3.0", "add", ""]])
    assert layout.column == [0, 1, 2]
    lane = layout.top[2, 0]
    cell = layout.top[1]
    assert lane + 16 <= cell or lane >= cell + 96
    assert sorted(edge[:2] for edge in edges(layout)) == [(1, 0), (2, 0), (2, 1)]


def page(tmp_path: Path, text: str) -> Tag:
    """The page of an article in a book of its own."""
    root = make_book(tmp_path, page=text)
    html = markdown(text, extensions=[BookExtension(root=str(root))])
    return BeautifulSoup(html, "html.parser")


ARTICLE = f"# Steps\n\n{SETUP}<!-- stepper: grad(f)(3.0) -->\n"


def test_without_a_script_the_steps_are_a_list(tmp_path: Path) -> None:
    figure = page(tmp_path, ARTICLE).select_one("figure.stepper")
    assert figure is not None
    assert figure.get("id") == "stepper-1"
    words = [each.get_text() for each in figure.select("trace-stepper > ol > li > .words")]
    assert words == said(steps(grad(square), 3.0))
    assert figure.select("svg [role=img], svg[role=img] title")
    caption = figure.select_one("figcaption")
    assert caption is not None
    assert caption.get_text() == "Step by stepgrad(f)(3.0)checked"
    assert "<script>" not in str(figure)
    assert "style=" not in str(figure)


def test_two_steppers_of_a_page_have_names_of_their_own(tmp_path: Path) -> None:
    second = "<!-- stepper: grad(grad(f))(3.0) -->\n"
    figures = page(tmp_path, f"{ARTICLE}\n{second}").select("figure.stepper")
    assert [figure["id"] for figure in figures] == ["stepper-1", "stepper-2"]


def test_an_article_that_fails_is_refused_by_the_page(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BookErrors):
        page(tmp_path, ARTICLE.replace("grad(f)(3.0)", "grad(g)(3.0)"))
    assert "page.md:10:15: `grad(g)(3.0)` raised NameError" in capfd.readouterr().err


def test_a_recording_is_kept_until_the_code_of_its_article_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    record = player.record

    def counted(root: Path, path: str) -> bytes:
        made.append(path)
        return record(root, path)

    monkeypatch.setattr(player, "record", counted)
    page(tmp_path, ARTICLE)
    page(tmp_path, ARTICLE)
    assert len(made) == 1
    page(tmp_path, f"{ARTICLE}\nMore.\n")
    assert len(made) == 1
    page(tmp_path, f"{ARTICLE}\n```python\n>>> 1 + 1\n2\n```\n")
    assert len(made) == 2
    page(tmp_path, ARTICLE.replace("(3.0) -->", "(4.0) -->"))
    assert len(made) == 3


def test_the_data_of_a_stepper_is_small() -> None:
    for found in (each for path in STEPPED for each in played(path)):
        found = json.loads(json.dumps(found))
        for step in found["steps"]:
            step["at"] = "listing-1-4"
        data = states(found, ["a line"] * len(found["steps"]))
        assert "<" not in data
        assert len(data) < 250 * len(found["steps"])
        texts = [each if isinstance(each, str) else each[0] for each in json.loads(data)["texts"]]
        assert len(texts) == len(set(texts))


STATE = """stepper => ({
    words: stepper.querySelector("p.words").textContent,
    nodes: [...stepper.querySelectorAll(".node.there")].map(each => each.textContent),
    boxes: stepper.querySelectorAll(".box.there").length,
    purse: stepper.fact["in the purse"]?.textContent ?? "{}",
    hand: stepper.querySelector(".cotangent.hand")?.textContent ?? "",
    step: stepper.querySelector("input").value,
})"""


def expected(found: dict[str, Any], at: int) -> dict[str, Any]:
    """What a player shall show at a step, as the engine had it."""
    step = found["steps"][at - 1]
    names = [node[0] for node in found["nodes"]]
    purse = ", ".join(f"{names[number]}: {text}" for number, text in step["purse"].items())
    return {
        "words": step["words"].replace("`", ""),
        "nodes": [names[number] for number in step["nodes"]],
        "boxes": len(step["boxes"]),
        "purse": f"{{{purse}}}",
        "hand": brief(step["hand"][1]) if step["hand"] else "",
        "step": str(at),
    }


@pytest.fixture
def pages(reader: Reader) -> Reader:
    """Opens the page of an article in a browser, at a step if one is named."""

    def opened(path: str, step: str = "", **settings: Any) -> Any:
        name = Path(path).relative_to("docs/en").with_suffix(".html").as_posix()
        return reader(f"{name}{step}", **settings)

    return opened


@LOOKED_AT
@pytest.mark.parametrize("path", STEPPED)
def test_a_browser_steps_to_the_end_and_back_as_the_engine_went(path: str, pages: Any) -> None:
    shown = pages(path)
    for number, found in enumerate(played(path)):
        stepper, count = shown.locator("trace-stepper").nth(number), len(found["steps"])
        for at in range(1, count + 1):
            assert stepper.evaluate(STATE) == expected(found, at)
            if at < count:
                stepper.get_by_role("button", name="One step forward").click()
        assert stepper.get_by_role("button", name="One step forward").is_disabled()
        for at in range(count - 1, 0, -1):
            stepper.get_by_role("button", name="One step back").click()
            assert stepper.evaluate(STATE) == expected(found, at)


GRAD = "docs/en/articles/03-grad.md"
TALL = "docs/en/articles/05-reverse-pass.md"
NUMPY = "docs/en/articles/06-numpy-primitives.md"


@LOOKED_AT
def test_a_stepper_is_moved_by_keyboard(pages: Any) -> None:
    from playwright.sync_api import expect

    shown = pages(GRAD)
    stepper = shown.locator("trace-stepper")
    at = stepper.locator("input")
    stepper.locator(".stage").focus()
    for key, step in [
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", 13),
        ("ArrowRight", 13),
        ("Home", 1),
        ("ArrowLeft", 1),
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


@LOOKED_AT
def test_a_link_opens_a_page_at_a_step_and_lights_its_line(pages: Any) -> None:
    from playwright.sync_api import expect

    shown = pages(GRAD, "#step=4")
    stepper = shown.locator("trace-stepper")
    assert stepper.locator("input").input_value() == "4"
    assert stepper.locator(".count").get_attribute("href") == "#step=4"
    line = shown.locator("#src-binary-recorder .running")
    assert line.count() == 1
    code = stepper.locator(".facts code").nth(1).text_content()
    assert code == line.text_content().strip()
    middle = stepper.evaluate("each => each.getBoundingClientRect().top / innerHeight")
    assert -0.5 < middle < 1
    shown.evaluate("location.hash = '#step=13'")
    expect(stepper.locator("input")).to_have_value("13")


@LOOKED_AT
def test_without_a_script_a_browser_shows_the_list(pages: Any) -> None:
    stepper = pages(GRAD, java_script_enabled=False).locator("trace-stepper")
    assert stepper.locator("ol > li").count() == 13
    assert stepper.locator("ol > li").last.is_visible()
    assert stepper.locator("svg").is_visible()
    assert stepper.locator("button, input").count() == 0


@LOOKED_AT
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_stepper_fits_a_small_window(scheme: str, pages: Any) -> None:
    size = {"width": 360, "height": 740}
    shown = pages(NUMPY, "#step=36", viewport=size, color_scheme=scheme)
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    buttons = shown.locator("trace-stepper button")
    assert buttons.count() == 5
    for button in buttons.all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] + box["width"] <= 360


# The node of a step, inside of what is shown of the drawing; the words, inside of the window.
IN_SIGHT = """player => {
    const [node, stage, words] = [".active .node", ".stage", ".words"].map(
        each => player.querySelector(each).getBoundingClientRect());
    return node.left >= stage.left && node.right <= stage.right && node.top >= stage.top
        && node.bottom <= stage.bottom && stage.top >= 0 && words.bottom <= innerHeight;
}"""


@LOOKED_AT
@pytest.mark.parametrize("size", [(390, 800), (1280, 720)])
def test_the_node_of_a_step_is_in_sight_with_its_words(size: tuple[int, int], pages: Any) -> None:
    window = {"width": size[0], "height": size[1]}
    shown = pages(TALL, "#stepper-2-step=1", viewport=window, reduced_motion="reduce")
    player = shown.locator("trace-stepper").nth(1)
    for _ in played(TALL)[1]["steps"]:
        assert not player.locator("[data-node].active").count() or player.evaluate(IN_SIGHT)
        player.locator(".stage").press("ArrowRight")


@LOOKED_AT
def test_two_steppers_keep_a_strict_policy_and_their_own_links(served: str) -> None:
    """No inline script, no inline style, no handler in the page: nothing the policy forbids."""
    policy = "default-src 'none'; script-src 'self'; style-src 'self'"
    html = (
        f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<script type="module" src="{served}/assets/stepper.js"></script>'
    )
    refused: list[str] = []
    with chromium() as browser:
        shown = browser.new_page()
        shown.on("console", lambda told: refused.append(told.text))
        source = shown.request.get(f"{served}/articles/03-grad.html").text()
        figure = str(BeautifulSoup(source, "html.parser").select_one("figure.stepper"))
        body = html + figure + figure.replace("stepper-1", "stepper-2")
        answer = {"body": body, "content_type": "text/html"}
        shown.route("**/strict.html", lambda route: route.fulfill(**answer))
        shown.goto(f"{served}/strict.html#stepper-2-step=3", wait_until="networkidle")
        assert shown.locator("trace-stepper.ready").count() == 2
        values = [each.input_value() for each in shown.locator("input").all()]
        links = [each.get_attribute("href") for each in shown.locator(".count").all()]
    assert values == ["1", "3"]
    assert links == ["#stepper-1-step=1", "#stepper-2-step=3"]
    assert not refused
