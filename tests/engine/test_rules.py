"""Every rule of the engine: both modes, both orders, all shapes, dtypes and layouts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as onp
import pytest
from derivatives import check_first_order, check_second_order, direction

import literate_ad.numpy as np
from literate_ad import core, grad, make_jvp, make_vjp
from literate_ad.builtins import container_of
from literate_ad.core import VSpace, vspace, without_undefined
from literate_ad.numpy.assignment import assigned
from literate_ad.numpy.numpy_vspaces import scatter
from literate_ad.numpy.numpy_wrapper import cast
from literate_ad.numpy.rules.arithmetic import power_derivative
from literate_ad.numpy.rules.joining import stack_args
from literate_ad.numpy.rules.ordering import add_along_axis, shared_by_equals
from literate_ad.tracer import Node, trace

pytestmark = pytest.mark.filterwarnings("ignore:Output seems independent")

# Each function of one argument with an interval that it is smooth on.
UNARY = {
    "positive": (-2, 2), "negative": (-2, 2), "absolute": (0.2, 2), "exp": (-1, 1),
    "exp2": (-1, 1), "expm1": (-1, 1), "log": (0.5, 2), "log2": (0.5, 2), "log10": (0.5, 2),
    "log1p": (-0.5, 2), "square": (-2, 2), "sqrt": (0.5, 2), "cbrt": (0.5, 2),
    "reciprocal": (0.5, 2), "sin": (-2, 2), "cos": (-2, 2), "tan": (-1, 1), "arcsin": (-0.8, 0.8),
    "arccos": (-0.8, 0.8), "arctan": (-2, 2), "deg2rad": (-90, 90), "rad2deg": (-2, 2),
    "radians": (-90, 90), "degrees": (-2, 2), "sinh": (-1, 1), "cosh": (-1, 1), "tanh": (-1, 1),
    "arcsinh": (-2, 2), "arccosh": (1.5, 3), "arctanh": (-0.8, 0.8),
}  # fmt: skip

# Each function of two arguments with an interval for both.
BINARY = {
    "add": (-2, 2), "subtract": (-2, 2), "multiply": (-2, 2), "divide": (0.5, 2),
    "power": (0.5, 2), "remainder": (3.1, 3.9), "maximum": (-2, 2), "minimum": (-2, 2),
    "fmax": (-2, 2), "fmin": (-2, 2), "arctan2": (0.5, 2), "hypot": (0.5, 2),
    "logaddexp": (-2, 2), "logaddexp2": (-2, 2),
}  # fmt: skip

SHAPES = [(), (3,), (2, 3), (1, 3), (0,), (2, 0, 3)]
SHAPE_PAIRS = [
    ((), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((), (3,)),
    ((3,), ()), ((1,), (2, 3)), ((2, 3), (1, 1)), ((4, 1, 3), (2, 1)), ((0, 3), (3,)), ((0,), ()),
]  # fmt: skip


def draw(interval: tuple[float, float], shape: tuple[int, ...], seed: int = 0) -> Any:
    return onp.random.default_rng(seed).uniform(*interval, size=shape)


def normal(*shape: int, seed: int = 0) -> Any:
    return onp.random.default_rng(seed).standard_normal(shape)


def pair_of(name: str, shapes: Any) -> tuple[Any, Any]:
    """Two arguments; a remainder needs a larger one to divide."""
    x, y = (draw(BINARY[name], shape, seed) for seed, shape in enumerate(shapes))
    return (x, y / 3) if name == "remainder" else (x, y)


MASK = onp.array([True, False, True])
ROWS = onp.array([0, 2, 0])

# The rest: the primitive that must take part, a call, and its arguments.
OTHERS: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("broadcast_to", lambda x: np.broadcast_to(x, (2, 3)), (normal(3),)),
    ("broadcast_to", lambda x: np.broadcast_to(x, (4, 2, 3)), (normal(2, 1),)),
    ("broadcast_to", lambda x: np.broadcast_to(x, (2, 2)), (normal(),)),
    ("cast", lambda x: cast(x, onp.longdouble), (normal(2),)),
    ("cast", lambda x: x.astype(float), (normal(2),)),
    ("scatter", lambda g: scatter(vspace(onp.zeros(4)), slice(1, 3), g, 0, g[0]), (normal(2),)),
    ("power_derivative", lambda x, y: power_derivative(x, y, 1), (draw((1, 2), (2, 3)), normal(3))),
    ("power_derivative", lambda x: power_derivative(x, 3, 2), (normal(),)),
    ("without_undefined", lambda x: without_undefined(x, x, 1.0 + x * x), (normal(3),)),
    ("getitem", lambda x: x[1], (normal(3),)),
    ("getitem", lambda x: x[-1, 1:], (normal(2, 3),)),
    ("getitem", lambda x: x[..., None, ::-2], (normal(2, 3),)),
    ("getitem", lambda x: x[()], (normal(2),)),
    ("getitem", lambda x: x[MASK], (normal(3, 2),)),
    ("getitem", lambda x: x[ROWS], (normal(3, 2),)),
    ("getitem", lambda x: x[[0, 0, 1]], (normal(3),)),
    ("getitem", lambda x: x[ROWS, 1:], (normal(3, 2),)),
    ("getitem", lambda x: x[ROWS[:, None], onp.array([1, 1])], (normal(3, 2),)),
    ("getitem", lambda x: x[0] * x[1] + x[0] * x[-1] + np.sum(x[::2]), (normal(3),)),
    ("getitem", lambda x: x[x > 0] ** 2, (normal(5),)),
    ("assigned", lambda x, v: assigned(x, 1, v), (normal(3), normal())),
    ("assigned", lambda x, v: assigned(x, ROWS, v), (normal(3, 2), normal(1, 3, 1, seed=1))),
    ("assigned", lambda v: assigned(onp.ones((2, 3)), (slice(None), MASK), v), (normal(2),)),
    ("where", lambda x, y: np.where(MASK, x, y), (normal(3), normal(3, seed=1))),
    ("where", lambda x, y: np.where(MASK, x, y), (normal(2, 3), normal(2, 1, seed=1))),
    ("where", lambda x, y: np.where(MASK, x, y), (normal(), normal(3, seed=1))),
    ("where", lambda x: np.where(x > 0, x * x, 1.0), (normal(4),)),
    ("where", lambda x: np.where(x, 2.0 * x, x), (normal(3),)),
    ("stack_args", lambda x, y: np.stack([x, y]), (normal(2), normal(2, seed=1))),
    ("stack_args", lambda x: np.stack([x, onp.ones(2), x * x], axis=-1), (normal(2),)),
    ("stack_args", lambda x, y: np.array([[x, 1.0], [y, x * y]]), (normal(), normal(seed=1))),
    ("stack_args", lambda x: np.array([x, [1.0, x[0]]]), (normal(2),)),
    ("stack_args", lambda x, y: stack_args(1, x, y), (normal(2, 3), normal(2, 3, seed=1))),
    ("concatenate_args", lambda x, y: np.concatenate([x, y]), (normal(2), normal(3, seed=1))),
    ("concatenate_args", lambda x: np.concatenate((x, x * x, x), axis=-1), (normal(2, 3),)),
    ("concatenate_args", lambda x: np.concatenate([x, onp.ones((1, 3)), [x[0]]]), (normal(2, 3),)),
    ("concatenate_args", lambda x, y: np.concatenate([x, y], None), (normal(2, 1), normal(3))),
    ("matmul", lambda a, b: a @ b, (normal(3), normal(3, seed=1))),
    ("matmul", lambda a, b: a @ b, (normal(2, 3), normal(3, seed=1))),
    ("matmul", lambda a, b: a @ b, (normal(3), normal(3, 2, seed=1))),
    ("matmul", lambda a, b: a @ b, (normal(2, 3), normal(3, 4, seed=1))),
    ("matmul", lambda a, b: a @ b, (normal(5, 2, 3), normal(3, 4, seed=1))),
    ("matmul", lambda a, b: a @ b, (normal(2, 3), normal(5, 3, 4, seed=1))),
    ("matmul", lambda a, b: a @ b, (normal(6, 1, 2, 3), normal(5, 3, 4, seed=1))),
    ("matmul", lambda a, b: a @ b, (normal(5, 2, 3), normal(3, seed=1))),
    ("matmul", lambda a, b: a @ b, (normal(3), normal(5, 3, 2, seed=1))),
    ("matmul", lambda a: onp.arange(6.0).reshape(2, 3) @ a, (normal(3),)),
    ("matmul", lambda a: a @ a @ a, (normal(3, 3),)),
    ("matmul", lambda a, b: np.dot(a, b), (normal(2, 3), normal(3, seed=1))),
    ("multiply", lambda a, b: np.dot(a, b), (normal(), normal(3, seed=1))),
    ("matmul", lambda a, b: a.dot(b), (normal(2, 3, 4), normal(5, 4, 2, seed=1))),
    ("matmul", lambda a, b: np.dot(a, b), (normal(4), normal(5, 4, 2, seed=1))),
    ("matmul", lambda a, b: np.dot(a, b), (normal(2, 3, 4), normal(4, seed=1))),
    ("sum", lambda x: np.sum(x), (normal(2, 3),)),
    ("sum", lambda x: np.sum(x), (normal(),)),
    ("sum", lambda x: np.sum(x, axis=0) ** 2, (normal(2, 3),)),
    ("sum", lambda x: np.sum(x, axis=(0, -1)), (normal(2, 3, 4),)),
    ("sum", lambda x: x * np.sum(x, axis=-1, keepdims=True), (normal(2, 3),)),
    ("sum", lambda x: x * np.sum(x, keepdims=True), (normal(2, 3),)),
    ("sum", lambda x: np.sum(x, 0) + np.sum(x), (normal(0, 3),)),
    ("max", lambda x: np.max(x), (normal(2, 3),)),
    ("max", lambda x: x / np.max(x, 0, keepdims=True), (normal(2, 3) + 5,)),
    ("min", lambda x: x.min(axis=(0, -1)) ** 2, (normal(2, 3, 2),)),
    ("cumsum", lambda x: np.cumsum(x) ** 2, (normal(2, 3),)),
    ("cumsum", lambda x: np.cumsum(x, -2) ** 2, (normal(2, 3),)),
    ("mean", lambda x: np.mean(x) ** 2, (normal(2, 3),)),
    ("mean", lambda x: np.mean(x, axis=(1,)), (normal(2, 3),)),
    ("mean", lambda x: x / np.mean(x, -1, keepdims=True), (normal(2, 3) + 9,)),
    ("squeeze", lambda x: np.squeeze(x), (normal(1, 3, 1),)),
    ("squeeze", lambda x: np.squeeze(x, axis=0), (normal(1, 3, 1),)),
    ("expand_dims", lambda x: np.expand_dims(x, -1) * x, (normal(3),)),
    ("reshape", lambda x: np.reshape(x, (3, 2)), (normal(2, 3),)),
    ("reshape", lambda x: np.reshape(x, (3, -1), order="F"), (normal(2, 3),)),
    ("reshape", lambda x: np.reshape(x, (3, 2), "F"), (normal(2, 3).T.copy().T,)),
    ("reshape", lambda x: x.reshape(3, 2), (normal(2, 3),)),
    ("reshape", lambda x: x.reshape(-1), (normal(2, 3),)),
    ("reshape", lambda x: np.atleast_2d(x), (normal(3),)),
    ("ravel", lambda x: np.ravel(x), (normal(2, 3),)),
    ("ravel", lambda x: x.ravel(order="F"), (normal(2, 3),)),
    ("ravel", lambda x: x.flatten(), (normal(2, 3),)),
    ("transpose", lambda x: np.transpose(x), (normal(2, 3, 4),)),
    ("transpose", lambda x: np.transpose(x, (1, -1, 0)), (normal(2, 3, 4),)),
    ("transpose", lambda x: x.T @ x, (normal(2, 3),)),
    ("transpose", lambda x: x.transpose(2, 0, 1), (normal(2, 3, 4),)),
    ("swapaxes", lambda x: np.swapaxes(x, 0, -1), (normal(2, 3, 4),)),
    ("moveaxis", lambda x: np.moveaxis(x, (0, 1), (-1, 0)), (normal(2, 3, 4),)),
    ("convolve_full", lambda a, v: np.convolve(a, v), (normal(4), normal(3, seed=1))),
    ("fft", lambda x: np.real(np.fft.fft(x)) ** 2, (normal(2, 4),)),
    ("ifft", lambda x: np.imag(np.fft.ifft(x, 3)), (normal(2, 4),)),
    ("rfft", lambda x: np.abs(np.fft.rfft(x, axis=0)), (normal(5, 2),)),
    ("add_along_axis", lambda x: add_along_axis(x, ROWS[:, None], 0, 4), (normal(3, 2),)),
    ("shared_by_equals", lambda x: shared_by_equals(x, x > 0, 0) * x, (normal(4),)),
    ("container_of", lambda x, y: container_of((0, 0), x, x * y)[1], (normal(2), normal(2))),
    ("container_take", lambda x, y: container_of([0, 0], x, y)[0] * y, (normal(2), normal(2))),
]  # fmt: skip


def other_ids() -> list[str]:
    return [f"{name}-{i}" for i, (name, _, _) in enumerate(OTHERS)]


# ---- nothing left out


# Their primitives are held by test_linalg.
ELSEWHERE = {
    "literate_ad.numpy.linalg", "literate_ad.numpy.rules.linalg",
    "literate_ad.numpy.rules.norms", "literate_ad.numpy.rules.decompositions",
}  # fmt: skip


def engine_primitives() -> Iterator[Any]:
    """The primitives with a reverse rule that the engine itself hands out."""
    for fun in core.primitive_vjps:
        if fun.__module__.startswith("literate_ad.") and fun.__module__ not in ELSEWHERE:
            module = sys.modules[fun.__module__]
            if getattr(module, fun.__name__, None) is fun:
                yield fun


def test_every_rule_is_tested() -> None:
    from calls import every_call  # it draws from this module

    tested = {*UNARY, *BINARY, *[name for name, _, _ in OTHERS]}
    calls = [call for call in every_call() if call.fun in core.primitive_vjps]
    tested |= {call.name for call in calls if "." not in call.name}
    assert {fun.__name__ for fun in engine_primitives()} == tested


def test_every_reverse_rule_has_a_forward_rule() -> None:
    assert [f.__name__ for f in engine_primitives() if f not in core.primitive_jvps] == []
    assert len(core.primitive_jvps) >= 61


class Names(Node):
    """A node that remembers which functions its value was computed by."""

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):  # type: ignore[no-untyped-def]
        self.names = {fun.__name__}.union(*[parent.names for parent in parents])

    def initialize_root(self) -> None:
        self.names: set[str] = set()


@pytest.mark.parametrize(("name", "fun", "args"), OTHERS, ids=other_ids())
def test_a_case_uses_the_primitive_it_is_named_after(
    name: str, fun: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    _, node = trace(Names.new_root(), lambda x: fun(x, *args[1:]), args[0])
    assert name in node.names


# ---- derivatives


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_functions_of_one_argument(name: str, shape: tuple[int, ...]) -> None:
    fun, x = getattr(np, name), draw(UNARY[name], shape)
    check_first_order(fun, (x,))
    check_second_order(fun, (x,))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("shapes", SHAPE_PAIRS, ids=str)
def test_functions_of_two_arguments(name: str, shapes: Any) -> None:
    fun, (x, y) = getattr(np, name), pair_of(name, shapes)
    check_first_order(fun, (x, y))
    check_second_order(fun, (x, y))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("shapes", [((), ()), ((2, 3), (3,)), ((3,), ())], ids=str)
def test_functions_of_two_arguments_with_one_traced(name: str, shapes: Any) -> None:
    fun, (x, y) = getattr(np, name), pair_of(name, shapes)
    for call, arg in ((lambda x: fun(x, y), x), (lambda y: fun(x, y), y)):
        check_first_order(call, (arg,))
        check_second_order(call, (arg,))


@pytest.mark.parametrize(("name", "fun", "args"), OTHERS, ids=other_ids())
def test_the_other_functions(name: str, fun: Any, args: tuple[Any, ...]) -> None:
    check_first_order(fun, args)
    check_second_order(fun, args)


@pytest.mark.parametrize("exponent", [-2, -1, 0, 1, 2, 3, 0.5, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("x", [1.7, onp.array([0.4, 1.3])], ids=["number", "array"])
def test_powers_with_a_plain_exponent(exponent: float, x: Any) -> None:
    check_first_order(lambda x: x**exponent, (x,))
    check_second_order(lambda x: x**exponent, (x,))


@pytest.mark.parametrize(
    "exponents", [onp.array([0, 1, 2]), onp.array([0.5, 1.0, -1.0]), [0, 2, 3]]
)
def test_powers_with_an_array_of_exponents(exponents: Any) -> None:
    exponents = onp.asarray(exponents)
    check_first_order(lambda x: x**exponents, (onp.array([0.4, -1.3, 2.0]) ** 2,))
    check_second_order(lambda x: x**exponents, (onp.array([0.4, -1.3, 2.0]) ** 2,))


def test_powers_of_a_plain_base() -> None:
    for base in (2, 3.0, onp.array([1, 2, 3])):
        check_first_order(lambda y, base=base: base**y, (normal(3),))
        check_second_order(lambda y, base=base: base**y, (normal(3),))


# ---- operators are the functions

OPERATORS = {
    "add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y, "power": lambda x, y: x**y, "remainder": lambda x, y: x % y,
    "matmul": lambda x, y: x @ y,
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_has_the_derivative_of_its_function(name: str) -> None:
    operator, fun = OPERATORS[name], getattr(np, name)
    x, y = pair_of(name, ((3,), (3,))) if name in BINARY else (normal(3), normal(3, seed=1))
    for argnums in ((0,), (1,), (0, 1)):
        ours = make_vjp(operator, argnums)(x, y)[0]
        theirs = make_vjp(fun, argnums)(x, y)[0]
        g = onp.ones(onp.shape(operator(x, y)))
        for a, b in zip(ours(g), theirs(g), strict=True):
            onp.testing.assert_array_equal(a, b)


def test_operators_of_one_operand_and_quotients() -> None:
    x = onp.array([1.5, -2.5])
    assert grad(lambda x: np.sum(-x))(x).tolist() == [-1, -1]
    assert grad(lambda x: np.sum(+x))(x).tolist() == [1, 1]
    assert grad(lambda x: np.sum(abs(x)))(x).tolist() == [1, -1]
    assert grad(lambda x: np.sum(x // 2 * x))(x).tolist() == [0, -2]
    assert grad(lambda x: np.sum(3.0 // x * x))(x).tolist() == [2, -2]
    assert grad(lambda x: np.sum(divmod(x, 2)[1]))(x).tolist() == [1, 1]
    assert grad(lambda x: np.sum(divmod(7.0, x)[1]))(x).tolist() == [-4, 3]


# ---- numbers of every kind


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", [float, onp.float64, onp.float32, onp.float16, onp.longdouble])
def test_numbers_of_one_argument(name: str, kind: type) -> None:
    fun, x = getattr(np, name), kind(draw(UNARY[name], ()))
    expected = grad(fun)(onp.float64(x))
    dtype = onp.dtype(kind)
    rtol = max(4 * onp.finfo(dtype).eps, 1e-14)
    pullback, value = make_vjp(fun)(x)
    gradient, (_, tangent) = pullback(1), make_jvp(fun)(x)(1)
    assert onp.shape(gradient) == onp.shape(tangent) == ()
    assert [v.dtype for v in (value, gradient, tangent)] == [dtype] * 3
    onp.testing.assert_allclose([gradient, tangent], [expected] * 2, rtol=rtol)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("kind", [float, onp.float64, onp.float32])
def test_numbers_of_two_arguments(name: str, kind: type) -> None:
    fun = getattr(np, name)
    x, y = map(kind, pair_of(name, ((), ())))
    expected = grad(fun, (0, 1))(onp.float64(x), onp.float64(y))
    gradients = grad(fun, (0, 1))(x, y)
    assert [g.dtype for g in gradients] == [onp.dtype(kind)] * 2
    onp.testing.assert_allclose(gradients, expected, rtol=1e-4)
    assert grad(fun, 0)(x, y) == gradients[0]
    assert grad(fun, 1)(x, y) == gradients[1]
    tangent = make_jvp(fun, (0, 1))(x, y)((1, 0))[1]
    assert tangent.dtype == kind
    onp.testing.assert_allclose(tangent, expected[0], rtol=1e-4)


def floats_of_32_bits(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(onp.float32(arg) if onp.ndim(arg) == 0 else arg.astype("f4") for arg in args)


def single_precision_cases() -> list[Any]:
    cases = [pytest.param(getattr(np, f), (draw(UNARY[f], (3,)),), id=f) for f in UNARY]
    for name in BINARY:
        for shapes in (((3,), (3,)), ((2, 3), (3,)), ((), (3,)), ((2, 1), (1,))):
            pair = pair_of(name, shapes)
            cases.append(pytest.param(getattr(np, name), pair, id=f"{name}-{shapes}"))
    others = zip(other_ids(), OTHERS, strict=True)
    return cases + [pytest.param(fun, args, id=i) for i, (_, fun, args) in others]


@pytest.mark.parametrize(("fun", "args"), single_precision_cases())
def test_float32_stays_float32(fun: Any, args: tuple[Any, ...]) -> None:
    single = floats_of_32_bits(args)
    argnums = tuple(range(len(args)))
    pullback, value = make_vjp(fun, argnums)(*single)
    (g,) = direction([value], seed=4)
    gradients = pullback(g)
    tangent = make_jvp(fun, argnums)(*single)(direction(single, seed=5))[1]
    assert value.dtype == tangent.dtype == fun(*single).dtype
    assert [cotangent.dtype for cotangent in gradients] == [onp.dtype("f4")] * len(args)
    exact = make_vjp(fun, argnums)(*[onp.asarray(x, float)[()] for x in single])[0](g.astype(float))
    for cotangent, expected in zip(gradients, exact, strict=True):
        onp.testing.assert_allclose(cotangent, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
@pytest.mark.parametrize("shape", [(3,), (2, 3)], ids=str)
def test_a_float32_cotangent_inside_the_pass_stays_one(name: str, shape: tuple[int, ...]) -> None:
    """Not only the answer: a rule that widens its cotangent makes the whole pass slow."""
    interval = UNARY.get(name) or BINARY[name]
    x = draw(interval, shape).astype("f4")
    args = (x,) if name in UNARY else (x, x / 3)
    node = make_vjp(lambda x: getattr(np, name)(x, *args[1:]))(x)[0].end_node
    (contribution,) = node.vjp(onp.ones(shape, "f4"))
    assert contribution.dtype == "f4"


# ---- layouts


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_arrays_that_are_not_contiguous(name: str) -> None:
    interval = UNARY.get(name) or BINARY[name]
    wide = draw(interval, (6, 8))
    views = [wide[::2, ::-2], wide.T[1:5, 1:4].T, onp.asfortranarray(wide)[:3, :4]]
    fun = getattr(np, name)
    for view in views:
        assert not view.flags.c_contiguous
        args = (view,) if name in UNARY else (view, view / 3)
        argnums = tuple(range(len(args)))
        copies = [arg.copy(order="C") for arg in args]
        ours = grad(lambda *xs: np.sum(fun(*xs) ** 2), argnums)(*args)
        expected = grad(lambda *xs: np.sum(fun(*xs) ** 2), argnums)(*copies)
        for g, e in zip(ours, expected, strict=True):
            onp.testing.assert_array_equal(g, e)


@pytest.mark.parametrize(("name", "fun", "args"), OTHERS, ids=other_ids())
def test_other_functions_of_arrays_that_are_not_contiguous(
    name: str, fun: Any, args: tuple[Any, ...]
) -> None:
    strided = [onp.repeat(a, 2, axis=-1)[..., ::2] if onp.ndim(a) else a for a in args]
    argnums = tuple(range(len(args)))
    value = fun(*args)
    (g,) = direction([value], seed=6)
    for mine, plain in zip(
        make_vjp(fun, argnums)(*strided)[0](g), make_vjp(fun, argnums)(*args)[0](g), strict=True
    ):
        onp.testing.assert_allclose(mine, plain, rtol=1e-12)


def test_read_only_and_broadcast_inputs() -> None:
    x = onp.broadcast_to(onp.array([1.0, 2.0]), (3, 2))
    g = grad(lambda x: np.sum(x * x))(x)
    onp.testing.assert_array_equal(g, 2 * x)
    g += 1  # a gradient belongs to who asked for it


# ---- mixtures of dtypes


@pytest.mark.parametrize("name", BINARY)
def test_each_argument_keeps_its_own_dtype(name: str) -> None:
    x, y = pair_of(name, ((2, 3), (3,)))
    fun = getattr(np, name)
    gx, gy = grad(lambda x, y: np.sum(fun(x, y)), (0, 1))(x.astype("f4"), y)
    assert (gx.dtype, gy.dtype) == ("f4", "f8")
    expected = grad(lambda x, y: np.sum(fun(x, y)), (0, 1))(x, y)
    onp.testing.assert_allclose(gx, expected[0], rtol=1e-3, atol=1e-5)
    onp.testing.assert_allclose(gy, expected[1], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("plain", [2, True, onp.int64(3), onp.arange(1, 4), onp.array([True] * 3)])
def test_integers_and_truth_values_as_the_other_operand(plain: Any) -> None:
    x = onp.array([0.5, 1.5, 2.5])
    for fun in (np.add, np.multiply, np.divide, np.power, np.maximum, np.hypot):
        check_first_order(lambda x, fun=fun: fun(x, plain), (x,))
        check_first_order(lambda x, fun=fun: fun(plain, x), (x,))


def test_integer_arrays_travel_as_floats() -> None:
    g = grad(lambda x: np.sum(x * x))(onp.arange(3))
    assert g.dtype == float
    assert g.tolist() == [0, 2, 4]


# ---- spaces


def test_spaces_of_arrays() -> None:
    space = vspace(onp.zeros((2, 1), "f4"))
    assert (space.size, space.iscomplex) == (2, False)
    assert space == vspace(onp.ones((2, 1), "f4")) != vspace(onp.ones((2, 1)))
    assert hash(space) == hash(vspace(onp.ones((2, 1), "f4")))
    assert repr(space) == "ArrayVSpace(shape=(2, 1), dtype=float32)"
    for member in (space.zeros(), space.ones(), space.randn(), *space.standard_basis()):
        assert (member.shape, member.dtype) == ((2, 1), "f4")
    assert sum(space.standard_basis()).tolist() == [[1], [1]]
    assert space.inner_prod(space.ones(), 3 * space.ones()) == 6
    assert space.add(space.ones(), space.ones()).tolist() == [[2], [2]]
    assert space.scalar_mul(space.ones(), 2).tolist() == [[2], [2]]


def test_spaces_of_containers() -> None:
    space = vspace({"a": [1.0, onp.ones(2)], "b": (onp.float32(1),)})
    assert space.size == 4
    assert space.zeros() == {"a": [0.0, pytest.approx([0, 0])], "b": (0.0,)}
    assert len(list(space.standard_basis())) == 4
    assert space.inner_prod(space.ones(), space.ones()) == 4
    assert space == vspace({"a": [2.0, onp.zeros(2)], "b": (onp.float32(5),)})
    assert space != vspace({"a": [2.0, onp.zeros(3)], "b": (onp.float32(5),)})
    doubled = space.add(space.ones(), space.scalar_mul(space.ones(), 1.0))
    assert doubled["a"][1].tolist() == [2, 2]
    assert space.randn()["a"][1].shape == (2,)


def test_what_has_no_space_is_named() -> None:
    with pytest.raises(TypeError, match="type str have no vector space"):
        vspace("text")
    with pytest.raises(TypeError, match="dtype object has no vector space"):
        vspace(onp.array([None]))
    assert isinstance(vspace(3), VSpace)
