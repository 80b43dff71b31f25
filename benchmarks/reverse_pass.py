"""Measures what each step of the reverse pass costs, per node or per contribution.

Run ``python benchmarks/reverse_pass.py`` on a quiet machine; it writes
``benchmarks/data/reverse_pass.json``. The graphs are recorded once; only the pass is timed, and
the shortest of many runs is kept.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from stored import options, store

from literate_ad import make_vjp
from literate_ad.core import SparseObject, accumulate, backward_pass, sum_outgrads, vspace
from literate_ad.util import toposort

NODES = 5000
REPEATS = 25
MEASURED = [
    "benchmarks/reverse_pass.py",
    "literate_ad/core.py",
    "literate_ad/numpy/numpy_vspaces.py",
    "literate_ad/util.py",
]


def best(run: Callable[[], object], parts: int) -> float:
    """Nanoseconds for each of the ``parts`` of a run, in the shortest of many runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter_ns()
        run()
        times.append(time.perf_counter_ns() - start)
    return min(times) / parts


def end_node(fun: Callable[[Any], Any]) -> Any:
    """The node of the value of ``fun(0.0)``; a zero does not overflow, however often doubled."""
    return make_vjp(fun)(0.0)[0].end_node


def lone_chain(x: Any) -> Any:
    """Every node has one parent, and nothing else ever waits."""
    for _ in range(NODES):
        x = -x
    return x


def two_chains(x: Any) -> Any:
    """Every node has one parent, and the other chain's newest node is always in front of it."""
    y = x
    for _ in range(NODES // 2):
        x = -x
        y = -y
    return x + y


def doublings(x: Any) -> Any:
    """Every node has one parent in both its places."""
    for _ in range(NODES):
        x = x + x
    return x


def by_sorting(g: Any, end: Any) -> Any:
    """The same pass by sorting first, as for nodes without numbers."""
    pending = {end: g}
    for node in toposort(end):
        g = pending.pop(node)
        for parent, contribution in zip(node.parents, node.vjp(g), strict=True):
            pending[parent] = pending[parent] + contribution if parent in pending else contribution
    return g


def rules_alone(g: Any, nodes: list[Any]) -> Any:
    """The pullbacks of a chain, without a pass around them."""
    for node in nodes:
        g = node.rule(g, node.residual)
    return g


def passes() -> Iterator[tuple[str, float]]:
    """What one node costs."""
    seed, lone, chains = np.float64(0.0), end_node(lone_chain), end_node(two_chains)
    pairs = end_node(doublings)
    nodes = [node for node in toposort(lone) if node.rule]
    yield "the rule of a negation, by itself", best(lambda: rules_alone(seed, nodes), NODES)
    yield "a lone parent, straight on", best(lambda: backward_pass(seed, lone), NODES)
    yield "a lone parent, through the dictionary", best(lambda: backward_pass(seed, chains), NODES)
    yield "a parent in two places", best(lambda: backward_pass(seed, pairs), NODES)
    yield "a lone parent, sorting first", best(lambda: by_sorting(seed, lone), NODES)


def sums() -> Iterator[tuple[str, float]]:
    """What one contribution costs at a node that receives many."""
    for name, size in (("a thousand", 1000), ("a million", 1000000)):
        contributions = [np.ones(size) for _ in range(20)]
        yield f"{name} numbers, into a new array", best(partial(add_anew, contributions), 19)
        yield f"{name} numbers, in place", best(partial(sum_outgrads, contributions), 19)


def add_anew(contributions: list[Any]) -> Any:
    """The sum of the contributions, in a new array for each."""
    total = contributions[0]
    for contribution in contributions[1:]:
        total = accumulate(total, contribution, None, set())
    return total


def pieces() -> Iterator[tuple[str, float]]:
    """What one number costs that was read out of a thousand."""
    space = vspace(np.ones(1000))
    read = [SparseObject(space, [(i, np.float64(1.0))]) for i in range(1000)]
    yield "a piece of a thousand, collected", best(lambda: sum_outgrads(read).dense(), 1000)
    yield "a piece of a thousand, made dense by itself", best(lambda: dense_sum(read), 1000)


def dense_sum(contributions: list[Any]) -> Any:
    """The sum of sparse contributions, each made dense before it is added."""
    return sum_outgrads([contribution.dense() for contribution in contributions])


def main() -> None:
    """Measures everything, prints it, and stores it."""
    chosen = options(__doc__)
    rows = [
        {"step": step, "ns": round(ns)}
        for measured in (passes(), sums(), pieces())
        for step, ns in measured
    ]
    for row in rows:
        print(f"{row['ns']:>10} ns  {row['step']}")
    store("reverse_pass", chosen, MEASURED, rows=rows)


if __name__ == "__main__":
    main()
