"""Measures what one recorded operation costs, and what each idea of the design saves.

Run ``python benchmarks/operation_cost.py`` on a quiet machine; it writes
``benchmarks/data/operation_cost.json``. A time is the best of many short runs, in seconds of
the processor. To leave an idea out, a piece of the engine is replaced while the same program runs.
Before and after each measurement both programs run once under a profiler: the pieces of the idea
must be called by the one and not by the other, or the measurement is an error.
"""

import gc
import importlib
import operator
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy
from stored import options, store

import literate_ad.numpy as np
from literate_ad import core, tracer
from literate_ad.core import VJPNode, backward_pass, primitive_vjps
from literate_ad.numpy import numpy_wrapper, recorder
from literate_ad.numpy.numpy_boxes import ArrayBox
from literate_ad.numpy.recorder import binary_recorder, both_rules
from literate_ad.numpy.rules import indexing
from literate_ad.numpy.rules.broadcasting import unbroadcast
from literate_ad.tracer import primitive, trace_numbers
from literate_ad.util import toposort

MEASURED = [
    "benchmarks/operation_cost.py",
    "literate_ad/core.py",
    "literate_ad/numpy/forms.py",
    "literate_ad/numpy/methods.py",
    "literate_ad/numpy/numpy_boxes.py",
    "literate_ad/numpy/numpy_wrapper.py",
    "literate_ad/numpy/recorder.py",
    "literate_ad/numpy/rules/broadcasting.py",
    "literate_ad/numpy/rules/indexing.py",
    "literate_ad/tracer.py",
]
ROUNDS = 200
DEEP = 100_000  # sines in the chain whose memory is measured
LONG = 1000  # operations in a graph that is passed through in reverse
Thunk = Callable[[], Any]


# --- timing


def one_run(run: Thunk, times: int) -> float:
    """Nanoseconds of one call, over a number of calls in a row."""
    calls = range(times)
    start = time.process_time_ns()
    for _ in calls:
        run()
    return (time.process_time_ns() - start) / times


def nothing() -> None:
    """What a thunk costs that does nothing."""


def fastest(*runs: Thunk, times: int = 200, rounds: int = ROUNDS) -> list[float]:
    """The best time of each thunk in nanoseconds, without the cost of calling a thunk."""
    gc.disable()
    try:
        rows = [[one_run(run, times) for run in (*runs, nothing)] for _ in range(rounds)]
    finally:
        gc.enable()
    *found, empty = [min(column) for column in zip(*rows)]
    return [max(0.0, time_ - empty) for time_ in found]


# --- an idea of the design, and the engine without it


@dataclass(frozen=True)
class Idea:
    """A program, and what to replace in the engine to run it without one idea.

    ``pieces`` are functions that the program calls with the idea and not without it;
    ``instead`` are functions that it calls without the idea and not with it.
    """

    name: str
    program: str
    run: Thunk
    replace: tuple[Any, str, Any]
    pieces: tuple[Any, ...]
    instead: tuple[Any, ...]
    operations: int = 1  # in one run of the program
    times: int = 200

    def without(self) -> Any:
        """A context in which the engine lacks the idea."""
        return patch.object(*self.replace)

    def check(self) -> None:
        """Raises AssertionError where the idea makes no difference to what is called."""
        called = functions_called(self.run)
        with self.without():
            called_without = functions_called(self.run)
        for group, present, absent in (
            (self.pieces, called, called_without),
            (self.instead, called_without, called),
        ):
            for function in group:
                code = getattr(function, "__code__", function)
                if code not in present or code in absent:
                    raise AssertionError(
                        f"{self.name}: {self.program} is measured with and without {function}, "
                        f"which was {'' if code in present else 'not '}called where it should be, "
                        f"and {'' if code in absent else 'not '}called where it should not"
                    )

    def times_of_both(self) -> tuple[float, float]:
        """Nanoseconds of one operation with the idea and without it, in turns."""
        rows = []
        for _ in range(ROUNDS // 10):
            (with_idea,) = fastest(self.run, times=self.times, rounds=10)
            with self.without():
                (without,) = fastest(self.run, times=self.times, rounds=10)
            rows.append((with_idea / self.operations, without / self.operations))
        with_idea, without = (min(column) for column in zip(*rows))
        return with_idea, without


def functions_called(run: Thunk) -> set[Any]:
    """The code objects, and the built-in functions, that ``run`` calls."""
    called: set[Any] = set()

    def see(frame: Any, event: str, arg: Any) -> None:
        if event == "call":
            called.add(frame.f_code)
        elif event == "c_call" and getattr(arg, "__hash__", None):
            called.add(arg)

    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(None)
    return called


# --- programs


def box(value: Any) -> ArrayBox:
    """A traced value of a new reverse trace."""
    return ArrayBox(value, next(trace_numbers), VJPNode.new_root())


def chain(step: Callable[[Any], Any], x: Any, length: int) -> Any:
    """``step`` applied over and over."""
    for _ in range(length):
        x = step(x)
    return x


def sum_of_products(values: Any, length: int) -> Any:
    """The last node of ``x + x * 1 + x * 2 + ...``, in which each term is a use of ``x``."""
    x = box(values)
    total = x
    for factor in range(1, length):
        total = total + x * factor
    return total._node


def elements_read(values: Any) -> Any:
    """Reads an array element by element, and passes through the graph in reverse."""
    x = box(values)
    total = x[0]
    for place in range(1, len(values)):
        total = total + x[place]
    return backward_pass(numpy.float64(1.0), total._node)


# --- replacements


def sin_with_search() -> Callable[..., Any]:
    """The sine as any primitive: its arguments are searched for boxes, and it is called twice."""
    sin = primitive(numpy.sin)
    primitive_vjps[sin] = lambda nums, ans, args, kwargs: (sine_rule, args[0])
    return sin


def sine_rule(g: Any, x: Any) -> Any:
    return g * np.cos(x)


def sin_with_closure(x: Any) -> Any:
    """The sine with a closure made afresh for every node."""
    node, value = x._node, x._value
    ans = numpy.sin(value)
    if type(node) is VJPNode and ans.dtype == value.dtype:
        return ArrayBox(ans, x._trace, VJPNode(node, call, lambda g: g * np.cos(value)))
    raise TypeError("measured in reverse mode only")


def call(g: Any, closure: Callable[[Any], Any]) -> Any:
    """The rule of a node whose residual is a closure."""
    return closure(g)


def product_of_ufunc() -> Callable[[Any, Any], Any]:
    """The recorded product, whose value is made by NumPy's ufunc for numbers too."""
    rules = (lambda g, y: g * y, 1, lambda g, x: g * x, 0)
    return binary_recorder(np.multiply, numpy.multiply, *rules)


def product_summed_late(x: Any, y: Any) -> Any:
    """The recorded product, whose shapes are compared in every visit of the reverse pass."""
    a, b = x._value, y._value
    ans = operator.mul(a, b)
    residual = (late_x, (b, a.shape, a.dtype), late_y, (a, b.shape, b.dtype))
    return ArrayBox(ans, x._trace, VJPNode((x._node, y._node), both_rules, residual))


def late_x(g: Any, residual: Any) -> Any:
    y, shape, dtype = residual
    return unbroadcast(g * y, shape, dtype)


def late_y(g: Any, residual: Any) -> Any:
    x, shape, dtype = residual
    return unbroadcast(g * x, shape, dtype)


def sorted_pass(g: Any, end_node: VJPNode, strong_zero: bool = False) -> Any:
    """The reverse pass for nodes without numbers: it sorts them before it visits the first."""
    pending, owned = {end_node: g}, set()
    for node in toposort(end_node):
        g = pending.pop(node)
        if node.rule is None:
            continue
        parents, contributions = node.parent, node.rule(g, node.residual)
        if type(parents) is not tuple:
            parents, contributions = (parents,), (contributions,)
        for parent, contribution in zip(parents, contributions):
            if parent in pending:
                pending[parent] = core.accumulate(pending[parent], contribution, parent, owned)
            else:
                pending[parent] = contribution
    return g


def new_sum(before: Any, contribution: Any, node: Any, owned: Any) -> Any:
    """The sum of contributions as a new array, by way of the vector space."""
    return core.vspace(before).add(before, contribution)


def put_into_zeros(g: Any, residual: Any) -> Any:
    """The cotangent of a part as a whole array of zeros with the part in its place."""
    shape, dtype, index = residual
    whole = numpy.zeros(shape, dtype)
    whole[index] = g
    return whole


def sum_by_numpy() -> Callable[..., Any]:
    """The sum, whose value is made by ``numpy.sum``."""
    f = numpy_wrapper.one_array(numpy.sum, numpy.sum)
    f.record_by(recorder.one_array_recorder(f, primitive_vjps[np.sum]))
    return f


def ideas() -> list[Idea]:
    """Each idea with a program that is made of the operations it is for."""
    x, three = box(numpy.float64(0.5)), box(numpy.array([0.5, 1.0, 1.5]))
    seed, ones = numpy.float64(1.0), numpy.ones(3)
    line = chain(lambda y: np.sin(y), box(numpy.float64(0.5)), LONG)._node
    branched = chain(lambda y: y * np.sin(y), box(numpy.float64(0.5)), LONG // 2)._node
    uses = sum_of_products(numpy.linspace(0.0, 1.0, 1000), LONG // 10)

    def products() -> Any:
        start = box(three._value)
        return backward_pass(ones, chain(lambda y: y * start, start, LONG // 10)._node)

    reverse = {"pieces": (core.pull_back,), "instead": (toposort,), "times": 1}
    return [
        Idea(
            "type test", "np.sin(x) on a number", lambda: np.sin(x),
            (np, "sin", sin_with_search()), (np.sin,), (tracer.record, tracer.new_box),
        ),
        Idea(
            "rule and residual", "np.sin(x) on a number", lambda: np.sin(x),
            (np, "sin", sin_with_closure), (np.sin,), (sin_with_closure,),
        ),
        Idea(
            "operator", "x * x on a number", lambda: x * x,
            (ArrayBox, "__mul__", product_of_ufunc()), (operator.mul,), (),
        ),
        Idea(
            "shapes while recording", "y * x on three numbers, both passes", products,
            (ArrayBox, "__mul__", product_summed_late),
            (recorder.matches,), (unbroadcast,), LONG // 10, 2,
        ),
        Idea(
            "index", "sin(y), reverse pass", lambda: backward_pass(seed, line),
            (core, "pull_back", sorted_pass), operations=LONG, **reverse,
        ),
        Idea(
            "index", "y * sin(y), reverse pass", lambda: backward_pass(seed, branched),
            (core, "pull_back", sorted_pass), operations=LONG, **reverse,
        ),
        Idea(
            "sums in place", "one more use of a thousand numbers, reverse pass",
            lambda: backward_pass(numpy.ones(1000), uses),
            (core, "accumulate", new_sum),
            (core.accumulate,), (new_sum,), LONG // 10, 2,
        ),
        Idea(
            "pieces", "x[i] of a thousand numbers, both passes",
            lambda: elements_read(numpy.ones(1000)),
            (indexing, "put_back", put_into_zeros),
            (indexing.put_back,), (put_into_zeros,), 1000, 1,
        ),
        Idea(
            "shorter way", "np.sum(x) on three numbers", lambda: np.sum(three),
            (np, "sum", sum_by_numpy()), (numpy_wrapper.quick_sum,), (),
        ),
    ]  # fmt: skip


# --- what is measured


def pieces() -> dict[str, float]:
    """Nanoseconds of what a recorded operation is made of."""
    value, root = numpy.float64(0.5), VJPNode.new_root()
    raw, sin = numpy.sin, np.sin
    thousand = numpy.linspace(0.0, 1.0, 1000)
    x, traced = box(value), box(thousand)
    node = sin(x)._node
    thunks = {
        "box": lambda: ArrayBox(value, 0, root),
        "node": lambda: VJPNode(root, abs, value),
        "numpy.sin(value)": lambda: raw(value),
        "sin(value)": lambda: sin(value),
        "sin(x)": lambda: sin(x),
        "rule of sin(x)": lambda: node.rule(value, node.residual),
        "numpy.sin(thousand)": lambda: raw(thousand),
        "sin(traced thousand)": lambda: sin(traced),
    }
    return dict(zip(thunks, fastest(*thunks.values())))


def footprint(make: Thunk) -> tuple[float, float]:
    """Bytes held, and objects that the cyclic collector visits, for each of ``DEEP`` operations."""
    gc.collect()
    objects = len(gc.get_objects())
    tracemalloc.start()
    made = make()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    count = len(gc.get_objects()) - objects
    del made
    return size / DEEP, count / DEEP


def with_collector(make: Thunk) -> float:
    """The best time of an operation in nanoseconds, with Python's cyclic collector at work."""
    times = []
    for _ in range(9):
        gc.collect()
        times.append(one_run(make, 1))
    return min(times) / DEEP


def chain_rows(name: str, runs: list[tuple[Thunk, Any]]) -> Iterator[dict[str, Any]]:
    """What one sine costs in a long chain of them; a run is a thunk and a context."""
    times, sizes = [], []
    for make, context in runs:
        with context:
            times.append(with_collector(make))
            sizes.append(footprint(make))
    yield row(name, "sin in a chain, collector on", "ns", *times)
    yield row(name, "memory of a sine in the chain", "bytes", *[size for size, _ in sizes])
    yield row(name, "objects the collector visits", "", *[count for _, count in sizes])


def row(name: str, measured: str, unit: str, here: float, there: float) -> dict[str, Any]:
    """A line of the stored table: with the idea and without it, or this engine and another."""
    figures = {"engine": round(here), "other": round(there)}
    print(f"{name:24} {measured:50} {round(here):8} {round(there):8} {unit}")
    return {"comparison": name, "measured": measured, "unit": unit, **figures}


def idea_rows() -> Iterator[dict[str, Any]]:
    """The engine with each idea and without it."""
    for idea in ideas():
        idea.check()
        yield row(idea.name, idea.program, "ns", *idea.times_of_both())
        if idea.name == "rule and residual":
            x = box(numpy.float64(0.5))
            make = lambda x=x: chain(lambda y: np.sin(y), x, DEEP)  # noqa: E731
            yield from chain_rows(idea.name, [(make, ExitStack()), (make, idea.without())])
        idea.check()


def peer_rows() -> Iterator[dict[str, Any]]:
    """Whole operations on one traced number, and the same in autograd."""
    boxes, sines = [], []
    for library in ("literate_ad", "autograd"):
        new_root = importlib.import_module(f"{library}.core").VJPNode.new_root
        new_box = importlib.import_module(f"{library}.tracer").new_box
        boxes.append(new_box(0.5, 0, new_root()))
        sines.append(importlib.import_module(f"{library}.numpy").sin)
    both = list(zip(sines, boxes))
    for measured, runs in (
        ("sin(x)", [lambda sin=sin, x=x: sin(x) for sin, x in both]),
        ("x * x", [lambda x=x: x * x for x in boxes]),
    ):
        yield row("autograd", measured, "ns", *fastest(*runs))
    chains = [lambda sin=sin, x=x: chain(sin, x, DEEP) for sin, x in both]
    yield from chain_rows("autograd", [(make, ExitStack()) for make in chains])


def main() -> None:
    """Measures everything, prints it, and stores it."""
    chosen = options(__doc__)
    found = {name: round(ns) for name, ns in pieces().items()}
    print(found)
    comparisons = [*idea_rows(), *peer_rows()]
    store("operation_cost", chosen, MEASURED, pieces_ns=found, comparisons=comparisons)


if __name__ == "__main__":
    sys.exit(main())
