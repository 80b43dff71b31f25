"""The steps of a run: what is recorded, and what the page of a stepper holds."""

import gc
import json
import re
from pathlib import Path
from typing import Any

import numpy as onp
import pytest
from bs4 import BeautifulSoup, Tag
from markdown import markdown
from small_book import make_book
from test_checkers import SETUP, complaints

import literate_ad.numpy as np
from literate_ad import grad, make_jvp
from literate_book.check.checks import Book
from literate_book.check.documents import article_checks
from literate_book.check.replay import recordings
from literate_book.check.steppers import Steps
from literate_book.record import engine
from literate_book.record.recorder import reverse_history, short
from literate_book.record.steps import Recording, RunNode, steps
from literate_book.render import player
from literate_book.render.layout import Edge, Layout
from literate_book.render.markdown import BookExtension
from literate_book.render.player import brief, states
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


def test_a_run_has_a_forward_and_a_reverse_pass() -> None:
    recording = steps(grad(square), 3.0)
    assert recording.nodes == [RunNode("x", "3.0", []), RunNode("multiply", "9.0", [0, 0])]
    assert said(recording) == [
        "A trace begins. Its root is the node x, which has no parents.",
        "3.0 is put into a box, which refers to the node x.",
        "The function is called with the box.",
        "multiply of 3.0 and 3.0 is 9.0. The new node multiply has the parents x and x.",
        "9.0 is put into a box, which refers to the node multiply.",
        "The function has returned. Its value is 9.0; the end node is multiply.",
        "The reverse pass starts at multiply with the seed 1.0.",
        "multiply: its rule turns 1.0 into the contributions 3.0 and 3.0 for x and x.",
        "The contribution 3.0 is the first for x: it becomes the pending cotangent.",
        "x has the pending cotangent 3.0; adding the contribution 3.0 gives 6.0.",
        "Pop the pending node with the largest number: x, with the cotangent 6.0.",
        "x is the root and has no rule: the result is 6.0.",
        "The result is 6.0. Nothing refers to the graph any more: it has been freed.",
    ]


def test_what_exists_is_what_something_refers_to() -> None:
    recording = steps(grad(square), 3.0)
    assert [step.nodes for step in recording.steps] == [(0,)] * 3 + [(0, 1)] * 9 + [()]
    boxes = [(), (0,), (0,), (0,), (0, 1), (0, 1), *[()] * 7]
    assert [step.boxes for step in recording.steps] == boxes


def test_a_recording_leaves_no_finalizer_behind() -> None:
    classes = engine.Box, engine.VJPNode, engine.JVPNode
    before = [each.__dict__.get("__del__") for each in classes]
    with pytest.raises(TypeError):
        steps(grad(square), "text")
    assert [each.__dict__.get("__del__") for each in classes] == before


def test_a_finalizer_of_the_engines_own_runs_and_is_no_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain, freed = steps(grad(square), 3.0), list[int]()

    def __del__(self: Any) -> None:  # noqa: N807
        freed.append(id(self))

    gc.collect()  # nodes that tracebacks of other tests hold are not of this run
    monkeypatch.setattr(engine.VJPNode, "__del__", __del__, raising=False)
    assert steps(grad(square), 3.0).steps == plain.steps
    assert len(freed) == 2
    assert engine.VJPNode.__dict__["__del__"] is __del__


def test_a_box_that_nothing_needs_is_gone_before_the_run_is_over() -> None:
    recording = steps(grad(lambda x: np.exp(np.sin(x)) * 2.0), 3.0)
    assert [node.name for node in recording.nodes] == ["x", "sin", "exp", "multiply"]
    last = next(step for step in recording.steps if "multiply` of" in step.words)
    assert last.nodes == (0, 1, 2, 3)
    assert 1 not in last.boxes


def test_a_graph_that_the_program_keeps_is_not_said_to_be_freed() -> None:
    kept: list[Any] = []

    def keeping(x):
        kept.append(x)
        return x * x

    last = steps(grad(keeping), 3.0).steps[-1]
    assert "freed" not in last.words
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
def test_the_reverse_pass_is_the_engines_own(fun: Any, x: Any) -> None:
    recording = steps(grad(fun), x)
    expected = reverse_history(fun, x)
    visits = [s for s in recording.steps if re.search("its rule turns|has no rule", s.words)]
    names = [recording.nodes[step.active].name for step in visits if step.active is not None]
    assert names == [row["node"] for row in expected]
    assert [step.current and step.current[1] for step in visits] == [
        row["cotangent"] for row in expected
    ]
    answer = short(grad(fun)(x))
    assert visits[-1].visited[0] == answer
    assert recording.steps[-1].words.startswith(f"The result is `{answer}`")


def test_a_run_is_recorded_the_same_each_time() -> None:
    x = onp.array([0.5, 1.5, 2.0])
    assert [steps(grad(sums), x).steps for _ in range(2)] == [steps(grad(sums), x).steps] * 2


def test_what_the_collector_calls_is_no_part_of_a_run() -> None:
    x = onp.array([0.5, 1.5, 2.0])
    expected, threshold = steps(grad(sums), x).steps, gc.get_threshold()

    seen: list[str] = []

    def collected(phase: str, info: dict[str, int]) -> None:
        """Somebody who wants to know of every collection."""
        seen.append(phase)

    gc.callbacks.append(collected)
    gc.set_threshold(1)
    try:
        assert steps(grad(sums), x).steps == expected
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(collected)
    assert gc.isenabled()
    assert seen  # or nothing has been tried


def test_nested_derivatives_are_one_graph_and_two_reverse_passes() -> None:
    recording = steps(grad(grad(lambda x: x * x * x)), 3.0)
    begun = [words for words in said(recording) if words.startswith("The reverse pass starts")]
    assert len(begun) == 2
    assert [node.name for node in recording.nodes[:2]] == ["x", "x_2"]
    assert recording.steps[-2].current == (0, "18.0")
    assert recording.steps[-1].nodes == ()


def test_a_derivative_inside_a_rule_leaves_the_outer_pass_alone() -> None:
    from literate_ad.extend import defvjp, primitive

    @primitive
    def cube(x):
        return x**3

    defvjp(cube, lambda ans, x: lambda g: g * grad(lambda y: y * y * y)(x))
    recording = steps(grad(lambda x: cube(x) + x), 2.0)
    after = [step for step in recording.steps if "`cube`: its rule" in step.words]
    assert [step.pending for step in after] == [{0: "1.0"}]
    assert recording.steps[-2].current == (0, "13.0")


def test_forward_mode_has_tangents_and_no_reverse_pass() -> None:
    recording = steps(lambda: make_jvp(lambda x: x * np.sin(x))(2.0)(1.0))
    assert [(node.name, node.parents) for node in recording.nodes] == [
        ("x", []),
        ("sin", [0]),
        ("multiply", [0, 1]),
    ]
    assert len(said(recording)) > 2
    assert not [words for words in said(recording) if "pending" in words]
    assert recording.steps[-1].visited[2] == short(recording.value[1])
    assert recording.steps[-1].visited[0] == "1.0"


def test_what_is_no_derivative_has_no_steps() -> None:
    assert steps(square, 3.0).steps == []


def test_every_stepper_of_the_book_ends_with_what_the_engine_gives() -> None:
    assert {"01", "03", "04", "05", "06", "07"} <= {Path(path).stem[:2] for path in STEPPED}
    for found in (each for path in STEPPED for each in played(path)):
        *_, before, last = found["steps"]
        if any(step["current"] for step in found["steps"]):
            assert "the result is `" in before["words"]
            assert before["visited"][0] in last["words"]
        else:  # forwards: the answer is the tangent of the last node
            assert before["words"].startswith("The function has returned.")
            assert before["visited"][max(before["visited"])] in last["words"]
        assert {step["source"]["file"].split("/")[0] for step in found["steps"]} == {"literate_ad"}


def test_a_step_shows_the_line_of_the_article_that_led_to_it() -> None:
    found, *_ = played("docs/en/articles/05-reverse-pass.md")
    lines = ARTICLES["docs/en/articles/05-reverse-pass.md"].text.split("\n")
    programs = [step["at"] and lines[step["program"]["line"] - 1] for step in found["steps"]]
    assert list(dict.fromkeys(programs)) == [None, "...     b = a + a", "...     c = b + b"]
    bodies = [step["body"] for step in found["steps"] if step["at"]]
    assert {last - first for first, last in bodies} == {3}


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


def test_an_edge_passes_beside_the_nodes_that_it_goes_by() -> None:
    """x -> sin -> add and x -> add: the second edge has a free lane in the row of sin."""
    layout = Layout([(80.0, 90.0)] * 3, [Edge(0, 1), Edge(0, 2), Edge(1, 2)])
    assert layout.row == [0, 1, 2]
    assert abs(layout.x[1, 1] - layout.x[1]) > 40
    path = re.findall(r"V(\d+)C.*?(\d+) \d+(?=V|$)", layout.path(1))
    assert float(path[1][0]) >= layout.top[1] + 90  # down along the whole row before it turns
    assert abs(float(path[0][1]) - layout.x[1, 1]) < 1


def test_a_node_with_one_parent_stands_near_its_child() -> None:
    edges = [Edge(0, 1), Edge(1, 2), Edge(0, 3), Edge(2, 4), Edge(3, 4)]
    assert Layout([(80.0, 30.0)] * 5, edges).row == [0, 1, 2, 2, 3]


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
    program = figure.select_one("trace-stepper > pre.program")
    assert program is not None
    assert program.get_text() == "def f(x):\n    return x * x\ngrad(f)(3.0)\n"
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
        count = len(found["steps"])
        data = states(found, ["a line"] * count, [1] * count)
        assert "<" not in data
        assert len(data) < 250 * count
        texts = [each if isinstance(each, str) else each[0] for each in json.loads(data)["texts"]]
        assert len(texts) == len(set(texts))
