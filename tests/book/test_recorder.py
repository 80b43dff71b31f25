"""The recorders tell what the engine does, in words that do not change from run to run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as onp
import pytest

import literate_ad.numpy as np
from literate_ad import grad, make_vjp
from literate_ad.core import vspace
from literate_book.record import engine
from literate_book.record.recorder import (
    calls,
    contributions,
    edges,
    forward_objects,
    graph,
    reverse_history,
    short,
)
from literate_book.record.steps import steps

TOOLS = Path(engine.__file__).parents[1]


def square(x):
    return x * x


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3.0"),
        (onp.float32(0.1), "0.1"),
        (1 / 3, "0.33333333"),
        (1e-20, "1.0e-20"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (0.0, "0.0"),
        (True, "True"),
        (2, "2"),
        ("text", "text"),
        (None, "None"),
        (onp.array([1.0, 2.5]), "[1.0, 2.5]"),
        (onp.zeros((4, 5)), "array of shape (4, 5)"),
        ((onp.float64(1.0),), "(1.0,)"),
        ([1.0, (2.0, 3.0)], "[1.0, (2.0, 3.0)]"),
        ({"a": onp.float64(1.0)}, "{a: 1.0}"),
        (square, "square"),
        (lambda x: x, "lambda"),
        (object(), "object"),
    ],
)
def test_short(value: object, text: str) -> None:
    assert short(value) == text


def test_calls_come_in_order_with_the_values_asked_for() -> None:
    show = {"tracer.new_box": "value return", "core.backward_pass": "g return"}
    found = calls(lambda: grad(square)(3.0), show, also=[square])
    shown = [record for record in found if len(record) > 1 or record[0] == "square"]
    assert shown[:2] == [("tracer.new_box", "3.0", "ArrayBox(3.0)"), ("square",)]
    assert shown[-1] == ("core.backward_pass", "1.0", "6.0")
    assert found == calls(lambda: grad(square)(3.0), show, also=[square])


def test_calls_leave_out_what_is_named_with_all_it_calls() -> None:
    assert calls(lambda: grad(square)(3.0), without="wrap_util") == []
    inside = calls(lambda: make_vjp(square)(3.0), without="core.VJPNode tracer.trace")
    left_out = ("core.VJPNode", "tracer.new_box")
    assert not [name for name, *_ in inside if name.startswith(left_out)]
    assert ("core.make_vjp",) in inside
    everything = calls(lambda: make_vjp(square)(3.0))
    assert all(any(name.startswith(out) for name, *_ in everything) for out in left_out)


def test_calls_count_a_generator_once_and_no_lambda() -> None:
    basis = calls(lambda: list(vspace(onp.zeros(3)).standard_basis()))
    assert [name for name, *_ in basis].count("numpy.numpy_vspaces.ArrayVSpace.standard_basis") == 1
    assert calls(lambda: (lambda x: x)(1)) == []


def in_the_engine(code: str) -> dict[str, Any]:
    """Functions that pass for functions of a module of the engine."""
    names: dict[str, Any] = {"__name__": "literate_ad.made_up"}
    exec(compile(code, "made_up.py", "exec"), names)
    return names


def test_calls_leave_out_generated_methods() -> None:
    code = "from dataclasses import dataclass\n@dataclass\nclass Pair:\n    x: int\n    y: int\n"
    names = in_the_engine(f"{code}def make():\n    return Pair(1, 2)\n")
    assert calls(names["make"]) == [("made_up.make",)]


def test_comprehensions_leave_no_trace_on_any_python() -> None:
    """Python 3.12 runs them in the frame of their function, Python 3.11 in frames of their own."""
    names = in_the_engine(
        "def one(x):\n    return x\n"
        "def all_four():\n"
        "    lists = [one(x) for x in [1]], {one(x) for x in [1]}, {x: one(x) for x in [1]}\n"
        "    return lists, tuple(one(x) for x in [1]), (lambda x: x)(1)\n"
    )
    assert calls(names["all_four"]) == [("made_up.all_four",), *[("made_up.one",)] * 4]
    assert edges(names["all_four"]) == {("made_up.all_four", "made_up.one")}
    assert steps_lines(lambda x: sum([x * x for _ in range(1)])) == steps_lines(
        lambda x: sum([x * x])
    )


def steps_lines(fun: Any) -> list[Any]:
    """The lines of the engine that the steps of a derivative are at."""
    return [step.source for step in steps(grad(fun), 3.0).steps]


def test_the_table_of_the_engines_insides_is_true() -> None:
    assert list(engine.missing()) == []


def test_the_table_says_what_the_engine_has_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    renamed = replace(engine.PASS, names={**engine.PASS.names, "pending": "basket"})
    monkeypatch.setattr(engine, "VARIABLES", (renamed,))
    attributes = {engine.JVPNode: {"tangent": "slope"}}
    monkeypatch.setattr(engine, "ATTRIBUTES", attributes)
    assert list(engine.missing()) == [
        "the engine has no local variable `basket` in core.pull_back any more: "
        "mend record/engine.py",
        "the engine's JVPNode has no attribute `slope` any more: mend record/engine.py",
    ]
    moved = engine.Variables("core:pass_backwards", {})
    monkeypatch.setattr(engine, "VARIABLES", (moved,))
    said = "the engine has no function core.pass_backwards any more: mend record/engine.py"
    assert list(engine.missing()) == [said]


def test_only_the_table_names_the_engine() -> None:
    files = [each for each in TOOLS.rglob("*.py") if "literate_ad" in each.read_text()]
    recording = [each.name for each in files if each.parent.name == "record"]
    assert recording == ["engine.py"]


def test_calls_survive_an_exception() -> None:
    def failing() -> None:
        grad(square)("text")

    with pytest.raises(TypeError):
        calls(failing)
    import sys

    assert sys.getprofile() is None


def test_edges_are_calls_inside_the_engine() -> None:
    found = edges(lambda: grad(square)(3.0))
    assert ("core.make_vjp", "tracer.trace") in found
    assert ("core.Pullback.__call__", "core.backward_pass") in found
    assert ("core.backward_pass", "core.make_vjp") not in found


def test_graph_of_one_argument() -> None:
    assert graph(square, 3.0) == "\n".join(
        [
            "graph LR",
            '    x["root x = 3.0"]',
            '    v1["multiply = 9.0"]',
            '    x -- "arg 0" --> v1',
            '    x -- "arg 1" --> v1',
            '    v1 --> output(["output"])',
        ]
    )


def test_graph_of_several_arguments_and_constants() -> None:
    text = graph(lambda x, y: np.sin(x) / 2.0 - y, onp.array([0.5, 1.0]), 3.0)
    assert text.split("\n")[1:] == [
        '    x0["root x0 = [0.5, 1.0]"]',
        '    x1["root x1 = 3.0"]',
        '    v1["sin = [0.47942554, 0.84147098]"]',
        '    v2["divide = [0.23971277, 0.42073549]"]',
        '    v3["subtract = [-2.76028723, -2.57926451]"]',
        '    x0 -- "arg 0" --> v1',
        '    v1 -- "arg 0" --> v2',
        '    v2 -- "arg 0" --> v3',
        '    x1 -- "arg 1" --> v3',
        '    v3 --> output(["output"])',
    ]


def test_graph_of_a_constant_has_no_output_edge() -> None:
    assert graph(lambda x: 1.0, 3.0) == 'graph LR\n    x["root x = 3.0"]'


def test_reverse_history_is_the_engines_own() -> None:
    rows = reverse_history(lambda x: x * x + x, 3.0)
    assert [tuple(row.values()) for row in rows] == [
        ("add", "1.0", "(1.0, 1.0)", "(multiply, x)", "{x: 1.0, multiply: 1.0}"),
        ("multiply", "1.0", "(3.0, 3.0)", "(x, x)", "{x: 7.0}"),
        ("x", "7.0", "()", "()", "{}"),
    ]
    last = reverse_history(lambda x: np.sum(np.sin(x) * x), onp.array([0.5, 1.5]))[-1]
    right = grad(lambda x: np.sum(np.sin(x) * x))(onp.array([0.5, 1.5]))
    assert last["cotangent"] == short(right)


def test_reverse_history_numbers_what_happens_twice() -> None:
    rows = reverse_history(lambda x: np.sin(np.sin(x)), 0.5)
    assert [row["node"] for row in rows] == ["sin_2", "sin", "x"]


def test_contributions() -> None:
    assert contributions(lambda x: x * x + x, 3.0) == [1.0, 3.0, 3.0]
    assert contributions(lambda x: x * x + x, 3.0, to="multiply") == [1.0]
    assert contributions(lambda x: np.sum(x * 2.0), onp.array([1.0, 2.0])) == [[2.0, 2.0]]
    assert contributions(lambda x: x[0] * 2.0, onp.array([1.0, 2.0])) == [[2.0, 0.0]]


def test_forward_objects() -> None:
    rows = forward_objects(square, 3.0)
    assert [row["object"] for row in rows] == [
        "argument x", "node x", "box x",
        "arguments of multiply", "node multiply", "box multiply", "answer",
    ]  # fmt: skip
    assert rows[2] == {
        "object": "box x", "type": "ArrayBox", "value": "3.0", "trace": "0", "node": "node x",
    }  # fmt: skip
    assert rows[3]["value"] == "(box x, box x)"
    assert rows[4] == {"object": "node multiply", "type": "VJPNode", "parents": "(x, x)"}
    assert rows == forward_objects(square, 3.0)
