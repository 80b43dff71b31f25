"""Watches real runs of the engine: its calls, its graph, its objects, its reverse pass.

Articles build their tables, lists and diagrams from what these functions return.
"""

import gc
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np

from literate_ad.core import SparseObject, VJPNode, backward_pass
from literate_ad.tracer import Box, Node, isbox, new_box, trace_numbers

PACKAGE = "literate_ad."


def short(value: Any) -> str:
    """A value as short as it can be told: digits as NumPy prints arrays, objects by their type."""
    if isinstance(value, Box):
        return f"{type(value).__name__}({short(value._value)})"
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


def name_of(frame: FrameType) -> str:
    """``core.make_vjp`` for a frame of that function; empty for frames of other packages."""
    code, module = frame.f_code, str(frame.f_globals.get("__name__", ""))
    if not module.startswith(PACKAGE):
        return ""
    generated = code.co_filename == "<string>"  # by a decorator such as dataclass, not by us
    unnamed = not code.co_flags & inspect.CO_NEWLOCALS or code.co_name.startswith("<")
    if generated or unnamed or code.co_name == "__del__":  # which no line of the run calls
        return ""
    return f"{module.removeprefix(PACKAGE)}.{code.co_qualname.replace('<locals>.', '')}"


def watched(thunk: Callable[[], Any], watcher: Callable[[FrameType, str, Any], None]) -> Any:
    """The answer of ``thunk()``, with ``watcher`` told of every call and return on the way."""
    before, collecting = sys.getprofile(), gc.isenabled()
    gc.disable()  # what the collector calls is no part of the run
    sys.setprofile(watcher)
    try:
        return thunk()
    finally:
        sys.setprofile(before)
        if collecting:
            gc.enable()


def calls(
    thunk: Callable[[], Any],
    show: Mapping[str, str] | None = None,
    also: Iterable[Any] = (),
    without: str = "",
    tools: bool = False,
) -> list[tuple[str, ...]]:
    """The calls of engine functions that ``thunk()`` makes, in order: ``("core.make_vjp", ...)``.

    ``show`` names the values wanted behind a name: ``{"tracer.new_box": "value return"}`` adds the
    argument ``value`` and the answer. ``also`` holds functions of the article to list by name.
    ``without`` names functions, or modules, to leave out together with all that they call.
    ``tools`` asks for the calls of the toolchain instead of the engine's.
    """
    log = CallLog(show or {}, also, tuple(without.split()), tools)
    watched(thunk, log.watch)
    return [tuple(record) for record in log.records]


class CallLog:
    """Writes down calls as they happen; ``inside`` is the frame of a call that is left out."""

    def __init__(self, show: Any, also: Iterable[Any], without: tuple[str, ...], tools: bool):
        self.show, self.without, self.tools = show, without, tools
        self.also = {fun.__code__: fun.__name__ for fun in also}
        self.records: list[list[str]] = []
        self.waiting: dict[FrameType, tuple[list[str], int]] = {}
        self.generators: set[FrameType] = set()
        self.inside: FrameType | None = None

    def watch(self, frame: FrameType, event: str, arg: Any) -> None:
        """Take note of one event of the profiler."""
        if event == "call" and self.inside is None:
            name = self.also.get(frame.f_code) or name_of(frame)
            if any(f"{name}.".startswith(f"{each}.") for each in self.without):
                self.inside = frame
            elif frame.f_code in self.also or (name and name.startswith("book.") is self.tools):
                self.note(frame, name)
        elif event == "return" and frame is self.inside:
            self.inside = None
        elif event == "return" and frame in self.waiting:
            record, place = self.waiting.pop(frame)
            record[place] = short(arg)

    def note(self, frame: FrameType, name: str) -> None:
        """Write down a call, with the values wanted of it; a generator is called once."""
        if frame in self.generators:
            return
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            self.generators.add(frame)
        wanted = self.show.get(name, "").split()
        record = [name, *(short(frame.f_locals.get(each)) for each in wanted)]
        self.records.append(record)
        if "return" in wanted:
            self.waiting[frame] = record, 1 + wanted.index("return")


def edges(thunk: Callable[[], Any]) -> set[tuple[str, str]]:
    """The pairs (caller, called) of the package's functions that call each other in ``thunk()``."""
    pairs: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and frame.f_back:
            pairs.add((name_of(frame.f_back), name_of(frame)))

    watched(thunk, watch)
    return {pair for pair in pairs if all(pair)}


class Namer:
    """Gives out names for the operations of one run: ``multiply``, ``multiply_2`` and so on."""

    def __init__(self) -> None:
        self.given: dict[str, int] = {}

    def name(self, fun: Callable[..., Any]) -> str:
        word = fun.__name__
        self.given[word] = self.given.get(word, 0) + 1
        return word if self.given[word] == 1 else f"{word}_{self.given[word]}"


Place = tuple[str, int]  # a file and a line in it; no line where there is none


def is_engine(frame: FrameType) -> bool:
    """Whether a frame runs a function of the engine, lambdas and comprehensions included."""
    module = f"{frame.f_globals.get('__name__', '')}."
    return module.startswith(PACKAGE)


def place_of(frame: FrameType) -> Place:
    """The file of the package, and the line, that a frame has come to."""
    name = str(frame.f_globals["__name__"]).replace(".", "/")
    return f"{name}/__init__.py" if "__path__" in frame.f_globals else f"{name}.py", frame.f_lineno


def program_of(frame: FrameType) -> Place:
    """The line outside of the package that led to here."""
    caller: FrameType | None = frame
    while caller and is_engine(caller):
        caller = caller.f_back
    return (caller.f_code.co_filename, caller.f_lineno) if caller else ("", 0)


def head_of(fun: Callable[..., Any]) -> Place:
    """The line that names the parameters of ``fun``, or of the function that it derives."""
    code = getattr(inspect.unwrap(fun), "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code else ("", 0)


Piece = tuple[str, int, int, int]  # a place, and where in its line an expression begins and ends
# Their functions carry out an operation; the line of a node is the line that asked for it.
CARRIERS = {
    f"{PACKAGE}{name}"
    for name in ("tracer", "builtins", "numpy.declare", "numpy.numpy_boxes", "numpy.numpy_wrapper")
}


def origin_of(frame: FrameType) -> tuple[list[Piece], Piece]:
    """Who asked for the node that ``frame`` makes: lines of the engine, the nearest first, and
    the line of the program that led to them. The engine has no part where a program asked itself.
    """
    asking, engine = frame.f_back, list[Piece]()
    while asking and asking.f_globals.get("__name__") in CARRIERS:
        asking = asking.f_back
    while asking and is_engine(asking):
        engine.append((*place_of(asking), *columns_of(asking)))
        asking = asking.f_back
    assert asking is not None
    return engine, (*program_of(asking), *columns_of(asking))


def columns_of(frame: FrameType) -> tuple[int, int]:
    """Between which bytes of its line the expression stands that a frame has come to; (0, 0) for
    one that goes on over several lines.
    """
    places = frame.f_code.co_positions()
    line, last, start, end = next(islice(places, frame.f_lasti // 2, None))
    return (start or 0, end or 0) if line == last else (0, 0)


class RecordingNode(Node):
    """A node that remembers all it is told, as a reader of the articles might write it."""

    def __init__(
        self,
        value: Any,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        parent_argnums: tuple[int, ...],
        parents: tuple[Any, ...],
    ) -> None:
        self.nodes, self.namer = parents[0].nodes, parents[0].namer
        self.id = f"v{1 + sum(bool(node.parents) for node in self.nodes)}"
        self.name, self.label = self.namer.name(fun), f"{fun.__name__} = {short(value)}"
        self.edges = list(zip(parents, parent_argnums, strict=True))
        self.engine, self.program = origin_of(sys._getframe())
        self.parents = parents
        self.nodes.append(self)

    def initialize_root(self, nodes: list[Any], name: str, value: Any, program: Place) -> None:
        self.nodes, self.namer, self.id, self.name = nodes, Namer(), name, name
        self.label, self.edges, self.parents = f"root {name} = {short(value)}", [], ()
        self.engine, self.program = list[Piece](), (*program, 0, 0)
        nodes.append(self)


class Drawing(str):
    """A graph as Mermaid text, and the nodes that it draws."""

    nodes: list[RecordingNode]


def graph(fun: Callable[..., Any], *args: Any, direction: str = "LR") -> Drawing:
    """The graph of ``fun(*args)`` as Mermaid text: operations, values, argument positions.

    ``direction`` is Mermaid's: ``LR`` from left to right, ``TB`` from top to bottom.
    """
    nodes: list[RecordingNode] = []
    number, boxes = next(trace_numbers), []
    for index, value in enumerate(args):
        name = f"x{index}" if len(args) > 1 else "x"
        root = RecordingNode.new_root(nodes, name, value, head_of(fun))
        boxes.append(new_box(value, number, root))
    end = fun(*boxes)
    lines = [f'{node.id}["{quoted(node.label)}"]' for node in nodes]
    for node in nodes:
        lines += [f'{parent.id} -- "arg {place}" --> {node.id}' for parent, place in node.edges]
    if isbox(end) and end._trace == number:
        lines.append(f'{end._node.id} --> output(["output"])')
    drawing = Drawing("\n".join([f"graph {direction}", *(f"    {line}" for line in lines)]))
    drawing.nodes = nodes
    return drawing


def quoted(label: str) -> str:
    """A label as Mermaid wants it between quotation marks."""
    return label.replace('"', "#quot;")


class WatchedNode(VJPNode):
    """The engine's own node with its own rule, which writes down each time it is asked."""

    run: "Run"
    name: str
    args: tuple[Any, ...]
    argnums: tuple[int, ...]
    givers: list[Any]

    def enter(self, run: "Run", name: str, args: tuple[Any, ...], argnums: tuple[int, ...]) -> None:
        """Take part in a run."""
        self.run, self.name, self.args, self.argnums = run, name, args, argnums
        self.givers = list(self.parents)
        run.nodes.append(self)

    @classmethod
    def from_call(
        cls,
        value: Any,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        parent_argnums: tuple[int, ...],
        parents: tuple[Any, ...],
    ) -> "WatchedNode":
        node = super().from_call(value, fun, args, kwargs, parent_argnums, parents)
        assert isinstance(node, WatchedNode)
        run: Run = parents[0].run
        node.enter(run, run.namer.name(fun), args, parent_argnums)
        node.rule = run.watch(node, node.rule)
        return node


class Run:
    """One run of ``fun(x)`` on watched nodes, and the pullbacks asked of them afterwards."""

    def __init__(self, fun: Callable[[Any], Any], x: Any) -> None:
        self.namer, self.nodes = Namer(), list[WatchedNode]()
        self.opened: list[tuple[WatchedNode, Any, tuple[Any, ...], dict[str, Any]]] = []
        self.boxes: dict[WatchedNode, Any] = {}
        self.number, root = next(trace_numbers), WatchedNode.new_root()
        root.enter(self, "x", (), ())
        self.end = watched(lambda: fun(new_box(x, self.number, root)), self.keep_box)

    def keep_box(self, frame: FrameType, event: str, arg: Any) -> None:
        """Writes down every box that comes out of ``new_box``."""
        if event == "return" and frame.f_code is new_box.__code__ and isbox(arg):
            self.boxes[arg._node] = arg

    def watch(self, node: WatchedNode, rule: Callable[..., Any]) -> Callable[..., Any]:
        """The rule of ``node``; it notes what it got, what it gave and what else was waiting."""

        def noting(g: Any, residual: Any) -> Any:
            given = rule(g, residual)
            sent = (given,) if len(node.parents) == 1 else tuple(given)
            sent = tuple(each.dense() if type(each) is SparseObject else each for each in sent)
            held = sys._getframe(1).f_locals.get("held", {})
            waiting = {other.name: short(payment) for other, payment in held.items()}
            self.opened.append((node, g, sent, waiting))
            return given

        return noting


def reverse_history(fun: Callable[[Any], Any], x: Any, g: Any = 1.0) -> list[dict[str, str]]:
    """One row for each node that the reverse pass opens, from the output to the input.

    Keys: ``node opened``, ``taken out`` (the cotangent collected for it), ``pullback returns``,
    ``sent to`` (the parents) and ``purse afterwards`` (all that waits).
    """
    run = Run(fun, x)
    result = backward_pass(g, run.end._node)
    visits = [*run.opened, (run.nodes[0], result, (), {})]
    rows = []
    for index, (node, taken, sent, _) in enumerate(visits):
        purse: dict[str, str] = {}
        if index + 1 < len(visits):
            following, payment, _, waiting = visits[index + 1]
            purse = {**waiting, following.name: short(payment)}
        rows.append(
            {
                "node opened": node.name,
                "taken out": short(taken),
                "pullback returns": short(sent),
                "sent to": named(node.parents),
                "purse afterwards": short(purse),
            }
        )
    return rows


def named(nodes: Iterable[Any]) -> str:
    """The names of nodes, as a tuple."""
    return short(tuple(node.name for node in nodes))


def payments(fun: Callable[[Any], Any], x: Any, to: str = "x", g: Any = 1.0) -> list[Any]:
    """What the reverse pass sends to the node named ``to``, in the order of sending."""
    run = Run(fun, x)
    backward_pass(g, run.end._node)
    return [
        payment.tolist() if isinstance(payment, np.ndarray | np.generic) else payment
        for node, _, sent, _ in run.opened
        for parent, payment in zip(node.givers, sent, strict=True)
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
        if node.parents:
            rows.append(arguments_row(node))
        kind = type(node).__mro__[1].__name__
        rows.append({"object": f"node {node.name}", "type": kind, "parents": named(node.parents)})
        if node in run.boxes:
            rows.append(box_row(run.boxes[node], run.number))
    rows.append(
        {"object": "answer", "type": type(run.end._value).__name__, "value": short(run.end._value)}
    )
    return rows


def arguments_row(node: WatchedNode) -> dict[str, str]:
    """The row of the arguments that an operation was called with."""
    shown = [short(arg) for arg in node.args]
    for place, parent in zip(node.argnums, node.givers, strict=True):
        shown[place] = f"box {parent.name}"
    value, argnums = short(tuple(shown)), short(node.argnums)
    return {
        "object": f"arguments of {node.name}",
        "type": "tuple",
        "value": value,
        "argnums": argnums,
    }


def box_row(box: Any, number: int) -> dict[str, str]:
    """The row of a box."""
    name = box._node.name
    return {
        "object": f"box {name}",
        "type": type(box).__name__,
        "value": short(box._value),
        "trace": short(box._trace - number),
        "node": f"node {name}",
    }
