"""Records a run of the engine step by step: the line, the objects that exist, and a sentence.

The engine's own functions run on its own nodes while a profiler watches. For the time of the
recording boxes and nodes have a finalizer, so it is known when one is freed. (Weak references
would need a slot: measured, 12 to 25 % more memory for each node, and 5 % more time.)
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy as np

from literate_book.record.engine import (
    BETWEEN,
    DENSE,
    MAKERS,
    PASS,
    POP,
    QUEUE,
    SUM,
    TRACE,
    Box,
    JVPNode,
    SparseObject,
    VJPNode,
    code_of,
    getval,
    node_of,
    parents_of,
    tangent_of,
)
from literate_book.record.recorder import Namer, short
from literate_book.record.watch import (
    Location,
    callers,
    is_package,
    line_of,
    program_of,
    watched,
)

Cotangents = dict[int, str]
Place = tuple[Location, Location, tuple[int, int]]  # as in a step: source, program, body


@dataclass(frozen=True)
class Step:
    """One moment of a run. A node is known by its number, and a box by the number of its node."""

    words: str
    source: Location
    program: Location
    body: tuple[int, int]  # the first and the last line of the function that ``program`` is in
    active: int | None
    nodes: tuple[int, ...]
    boxes: tuple[int, ...]
    pending: Cotangents
    current: tuple[int, str] | None
    visited: Cotangents


@dataclass(frozen=True)
class RunNode:
    """A node of the run: its name, its value, and the numbers of its parents."""

    name: str
    value: str
    parents: list[int]


@dataclass(frozen=True)
class Recording:
    """A run: its nodes in the order in which they were made, its steps, and its result."""

    nodes: list[RunNode]
    steps: list[Step]
    value: Any


def steps(fun: Callable[..., Any], *args: Any) -> Recording:
    """Every step of ``fun(*args)``: ``steps(grad(f), 3.0)`` has a forward and a reverse pass."""
    recorder = StepRecorder()
    with finalizers(recorder.objects.free):
        value = watched(lambda: fun(*args), recorder.watch)
        return recorder.end(value)


@contextmanager
def finalizers(freed: Callable[[int], None]) -> Iterator[None]:
    """Boxes and nodes call ``freed`` with their id when they go, then their own finalizer."""
    before = {each: each.__dict__.get("__del__") for each in (Box, VJPNode, JVPNode)}

    def finalizer(own: Callable[[Any], None] | None) -> Callable[[Any], None]:
        def __del__(self: Any) -> None:  # noqa: N807
            freed(id(self))
            if own is not None:
                own(self)

        return __del__

    try:
        for each, own in before.items():
            setattr(each, "__del__", finalizer(own))  # noqa: B010, mypy would refuse it
        yield
    finally:
        for each, own in before.items():
            if own is None:
                delattr(each, "__del__")
            else:
                setattr(each, "__del__", own)  # noqa: B010


class Objects:
    """The nodes and boxes of a run, by the numbers of the nodes; an id stands for a living object.

    It holds none of them, so that they live as long as the engine wants.
    """

    def __init__(self) -> None:
        self.seen, self.namer = list[RunNode](), Namer()
        self.numbers: dict[int, int] = {}  # by the ids of the nodes that exist
        self.boxes: dict[int, int] = {}  # by the ids of the boxes that exist

    def add(self, node: Any, word: str, value: str, parents: Iterable[Any]) -> int:
        """The number of a new node."""
        known = [self.numbers[id(each)] for each in parents if id(each) in self.numbers]
        number = self.numbers[id(node)] = len(self.seen)
        self.seen.append(RunNode(self.namer.name(word), value, known))
        return number

    def free(self, freed: int) -> None:
        """An object was freed."""
        self.numbers.pop(freed, None)
        self.boxes.pop(freed, None)


class StepRecorder:
    """Receives the events of a run, and records its steps."""

    def __init__(self) -> None:
        self.objects = Objects()
        self.steps: list[Step] = []
        self.passes: list[Pass] = []
        self.pending: Cotangents = {}
        self.current: tuple[int, str] | None = None
        self.visited: Cotangents = {}
        self.makers = {each.code: each for each in MAKERS}
        self.between = {code_of(place) for place in BETWEEN}
        self.last: Place | None = None
        self.handlers: dict[tuple[CodeType, str], Callable[[FrameType, Any], None]] = {
            (code_of("core:VJPNode.initialize_root"), "return"): self.start,
            (code_of("core:JVPNode.initialize_root"), "return"): self.start,
            (code_of("core:VJPNode.__init__"), "return"): self.operate,
            (code_of("core:JVPNode.__init__"), "return"): self.operate,
            (code_of("tracer:Box.__init__"), "return"): self.box_value,
            (TRACE.code, "return"): self.leave_function,
            (PASS.code, "call"): self.begin_pass,
            (PASS.code, "return"): self.end_pass,
        }

    def watch(self, frame: FrameType, event: str, arg: Any) -> None:
        """Record one event of the profiler; what runs when an object is freed is no part of it."""
        caller = frame.f_back
        if frame.f_code.co_name == "__del__":
            return
        if self.passes and frame is self.passes[-1].frame and event == "c_call":
            self.passes[-1].c_call(arg.__name__)
        elif handler := self.handlers.get((frame.f_code, event)):
            handler(frame, arg)
        elif caller and caller.f_code is TRACE.code and event == "call":
            self.enter_function(caller, frame)
        elif self.passes and caller is self.passes[-1].frame:
            self.passes[-1].called(frame, event, arg)
        if event == "return" and caller and is_package(frame) and not is_package(caller):
            self.last = line_of(frame), *program_at(frame)

    def note(self, words: str, frame: FrameType, active: int | None) -> None:
        """Add a step that happens in the line of ``frame``."""
        self.add(words, (line_of(frame), *program_at(frame)), active)

    def add(self, words: str, place: Place, active: int | None) -> None:
        nodes, boxes = self.objects.numbers.values(), self.objects.boxes.values()
        exist = tuple(sorted(nodes)), tuple(sorted(set(boxes)))
        pending, visited = dict(self.pending), dict(self.visited)
        self.steps.append(Step(words, *place, active, *exist, pending, self.current, visited))

    def end(self, value: Any) -> Recording:
        """The run is over."""
        words = f"The result is `{short(value)}`."
        if not self.objects.numbers:
            words += " Nothing refers to the graph any more: it has been freed."
        self.pending, self.current = {}, None
        if self.steps and self.last:
            self.add(words, self.last, None)
        return Recording(self.objects.seen, self.steps, value)

    def name(self, number: int) -> str:
        """The name of a node in a sentence."""
        return f"`{self.objects.seen[number].name}`"

    def parents(self, number: int) -> str:
        """The parents of a node in a sentence."""
        return joined([self.name(each) for each in self.objects.seen[number].parents])

    def origin(self, frame: FrameType) -> FrameType:
        """The frame whose line made the object that ``frame`` prepares."""
        outside = (each for each in callers(frame.f_back) if each.f_code not in self.between)
        return next(outside)

    def start(self, frame: FrameType, arg: Any) -> None:
        """A root was made."""
        node = frame.f_locals["self"]
        number, self.current = self.objects.add(node, "x", "", ()), None
        words = f"A trace begins. Its root is the node {self.name(number)}, which has no parents."
        if type(node) is JVPNode:
            self.visited[number] = shown(tangent_of(node))
            words += f" Its tangent is `{self.visited[number]}`."
        self.note(words, self.origin(frame), number)

    def enter_function(self, caller: FrameType, frame: FrameType) -> None:
        """``trace`` calls the traced function, or one of its helpers."""
        known = caller.f_locals
        helper = frame.f_globals.get("__name__") == caller.f_globals["__name__"]
        if not helper and TRACE.names["box"] in known and TRACE.names["end"] not in known:
            number = self.objects.numbers[id(node_of(TRACE.read(caller, "box")))]
            self.note("The function is called with the box.", caller, number)

    def operate(self, frame: FrameType, arg: Any) -> None:
        """A node was made for an operation."""
        node, caller = frame.f_locals["self"], frame.f_back
        assert caller is not None
        maker = self.makers[caller.f_code]
        args, fun = maker.read_all(caller, "args"), maker.read(caller, "fun")
        if type(node) is VJPNode:
            parents = parents_of(node)
        elif "parents" in maker.names:
            parents = maker.read(caller, "parents")
        else:
            parents = [node_of(arg) for arg in args if isinstance(arg, Box)]
        value = shown(maker.read(caller, "value"))
        number = self.objects.add(node, fun.__name__, value, parents)
        words = f"`{fun.__name__}` of {operands(args)} is `{value}`. "
        words += f"The new node {self.name(number)} has "
        if type(node) is JVPNode:
            self.visited[number] = shown(tangent_of(node))
            words += f"the tangent `{self.visited[number]}`."
        else:
            several = len(parents) > 1
            words += f"the parent{'s' if several else ''} {self.parents(number)}."
        self.note(words, self.origin(frame), number)

    def box_value(self, frame: FrameType, arg: Any) -> None:
        """A value was put into a box."""
        box, objects = frame.f_locals["self"], self.objects
        node, value = node_of(box), shown(box)
        if id(node) not in objects.numbers:  # of a class of the reader's own
            objects.add(node, type(node).__name__, "", ())
        number = objects.boxes[id(box)] = objects.numbers[id(node)]
        seen = objects.seen[number]
        objects.seen[number] = RunNode(seen.name, value, seen.parents)
        words = f"`{value}` is put into a box, which refers to the node {self.name(number)}."
        self.note(words, self.origin(frame), number)

    def leave_function(self, frame: FrameType, arg: Any) -> None:
        """The traced function has returned."""
        if not isinstance(arg, tuple) or id(arg[1]) not in self.objects.numbers:
            return  # an exception was raised, or the result does not depend on the input
        number, self.current = self.objects.numbers[id(arg[1])], None
        words = f"The function has returned. Its value is `{shown(arg[0])}`; the end node is"
        self.note(f"{words} {self.name(number)}.", frame, number)

    def begin_pass(self, frame: FrameType, arg: Any) -> None:
        """A reverse pass begins."""
        self.passes.append(Pass(self, frame))

    def end_pass(self, frame: FrameType, arg: Any) -> None:
        """A reverse pass has reached the root."""
        self.passes.pop().end(shown(arg))


@dataclass
class Pass:
    """One reverse pass."""

    recorder: StepRecorder
    frame: FrameType
    running: FrameType | None = None  # the rule, or the sum, that the pass has called
    before: str = ""
    outer: tuple[Any, ...] = field(init=False)

    def __post_init__(self) -> None:
        recorder, seed = self.recorder, shown(PASS.read(self.frame, "cotangent"))
        self.outer = recorder.pending, recorder.current, recorder.visited
        end = self.number("end node")
        recorder.pending, recorder.visited, recorder.current = {}, {}, (end, seed)
        assert self.frame.f_back is not None
        words = f"The reverse pass starts at {recorder.name(end)} with the seed `{seed}`."
        recorder.note(words, self.frame.f_back, end)

    def number(self, name: str) -> int:
        """The number of the node in a variable of the pass."""
        return self.recorder.objects.numbers[id(PASS.read(self.frame, name))]

    def called(self, frame: FrameType, event: str, arg: Any) -> None:
        """A function that the pass calls begins or returns: a rule, a sum, or a detail."""
        summing = frame.f_code is SUM.code
        if event == "call" and summing:
            self.running, self.before = frame, shown(SUM.read(frame, "before"))
        elif event == "call" and frame.f_code is not getattr(SparseObject, DENSE).__code__:
            self.running = frame
        elif event == "return" and frame is self.running:
            self.running = None
            (self.add_contribution if summing else self.apply_rule)(arg)

    def c_call(self, name: str) -> None:
        """The pass calls the heap or the dictionary."""
        if name == QUEUE:
            self.first_contribution()
        elif name == POP:
            self.take_next()

    def visit(self, number: int, cotangent: str) -> str:
        """The pass comes to a node; how, if it did not take it from those that are pending."""
        recorder = self.recorder
        straight = recorder.current is None or recorder.current[0] != number
        recorder.current = number, cotangent
        recorder.visited[number] = cotangent
        return "Nothing with a larger number is pending: on to the parent. " if straight else ""

    def apply_rule(self, result: Any) -> None:
        """A rule has returned."""
        recorder, number = self.recorder, self.number("node")
        cotangent = shown(PASS.read(self.frame, "cotangent"))
        how, several = self.visit(number, cotangent), len(recorder.objects.seen[number].parents) > 1
        sent = [f"`{shown(each)}`" for each in result] if several else [f"`{shown(result)}`"]
        words = f"{how}{recorder.name(number)}: its rule turns `{cotangent}` into the "
        words += f"contribution{'s' if several else ''} {joined(sent)} for "
        recorder.note(f"{words}{recorder.parents(number)}.", self.frame, number)

    def first_contribution(self) -> None:
        """A contribution is the first for its node."""
        recorder, number = self.recorder, self.number("parent")
        contribution = recorder.pending[number] = shown(PASS.read(self.frame, "contribution"))
        words = f"The contribution `{contribution}` is the first for {recorder.name(number)}: "
        recorder.note(f"{words}it becomes the pending cotangent.", self.frame, number)

    def add_contribution(self, total: Any) -> None:
        """A contribution was added to a pending cotangent."""
        recorder, number = self.recorder, self.number("parent")
        contribution = shown(PASS.read(self.frame, "contribution"))
        recorder.pending[number] = shown(total)
        words = f"{recorder.name(number)} has the pending cotangent `{self.before}`; adding the "
        words += f"contribution `{contribution}` gives `{shown(total)}`."
        recorder.note(words, self.frame, number)

    def take_next(self) -> None:
        """The next node is chosen."""
        recorder, number = self.recorder, self.number("node")
        cotangent = recorder.pending.pop(number)
        recorder.current = number, cotangent
        words = f"Pop the pending node with the largest number: {recorder.name(number)}, with the"
        recorder.note(f"{words} cotangent `{cotangent}`.", self.frame, number)

    def end(self, cotangent: str) -> None:
        """The pass has reached the root."""
        recorder, number = self.recorder, self.number("node")
        words = f"{self.visit(number, cotangent)}{recorder.name(number)} is the root and has no "
        recorder.note(f"{words}rule: the result is `{cotangent}`.", self.frame, number)
        if recorder.passes:  # a rule of another pass had called this one
            recorder.pending, recorder.current, recorder.visited = self.outer


def program_at(frame: FrameType) -> tuple[Location, tuple[int, int]]:
    """The line of the program that led to ``frame``, and the lines of the function it is in."""
    outside = program_of(frame)
    if outside is None:
        return Location("", 0), (0, 0)
    code = outside.f_code
    lines = [line for *_, line in code.co_lines() if line]
    body = code.co_firstlineno, max(lines, default=code.co_firstlineno)
    return Location(code.co_filename, outside.f_lineno), body


def shown(value: Any) -> str:
    """A value without the boxes around it, and a sparse one in full."""
    return short(getval(value.dense() if type(value) is SparseObject else value))


NUMBERS = Box | np.ndarray | np.generic | int | float | complex


def operands(args: list[Any]) -> str:
    """Arguments in a sentence: the first one, and those that are numbers."""
    numbers = [arg for arg in args[1:] if isinstance(arg, NUMBERS) and not isinstance(arg, bool)]
    return joined([f"`{shown(arg)}`" for arg in (args[0], *numbers)])


def joined(words: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
