"""Traces inside traces, threads, failures, depth and memory: what one run leaves to the next."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import tracemalloc
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import numpy as onp
import pytest

import literate_ad.numpy as np
from literate_ad import (
    deriv,
    elementwise_grad,
    grad,
    hessian,
    hessian_vector_product,
    jacobian,
    make_hvp,
    make_jvp,
    make_vjp,
    primitive,
    value_and_grad,
)
from literate_ad.core import VJPNode, backward_pass
from literate_ad.extend import defjvp, defvjp
from literate_ad.tracer import Node, isbox, toposort, trace
from literate_ad.util import subval, subvals

X = onp.array([0.5, 1.5, 2.0])
MODES = {"reverse": grad, "forward": deriv}


# ---- nested traces


@pytest.mark.parametrize("outer", MODES.values(), ids=MODES)
@pytest.mark.parametrize("inner", MODES.values(), ids=MODES)
def test_an_inner_derivative_sees_the_outer_variable_as_a_constant(outer: Any, inner: Any) -> None:
    """The classic of perturbation confusion: d/dx x (d/dy (x + y)) is 1, not 2."""
    assert outer(lambda x: x * inner(lambda y: x + y)(1.0))(1.0) == 1.0
    assert outer(lambda x: x * inner(lambda y: x * y)(2.0))(3.0) == 6.0
    assert outer(lambda x: inner(lambda y: x**2 * y**3)(x))(2.0) == 96.0
    assert outer(lambda x: inner(lambda y: x * y)(x) * inner(np.sin)(0.0 * x))(2.0) == 1.0


@pytest.mark.parametrize("outer", MODES.values(), ids=MODES)
@pytest.mark.parametrize("inner", MODES.values(), ids=MODES)
def test_arrays_of_the_outer_trace_inside_the_inner_one(outer: Any, inner: Any) -> None:
    weights = onp.array([3.0, -1.0, 2.0])

    def fun(t: Any) -> Any:
        x = X * t

        def inside(s: Any) -> Any:
            y = np.concatenate([x * s, np.stack([s, t, s * t])])
            return np.sum(np.where(y > 1, y[::-1] * x[0], np.sin(y))) + np.dot(x, weights * s)

        return inner(inside)(t * t)

    step = 1e-6
    expected = (fun(0.7 + step) - fun(0.7 - step)) / (2 * step)
    onp.testing.assert_allclose(outer(fun)(0.7), expected, rtol=1e-7)


@pytest.mark.parametrize("order", range(1, 6))
def test_derivatives_of_any_order_in_any_mixture(order: int) -> None:
    expected = [onp.sin, onp.cos, lambda x: -onp.sin(x), lambda x: -onp.cos(x)][order % 4](0.7)
    for mixture in range(2**order):
        derivative = np.sin
        for bit in range(order):
            derivative = (deriv if mixture >> bit & 1 else grad)(derivative)
        onp.testing.assert_allclose(derivative(0.7), expected, rtol=1e-12)


def test_high_orders_of_a_power() -> None:
    derivative = lambda x: x**8  # noqa: E731
    for _ in range(8):
        derivative = grad(derivative)
    assert derivative(1.5) == 40320.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert grad(derivative)(1.5) == 0.0


def test_a_value_left_over_from_an_inner_trace_is_still_worth_its_value() -> None:
    def fun(x: Any) -> Any:
        kept = []
        grad(lambda y: kept.append(x * y) or y * y)(5.0)
        return kept[0] * x

    assert grad(fun)(3.0) == 30.0
    assert deriv(fun)(3.0) == 30.0


def test_the_outer_variable_in_the_closure_of_a_pullback() -> None:
    def fun(x: Any) -> Any:
        pullback, value = make_vjp(lambda y: y * y * x)(2.0)
        return pullback(x) * value

    assert fun(3.0) == 16 * 3.0**3
    assert grad(fun)(3.0) == deriv(fun)(3.0) == 48 * 3.0**2


def test_cotangents_and_tangents_that_are_traced() -> None:
    pullback, _ = make_vjp(lambda x: np.sin(x) * X)(2.0)
    onp.testing.assert_allclose(jacobian(pullback)(X), onp.cos(2.0) * X)
    jvp = make_jvp(lambda x: np.sin(x) * x)(X)
    tangent_of = jacobian(lambda v: jvp(v)[1])(X)
    onp.testing.assert_allclose(tangent_of, onp.diag(onp.cos(X) * X + onp.sin(X)))


def test_generators_keep_their_traces_apart() -> None:
    def squares(x: Any) -> Any:
        for k in range(3):
            yield k * x * x

    def fun(x: Any) -> Any:
        total = 0.0
        for square in squares(x):
            total = total + square + grad(lambda y, s=square: y * s)(2.0)
        return total

    assert grad(fun)(3.0) == 2 * 3 * 2 * 3.0

    def gradients() -> Any:
        results: list[Any] = []
        for x in (1.0, 2.0, 3.0):
            results.append(grad(lambda y, x=x: y * y * x)(5.0))
            yield results[-1]

    assert grad(lambda x: sum(g for g in gradients()) * x)(1.0) == 60.0


def test_interleaved_generators_inside_one_trace() -> None:
    def walk(x: Any, steps: int) -> Any:
        for _ in range(steps):
            x = np.sin(x)
            yield x

    def fun(x: Any) -> Any:
        return sum(a * b for a, b in zip(walk(x, 3), walk(2 * x, 3), strict=True))

    step = 1e-6
    expected = (fun(0.3 + step) - fun(0.3 - step)) / (2 * step)
    onp.testing.assert_allclose([grad(fun)(0.3), deriv(fun)(0.3)], expected, rtol=1e-8)


# ---- threads


def slow_product(x: Any, n: int = 200) -> Any:
    y = x
    for _ in range(n):
        y = np.sin(y) + x * y
        y = y / (1.0 + np.sum(y * y))
    return np.sum(y)


def test_sixteen_threads_at_once() -> None:
    inputs = [X * (1 + k / 7) for k in range(16)]
    expected = [(grad(slow_product)(x), hessian(slow_product)(x[:2], 5)) for x in inputs]
    start = threading.Barrier(16)

    def work(x: Any) -> Any:
        start.wait()
        return [(grad(slow_product)(x), hessian(slow_product)(x[:2], 5)) for _ in range(3)]

    with ThreadPoolExecutor(16) as pool:
        for results, (g, h) in zip(pool.map(work, inputs), expected, strict=True):
            for gradient, curvature in results:
                onp.testing.assert_array_equal(gradient, g)
                onp.testing.assert_array_equal(curvature, h)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_threads_started_inside_a_traced_function(mode: Any) -> None:
    def fun(x: Any) -> Any:
        with ThreadPoolExecutor(4) as pool:
            parts = list(
                pool.map(
                    lambda k: np.sin(k * x) * grad(lambda y: y * y * x)(k), map(float, range(1, 9))
                )
            )
        return sum(parts)

    k = onp.arange(1, 9)
    expected = onp.sum(2 * k * (k * onp.cos(k * 0.7) * 0.7 + onp.sin(k * 0.7)))
    onp.testing.assert_allclose(mode(fun)(0.7), expected)


def test_one_pullback_asked_by_many_threads() -> None:
    pullback, _ = make_vjp(lambda x: np.stack([slow_product(x * k) for k in range(4)]))(X)
    basis = list(onp.eye(4)) * 8
    expected = [pullback(g) for g in basis]
    with ThreadPoolExecutor(8) as pool:
        for result, right in zip(pool.map(pullback, basis), expected, strict=True):
            onp.testing.assert_array_equal(result, right)


# ---- failures


class InterruptedRunError(Exception):
    pass


@pytest.mark.parametrize("operator", [grad, deriv, jacobian, value_and_grad, elementwise_grad])
def test_an_exception_inside_a_traced_function_leaves_nothing_behind(operator: Any) -> None:
    def fails(x: Any) -> Any:
        for k in range(10):
            x = np.sin(x) * k
            grad(lambda y: y * y)(1.0)
        raise InterruptedRunError

    nodes = living_nodes()
    expected = operator(np.sum)(X)
    for _ in range(3):
        with pytest.raises(InterruptedRunError):
            operator(lambda x: grad(lambda y: fails(x * y))(1.0))(2.0)
        onp.testing.assert_equal(operator(np.sum)(X), expected)
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(1.0) == 1.0
    gc.collect()
    assert living_nodes() == nodes


def test_an_exception_in_the_backward_pass_leaves_the_graph_usable() -> None:
    ready = []

    @primitive
    def fragile(x: Any) -> Any:
        return 2 * x

    def pull(g: Any) -> Any:
        if not ready:
            raise InterruptedRunError
        return 2 * g

    defvjp(fragile, lambda ans, x: pull)
    pullback, _ = make_vjp(lambda x: fragile(x) * x + x)(3.0)
    with pytest.raises(InterruptedRunError):
        pullback(1.0)
    ready.append(True)
    assert pullback(1.0) == 13.0


# ---- depth


def test_a_million_operations_deep_in_reverse_mode() -> None:
    def fun(x: Any) -> Any:
        for _ in range(1_000_000):
            x = -x
        return x

    assert grad(fun)(1.0) == 1.0


def test_a_hundred_thousand_operations_that_branch() -> None:
    def fun(x: Any) -> Any:
        for _ in range(50_000):
            x = x * 0.5 + x
            x = x - x * (1 / 3)
        return x

    assert abs(grad(fun)(1.0) - 1.0) < 1e-9


def test_a_million_operations_deep_in_forward_mode() -> None:
    def fun(x: Any) -> Any:
        for _ in range(1_000_000):
            x = -x
        return x

    assert deriv(fun)(1.0) == 1.0


# ---- memory


@contextmanager
def no_garbage_collector() -> Any:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def living_nodes() -> int:
    return sum(isinstance(thing, Node) for thing in gc.get_objects())


def many_operations(x: Any) -> Any:
    y = x[1:] * x[:-1] + x[0] * x[-1]
    parts = np.concatenate([y, np.stack([x[0], np.sum(x[1:])]), np.array([x[2], 1.0])])
    return np.mean(np.where(parts > 1, parts @ parts, np.sin(parts)) ** 2)


def of_containers(p: Any) -> Any:
    first, second = p["b"]
    return p["a"] * np.sum(first) + sum(second) + p["b"][0][1] * sum(v for v in second)


PARAMETERS = {"a": 2.0, "b": (X, [1.0, 2.0])}
GRADIENTS: dict[str, Callable[[], Any]] = {
    "scalar": lambda: grad(lambda x: np.sin(x) * x + x**2)(1.5),
    "array": lambda: grad(many_operations)(X),
    "value_and_grad": lambda: value_and_grad(many_operations)(X),
    "forward": lambda: make_jvp(many_operations)(X)(X),
    "jacobian": lambda: jacobian(lambda x: x * np.sum(x))(X),
    "containers": lambda: grad(of_containers)(PARAMETERS),
    "several arguments": lambda: grad(lambda x, y: np.sum(x * y), (0, 1))(X, X),
    "nested": lambda: grad(lambda x: x * grad(lambda y: many_operations(X * x * y))(x))(1.5),
    "hessian": lambda: hessian(many_operations)(X),
    "hessian of several": lambda: hessian(lambda x, y: np.sum(x * x) * y, (0, 1))(X, 2.0),
    "forward in reverse": lambda: grad(lambda x: deriv(lambda y: np.sin(x * y))(x))(1.5),
    "reverse in forward": lambda: deriv(lambda x: grad(lambda y: np.sin(x * y))(x))(1.5),
    "hvp": lambda: hessian_vector_product(many_operations)(X, X),
    "make_hvp": lambda: make_hvp(many_operations)(X)[0](X),
    "pullback twice": lambda: [make_vjp(many_operations)(X)[0](g) for g in (1.0, 2.0)],
    "plain numpy": lambda: grad(lambda x: onp.sum(onp.stack([x, X]) * onp.sin(x)))(X),
    "elementwise": lambda: elementwise_grad(np.tanh)(X),
}


@pytest.mark.filterwarnings("ignore:Output seems independent")
@pytest.mark.parametrize("what", GRADIENTS)
def test_a_graph_is_freed_by_reference_counts_alone(what: str) -> None:
    ask = GRADIENTS[what]
    for _ in range(3):
        ask()
    with no_garbage_collector():
        before, nodes = len(gc.get_objects()), living_nodes()
        for _ in range(20):
            ask()
        assert len(gc.get_objects()) - before < 20
        assert living_nodes() == nodes


@pytest.mark.filterwarnings("ignore:Output seems independent")
def test_memory_returns_to_its_start_after_every_gradient() -> None:
    large = onp.ones(100_000)
    asks = [
        lambda: grad(lambda x: np.sum(np.sin(x) * x[::-1] + np.stack([x, x])[0]))(large),
        lambda: grad(lambda p: np.sum(p[0] * p[1]))([large, large]),
        lambda: grad(lambda x: np.sum(grad(lambda y: np.sum(x * y * y))(x)))(large),
        lambda: deriv(lambda x: np.sum(np.sin(x * large)))(1.0),
    ]
    for ask in asks:
        ask()
    with no_garbage_collector():
        tracemalloc.start()
        try:
            for ask in asks:
                ask()
                before, _ = tracemalloc.get_traced_memory()
                tracemalloc.reset_peak()
                ask()
                after, peak = tracemalloc.get_traced_memory()
                assert after - before < 10_000
                assert peak - before > 500_000
        finally:
            tracemalloc.stop()


def test_a_failed_gradient_is_freed_too() -> None:
    def fails(x: Any) -> Any:
        raise InterruptedRunError(float(np.sum(x > 0)))

    def ask() -> None:
        with suppress(InterruptedRunError):
            grad(lambda x: fails(many_operations(x) * x))(X)

    ask()
    with no_garbage_collector():
        nodes = living_nodes()
        for _ in range(5):
            ask()
        assert living_nodes() == nodes


def test_nodes_are_small() -> None:
    def fun(x: Any) -> Any:
        for _ in range(10_000):
            x = np.sin(x)
        return x

    make_vjp(fun)(1.0)
    tracemalloc.start()
    kept = make_vjp(fun)(1.0)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept is not None
    assert size / 10_000 < 250


# ---- nodes of one's own


class Operations(Node):
    """Remembers how a value was computed, as text."""

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):  # type: ignore[no-untyped-def]
        inner = dict(zip(parent_argnums, parents, strict=True))
        said = [inner[i].text if i in inner else repr(arg) for i, arg in enumerate(args)]
        self.text = f"{fun.__name__}({', '.join([*said, *kwargs])})"
        self.value = value
        self.parents = parents

    def initialize_root(self, name: str) -> None:
        self.text, self.parents = name, ()


def test_a_node_of_ones_own_sees_every_operation() -> None:
    value, node = trace(Operations.new_root("x"), lambda x: np.sin(x) * 2.0 + x**2, 0.0)
    assert value == 0.0
    assert node.text == "add(multiply(sin(x), 2.0), power(x, 2))"
    _, node = trace(Operations.new_root("x"), lambda x: 1.0 - x, 1.0)
    assert node.text == "subtract(1.0, x)"
    _, node = trace(Operations.new_root("x"), lambda x: np.maximum(x, x), 1.0)
    assert node.text == "maximum(x, x)"


def test_it_can_be_traced_through_a_derivative() -> None:
    _, node = trace(Operations.new_root("x"), grad(lambda y: y * y), 3.0)
    assert node.text == "add(multiply(1.0, x), multiply(1.0, x))".replace("1.0", "np.float64(1.0)")
    value, node = trace(Operations.new_root("x"), deriv(np.sin), 0.0)
    assert value == 1.0
    assert "cos(x)" in node.text


def test_a_derivative_of_what_such_a_trace_computes() -> None:
    def traced_square(x: Any) -> Any:
        value, node = trace(Operations.new_root("y"), lambda y: y * x, x)
        assert node.text.startswith("multiply(y, ")
        return value

    assert grad(traced_square)(3.0) == deriv(traced_square)(3.0) == 6.0


def test_a_node_without_its_methods_says_what_is_missing() -> None:
    class Silent(Node):
        pass

    with pytest.raises(NotImplementedError, match="Silent cannot start a trace"):
        Silent.new_root()
    with pytest.raises(NotImplementedError, match="Silent does not say what it remembers"):
        trace(object.__new__(Silent), np.sin, 1.0)


class Counted(VJPNode):
    """The engine's node with one more word."""

    __slots__ = ("note",)
    made = 0

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        type(self).made += 1


def test_a_subclass_of_the_engines_node_runs_backwards() -> None:
    Counted.made = 0
    value, end = trace(Counted.new_root(), lambda x: np.sum(np.sin(x) * x), X)
    assert Counted.made == 3
    g = backward_pass(np.ones_like(value), end)
    onp.testing.assert_allclose(g, onp.cos(X) * X + onp.sin(X))


def test_toposort_gives_every_node_once_after_all_its_uses() -> None:
    value, end = trace(VJPNode.new_root(), lambda x: (lambda y: y * x + np.sin(y) + y)(x * x), 2.0)
    nodes = list(toposort(end))
    assert len(nodes) == len(set(nodes)) == 6
    assert nodes[0] is end
    position = {node: i for i, node in enumerate(nodes)}
    assert all(position[node] < position[p] for node in nodes for p in node.parents)
    assert value == 8 + onp.sin(4.0) + 4


def test_toposort_of_objects_of_ones_own() -> None:
    parents = {"d": ["b", "c", "c"], "b": ["a"], "c": ["b", "a"], "a": []}
    order = list(toposort("d", parents.__getitem__))
    assert order == ["d", "c", "b", "a"]
    assert list(toposort("a", parents.__getitem__)) == ["a"]


def test_a_node_tells_its_parents_and_their_cotangents() -> None:
    _, end = trace(VJPNode.new_root(), lambda x: x * x, 3.0)
    root = end.parents[0]
    assert end.parents == (root, root)
    assert root.parents == ()
    assert end.vjp(1.0) == (3.0, 3.0)
    assert root.vjp(1.0) == ()
    _, end = trace(VJPNode.new_root(), np.sin, 0.0)
    assert len(end.parents) == 1
    assert end.vjp(2.0) == (2.0,)
    assert end.parents[0].index < end.index


def test_substitutions() -> None:
    assert subval((1, 2, 3), 0, "a") == ("a", 2, 3)
    assert subvals((1, 2, 3), [(2, "c"), (0, "a")]) == ("a", 2, "c")


def test_parts_of_the_engine_work_whichever_is_imported_first() -> None:
    for line in (
        "from literate_ad.core import make_vjp; print(make_vjp(lambda x: x * x, 3.0)[0](1.0))",
        "from literate_ad.core import make_jvp; print(make_jvp(lambda x: x * x, 3.0)(1.0)[1])",
        "from literate_ad.core import *; print(vspace([3.0]).size * 6.0)",
        "from literate_ad.tracer import trace, Node; print(trace(None, lambda x: x, 6.0)[0])",
        "import literate_ad.numpy; import literate_ad.core as c;"
        "print(c.make_vjp(lambda p: p[0] * p[1], [6.0, 2.0])[0](0.5)[1] * 2)",
        "import literate_ad as ad; print(ad.grad(ad.numpy.square)(3.0))",
        "import literate_ad as ad; print(ad.core.make_vjp(ad.numpy.square, 3.0)[0](1.0))",
    ):
        run = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True)
        assert (run.stdout.strip(), run.stderr) == ("6.0", "")


# ---- special points


def zero_gradient(fun: Any, x: Any) -> None:
    for mode in (lambda f: grad(lambda x: np.sum(f(x))), lambda f: deriv(lambda x: np.sum(f(x)))):
        g = mode(fun)(x)
        assert onp.all(g == 0), g


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value", "ignore:overflow")
@pytest.mark.parametrize(
    "x", [0.0, onp.zeros(2), onp.float32(0), onp.zeros((2, 1), "f4")], ids=repr
)
@pytest.mark.parametrize(
    "fun", [
        np.sqrt, np.log, np.log2, np.log10, np.cbrt, np.reciprocal, lambda x: x**0.5,
        lambda x: 1 / x, lambda x: x**-1.5, lambda x: np.log1p(x - 1), lambda x: x / x,
        lambda x: np.arcsin(x + 1),
        lambda x: np.arccos(1 - x), lambda x: np.arccosh(1 + x), lambda x: np.arctanh(1 - x),
        lambda x: np.hypot(x, x), lambda x: np.arctan2(x, x), lambda x: (x + 1) / x,
    ],
)  # fmt: skip
def test_the_branch_not_taken_contributes_nothing(fun: Any, x: Any) -> None:
    zero_gradient(lambda x: np.where(x > 0, fun(x), 0.0), x)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_mixed_branches_keep_the_gradient_of_the_branch_taken() -> None:
    x = onp.array([0.0, 4.0])
    assert grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), x)))(x).tolist() == [1.0, 0.25]
    assert grad(lambda x: np.sum(np.where(x > 0, 1 / x, x)))(x).tolist() == [1.0, -1 / 16]
    by_twice = elementwise_grad(elementwise_grad(lambda x: np.where(x > 0, np.sqrt(x), x * x)))(x)
    onp.testing.assert_allclose(by_twice, [2.0, -1 / 32])


def test_infinite_slopes_are_infinite() -> None:
    with onp.errstate(divide="ignore"):
        assert grad(np.sqrt)(0.0) == grad(np.log)(0.0) == grad(np.cbrt)(0.0) == onp.inf
        assert grad(np.reciprocal)(0.0) == -onp.inf
        assert grad(lambda x: np.sum(np.sqrt(x)))(onp.zeros(2)).tolist() == [onp.inf] * 2


def test_not_a_number_stays_one() -> None:
    assert onp.isnan(grad(np.sqrt)(onp.nan))
    gradient = grad(lambda x: np.sum(np.log(x) * X))(onp.array([onp.nan, 1, 2]))
    assert onp.isnan(gradient).tolist() == [True, False, False]


def test_powers_at_zero_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (0.0, onp.zeros(2), onp.float32(0)):
            for exponent, slope in ((0, 0), (1, 1), (2, 0), (3, 0), (2.0, 0), (1.5, 0), (0.0, 0)):
                assert onp.all(elementwise_grad(lambda x, n=exponent: x**n)(x) == slope)
                assert onp.all(deriv(lambda x, n=exponent: np.sum(x**n))(x) == slope * onp.size(x))
            second = elementwise_grad(elementwise_grad(lambda x: x**2 + x**1 + x**0))(x)
            assert onp.all(second == 2)
        polynomial = grad(lambda x: np.sum(x ** onp.arange(4) * onp.array([5.0, 6.0, 7.0, 8.0])))
        assert polynomial(0.0) == 6.0
        assert grad(lambda y: 0.0**y)(2.0) == 0.0
        assert grad(lambda y: np.sum(onp.zeros(2) ** y))(onp.array([1.0, 3.0])).tolist() == [0, 0]


@pytest.mark.parametrize("fun", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_ties_share_their_cotangent(fun: Any) -> None:
    assert grad(fun, (0, 1))(2.0, 2.0) == (0.5, 0.5)
    assert grad(lambda x: fun(x, x))(2.0) == deriv(lambda x: fun(x, x))(2.0) == 1.0
    gx, gy = grad(lambda x, y: np.sum(fun(x, y)), (0, 1))(
        onp.array([1.0, 2.0]), onp.array([1.0, 5])
    )
    assert (gx + gy).tolist() == [1, 1]
    assert gx[0] == gy[0] == 0.5
    assert grad(lambda x: fun(x, 0.0))(0.0) == 0.5


def test_the_absolute_value_at_zero_is_flat() -> None:
    assert grad(np.abs)(0.0) == grad(lambda x: np.sqrt(x * x))(2.0) - 1 == 0.0
    assert grad(lambda x: np.hypot(x, 0.0))(0.0) == 0.0
    assert grad(np.arctan2, (0, 1))(0.0, 0.0) == (0.0, 0.0)


def test_empty_arrays() -> None:
    for fun in (np.sum, lambda x: np.sum(np.sin(x) * x), lambda x: np.sum(x[:0] ** 2) + np.sum(x)):
        assert grad(fun)(onp.zeros((0, 3))).shape == (0, 3)
    with onp.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert grad(lambda x: np.sum(np.mean(x, axis=0)))(onp.zeros((0, 3))).shape == (0, 3)
    assert jacobian(lambda x: x[:0])(X).shape == (0, 3)
    assert grad(lambda x: np.sum(x @ onp.zeros((0, 2))))(onp.zeros((3, 0))).shape == (3, 0)


def test_many_payments_to_one_node() -> None:
    x = onp.ones(3)
    assert grad(lambda x: sum(np.sum(x * k) for k in range(100)))(x).tolist() == [4950.0] * 3
    assert grad(lambda x: sum(x[k % 3] for k in range(100)))(x).tolist() == [34, 33, 33]
    mixed = grad(
        lambda x: np.sum(x) + x[0] + np.sum(x[1:] * 2) + np.sum(x * x) + x[0] + x[[0, 0]][1]
    )
    assert mixed(x).tolist() == [6, 5, 5]
    again = make_vjp(lambda x: (lambda y: y[0] * y[1] + np.sum(y) + y[2])(2 * x))(x)[0]
    assert again(1.0).tolist() == again(1.0).tolist() == [6, 6, 4]


def test_containers_pay_their_items_once_each() -> None:
    def fun(p: Any) -> Any:
        q = p["x"]
        return np.sum(q[0] * q[1]) + np.sum(q[0]) + np.sum(p["x"][-2] * 3) + sum(q[:1])[0]

    first, second = grad(fun)({"x": [X, X]})["x"]
    assert first.tolist() == [X[0] + 5, X[1] + 4, X[2] + 4]
    assert second.tolist() == X.tolist()


def test_boxes_end_with_their_trace() -> None:
    g = grad(lambda x: x * x)(3.0)
    assert not isbox(g)
    value, gradient = value_and_grad(lambda p: p[0] * p[1])([1.0, 2.0])
    assert not isbox(value)
    assert type(gradient) is list
    assert [isbox(item) for item in gradient] == [False, False]


def test_user_primitives_of_tuples() -> None:
    @primitive
    def sum_and_product(x: Any, y: Any) -> tuple[Any, Any]:
        return x + y, x * y

    defvjp(
        sum_and_product,
        lambda ans, x, y: lambda g: g[0] + g[1] * y,
        lambda ans, x, y: lambda g: g[0] + g[1] * x,
    )
    defjvp(
        sum_and_product,
        lambda t, ans, x, y: (t, t * y),
        lambda t, ans, x, y: (t, t * x),
    )

    def fun(x: Any) -> Any:
        s, p = sum_and_product(x, 2 * x)
        return s * p

    assert grad(fun)(3.0) == deriv(fun)(3.0) == 18 * 9.0
    assert grad(lambda x: sum_and_product(x, 5.0)[1])(3.0) == 5.0
