"""Measures the choices behind the rules of NumPy's functions, each against its alternative.

Run ``python benchmarks/rule_choices.py`` on a quiet machine; it writes
``benchmarks/data/rule_choices.json``. The ways of doing one thing take turns, and of each the
shortest of many runs is kept, without the cost of the loop around it.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy
from stored import options, store

import literate_ad.numpy as np
from literate_ad.core import VJPNode, defvjp, has_nan
from literate_ad.numpy.rules.reductions import repeat_to_match_shape
from literate_ad.tracer import new_box, primitive, trace_numbers

MEASURED = [
    "benchmarks/rule_choices.py",
    "literate_ad/core.py",
    "literate_ad/numpy/numpy_boxes.py",
    "literate_ad/numpy/numpy_wrapper.py",
    "literate_ad/numpy/rules/elementary.py",
    "literate_ad/numpy/rules/reductions.py",
    "literate_ad/tracer.py",
]
REPEATS = 30
Thunk = Callable[[], Any]


def one_run(run: Thunk, times: int) -> float:
    """Nanoseconds of one call, over a number of calls in a row."""
    calls = range(times)
    start = time.perf_counter_ns()
    for _ in calls:
        run()
    return (time.perf_counter_ns() - start) / times


def best(ways: dict[str, Thunk], times: int) -> dict[str, int]:
    """The shortest time of each way, in nanoseconds."""
    runs = [*ways.values(), nothing]
    rows = [[one_run(run, times) for run in runs] for _ in range(REPEATS)]
    *found, empty = [min(column) for column in zip(*rows, strict=True)]
    return {way: round(ns - empty) for way, ns in zip(ways, found, strict=True)}


def nothing() -> None:
    """What a call costs that does nothing."""


@primitive
def general_sine(x: Any) -> Any:
    """A sine whose rule is a staged maker."""
    return numpy.sin(x)


defvjp(general_sine, lambda ans, x: lambda g: g * np.cos(x))


def small() -> Iterator[dict[str, int]]:
    """What one recorded operation, or the arithmetic in it, costs."""
    box = new_box(0.5, next(trace_numbers), VJPNode.new_root())
    sines = {
        "a sine recorded, its rule inside": lambda: np.sin(box),
        "a sine recorded, the general way": lambda: general_sine(box),
    }
    yield best(sines, 2000)
    a, b = numpy.float64(0.5), numpy.float64(1.5)
    products = {
        "two numbers multiplied, by the operator": lambda: a * b,
        "two numbers multiplied, by the ufunc": lambda: numpy.multiply(a, b),
    }
    yield best(products, 2000)
    three = numpy.ones(3)
    sums = {
        "three numbers summed, by our headword": lambda: np.sum(three),
        "three numbers summed, by NumPy's sum": lambda: numpy.sum(three),
    }
    yield best(sums, 2000)


def careful(g: Any, y: Any) -> Any:
    """A division that looks at every cotangent before it divides."""
    taken = g != 0
    return numpy.where(taken, g, 0) / numpy.where(taken, y, 1)


def large() -> Iterator[dict[str, int]]:
    """What rules of arrays of a million numbers cost."""
    g, y = numpy.random.default_rng(0).uniform(0.5, 1.5, (2, 1_000_000))
    divisions = {
        "a million numbers divided, unguarded": lambda: g / y,
        "a million numbers divided, checked afterwards": lambda: has_nan(g / y),
        "a million numbers divided, each looked at before": lambda: careful(g, y),
    }
    yield best(divisions, 20)
    seed, shape = numpy.float64(1.0), (1_000_000,)
    copies = {
        "a million copies, seen": lambda: repeat_to_match_shape(seed, shape, None, False),
        "a million copies, made": lambda: seed + numpy.zeros(shape),
    }
    yield best(copies, 20)


def main() -> None:
    """Measures everything, prints it, and stores it."""
    chosen = options(__doc__)
    rows = [
        {"way": way, "ns": ns}
        for measured in (small(), large())
        for ways in measured
        for way, ns in ways.items()
    ]
    for row in rows:
        print(f"{row['ns']:>10} ns  {row['way']}")
    store("rule_choices", chosen, MEASURED, rows=rows)


if __name__ == "__main__":
    main()
