"""Measures what one recorded operation costs, and what each idea of the design saves.

Run ``python benchmarks/operation_cost.py`` on a quiet machine; it writes
``benchmarks/data/operation_cost.json``. A time is the best of many short runs, in seconds of
the processor. The engine and what it is compared with (itself without one of its ideas, or
autograd) take turns, so that a noisy neighbour meets both.
"""

import gc
import importlib
import json
import operator
import os
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy

import literate_ad.numpy as np
from literate_ad.core import VJPNode, accumulate, apply_closure, backward_pass, primitive_vjps
from literate_ad.numpy import recorder
from literate_ad.numpy.numpy_boxes import ArrayBox
from literate_ad.tracer import primitive, trace_numbers
from literate_ad.util import toposort

RESULT = Path(__file__).parent / "data" / "operation_cost.json"
ROUNDS = 200
DEEP = 100_000
Thunk = Callable[[], Any]
Row = tuple[str, str, float, float]  # what is measured, in what unit: by the engine, by the other


# --- timing


def one_run(run: Thunk, times: int) -> float:
    """Nanoseconds of one call, over a number of calls in a row."""
    calls = range(times)
    start = time.process_time_ns()
    for _ in calls:
        run()
    return (time.process_time_ns() - start) / times


def best(*runs: Thunk, times: int = 200, rounds: int = ROUNDS) -> list[float]:
    """The best time of each thunk in nanoseconds, without the cost of calling a thunk."""
    gc.disable()
    try:
        rows = [[one_run(run, times) for run in (*runs, nothing)] for _ in range(rounds)]
    finally:
        gc.enable()
    *found, empty = [min(column) for column in zip(*rows)]
    return [time_ - empty for time_ in found]


def nothing() -> None:
    """What a thunk costs that does nothing."""


def with_collector(runs: list[Thunk], rounds: int = 9) -> list[float]:
    """The best time of each thunk in nanoseconds, with Python's cyclic collector at work."""
    found = []
    for _ in range(rounds):
        row = []
        for run in runs:
            gc.collect()
            row.append(one_run(run, 1))
        found.append(row)
    return [min(column) for column in zip(*found)]


# --- the variants, each the engine with one idea left out


def sin_with_closure() -> Callable[..., Any]:
    """``numpy_wrapper.unary`` for the sine, with a closure made afresh for every node."""
    raw, rule = numpy.sin, lambda g, x: g * np.cos(x)

    def f(x: Any, *args: Any, **kwargs: Any) -> Any:
        if type(x) is not ArrayBox:
            return raw(x, *args, **kwargs) if args or kwargs else raw(x)
        if args or kwargs:
            raise TypeError("measured without options")
        node, value = x._node, x._value
        ans = f(value) if type(value) is ArrayBox else raw(value)
        if type(node) is VJPNode:
            node = VJPNode(node, apply_closure, lambda g: rule(g, value))
            return ArrayBox(ans, x._trace, node)
        raise TypeError("measured in reverse mode")

    return f


def sin_with_search() -> Callable[..., Any]:
    """The sine as any primitive: arguments searched for boxes, the primitive called twice."""
    sin = primitive(numpy.sin)
    rule = lambda g, x: g * np.cos(x)  # noqa: E731
    primitive_vjps[sin] = lambda nums, ans, args, kwargs: (rule, args[0])
    return sin


def product(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The multiplication of boxes, with the product of the values left to ``operate``."""
    rule = lambda g, other: g * other  # noqa: E731
    return recorder.binary_recorder(np.multiply, operate, rule, 1, rule, 0)


@contextmanager
def shapes_compared_late() -> Iterator[None]:
    """Every node remembers the shape of its operand, and every reverse rule looks at it."""

    used = []

    def reduced(rule: Any, residual: Any, operand: Any, ans: Any) -> tuple[Any, Any]:
        used.append(operand)
        return recorder.rule_then_unbroadcast, (rule, residual, operand.shape, operand.dtype)

    with (
        patch.object(recorder, "matches", lambda operand, ans: False),
        patch.object(recorder, "reduced", reduced),
    ):
        yield
    assert used, "the measured program does not call what was replaced"


def sorted_pass(g: Any, end_node: VJPNode) -> Any:
    """The reverse pass for nodes without numbers: it sorts them before it opens the first."""
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
                pending[parent] = accumulate(pending[parent], contribution, parent, owned)
            else:
                pending[parent] = contribution
    return g


# --- what is measured


def box(value: Any) -> ArrayBox:
    """A traced value of a new reverse trace."""
    return ArrayBox(value, next(trace_numbers), VJPNode.new_root())


def chain(step: Callable[[Any], Any], x: Any, length: int) -> Any:
    """``step`` applied over and over."""
    for _ in range(length):
        x = step(x)
    return x


def pieces() -> dict[str, float]:
    """Nanoseconds of what a recorded operation is made of."""
    value, root = numpy.float64(0.5), VJPNode.new_root()
    rule, raw, sin = abs, numpy.sin, np.sin
    thousand = numpy.linspace(0.0, 1.0, 1000)
    traced = box(thousand)
    thunks = {
        "box": lambda: ArrayBox(value, 0, root),
        "node": lambda: VJPNode(root, rule, value),
        "numpy.sin(value)": lambda: raw(value),
        "sin(value)": lambda: sin(value),
        "value * value": lambda: value * value,
        "numpy.sin(thousand)": lambda: raw(thousand),
        "sin(traced thousand)": lambda: sin(traced),
    }
    return dict(zip(thunks, best(*thunks.values())))


def peer_rows() -> Iterator[Row]:
    """Whole operations on one traced number, against autograd's."""
    boxes, sines = [], []
    for library in ("literate_ad", "autograd"):
        new_root = importlib.import_module(f"{library}.core").VJPNode.new_root
        new_box = importlib.import_module(f"{library}.tracer").new_box
        boxes.append(new_box(0.5, 0, new_root()))
        sines.append(importlib.import_module(f"{library}.numpy").sin)
    both = list(zip(sines, boxes))
    yield "sin(x), recorded", "ns", *best(*[lambda sin=sin, x=x: sin(x) for sin, x in both])
    yield "x * x, recorded", "ns", *best(*[lambda x=x: x * x for x in boxes])
    yield "x * 0.9, recorded", "ns", *best(*[lambda x=x: x * 0.9 for x in boxes])
    yield from chain_rows(both)


def closure_rows() -> Iterator[Row]:
    """A rule and its residual, against a closure for every node."""
    x, sines = box(numpy.float64(0.5)), (np.sin, sin_with_closure())
    yield "sin(x), recorded", "ns", *best(*[lambda sin=sin: sin(x) for sin in sines])
    yield from chain_rows([(sin, x) for sin in sines])


def chain_rows(both: list[tuple[Callable[[Any], Any], Any]]) -> Iterator[Row]:
    """What one sine costs in a long chain of them."""
    makers = [lambda sin=sin, x=x: chain(sin, x, DEEP) for sin, x in both]
    times = with_collector(makers)
    yield "sin in a chain, collector on", "ns", *[time_ / DEEP for time_ in times]
    sizes = [footprint(make) for make in makers]
    yield "memory of the chain", "bytes", *[size / DEEP for size, _ in sizes]
    yield "objects the collector visits", "", *[count / DEEP for _, count in sizes]


def footprint(make: Thunk) -> tuple[int, int]:
    """Bytes held, and objects that the cyclic collector must visit, for what ``make`` makes."""
    gc.collect()
    objects = len(gc.get_objects())
    tracemalloc.start()
    made = make()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    count = len(gc.get_objects()) - objects
    del made
    return size, count


def search_rows() -> Iterator[Row]:
    """One type test, against a search through the arguments and a second call."""
    x = box(numpy.float64(0.5))
    sins = (np.sin, sin_with_search())
    yield "sin(x), recorded", "ns", *best(*[lambda sin=sin: sin(x) for sin in sins])


def operator_rows() -> Iterator[Row]:
    """Python's operator on NumPy's numbers, against the ufunc."""
    x = box(numpy.float64(0.5))
    products = (product(operator.mul), product(numpy.multiply))
    yield "x * x, recorded", "ns", *best(*[lambda mul=mul: mul(x, x) for mul in products])


def shape_rows() -> Iterator[Row]:
    """Shapes compared once while recording, against looking at them in every reverse rule."""
    values, seed, length = numpy.array([0.5, 1.0, 1.5]), numpy.ones(3), 100

    def both_passes() -> Any:
        x = box(values)
        return backward_pass(seed, chain(lambda y: y * x, x, length)._node)

    def both_passes_late() -> Any:
        with shapes_compared_late():
            return both_passes()

    times = best(both_passes, both_passes_late, times=2)
    yield "y * x on three numbers, both passes", "ns", *[time_ / length for time_ in times]


def order_rows() -> Iterator[Row]:
    """Nodes that are numbered when they are made, against a sort before every reverse pass."""
    seed, length = numpy.float64(1.0), 1000
    for name, step, nodes in (
        ("sin(y), reverse pass", np.sin, 1),
        ("y * sin(y), reverse pass", lambda y: y * np.sin(y), 2),
    ):
        end = chain(step, box(numpy.float64(0.5)), length)._node
        passes = [lambda run=run, end=end: run(seed, end) for run in (backward_pass, sorted_pass)]
        yield name, "ns", *[time_ / length / nodes for time_ in best(*passes, times=1)]


COMPARISONS = {
    "autograd": peer_rows,
    "rule and residual": closure_rows,
    "type test": search_rows,
    "operator": operator_rows,
    "shapes while recording": shape_rows,
    "index": order_rows,
}


def main() -> None:
    """Measure everything, print it, and write it down."""
    load = os.getloadavg()[0]
    found = {name: round(ns) for name, ns in pieces().items()}
    print(found)
    comparisons = []
    for name, rows in COMPARISONS.items():
        for measured, unit, engine, other in rows():
            row = {"comparison": name, "measured": measured, "unit": unit}
            comparisons.append({**row, "engine": round(engine), "other": round(other)})
            print(comparisons[-1])
    result = {
        "command": "python benchmarks/operation_cost.py",
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "load_at_start": round(load, 2),
        "pieces_ns": found,
        "comparisons": comparisons,
    }
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
