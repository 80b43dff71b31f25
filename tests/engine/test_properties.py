"""Random programs built from the rules: all ways to differentiate them agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest
from derivatives import central, check_second_order, direction, inner, weighted
from hypothesis import given, settings
from hypothesis import strategies as st

import literate_ad.numpy as np
from literate_ad import grad, make_jvp, make_vjp

pytestmark = pytest.mark.filterwarnings("ignore:Output seems independent")

# Each keeps numbers within about [-2, 2] and is smooth there.
UNARY: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "arctan": np.arctan, "negative": np.negative,
    "logistic": lambda x: 1 / (1 + np.exp(-x)), "log": lambda x: np.log(2.5 + x * x) - 1,
    "sqrt": lambda x: np.sqrt(1 + x * x) - 1, "cbrt": lambda x: np.cbrt(3 + np.sin(x)),
    "log1p": lambda x: np.log1p(x * x) / 2, "square": lambda x: np.square(np.sin(x)),
    "power": lambda x: (1.5 + np.cos(x)) ** 1.5 / 3, "cube": lambda x: np.sin(x) ** 3,
    "arcsinh": np.arcsinh, "reciprocal": lambda x: np.reciprocal(1 + x * x),
    "expm1": lambda x: np.expm1(-x * x), "log2": lambda x: np.log2(1.5 + x * x) / 2,
}  # fmt: skip
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: (x + y) / 2, "subtract": lambda x, y: (x - y) / 2,
    "multiply": lambda x, y: x * y / 2, "divide": lambda x, y: x / (1.5 + y * y),
    "arctan2": lambda x, y: np.arctan2(x, 2.5 + np.sin(y)) * 1.5,
    "hypot": lambda x, y: np.hypot(x, 1 + y * y) / 3,
    "logaddexp": lambda x, y: np.logaddexp(x, y) - 1,
    "power": lambda x, y: (1.5 + np.sin(x)) ** np.cos(y) / 2,
    "where": lambda x, y: np.where(onp.arange(3) > 0, x, y),
}  # fmt: skip
# Ways to move numbers of a (2, 3) array about and come back to one.
MOVES: dict[str, Callable[[Any], Any]] = {
    "reverse": lambda x: x[::-1], "shift": lambda x: np.concatenate([x[:, 1:], x[:, :1]], axis=1),
    "pick": lambda x: x[[1, 1], :][:, [2, 0, 0]], "center": lambda x: x - np.mean(x, axis=0),
    "sums": lambda x: x * np.sum(x, axis=1, keepdims=True) / 4, "row": lambda x: x[0] * 1.0 + x * 0,
    "reshape": lambda x: np.reshape(np.reshape(x, (3, 2)), (2, 3), order="F"),
    "transpose": lambda x: np.transpose(x.T[::-1]), "matmul": lambda x: x @ (x.T @ x) / 8,
    "stack": lambda x: np.stack([x[1], np.sin(x[0])]),
    "ravel": lambda x: x.ravel()[::-1].reshape(2, 3),
    "array": lambda x: np.array([[x[0, 0], 1.0, x[1, 1]], list(x[1])]),
    "broadcast": lambda x: np.broadcast_to(x[:, :1] * 0.5, (2, 3)) + x / 2,
    "swap": lambda x: np.swapaxes(np.moveaxis(x[:, None], 0, -1), 0, 2).squeeze(-1),
}  # fmt: skip


class Program:
    """A straight line of steps; each adds a value made from earlier ones."""

    def __init__(self, steps: list[tuple[str, int, int]]) -> None:
        self.steps = steps

    def __call__(self, x: Any, y: Any) -> Any:
        values = [x, y + np.zeros((2, 3))]
        for name, i, j in self.steps:
            a, b = values[i % len(values)], values[j % len(values)]
            values.append(BINARY[name](a, b) if name in BINARY else (UNARY | MOVES)[name](a))
        return values[-1] + values[-2] / 3

    def __repr__(self) -> str:
        return f"Program({self.steps})"


names = st.sampled_from([*UNARY, *BINARY, *MOVES])
programs = st.lists(st.tuples(names, st.integers(0, 9), st.integers(0, 9)), max_size=8).map(Program)
second_arguments = st.sampled_from([(2, 3), (3,), (2, 1), ()])
seeds = st.integers(0, 2**32 - 1)


def arguments(seed: int, shape: tuple[int, ...], dtype: Any = float) -> tuple[Any, Any]:
    draw = onp.random.default_rng(seed)
    return tuple(onp.asarray(draw.uniform(-1, 1, s), dtype)[()] for s in ((2, 3), shape))  # type: ignore[return-value]


@settings(max_examples=150, deadline=None)
@given(programs, second_arguments, seeds)
def test_reverse_forward_and_central_differences_agree(
    program: Program, shape: tuple[int, ...], seed: int
) -> None:
    args = arguments(seed, shape)
    s, v = weighted(program, args), direction(args, seed)
    gradient = grad(s, (0, 1))(*args)
    assert [onp.shape(g) for g in gradient] == [(2, 3), shape]
    forward = make_jvp(s, (0, 1))(*args)(v)[1]
    onp.testing.assert_allclose(inner(gradient, v), forward, rtol=1e-9, atol=1e-11)
    onp.testing.assert_allclose(forward, central(s, args, v), rtol=1e-6, atol=1e-7)


@settings(max_examples=40, deadline=None)
@given(programs, second_arguments, seeds)
def test_second_derivatives_agree(program: Program, shape: tuple[int, ...], seed: int) -> None:
    check_second_order(program, arguments(seed, shape), tolerance=2e-6)


@settings(max_examples=60, deadline=None)
@given(programs, seeds)
def test_plain_numpy_and_ours_give_the_same_value(program: Program, seed: int) -> None:
    args = arguments(seed, (3,))
    pullback, value = make_vjp(program, (0, 1))(*args)
    onp.testing.assert_array_equal(value, program(*args))
    twice = [pullback(onp.ones((2, 3))) for _ in range(2)]
    for first, second in zip(*twice, strict=True):
        onp.testing.assert_array_equal(first, second)


@settings(max_examples=60, deadline=None)
@given(programs, second_arguments, seeds)
def test_each_argument_alone_gives_its_part_of_both(
    program: Program, shape: tuple[int, ...], seed: int
) -> None:
    args = arguments(seed, shape)
    s = weighted(program, args)
    both = grad(s, (0, 1))(*args)
    for argnum in (0, 1):
        onp.testing.assert_allclose(grad(s, argnum)(*args), both[argnum], rtol=1e-12, atol=1e-14)


@settings(max_examples=60, deadline=None)
@given(programs, seeds, st.sampled_from(["f4", "f8"]))
def test_dtypes_are_kept(program: Program, seed: int, dtype: str) -> None:
    args = arguments(seed, (3,), dtype)
    gradient = grad(lambda x, y: np.sum(program(x, y)), (0, 1))(*args)
    assert [g.dtype for g in gradient] == [onp.dtype(dtype)] * 2


@settings(max_examples=60, deadline=None)
@given(programs, seeds)
def test_the_pullback_is_the_transpose_of_the_jvp(program: Program, seed: int) -> None:
    args = arguments(seed, (2, 1))
    v, (g,) = direction(args, seed), direction([program(*args)], seed + 1)
    tangent = make_jvp(program, (0, 1))(*args)(v)[1]
    cotangents = make_vjp(program, (0, 1))(*args)[0](g)
    onp.testing.assert_allclose(inner([tangent], [g]), inner(cotangents, v), rtol=1e-9, atol=1e-11)


# ---- the accumulation of cotangents, by itself

indices = st.one_of(
    st.integers(-5, 4), st.lists(st.integers(-5, 4), min_size=1, max_size=4),
    st.slices(5), st.lists(st.booleans(), min_size=5, max_size=5).map(onp.array),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(indices, st.booleans()), max_size=7), seeds)
def test_reading_an_array_in_any_pieces(reads: list[tuple[Any, bool]], seed: int) -> None:
    (x,) = direction([onp.zeros(5)], seed)
    weights = onp.random.default_rng(seed).standard_normal(len(reads))

    def fun(x: Any) -> Any:
        total = np.sum(x * x)
        for (index, dense), weight in zip(reads, weights, strict=True):
            total = total + weight * np.sum(x[index] ** 2) + (np.sum(x) if dense else 0.0)
        return total

    expected = 2 * x
    for (index, dense), weight in zip(reads, weights, strict=True):
        part = onp.zeros(5)
        onp.add.at(part, index, 2 * weight * x[index])
        expected = expected + part + dense
    onp.testing.assert_allclose(grad(fun)(x), expected, rtol=1e-10, atol=1e-12)
    onp.testing.assert_allclose(
        make_jvp(fun)(x)(onp.arange(5.0))[1], expected @ onp.arange(5), rtol=1e-9, atol=1e-11
    )


containers = st.recursive(
    st.floats(-2, 2),
    lambda inside: st.one_of(
        st.lists(inside, min_size=1, max_size=3),
        st.dictionaries(st.sampled_from("abc"), inside, min_size=1),
        st.lists(inside, min_size=1, max_size=3).map(tuple),
    ),
    max_leaves=8,
)


def leaves(tree: Any) -> list[Any]:
    """The numbers of a container (traced or not), in order."""
    if hasattr(tree, "keys"):
        return [leaf for key in tree.keys() for leaf in leaves(tree[key])]  # noqa: SIM118
    if hasattr(tree, "__len__") and not hasattr(tree, "shape"):
        return [leaf for i in range(len(tree)) for leaf in leaves(tree[i])]
    return [tree]


@settings(max_examples=100, deadline=None)
@given(containers)
def test_containers_of_any_build(tree: Any) -> None:
    def fun(tree: Any) -> Any:
        return sum(np.sin(leaf) * (i + 1) for i, leaf in enumerate(leaves(tree)))

    gradient = grad(fun)(tree)
    assert type(gradient) is type(tree) or isinstance(tree, float)
    expected = [onp.cos(leaf) * (i + 1) for i, leaf in enumerate(leaves(tree))]
    onp.testing.assert_allclose(leaves(gradient), expected, rtol=1e-12)
    ones = make_jvp(fun)(tree)(gradient)[1]
    onp.testing.assert_allclose(ones, sum(g * g for g in expected), rtol=1e-12)
