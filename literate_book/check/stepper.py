"""Records a run of the engine step by step: the line, the objects that exist, and the words.

``<!-- stepper: grad(f)(3.0) -->`` in an article asks for such a recording. Nothing of the engine
is replaced: its own functions run on its own nodes, and a profiler looks on.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, ClassVar

import numpy as np

from literate_ad.core import JVPNode, SparseObject, VJPNode, accumulate, backward_pass
from literate_ad.tracer import Box, getval, trace
from literate_book.check.checks import Book, Check, Finding, Namespace, disagreement, evaluate
from literate_book.record.recorder import Place, is_engine, place_of, program_of, short, watched
from literate_book.source.directives import Directive

Purse = dict[int, str]


@dataclass(frozen=True)
class Step:
    """One moment of a run. Nodes are known by their number; a box by the number of its node."""

    words: str
    source: Place
    program: Place
    active: int | None
    nodes: tuple[int, ...]
    boxes: tuple[int, ...]
    purse: Purse
    hand: tuple[int, str] | None
    opened: Purse


@dataclass(frozen=True)
class Recording:
    """A run: its nodes in the order of their making, its steps, and what came of it."""

    nodes: list[tuple[str, str, list[int]]]
    steps: list[Step]
    value: Any


def steps(fun: Callable[..., Any], *args: Any) -> Recording:
    """Every step of ``fun(*args)``: ``steps(grad(f), 3.0)`` goes forwards and back."""
    stepper = Stepper()
    value = watched(lambda: fun(*args), stepper.watch)
    return stepper.end(value)


def told(value: Any) -> str:
    """A value without the boxes around it, and a sparse one in full."""
    if type(value) is SparseObject:
        value = value.dense()
    return short(getval(value))


def told_all(values: Any) -> str:
    """Several values in parentheses; a lone one without."""
    shown = [told(value) for value in values]
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"


class Stepper:
    """Looks on while the engine runs, and writes down the steps.

    It holds on to the nodes and boxes it has seen, and lets go of those that nobody else holds:
    what a step lists are the objects that exist.
    """

    def __init__(self) -> None:
        self.objects = Objects()
        self.steps: list[Step] = []
        self.passes: list[Pass] = []
        self.purse: Purse = {}
        self.hand: tuple[int, str] | None = None
        self.opened: Purse = {}
        self.last: tuple[Place, Place] = ("", 0), ("", 0)

    def watch(self, frame: FrameType, event: str, arg: Any) -> None:
        """Take note of one event of the profiler."""
        caller = frame.f_back
        if self.passes and frame is self.passes[-1].frame and event == "c_call":
            self.passes[-1].reach(arg)
        elif noting := HANDLERS.get((frame.f_code, event)):
            noting(self, frame, arg)
        elif caller and caller.f_code is trace.__code__ and event == "call":
            enter_function(self, caller, frame)
        elif self.passes and caller is self.passes[-1].frame:
            self.passes[-1].look(frame, event, arg)
        if event == "return" and caller and is_engine(frame) and not is_engine(caller):
            self.last = place_of(frame), program_of(frame)

    def note(self, words: str, frame: FrameType, active: int | None) -> None:
        """Write down a step that happens in the line of ``frame``."""
        self.objects.sweep()
        self.add(words, place_of(frame), program_of(frame), active)

    def add(self, words: str, source: Place, program: Place, active: int | None) -> None:
        """Write down a step."""
        there = self.objects.nodes(), self.objects.boxes()
        state = *there, dict(self.purse), self.hand, dict(self.opened)
        self.steps.append(Step(words, source, program, active, *state))

    def end(self, value: Any) -> Recording:
        """The run is over."""
        self.objects.sweep()
        words = f"What you asked for is there: `{short(value)}`."
        if not self.objects.nodes():
            words += " Nobody refers to the graph any more, so it is gone."
        self.purse, self.hand = {}, None
        if self.steps:
            self.add(words, *self.last, None)
        nodes = [(seen.name, seen.value, seen.parents) for seen in self.objects.seen.values()]
        return Recording(nodes, self.steps, value)


@dataclass
class Seen:
    """A node of the run: what it was called, and the parents that it refers to."""

    name: str
    value: str
    parents: list[int]
    node: Any
    held: list[Any] = field(default_factory=list)  # its boxes


class Objects:
    """The nodes and boxes of a run, and which of them somebody refers to."""

    def __init__(self) -> None:
        self.seen: dict[int, Seen] = {}
        self.numbers: dict[int, int] = {}  # by the id of a node that exists
        self.names: dict[str, int] = {}

    def nodes(self) -> tuple[int, ...]:
        """The nodes that exist."""
        return tuple(number for number, seen in self.seen.items() if seen.node is not None)

    def boxes(self) -> tuple[int, ...]:
        """The nodes whose boxes exist."""
        return tuple(number for number, seen in self.seen.items() if seen.held)

    def meet(self, node: Any, word: str, value: str, parents: tuple[Any, ...]) -> int:
        """A node that was not there before: its number."""
        self.names[word] = self.names.get(word, 0) + 1
        name = word if self.names[word] == 1 else f"{word}_{self.names[word]}"
        known = [self.numbers[id(each)] for each in parents if id(each) in self.numbers]
        number = self.numbers[id(node)] = len(self.seen)
        self.seen[number] = Seen(name, value, known, node)
        return number

    def sweep(self) -> None:
        """Let go of what nobody else refers to; a node that goes may take others with it."""
        for seen in self.seen.values():
            # Three references are ours: the list, the name here, and the argument of the counter.
            seen.held = [box for box in seen.held if sys.getrefcount(box) > 3]
        for seen in reversed(self.seen.values()):
            # Two are ours: the field, and the argument.
            if seen.node is not None and sys.getrefcount(seen.node) <= 2:
                del self.numbers[id(seen.node)]
                seen.node = None


def start(stepper: Stepper, frame: FrameType, arg: Any) -> None:
    """A root was made."""
    node = frame.f_locals["self"]
    number, stepper.hand = stepper.objects.meet(node, "x", "", ()), None
    words = f"A run will begin. Its root is the node {named(stepper, number)}: it has no parents."
    if type(node) is JVPNode:
        words += f" Its tangent is `{told(node.g)}`."
        stepper.opened[number] = told(node.g)
    stepper.note(words, origin_of(frame), number)


def enter_function(stepper: Stepper, caller: FrameType, frame: FrameType) -> None:
    """``trace`` calls the traced function, if not one of its helpers."""
    known = caller.f_locals
    helper = frame.f_globals.get("__name__") == trace.__module__
    if "start_box" in known and "end" not in known and not helper:
        number = stepper.objects.numbers[id(known["start_box"]._node)]
        stepper.note("The function is called. All it gets is the box.", caller, number)


def operate(stepper: Stepper, frame: FrameType, arg: Any) -> None:
    """A node was made for an operation."""
    caller = frame.f_back
    assert caller is not None
    node, known = frame.f_locals["self"], caller.f_locals
    general = "parents" in known  # through ``record``; the short roads have variables of their own
    fun = known["fun"] if general else known["f"]
    args = known["args"] if general else operands(known)
    ans = told(known["ans"] if "ans" in known else known["value"])
    parents = node.parents if type(node) is VJPNode else known.get("parents", boxed(args))
    number = stepper.objects.meet(node, fun.__name__, ans, parents)
    words = f"`{fun.__name__}` of {and_so_on(args)} is `{ans}`. "
    words += f"The new node {named(stepper, number)} "
    if type(node) is JVPNode:
        stepper.opened[number] = told(node.g)
        words += f"holds the tangent `{told(node.g)}`."
    else:
        words += f"refers to {parents_of(stepper, number)}."
    stepper.note(words, origin_of(frame), number)


def operands(known: Mapping[str, Any]) -> list[Any]:
    """The arguments of an operation, among the variables of the function that recorded it."""
    return [known[name] for name in ("x", "y") if name in known]


def boxed(args: list[Any]) -> tuple[Any, ...]:
    """The nodes of the boxes among arguments."""
    return tuple(arg._node for arg in args if isinstance(arg, Box))


NUMBERS = Box | np.ndarray | np.generic | int | float | complex


def and_so_on(args: Any) -> str:
    """Arguments in words: the first one, and those that are numbers."""
    numbers = [arg for arg in args[1:] if isinstance(arg, NUMBERS) and not isinstance(arg, bool)]
    shown = [f"`{told(arg)}`" for arg in (args[0], *numbers)]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if numbers else shown)


def named(stepper: Stepper, number: int) -> str:
    """The name of a node as the words say it."""
    return f"`{stepper.objects.seen[number].name}`"


def parents_of(stepper: Stepper, number: int) -> str:
    """The parents of a node in words."""
    names = [named(stepper, each) for each in stepper.objects.seen[number].parents]
    if len(names) == 2 and names[0] == names[1]:
        return f"{names[0]}, twice"
    return " and ".join(names)


def box_value(stepper: Stepper, frame: FrameType, arg: Any) -> None:
    """A value was put into a box."""
    box, objects = frame.f_locals["self"], stepper.objects
    if id(box._node) not in objects.numbers:  # of a class of the reader's own
        objects.meet(box._node, type(box._node).__name__, "", ())
    number = objects.numbers[id(box._node)]
    seen = objects.seen[number]
    seen.value = told(box)
    seen.held.append(box)
    words = f"`{seen.value}` goes into a box, which refers to the node {named(stepper, number)}."
    stepper.note(words, origin_of(frame), number)


def leave_function(stepper: Stepper, frame: FrameType, arg: Any) -> None:
    """The traced function has returned."""
    if not isinstance(arg, tuple) or id(arg[1]) not in stepper.objects.numbers:
        return  # an exception went through, or the answer does not depend on the input
    value, number = told(arg[0]), stepper.objects.numbers[id(arg[1])]
    stepper.hand = None
    words = f"The run is over. Its value `{value}` leaves the box; the end node is"
    stepper.note(f"{words} {named(stepper, number)}.", frame, number)


class Pass:
    """One reverse pass: what its purse holds, by the numbers of the nodes."""

    def __init__(self, stepper: Stepper, frame: FrameType) -> None:
        self.stepper, self.frame = stepper, frame
        self.asked: FrameType | None = None  # the rule, or the sum, that is at work
        self.before = ""
        self.outer = stepper.purse, stepper.hand, stepper.opened
        seed, end = told(frame.f_locals["g"]), self.number("end_node")
        stepper.purse, stepper.opened, stepper.hand = {}, {}, (end, seed)
        assert frame.f_back is not None
        words = f"The way back begins at {named(stepper, end)}, with the seed `{seed}` and "
        stepper.note(f"{words}an empty purse.", frame.f_back, end)

    def number(self, name: str) -> int:
        """The number of the node that a variable of the pass names."""
        return self.stepper.objects.numbers[id(self.frame.f_locals[name])]

    def look(self, frame: FrameType, event: str, arg: Any) -> None:
        """Something that the pass called begins or ends: a rule, a sum, or a detail."""
        summing = frame.f_code is accumulate.__code__
        if event == "call" and summing:
            self.asked, self.before = frame, told(frame.f_locals["before"])
        elif event == "call" and frame.f_code is not SparseObject.dense.__code__:
            self.asked = frame
        elif event == "return" and frame is self.asked:
            self.asked = None
            (add_payment if summing else open_node)(self, arg)

    def reach(self, called: Any) -> None:
        """The pass calls a function of Python's: the heap's, or the dictionary's."""
        if called.__name__ == "heappush":
            file_payment(self)
        elif called.__name__ == "pop":
            take_out(self)

    def take(self, number: int, amount: str) -> str:
        """A node is about to be opened; the words for how it came to that."""
        straight = self.stepper.hand is None or self.stepper.hand[0] != number
        self.stepper.hand = number, amount
        self.stepper.opened[number] = amount
        return "Straight on, past the purse, to the parent: " if straight else ""


def open_node(now: Pass, given: Any) -> None:
    """A rule has answered."""
    stepper, number, node = now.stepper, now.number("node"), now.frame.f_locals["node"]
    amount = told(now.frame.f_locals["g"])
    how = now.take(number, amount)
    answer = told_all(given) if type(node.origin) is tuple else told(given)
    words = f"{how}{named(stepper, number)} is opened. Its rule turns `{amount}` into `{answer}`"
    stepper.note(f"{words} for {parents_of(stepper, number)}.", now.frame, number)


def file_payment(now: Pass) -> None:
    """A payment is the first for its node."""
    stepper, number = now.stepper, now.number("parent")
    payment = stepper.purse[number] = told(now.frame.f_locals["payment"])
    words = f"`{payment}` is filed in the purse for {named(stepper, number)}, which queues."
    stepper.note(words, now.frame, number)


def add_payment(now: Pass, total: Any) -> None:
    """A payment met another one."""
    stepper, number = now.stepper, now.number("parent")
    payment = told(now.frame.f_locals["payment"])
    stepper.purse[number] = told(total)
    words = f"{named(stepper, number)} has `{now.before}` in the purse. With this `{payment}` "
    stepper.note(f"{words}it has `{told(total)}`.", now.frame, number)


def take_out(now: Pass) -> None:
    """The next node is chosen."""
    stepper, number, held = now.stepper, now.number("node"), now.frame.f_locals["held"]
    amount = told(held[now.frame.f_locals["node"]])
    stepper.purse.pop(number)
    stepper.hand = number, amount
    words = f"{named(stepper, number)} is the newest node that waits. Its `{amount}` is taken"
    stepper.note(f"{words} out of the purse.", now.frame, number)


def begin_pass(stepper: Stepper, frame: FrameType, arg: Any) -> None:
    """A reverse pass begins."""
    stepper.passes.append(Pass(stepper, frame))


def end_pass(stepper: Stepper, frame: FrameType, arg: Any) -> None:
    """A reverse pass has reached the root."""
    now = stepper.passes.pop()
    number, amount = now.number("node"), told(arg)
    how = now.take(number, amount)
    words = f"{how}{named(stepper, number)} has no rule. It is the root, and `{amount}` is"
    stepper.note(f"{words} the answer.", frame, number)
    if stepper.passes:  # a rule of another pass had asked for this one
        stepper.purse, stepper.hand, stepper.opened = now.outer


def code_of(method: Any) -> CodeType:
    """The code of a function, or of a method of a class."""
    code: CodeType = getattr(method, "__func__", method).__code__
    return code


HANDLERS: dict[tuple[CodeType, str], Callable[[Stepper, FrameType, Any], None]] = {
    (code_of(VJPNode.initialize_root), "return"): start,
    (code_of(JVPNode.initialize_root), "return"): start,
    (code_of(VJPNode.__init__), "return"): operate,
    (code_of(JVPNode.__init__), "return"): operate,
    (code_of(Box.__init__), "return"): box_value,
    (code_of(trace), "return"): leave_function,
    (code_of(backward_pass), "call"): begin_pass,
    (code_of(backward_pass), "return"): end_pass,
}
# They hand on what others ask for; the line of a step is the line that asked.
BETWEEN = {"new_root", "new_box", "from_call", "box_float", "box_array"}


def origin_of(frame: FrameType) -> FrameType:
    """The frame whose line made an object that ``frame`` prepares."""
    caller = frame.f_back
    while caller and caller.f_code.co_name in BETWEEN:
        caller = caller.f_back
    assert caller is not None
    return caller


@dataclass(frozen=True)
class Steps(Check):
    """A comment that asks for a player of the run of its expression."""

    kind: ClassVar[str] = "stepper"
    directive: Directive

    def evaluated(self, book: Book, namespace: Namespace) -> Any:
        """The value of the expression."""
        directive = self.directive
        return evaluate(book, self, directive.expression, directive.expression_start, namespace)

    def record(self, book: Book, namespace: Namespace) -> Recording:
        """The steps of the expression."""
        return steps(self.evaluated, book, namespace)

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        recording, at = self.record(book, namespace), self.directive.expression_start
        expression = self.directive.expression
        if not recording.steps:
            message = f"nothing is traced in `{expression}`, so it has no steps: call a derivative"
            yield Finding(at, message)
            return
        shown, plain = short(recording.value), short(self.evaluated(book, namespace))
        if shown != plain:
            message = disagreement(f"the last step of `{expression}`", shown, plain)
            yield Finding(at, f"{message} when it is asked again: let it give the same each time")
        for file, line in dict.fromkeys(step.source for step in recording.steps):
            if book.assembly.locate(file, line) is None:
                yield Finding(at, f"a step happens at {file}:{line}, in no block of the book")
