"""Inputs that once gave a wrong derivative or a poor error, by the kind they stand for."""

from __future__ import annotations

import inspect
import math
import re
import traceback
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as onp
import pytest

import literate_ad.numpy as np
from literate_ad import core, deriv, elementwise_grad, grad, jacobian, make_jvp, make_vjp, primitive
from literate_ad.extend import (
    JVPNode,
    VJPNode,
    defjvp,
    defvjp,
    differentiable,
    elementwise,
    linear,
    multilinear,
    vspace,
)
from literate_ad.tracer import Node, getval, isbox, new_box, trace_numbers

X = onp.array([1.0, 2.0, 3.0])
A = onp.arange(9.0).reshape(3, 3) + 1


# ---- calls: every way to write one gives the same derivative


def test_a_mean_by_keyword() -> None:
    weights = onp.array([1.0, 10.0, 100.0])
    expected = onp.outer(weights / 3, onp.ones(3))
    for fun in (
        lambda x: np.mean(a=x, axis=1),
        lambda x: np.mean(axis=-1, a=x),
        lambda x: np.mean(x, (1,)),
        lambda x: x.mean(axis=1),
        lambda x: onp.mean(a=x, axis=1),
    ):
        gradient = grad(lambda x, f=fun: np.sum(f(x) * weights))(A)
        onp.testing.assert_allclose(gradient, expected)


def test_methods_whose_arguments_differ_from_the_functions() -> None:
    pullback, value = make_vjp(lambda x: np.sum(x.reshape(3, 1).flatten("F") * 2.0))(X)
    assert (float(value), pullback(1.0).tolist()) == (12.0, [2, 2, 2])
    for refused in (lambda x: x.sort(), lambda x: x.fill(1.0), lambda x: x.resize(2)):
        with pytest.raises(TypeError, match="would lose the derivative"):
            grad(refused)(X)


def test_compress_as_a_method() -> None:
    picked = grad(lambda x: np.sum(x.compress([True, False, True]) * 2.0))
    assert picked(X).tolist() == [2, 0, 2]


def test_put_writes_nothing() -> None:
    x = X.copy()
    with pytest.raises(TypeError, match=r"x\.put"):
        grad(lambda x: x.put([0], [5.0]))(x)
    assert x.tolist() == X.tolist()


@pytest.mark.parametrize(
    "fun", [np.sum, np.mean, np.max, lambda x: np.sum(np.cumsum(x)), lambda x: np.dot(x, x),
            lambda x: np.sum(np.asarray(x) ** 2), lambda x: np.sum(np.sin(x)),
            lambda x: np.sum(np.hypot(x, x)), lambda x: np.sum(np.where(X[:2] > 1, x, 0.0))],
)  # fmt: skip
def test_a_list_of_traced_values_is_an_array_to_a_function(fun: Callable[..., Any]) -> None:
    for mode in (grad, deriv):
        by_list = mode(lambda x: fun([x, 2 * x]))(3.0)
        by_array = mode(lambda x: fun(np.array([x, 2 * x])))(3.0)
        assert by_list == by_array


def test_a_traced_list_is_an_array_to_a_function() -> None:
    assert grad(np.sum)([1.0, 2.0]) == [1.0, 1.0]
    assert grad(lambda p: np.sum(np.sin(p) * X[:2]))([0.0, 0.0]) == [1.0, 2.0]


def test_numbers_of_other_kinds() -> None:
    for product in (lambda x: 1j * x, lambda x: np.multiply(1j, x), lambda x: onp.multiply(x, 1j)):
        assert make_vjp(product)(2.0)[0](1.0) == 0.0
        assert make_vjp(product)(2.0)[0](1j) == -1.0
        assert make_jvp(product)(2.0)(1.0)[1] == 1j
    for half in (lambda x: x * Fraction(1, 2), lambda x: Fraction(1, 2) * x):
        assert grad(half)(3.0) == deriv(half)(3.0) == 0.5
    with pytest.raises(TypeError, match="NoneType"):
        grad(lambda x: np.multiply(x, None))(1.0)


# ---- strong zero


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize(
    ("fun", "x", "expected"),
    [
        (lambda x: np.where(x < 700, np.exp(x), 0), [1.0, 800.0], [onp.e, 0]),
        (lambda x: np.where(x > 30, x, np.log1p(np.exp(x))), [1000.0], [1]),
        (lambda x: np.where(x < 700, np.cosh(x), 0), [1.0, 800.0], [onp.sinh(1.0), 0]),
        (lambda x: np.where(x < 700, np.sinh(x), 0), [1.0, 800.0], [onp.cosh(1.0), 0]),
        (lambda x: np.where(x < 700, x * np.exp(x), 0), [1.0, 800.0], [2 * onp.e, 0]),
        (lambda x: np.where(x < 2, x * onp.array([1.0, onp.inf]), 0), [1.0, 2.0], [1, 0]),
        (lambda x: np.where(x[:, None] < 700, np.exp(x[:, None]), 0), [1.0, 800.0], [onp.e, 0]),
    ],
)
def test_a_branch_not_taken_may_overflow(fun: Any, x: Any, expected: Any) -> None:
    x = onp.array(x)
    plain = {"divide": "warn", "over": "ignore", "invalid": "raise"}
    with onp.errstate(**plain):
        onp.testing.assert_allclose(grad(lambda x: np.sum(fun(x)))(x), expected)
        for i, each in enumerate(expected):
            basis = onp.eye(len(x))[i]
            tangent = make_jvp(lambda x: np.sum(fun(x)))(x)(basis)[1]
            onp.testing.assert_allclose(tangent, each)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_second_derivative_through_an_infinite_slope_is_kept() -> None:
    """Masking more than the nans would lose the mixed derivative of ``a log b`` at a = 0."""
    c = onp.array([True, False])

    def fun(a: Any, b: Any) -> Any:
        return np.sum(np.where(c, a * np.log(b), 0))

    a, b = onp.array([0.0, 1.0]), onp.array([2.0, 0.0])
    mixed = jacobian(lambda a: grad(fun, 1)(a, b))(a)
    onp.testing.assert_allclose(mixed, [[0.5, 0], [0, 0]])
    forward = make_jvp(lambda a: grad(fun, 1)(a, b))(a)(onp.ones(2))[1]
    onp.testing.assert_allclose(forward, [0.5, 0])


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_forward_mode_keeps_zero_tangents() -> None:
    fun = lambda x: np.log(x[0]) - x[1] ** 2  # noqa: E731
    assert make_jvp(fun)(onp.array([0.0, 1.0]))(onp.array([0.0, 1.0]))[1] == -2.0
    every = lambda x: np.sum(np.log(x))  # noqa: E731
    assert make_jvp(every)(onp.array([0.0, 1.0]))(onp.array([0.0, 1.0]))[1] == 1.0


def test_a_nan_of_the_input_stays() -> None:
    gradient = grad(lambda x: np.sum(np.where(x > 1, x * x, np.log(x))))(onp.array([onp.nan, 2.0]))
    assert onp.isnan(gradient).tolist() == [True, False]


# ---- slopes that are right to rounding


def test_slopes_without_squares_that_overflow() -> None:
    for scale in (1e-200, 1.0, 1e200):
        gx, gy = grad(np.arctan2, (0, 1))(scale, scale)
        onp.testing.assert_allclose([gx * scale, gy * scale], [0.5, -0.5])
        onp.testing.assert_allclose(grad(np.hypot, (0, 1))(scale, scale), [0.5**0.5] * 2)
        onp.testing.assert_allclose(grad(np.divide, 1)(scale, scale) * scale, -1.0)


def test_arccosh_on_its_right_branch() -> None:
    z = -2 + 1j
    slope = make_vjp(np.arccosh)(z)[0](1.0)
    step = 1e-6
    numeric = (onp.arccosh(z + step) - onp.arccosh(z - step)) / (2 * step)
    onp.testing.assert_allclose(slope, numeric, rtol=1e-8)


# ---- containers

# ruff: noqa: RUF005  the operators are what is tested


def test_traced_containers_are_joined_like_their_own_kind() -> None:
    p = [1.0, 2.0]
    assert grad(lambda p: sum(v * v for v in p + [p[0]]))(p) == [4.0, 4.0]
    assert grad(lambda p: sum(v * v for v in [p[1]] + p))(p) == [2.0, 8.0]
    assert grad(lambda p: sum(v * v for v in p * 2))(p) == [4.0, 8.0]
    assert grad(lambda p: sum(v * v for v in 2 * p))(p) == [4.0, 8.0]
    assert grad(lambda p: sum(v * v for v in p[1:] + p[:1]))(p) == [2.0, 4.0]
    assert grad(lambda p: sum(v * v for v in p + (p[0],)))((1.0, 2.0)) == (4.0, 4.0)
    assert deriv(lambda p: sum((p + [p[0]])[1:]))(p) == 2.0
    d = {"a": 1.0, "b": 2.0}
    assert grad(lambda d: sum(v * v for v in (d | {"b": 3.0 * d["a"]}).values()))(d) == {
        "a": 20.0, "b": 0.0
    }  # fmt: skip
    assert grad(lambda d: sum(v for v in ({"c": d["a"]} | d).values()))(d) == {"a": 2.0, "b": 1.0}


def test_a_list_used_as_a_vector_says_that_it_is_a_list() -> None:
    for fun in (lambda p: p * 2.0, lambda p: p + 1.0, lambda p: p - p, lambda p: 2.0 * p):
        with pytest.raises(TypeError, match=r"a traced list.*array\("):
            grad(lambda p, f=fun: np.sum(f(p)))([1.0, 2.0])


def test_an_item_that_is_no_number_is_named_by_its_key() -> None:
    p = {"w": onp.ones(2), "name": "linear"}
    with pytest.raises(TypeError, match=r"'name'.*constants"):
        grad(lambda p: np.sum(p["w"]))(p)


# ---- errors that name the cause


def test_an_unreduced_contribution_is_named_with_the_line_that_recorded_it() -> None:
    @primitive
    def total(x: Any) -> Any:
        return onp.sum(x)

    defvjp(total, lambda ans, x: lambda g: g)

    def fun(x: Any) -> Any:
        return total(2.0 * x)  # the line

    line = inspect.getsourcelines(fun)[1] + 1
    with pytest.raises(ValueError, match="reverse rule of total") as error:
        grad(fun)(X)
    said = str(error.value)
    assert "()" in said
    assert "(3,)" in said
    assert f"{__file__}:{line}" in said


def test_the_warning_of_independence_points_at_the_caller() -> None:
    for operator in (grad, deriv, make_vjp):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            operator(lambda x: 5.0)(2.0)
        assert [each.filename for each in caught] == [__file__]


def test_a_maker_that_is_not_staged_is_named() -> None:
    @primitive
    def doubled(x: Any) -> Any:
        return 2 * x

    defvjp(doubled, lambda g, x: 2 * g)
    with pytest.raises(TypeError, match=r"defvjp\(doubled.*staged"):
        grad(doubled)(3.0)


def test_a_library_that_makes_an_array_is_named() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    with pytest.raises(TypeError, match="scipy's rosen"):
        grad(optimize.rosen)(X)
    with pytest.raises(TypeError, match=rf"line \d+ of {re.escape(__file__)}"):
        grad(lambda x: onp.asarray(x))(X)


def test_plain_block_is_named_and_column_stack_works() -> None:
    with pytest.raises(TypeError, match="numpy's block"):
        grad(lambda x: np.sum(onp.block([[x * X], [X]])))(X)
    gradient = grad(lambda x: np.sum(onp.column_stack([x * X, X])))(X)
    onp.testing.assert_array_equal(gradient, X)


def test_an_assignment_into_a_plain_array_ends_with_our_words() -> None:
    def fun(v: Any) -> Any:
        y = onp.zeros(3)
        for i in range(3):
            y[i] = v[i] ** 2
        return np.sum(y)

    for operator in (grad, deriv):
        with pytest.raises(TypeError) as error:
            operator(fun)(X)
        assert "would lose the derivative" in traceback.format_exception(error.value)[-1]
        assert any("y[i] = v[i] ** 2" in line for line in traceback.format_exception(error.value))


# ---- declarations


def shifted() -> Any:
    @primitive
    def shift(x: Any, by: Any) -> Any:
        return x + by

    return shift


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda f: defvjp(f, None, None, argnums=(0,)), "2 rules for the arguments"),
        (lambda f: defvjp(f, None, None, None), "no argument 2: shift takes x, by"),
        (lambda f: defvjp(f), "at least one"),
        (lambda f: defjvp(f, "same", argnums=(0, 1)), "1 rules for the arguments"),
        (lambda f: defjvp(f, "linear"), "a function or None, not 'linear'"),
        (lambda f: defvjp(f, 3.0), "a function or None, not 3.0"),
        (lambda f: elementwise(f, lambda g, z: g, lambda g: g), "no parameter 'z'"),
        (lambda f: elementwise(f, lambda g: g, lambda g: g, lambda g: g), "3 rules"),
        (lambda f: linear(f, lambda g, x: g), "no parameter 'x'"),
        (lambda f: multilinear(f, lambda g: g, 3), "a rule is a function"),
        (lambda f: differentiable(f, [lambda g: g], []), "1 reverse rules and 0"),
        (lambda f: elementwise(f.fun, lambda g: g, lambda g: g), "not a primitive"),
    ],
)
def test_a_wrong_declaration_is_an_error_at_once(declare: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        declare(shifted())


def test_a_rule_reads_a_parameter_that_the_call_leaves_out() -> None:
    @primitive
    def scaled(x: Any, factor: float = 3.0) -> Any:
        return x * factor

    elementwise(scaled, lambda g, factor: g * factor)
    assert grad(scaled)(2.0) == deriv(scaled)(2.0) == 3.0
    assert grad(lambda x: scaled(x, factor=5.0))(2.0) == grad(lambda x: scaled(x, 5.0))(2.0) == 5.0


def test_forms_for_functions_of_ones_own() -> None:
    shift = shifted()
    elementwise(shift, lambda g, _: g, lambda g, _: g)
    gx, gb = grad(lambda x, b: np.sum(shift(x, b) * X), (0, 1))(X, 1.0)
    assert (gx.tolist(), gb) == ([1, 2, 3], 6.0)
    assert make_jvp(shift, (0, 1))(X, 1.0)((X, 1.0))[1].tolist() == [2, 3, 4]
    with pytest.raises(TypeError, match="has its rules already"):
        defvjp(shift, None)


# ---- programs


class Step(Node):
    """Keeps a primitive and its arguments; ``replay`` runs them at another input."""

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):  # type: ignore[no-untyped-def]
        self.fun, self.args, self.kwargs = fun, list(args), kwargs
        self.inputs = dict(zip(parent_argnums, parents, strict=True))

    def initialize_root(self) -> None:
        self.fun = None

    def replay(self, x: Any, done: dict[Any, Any] | None = None) -> Any:
        done = {} if done is None else done  # a value that is used twice is computed once
        if self.fun is None:
            return x
        if self not in done:
            args = list(self.args)
            for place, step in self.inputs.items():
                args[place] = step.replay(x, done)
            done[self] = self.fun(*args, **self.kwargs)
        return done[self]


def recorded(fun: Any, x: Any) -> Callable[[Any], Any]:
    """The program of ``fun``, recorded at ``x``."""
    end = fun(new_box(x, next(trace_numbers), Step.new_root()))
    assert isbox(end)
    return lambda y: getval(end._node.replay(y))


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")  # of the program
def test_a_program_is_right_at_other_inputs() -> None:
    positive = recorded(lambda x: np.sum(np.where(x > 0, x * x, 0)), onp.array([1.0, -2.0]))
    assert positive(onp.array([-1.0, 2.0])) == 4.0
    larger = recorded(grad(lambda y: np.sum(np.maximum(y, 2) * y)), onp.array([1.0, 4.0]))
    assert larger(onp.array([4.0, 1.0])).tolist() == [8, 2]
    root = recorded(grad(lambda y: np.sum(np.where(y > 0, np.sqrt(y), 0))), onp.array([1.0, 4.0]))
    assert root(onp.array([0.0, 4.0])).tolist() == [0, 0.25]
    tangent = recorded(deriv(lambda y: np.where(y > 0, np.sqrt(y), 0)), onp.array([1.0, 4.0]))
    assert tangent(onp.array([9.0, 4.0])).tolist() == [1 / 6, 0.25]


# ---- names


def test_the_namespace_is_that_of_numpy() -> None:
    public = {name for name in dir(onp) if not name.startswith("_")}
    modules = {name for name in public if inspect.ismodule(getattr(onp, name))}
    assert set(np.__all__) - modules == public - modules
    assert set(dir(np)) == set(np.__all__)


def test_a_rule_declared_late_is_seen_under_every_name() -> None:
    early = np.i0
    with pytest.raises(NotImplementedError, match="i0"):
        grad(np.i0)(1.0)
    assert early is np.i0
    assert elementwise_grad(np.acos)(0.0) == elementwise_grad(np.arccos)(0.0) == -1.0


# ---- options, dtypes, memory and warnings that the other tests do not see


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: np.sum(x, out=onp.zeros(())),
        lambda x: np.sum(x, None, None, onp.zeros(())),
        lambda x: np.sum(np.ravel(x, "A")),
        lambda x: np.sum(np.ravel(x, order="K")),
        lambda x: np.sum(np.reshape(x, (3, 1), order="A")),
        lambda x: np.sum(np.sin(x, onp.zeros(3))),
        lambda x: np.sum(np.sin(x, out=None, where=X > 1)),
        lambda x: np.sum(np.add(x, 1.0, dtype="f4")),
        lambda x: np.sum(np.matmul(x, X, out=onp.zeros(()))),
        lambda x: np.sum(np.concatenate([x, x], out=onp.zeros(6))),
    ],
)
def test_options_without_a_rule_are_refused_in_both_modes(fun: Any) -> None:
    for operator in (grad, deriv):
        with pytest.raises(
            (NotImplementedError, TypeError), match=r"out|where|initial|order|dtype"
        ):
            operator(fun)(X)


def test_joined_parts_get_contributions_of_their_own_dtype() -> None:
    narrow, wide = X.astype("f4"), X[:2]
    for join in (np.concatenate, lambda parts: np.stack([parts[0][:2], parts[1]])):
        number = next(trace_numbers)
        boxes = [new_box(x, number, VJPNode.new_root()) for x in (narrow, wide)]
        end = join(boxes)._node
        parts = end.vjp(onp.ones(5 if join is np.concatenate else (2, 2)))
        assert [part.dtype for part in parts] == ["f4", "f8"]
        alone = new_box(narrow, next(trace_numbers), VJPNode.new_root())
        (part,) = join([alone, wide])._node.vjp(onp.ones(5 if join is np.concatenate else (2, 2)))
        assert part.dtype == "f4"


def test_a_forward_join_with_a_constant_keeps_its_dtype() -> None:
    narrow = X.astype("f4")
    for join in (np.concatenate, np.stack):
        box = new_box(narrow, next(trace_numbers), JVPNode.new_root(narrow))
        assert join([box, onp.ones(3, "f4")])._node.g.dtype == "f4"


def test_a_seed_is_neither_frozen_nor_shared() -> None:
    for ask in (make_vjp(lambda x: x + 0.0)(X)[0], lambda g: make_jvp(lambda x: x)(X)(g)[1]):
        g = onp.ones(3)
        answer = ask(g)
        assert g.flags.writeable
        assert answer.flags.writeable
        assert not onp.shares_memory(answer, g)


def test_adding_cotangents_changes_none_of_them() -> None:
    first, second, third = onp.ones(2), onp.ones(2), onp.ones(2)
    assert core.add_outgrads(first, second).tolist() == [2, 2]
    assert core.sum_outgrads([first, second, third]).tolist() == [3, 3]
    assert first.tolist() == second.tolist() == third.tolist() == [1, 1]


def test_a_complex_space_keeps_its_laws() -> None:
    space = vspace(onp.ones(2, complex))
    basis = list(space.standard_basis())
    assert [b.tolist() for b in basis] == [[1, 0], [1j, 0], [0, 1], [0, 1j]]
    x = onp.array([1 + 2j, 3 - 1j])
    coordinates = [float(space.inner_prod(x, b)) for b in basis]
    total = space.zeros()
    for c, b in zip(coordinates, basis, strict=True):
        total = space.add(total, space.scalar_mul(b, c))
    assert total.tolist() == x.tolist()
    y = onp.array([2 - 1j, 1 + 1j])
    assert onp.real(onp.sum(space.covector(x) * y)) == space.inner_prod(x, y)


def test_a_complex_cotangent_of_a_real_input_gives_its_real_part_without_a_warning() -> None:
    pullback, value = make_vjp(lambda x: x * onp.array([1j, 1.0]))(onp.ones(2))
    assert value.dtype == complex
    assert pullback(onp.array([1j, 2.0])).tolist() == [-1, 2]


def test_a_tuple_with_one_integer_is_no_constant() -> None:
    @primitive
    def halves(x: Any) -> Any:
        return x / 2, 3

    defvjp(halves, lambda ans, x: lambda g: g[0] / 2)
    assert grad(lambda x: halves(x)[0] * 4.0)(1.0) == 2.0


def test_a_forward_rule_of_none_gives_zeros_of_the_answers_shape() -> None:
    @primitive
    def count(x: Any) -> Any:
        return onp.ones((2, 3)) * x.size

    defjvp(count, None)
    assert make_jvp(count)(X)(X)[1].tolist() == onp.zeros((2, 3)).tolist()


def test_an_empty_jacobian_has_the_dtype_of_its_input() -> None:
    assert jacobian(lambda x: x[:0])(X.astype("f4")).dtype == "f4"


def test_a_plain_ufunc_on_a_traced_list_works_on_its_array() -> None:
    assert grad(lambda p: onp.sum(onp.sin(p) * X[:2]))([0.0, 0.0]) == [1.0, 2.0]


def test_an_operator_beside_a_list_of_traced_values_works_on_its_array() -> None:
    for mode in (grad, deriv):
        assert mode(lambda x: np.sum(x * [x, 1.0]))(2.0) == 5.0
        assert mode(lambda x: np.sum([x, 1.0] * (x * X[:2])))(2.0) == 6.0
        assert mode(lambda x: np.sum((x * X[:2]) @ [x, x]))(2.0) == 12.0


def test_every_attribute_of_arrays_is_in_the_table_or_refused() -> None:
    boxes: list[Any] = []
    make_vjp(lambda x: boxes.append(x) or x)(X)
    names = [name for name in dir(onp.ndarray) if not name.startswith("_")]
    refused = [name for name in names if not hasattr(type(boxes[0]), name)]
    assert "flat" in refused
    for name in refused:
        with pytest.raises(AttributeError, match=f"no '{name}': use a function"):
            getattr(boxes[0], name)


def test_forms_for_functions_that_return_python_numbers() -> None:
    @primitive
    def sine(x: Any) -> float:
        return math.sin(x)

    @primitive
    def total(x: Any, factor: float = 2.0) -> float:
        return float(onp.sum(x)) * factor

    @primitive
    def inner(a: Any, b: Any) -> float:
        return float(a @ b)

    @primitive
    def length(v: Any) -> float:
        return math.sqrt(float(v @ v))

    elementwise(sine, lambda g, x: g * np.cos(x))
    linear(total, lambda g, x_shape, factor: np.broadcast_to(g * factor, x_shape))
    multilinear(inner, lambda g, y: g * y, lambda g, x: g * x)
    differentiable(length, [lambda g, v, ans: g * v / ans], [lambda t, v, ans: np.sum(t * v) / ans])
    assert grad(sine)(0.5) == deriv(sine)(0.5) == math.cos(0.5)
    assert grad(grad(sine))(0.5) == -math.sin(0.5)
    assert grad(lambda x: total(x, factor=3.0))(X).tolist() == [3, 3, 3]
    assert deriv(total)(X) == 6.0
    assert jacobian(grad(lambda x: inner(x, x)))(X).tolist() == (2 * onp.eye(3)).tolist()
    onp.testing.assert_allclose(grad(length)(X), X / onp.sqrt(14))
    onp.testing.assert_allclose(deriv(length)(X), onp.sum(X) / onp.sqrt(14))


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero")  # of the users' rules
def test_zeros_are_kept_by_rules_of_ones_own() -> None:
    """A rule that is not known to act number by number takes a cotangent of only zeros to 0."""

    @primitive
    def length(v: Any) -> Any:
        return onp.sqrt(onp.sum(v * v))

    defvjp(length, lambda ans, v: lambda g: g * v / ans)
    defjvp(length, lambda t, ans, v: np.sum(t * v) / ans)

    @primitive
    def size(v: Any) -> Any:
        return onp.sqrt(onp.sum(v * v))

    differentiable(size, [lambda g, v, ans: g * v / ans], [lambda t, v, ans: np.sum(t * v) / ans])
    for fun in (length, size):
        gradient = grad(lambda v, f=fun: np.where(False, f(v), np.sum(v)))(onp.zeros(2))
        assert gradient.tolist() == [1, 1]
        tangent = make_jvp(lambda v, f=fun: f(0.0 * v) + np.sum(v))(X)(0.0 * X)[1]
        assert tangent == 0.0


def test_zeros_are_kept_before_a_broadcast_operand_is_summed() -> None:
    taken, steep = onp.array([True, False]), onp.array([1.0, onp.inf])
    for mode in (grad, deriv):
        assert mode(lambda x: np.sum(np.where(taken, x * steep, 0)))(2.0) == 1.0
        assert mode(lambda x: np.sum(np.where(taken, x * (x * steep), 0)))(2.0) == 4.0
