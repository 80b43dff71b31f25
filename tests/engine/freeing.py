"""Run as a script: frees long graphs, in every order of dropping them, in threads of 256 kB.

It prints the name of each order when the graph is gone. A recursion over the nodes would end the
process at that place, so ``test_freeing.py`` runs this file in a process of its own.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as onp

import literate_ad.numpy as np
from literate_ad import deriv, grad, make_vjp, primitive
from literate_ad.extend import defvjp
from literate_ad.tracer import Node

LENGTH = 20_000
STACK = 256 * 1024


def chain(x: Any, length: int = LENGTH) -> Any:
    for _ in range(length):
        x = -x
    return x


def branching(x: Any) -> Any:
    for _ in range(LENGTH // 2):
        x = x * 0.5 + x
        x = x - x * (1 / 3)
    return x


def gradient() -> None:
    grad(lambda x: chain(x, 100_000))(1.0)


def gradient_of_branches() -> None:
    grad(branching)(1.0)


def pullback_never_called() -> None:
    make_vjp(chain)(1.0)


def pullback_called_twice() -> None:
    pullback, _ = make_vjp(branching)(1.0)
    pullback(1.0)
    pullback(1.0)


def end_box_dropped_inside_the_trace() -> None:
    def fun(x: Any) -> Any:
        end = chain(x)
        del end
        assert living_nodes() == 1
        return 2.0 * x

    grad(fun)(1.0)


def middle_box_outlives_the_pullback() -> None:
    kept = []

    def fun(x: Any) -> Any:
        kept.append(chain(x))
        return chain(kept[0])

    pullback, _ = make_vjp(fun)(1.0)
    del pullback
    assert living_nodes() == LENGTH + 1
    kept.clear()


def middle_box_goes_before_the_pullback() -> None:
    kept = []

    def fun(x: Any) -> Any:
        kept.append(branching(x))
        return chain(kept[0])

    pullback, _ = make_vjp(fun)(1.0)
    kept.clear()
    assert living_nodes() > 3 * LENGTH
    pullback(1.0)


def exception_inside_the_trace() -> None:
    def fun(x: Any) -> Any:
        end = branching(x)
        raise InterruptedError(float(end > 0))

    with suppress(InterruptedError):
        grad(fun)(1.0)


def exception_kept_with_its_frames() -> None:
    def fun(x: Any) -> Any:
        end = chain(x)
        raise InterruptedError(float(end > 0))

    def caught() -> Any:
        try:
            grad(fun)(1.0)
        except InterruptedError as error:
            return error

    kept = caught()
    assert living_nodes() == LENGTH + 1
    del kept


def box_in_a_generator() -> None:
    def walk(x: Any) -> Iterator[Any]:
        yield chain(x)
        yield x

    walks = []

    def fun(x: Any) -> Any:
        walks.append(walk(x))
        next(walks[0])
        return next(walks[0])

    grad(fun)(1.0)
    assert living_nodes() == 1
    walks.clear()


def inner_graph_of_a_nested_trace() -> None:
    grad(lambda x: x * grad(chain)(x))(1.0)


def outer_graph_held_by_an_inner_one() -> None:
    """The nodes of the inner run keep boxes of the outer one: each a link of its own chain."""

    def fun(x: Any) -> Any:
        def inner(y: Any) -> Any:
            nonlocal x
            for _ in range(LENGTH // 4):
                x = -x
                y = y * x
            return y

        return grad(inner)(1.0)

    grad(fun)(1.0)


def forward_inside_reverse() -> None:
    grad(lambda x: deriv(lambda y: chain(x * y))(1.0))(1.0)


def graph_of_a_primitive_with_closures() -> None:
    twice = primitive(lambda x: 2.0 * x)
    defvjp(twice, lambda ans, x: lambda g: g * (ans / ans) * x * 0)

    def fun(x: Any) -> Any:
        for _ in range(LENGTH // 4):
            x = twice(x) * 0.5
        return x

    grad(grad(fun))(1.0)


def arrays_stacked_and_read() -> None:
    def fun(x: Any) -> Any:
        for _ in range(LENGTH // 10):
            x = np.stack([x, x])[0]
        return np.sum(x)

    grad(fun)(onp.ones(1))


def containers() -> None:
    def fun(p: Any) -> Any:
        x = p["x"]
        for _ in range(LENGTH // 2):
            x = x * p["y"][0]
        return x

    grad(fun)({"x": 1.0, "y": [1.0]})


def several_threads_share_one_graph() -> None:
    kept: list[Any] = []

    def fun(x: Any) -> Any:
        for _ in range(4):
            x = chain(x, LENGTH // 4)
            kept.append([x])
        return x

    make_vjp(fun)(1.0)
    start = threading.Barrier(4)

    def drop(holder: list[Any]) -> None:
        start.wait()
        holder.clear()

    threads = [threading.Thread(target=drop, args=(holder,)) for holder in kept]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def cycle_found_by_the_garbage_collector() -> None:
    pullback, _ = make_vjp(chain)(1.0)
    cycle: list[Any] = [pullback]
    cycle.append(cycle)
    del pullback, cycle
    assert living_nodes() == LENGTH + 1
    gc.collect()


ORDERS: list[Callable[[], None]] = [
    gradient,
    gradient_of_branches,
    pullback_never_called,
    pullback_called_twice,
    end_box_dropped_inside_the_trace,
    middle_box_outlives_the_pullback,
    middle_box_goes_before_the_pullback,
    exception_inside_the_trace,
    exception_kept_with_its_frames,
    box_in_a_generator,
    inner_graph_of_a_nested_trace,
    outer_graph_held_by_an_inner_one,
    forward_inside_reverse,
    graph_of_a_primitive_with_closures,
    arrays_stacked_and_read,
    containers,
    several_threads_share_one_graph,
    cycle_found_by_the_garbage_collector,
]


def living_nodes() -> int:
    return sum(isinstance(thing, Node) for thing in gc.get_objects())


def main() -> None:
    gc.disable()
    threading.stack_size(STACK)
    for order in ORDERS:
        thread = threading.Thread(target=order)
        thread.start()
        thread.join()
        assert living_nodes() == 0, f"{order.__name__}: {living_nodes()} nodes are left"
        print(order.__name__, flush=True)


if __name__ == "__main__":
    main()
