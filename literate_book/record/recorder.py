"""Tables and graphs of real runs of the engine: its calls, its objects, its reverse pass.

Articles build their tables, lists and diagrams from what these functions return.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import FrameType
from typing import Any

import numpy as np

from literate_book.record import watch
from literate_book.record.engine import (
    CARRIERS,
    PASS,
    RULE,
    Box,
    SparseObject,
    VJPNode,
    backward_pass,
    beginnings,
    isbox,
    new_box,
    node_of,
    parents_of,
    running,
    trace_numbers,
    trace_of,
    value_of,
)
from literate_book.record.matching import Drawing
from literate_book.record.watch import Location, edges, head_of, watched

__all__ = [
    "Namer", "Run", "calls", "contributions", "edges", "forward_objects", "graph",
    "reverse_history", "short", "watched",
]  # fmt: skip


def short(value: Any) -> str:
    """A value in few words: digits as NumPy prints arrays, objects by their type."""
    if isinstance(value, Box):
        return f"{type(value).__name__}({short(value_of(value))})"
    if isinstance(value, np.ndarray):
        return short(value.tolist()) if value.size <= 9 else f"array of shape {value.shape}"
    if isinstance(value, (tuple, list)):
        inside = ", ".join(map(short, value))
        comma = "," if len(value) == 1 else ""
        return f"({inside}{comma})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{short(key)}: {short(each)}' for key, each in value.items())}}}"
    if isinstance(value, (float, np.floating)):
        return short_float(float(value))
    if value is None or isinstance(value, (bool, int, str, complex, np.generic)):
        return str(value)
    name = getattr(value, "__name__", type(value).__name__)
    return str(name).strip("<>")


def short_float(value: float) -> str:
    """A number with eight digits behind the point at most."""
    if value != value or value == 0 or 1e-4 <= abs(value) < 1e16:
        return np.format_float_positional(value, precision=8, trim="0")
    return np.format_float_scientific(value, precision=8, trim="0")


def calls(
    thunk: Callable[[], Any],
    show: Mapping[str, str] | None = None,
    also: Iterable[Any] = (),
    without: str = "",
) -> list[tuple[str, ...]]:
    """The calls of engine functions that ``thunk()`` makes, in order: ``("core.make_vjp", ...)``.

    ``show`` names the values wanted behind a name: ``{"tracer.new_box": "value return"}`` adds the
    argument ``value`` and the result. ``also`` holds functions of the article to list by name.
    ``without`` names functions, or modules, to leave out together with all that they call.
    """
    return watch.calls(thunk, show or {}, also, without.split(), short)


class Namer:
    """Names for the operations of one run: ``multiply``, ``multiply_2`` and so on."""

    def __init__(self) -> None:
        self.given: dict[str, int] = {}

    def name(self, word: str) -> str:
        self.given[word] = self.given.get(word, 0) + 1
        return word if self.given[word] == 1 else f"{word}_{self.given[word]}"


def origin_of(frame: FrameType) -> tuple[list[Location], Location]:
    """Where the node that ``frame`` makes comes from: lines of the engine, the nearest first, and
    the line of the program. There is no line of the engine where the program called an operation.
    """
    engine = list[Location]()
    for caller in watch.callers(frame.f_back):
        if not watch.is_package(caller):
            return engine, watch.expression_of(caller, watch.program_line(caller))
        if engine or caller.f_globals["__name__"] not in CARRIERS:
            engine.append(watch.expression_of(caller, watch.line_of(caller)))
    return engine, Location("", 0)


class RecordedNode(VJPNode):
    """The engine's own node, which stores what a reader of the articles might write down."""

    run: "Run"
    id: str
    name: str
    label: str
    args: tuple[Any, ...]
    argnums: tuple[int, ...]
    engine: list[Location]
    program: Location

    @classmethod
    def from_call(
        cls,
        value: Any,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        parent_argnums: tuple[int, ...],
        parents: tuple[Any, ...],
    ) -> "RecordedNode":
        node: Any = super().from_call(value, fun, args, kwargs, parent_argnums, parents)
        run: Run = parents[0].run
        node.id, node.name = f"v{1 + len(run.nodes) - len(run.roots)}", run.namer.name(fun.__name__)
        node.label, node.args, node.argnums = (
            f"{fun.__name__} = {short(value)}",
            args,
            parent_argnums,
        )
        node.engine, node.program = origin_of(sys._getframe())
        setattr(node, RULE, run.recording(node, getattr(node, RULE)))
        return run.add(node)


@dataclass(frozen=True)
class Visit:
    """A node in a reverse pass: its cotangent, the contributions that its rule returned, and the
    cotangents that were pending.
    """

    node: RecordedNode
    cotangent: Any
    contributions: tuple[Any, ...] = ()
    pending: dict[str, str] = field(default_factory=dict)


def traced(fun: Callable[..., Any], *boxes: Any) -> Any:
    """``fun(*boxes)``, as a trace runs it."""
    running.add(boxes[0]._trace)
    try:
        return fun(*boxes)
    finally:
        running.discard(boxes[0]._trace)


beginnings.add(traced.__code__)


class Run:
    """One run of ``fun(*args)`` on recorded nodes, and the reverse passes over them."""

    def __init__(self, fun: Callable[..., Any], *args: Any) -> None:
        self.namer, self.nodes, self.visits = Namer(), list[RecordedNode](), list[Visit]()
        self.boxes: dict[RecordedNode, Any] = {}
        self.number, self.roots = next(trace_numbers), range(len(args))
        for index, value in enumerate(args):
            root = RecordedNode.new_root()
            root.id = root.name = self.namer.name(f"x{index}" if len(args) > 1 else "x")
            root.label, root.args, root.argnums = f"root {root.name} = {short(value)}", (), ()
            root.engine, root.program = list[Location](), head_of(fun)
            self.add(root)
        boxes = [(value, self.number, node) for value, node in zip(args, self.nodes, strict=True)]
        self.end = watched(lambda: traced(fun, *(new_box(*each) for each in boxes)), self.keep_box)

    def add(self, node: RecordedNode) -> RecordedNode:
        """Take a new node into the run."""
        node.run = self
        self.nodes.append(node)
        return node

    def keep_box(self, frame: FrameType, event: str, arg: Any) -> None:
        """Store every box that ``new_box`` returns."""
        if event == "return" and frame.f_code is new_box.__code__ and isbox(arg):
            self.boxes[node_of(arg)] = arg

    def recording(self, node: RecordedNode, rule: Callable[..., Any]) -> Callable[..., Any]:
        """The rule of ``node``, which records its cotangent, its contributions, what is pending."""

        def recorded(g: Any, residual: Any) -> Any:
            result = rule(g, residual)
            sent = tuple(result) if len(parents_of(node)) > 1 else (result,)
            sent = tuple(each.dense() if type(each) is SparseObject else each for each in sent)
            caller, pending = sys._getframe(1), dict[str, str]()
            if caller.f_code is PASS.code:
                held = PASS.read(caller, "pending")
                pending = {other.name: short(cotangent) for other, cotangent in held.items()}
            self.visits.append(Visit(node, g, sent, pending))
            return result

        return recorded

    def reverse(self, g: Any) -> list[Visit]:
        """The visits of a reverse pass from the end node with the cotangent ``g``."""
        done = len(self.visits)
        result = backward_pass(g, node_of(self.end))
        return [*self.visits[done:], Visit(self.nodes[0], result)]


def graph(fun: Callable[..., Any], *args: Any, direction: str = "LR") -> Drawing:
    """The graph of ``fun(*args)`` as Mermaid text: operations, values, argument positions.

    ``direction`` is Mermaid's: ``LR`` from left to right, ``TB`` from top to bottom.
    """
    run = Run(fun, *args)
    lines = [f'{node.id}["{quoted(node.label)}"]' for node in run.nodes]
    for node in run.nodes:
        for parent, place in zip(parents_of(node), node.argnums, strict=True):
            lines.append(f'{parent.id} -- "arg {place}" --> {node.id}')
    if isbox(run.end) and trace_of(run.end) == run.number:
        lines.append(f'{node_of(run.end).id} --> output(["output"])')
    drawing = Drawing("\n".join([f"graph {direction}", *(f"    {line}" for line in lines)]))
    drawing.nodes = run.nodes
    return drawing


def quoted(label: str) -> str:
    """A label as Mermaid wants it between quotation marks."""
    return label.replace('"', "#quot;")


def reverse_history(fun: Callable[[Any], Any], x: Any, g: Any = 1.0) -> list[dict[str, str]]:
    """One row for each node that the reverse pass visits, from the output to the input.

    Keys: ``node``, ``cotangent``, ``contributions`` (what its rule returns), ``parents`` (their
    nodes) and ``pending cotangents after`` (all that is pending after the visit).
    """
    rows = []
    for visit, following in pairwise([*Run(fun, x).reverse(g), None]):
        assert visit is not None
        after = {}
        if following:
            after = {**following.pending, following.node.name: short(following.cotangent)}
        rows.append(
            {
                "node": visit.node.name,
                "cotangent": short(visit.cotangent),
                "contributions": short(visit.contributions),
                "parents": names_of(parents_of(visit.node)),
                "pending cotangents after": short(after),
            }
        )
    return rows


def names_of(nodes: Iterable[Any]) -> str:
    """The names of nodes, as a tuple."""
    return short(tuple(node.name for node in nodes))


def contributions(fun: Callable[[Any], Any], x: Any, to: str = "x", g: Any = 1.0) -> list[Any]:
    """The contributions to the cotangent of the node named ``to``, in the order of the pass."""
    return [
        sent.tolist() if isinstance(sent, np.ndarray | np.generic) else sent
        for visit in Run(fun, x).reverse(g)[:-1]
        for parent, sent in zip(parents_of(visit.node), visit.contributions, strict=True)
        if parent.name == to
    ]


def forward_objects(fun: Callable[[Any], Any], x: Any) -> list[dict[str, str]]:
    """One row for each object that the recorded run of ``fun(x)`` makes, in order.

    Keys: ``object``, ``type``, ``value``, ``trace``, ``node``, ``parents``, ``argnums``; a key is
    missing where an object has no such thing. Traces are numbered from this run's on.
    """
    run = Run(fun, x)
    rows = [{"object": "argument x", "type": type(x).__name__, "value": short(x)}]
    for node in run.nodes:
        parents = parents_of(node)
        if parents:
            rows.append(arguments_row(node))
        kind = type(node).__mro__[1].__name__
        rows.append({"object": f"node {node.name}", "type": kind, "parents": names_of(parents)})
        if node in run.boxes:
            rows.append(box_row(run.boxes[node], run.number))
    value = value_of(run.end)
    return [*rows, {"object": "answer", "type": type(value).__name__, "value": short(value)}]


def arguments_row(node: RecordedNode) -> dict[str, str]:
    """The row of the arguments that an operation was called with."""
    shown = [short(arg) for arg in node.args]
    for place, parent in zip(node.argnums, parents_of(node), strict=True):
        shown[place] = f"box {parent.name}"
    row = {"object": f"arguments of {node.name}", "type": "tuple", "value": short(tuple(shown))}
    return row | {"argnums": short(node.argnums)}


def box_row(box: Any, number: int) -> dict[str, str]:
    """The row of a box."""
    name = node_of(box).name
    row = {"object": f"box {name}", "type": type(box).__name__, "value": short(value_of(box))}
    return row | {"trace": short(trace_of(box) - number), "node": f"node {name}"}
