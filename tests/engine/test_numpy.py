"""Traced values in the hands of plain NumPy and plain Python: right, or a clear refusal."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as onp
import pytest
from derivatives import central

import literate_ad.numpy as np
from literate_ad import deriv, grad, jacobian, make_vjp
from literate_ad.tracer import getval, isbox

X = onp.array([0.5, 1.5, 2.0])
A = onp.arange(6.0).reshape(2, 3)


def traced(x: Any) -> Any:
    """A box of ``x``, left over from a trace that has ended."""
    boxes: list[Any] = []
    make_vjp(lambda x: boxes.append(x) or x)(x)
    return boxes[0]


# ---- plain NumPy on traced values

PLAIN: list[tuple[str, Callable[[Any, Any], Any], Any]] = [
    ("ufuncs", lambda m, x: m.sum(m.sin(x) * m.exp(x) + m.maximum(x, 1.0)), X),
    ("ufunc, plain left", lambda m, x: m.sum(m.add(X, x) / m.hypot(X, x)), X),
    ("array first", lambda m, x: m.sum(X * x + X / x - X**x + (X - x + 1) % 3), X),
    ("array @ x", lambda m, x: m.sum(A @ x), X),
    ("x @ array", lambda m, x: m.sum(x @ A.T), X),
    ("scalar first", lambda m, x: onp.float64(3) * x + onp.float64(2) ** x, 1.5),
    ("float32 scalar first", lambda m, x: onp.float32(3) * x, 1.5),
    ("dot", lambda m, x: m.sum(m.dot(A, x)) + x.dot(X), X),
    ("concatenate", lambda m, x: m.sum(m.concatenate([x, X, x * x]) ** 2), X),
    ("concatenate alias", lambda m, x: m.sum(m.concat([x, x])), X),
    ("stack", lambda m, x: m.sum(m.stack([x, X], axis=1) * A.T[:, :2]), X),
    ("hstack", lambda m, x: m.sum(m.hstack([x, 2 * x]) ** 2), X),
    ("hstack of numbers", lambda m, x: m.sum(m.hstack([x[0], x[1]]) ** 2), X),
    ("vstack", lambda m, x: m.sum(m.vstack([x, X]) * A), X),
    ("where", lambda m, x: m.sum(m.where(x > 1, x * x, X)), X),
    ("reshape", lambda m, x: m.sum(m.reshape(x, (3, 1)) @ A[:1]), X),
    ("transpose", lambda m, x: m.sum(m.transpose(x) @ A), A),
    ("swapaxes", lambda m, x: m.sum(m.swapaxes(x, 0, 1) * A.T), A),
    ("moveaxis", lambda m, x: m.sum(m.moveaxis(x, 0, 1) * A.T), A),
    ("rollaxis-like", lambda m, x: m.sum(m.expand_dims(x, 0) * m.squeeze(x)), X),
    ("mean", lambda m, x: m.mean(x * x) + x.mean(), X),
    ("sum with options", lambda m, x: m.sum(m.sum(x, axis=1, keepdims=True) ** 2), A),
    ("broadcast_to", lambda m, x: m.sum(m.broadcast_to(x, (2, 3)) * A), X),
    ("atleast_2d", lambda m, x: m.sum(m.atleast_2d(x) * A[:1]), X),
    ("ravel", lambda m, x: m.sum(m.ravel(x) * m.arange(6)), A),
    ("astype", lambda m, x: m.sum(m.astype(x, "f4") * X), X),
    ("values", lambda m, x: m.argmax(x) * m.sum(m.zeros_like(x) + m.ones_like(x) * x), X),
    ("shape", lambda m, x: m.sum(x) * m.size(x) * m.ndim(x) * m.shape(x)[0], X),
    ("all and any", lambda m, x: m.sum(x[m.all(x > 0) & m.any(x > 1)]), X),
]


@pytest.mark.parametrize(("what", "fun", "x"), PLAIN, ids=[what for what, _, _ in PLAIN])
def test_plain_numpy_gives_the_derivative_of_our_numpy(what: str, fun: Any, x: Any) -> None:
    plain = grad(lambda x: fun(onp, x))(x)
    ours = grad(lambda x: fun(np, x))(x)
    assert onp.any(plain)
    onp.testing.assert_array_equal(plain, ours)
    step = onp.linspace(-1, 1, onp.size(x)).reshape(onp.shape(x))
    forward = deriv(lambda t: fun(onp, x + t * step))(0.0)
    onp.testing.assert_allclose(forward, onp.sum(plain * step))
    width, rtol = (1e-2, 1e-4) if what == "astype" else (1e-6, 1e-6)  # single precision is coarse
    numeric = central(lambda t: fun(onp, x + t * step), (0.0,), (1.0,), width)
    onp.testing.assert_allclose(forward, numeric, rtol=rtol, atol=1e-8)
    assert type(fun(onp, x)) is type(fun(np, x))


def test_plain_numpy_to_second_order() -> None:
    def fun(x: Any) -> Any:
        return onp.sum(onp.sin(X * x) * onp.concatenate([x[1:], x[:1]]))

    def ours(x: Any) -> Any:
        return np.sum(np.sin(X * x) * np.concatenate([x[1:], x[:1]]))

    onp.testing.assert_allclose(jacobian(grad(fun))(X), jacobian(grad(ours))(X))
    hessian = jacobian(grad(fun))(X)
    onp.testing.assert_allclose(hessian, hessian.T, atol=1e-15)


# ---- what would lose the derivative


def assigned(a: Any, index: Any, value: Any) -> Any:
    a[index] = value
    return onp.sum(a)


def filled(a: Any, x: Any) -> Any:
    a.fill(x)
    return onp.sum(a)


def placed(write: Callable[..., Any], *args: Any) -> Any:
    write(*args)
    return onp.sum(args[0])


REFUSED: list[tuple[str, Callable[[Any], Any]]] = [
    ("numpy.array of one", lambda x: onp.array(x).sum()),
    ("numpy.array of several", lambda x: onp.array([x, 2 * x]).sum()),
    ("numpy.array of objects", lambda x: onp.array([x, 2 * x], dtype=object).sum()),
    ("numpy.array of one object", lambda x: onp.array(x, dtype=object)),
    ("numpy.array, nested", lambda x: onp.array([[x, 1.0], [0.0, x]]).sum()),
    ("numpy.asarray", lambda x: onp.asarray(x)),
    ("numpy.asarray of several", lambda x: onp.asarray([x])),
    ("numpy.float64", lambda x: onp.float64(x)),
    ("numpy.float32", lambda x: onp.float32(x)),
    ("numpy.int64", lambda x: onp.int64(x) * x),
    ("numpy.arange", lambda x: onp.arange(x).sum()),
    ("numpy.fromiter", lambda x: onp.fromiter([x, x], float).sum()),
    ("numpy.copyto", lambda x: placed(onp.copyto, onp.zeros(3), x)),
    ("numpy.put", lambda x: placed(onp.put, onp.zeros(3), [0], x)),
    ("numpy.place", lambda x: placed(onp.place, onp.zeros(3), X > 1, x * X)),
    ("numpy.putmask", lambda x: placed(onp.putmask, onp.zeros(3), X > 1, x)),
    ("numpy.fill_diagonal", lambda x: placed(onp.fill_diagonal, onp.zeros((3, 3)), x)),
    ("numpy.add with out", lambda x: onp.add(x, X, out=onp.zeros(3)).sum()),
    ("numpy.add of objects", lambda x: onp.add(onp.array([x * X, None]), 1)),
    ("numpy.concatenate with out", lambda x: onp.concatenate([x * X], out=onp.zeros(3)).sum()),
    ("numpy.add.at", lambda x: placed(onp.add.at, onp.zeros(3), [0], x)),
    ("a[i] = x", lambda x: assigned(onp.zeros(3), 0, x)),
    ("a[i] = x in a matrix", lambda x: assigned(onp.zeros((3, 3)), (0, 1), x)),
    ("a[:] = x", lambda x: assigned(onp.zeros(3), slice(None), x)),
    ("a[:] = array", lambda x: assigned(onp.zeros(3), slice(None), x * X)),
    ("a[:] = [x]", lambda x: assigned(onp.zeros(3), slice(None), [x, x, x])),
    ("a[mask] = x", lambda x: assigned(onp.zeros(3), X > 1, x)),
    ("integer a[i] = x", lambda x: assigned(onp.zeros(3, int), 0, x)),
    ("a.flat[i] = x", lambda x: assigned(onp.zeros(3).flat, 0, x)),
    ("a.fill(x)", lambda x: filled(onp.zeros(3), x)),
    ("a.put(i, x)", lambda x: placed(onp.ndarray.put, onp.zeros(3), [0], x)),
    ("a.itemset-like", lambda x: assigned(onp.zeros(()), (), x)),
    ("a += x", lambda x: operator.iadd(onp.zeros(3), x).sum()),
    ("a += array", lambda x: operator.iadd(onp.zeros(3), x * X).sum()),
    ("a *= x", lambda x: operator.imul(onp.ones(3), x).sum()),
    ("a @= x", lambda x: operator.imatmul(onp.eye(3), x * onp.eye(3)).sum()),
    ("a.dot(x)", lambda x: X.dot(x * X)),
    ("x.fill", lambda x: filled(x * X, 1.0)),
    ("x.item()", lambda x: x.item()),
    ("x.tolist()", lambda x: (x * X).tolist()[0]),
    ("x.flat", lambda x: onp.sum((x * X).flat)),
    ("x.astype(object)", lambda x: onp.sum((x * X).astype(object))),
    ("x.astype(str)", lambda x: (x * X).astype(str)),
    ("array(dtype=object)", lambda x: np.array([x, x], dtype=object).sum()),
    ("meeting an object array", lambda x: onp.sum(x * onp.array([Fraction(1, 2)] * 2))),
    ("math.sin", math.sin),
    ("math.floor", lambda x: math.floor(x) * x),
    ("math.pow", lambda x: math.pow(x, 2)),
    ("math.fsum", lambda x: math.fsum([x, x])),
    ("float", float),
    ("int", lambda x: int(x) * x),
    ("complex", complex),
    ("%-formatting", lambda x: float("%.3f" % x)),  # noqa: UP031
    ("range", lambda x: sum(range(x))),
    ("an index", lambda x: X[x]),
    ("an index of a list", lambda x: [1.0, 2.0, 3.0][x]),
    ("a slice", lambda x: X[x:].sum()),
]


# NumPy has a ValueError of its own for a.flat; an IndexError would be a slip of the case.
REFUSALS = (TypeError, NotImplementedError, ValueError, AttributeError)


@pytest.mark.parametrize(("what", "fun"), REFUSED, ids=[what for what, _ in REFUSED])
def test_what_cannot_be_traced_is_refused(what: str, fun: Callable[[Any], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a constant that warns is no refusal
        for operator_ in (grad, deriv):
            with pytest.raises(REFUSALS):
                operator_(fun)(2.0)


# What traced values may meet that is no function of one array: right, or refused with a word.
# Those without a rule are named in WITHOUT_RULE; when one gets its rule, take its name out there.
EITHER_OR: list[tuple[str, Callable[[Any], Any]]] = [
    ("numpy.full", lambda x: onp.full(3, x).sum()),
    ("numpy.linspace", lambda x: onp.linspace(0, x, 3).sum()),
    ("numpy.vectorize", lambda x: onp.sum(onp.vectorize(lambda v: v * v)(x * X))),
    ("numpy.block", lambda x: onp.block([[x * X], [X]]).sum()),
    ("numpy.linalg", lambda x: onp.linalg.norm(x * X)),
    ("numpy.fft", lambda x: onp.real(onp.fft.fft(x * X))[1]),
    ("numpy.add.reduce", lambda x: onp.add.reduce(x * X)),
    ("numpy.add.accumulate", lambda x: onp.sum(onp.add.accumulate(x * X))),
    ("numpy.multiply.outer", lambda x: onp.sum(onp.multiply.outer(x * X, X))),
    ("numpy.trapezoid", lambda x: onp.trapezoid(x * X)),
    ("numpy.sum of a list", lambda x: onp.sum([x, x])),
    ("numpy.sin of a list", lambda x: onp.sin([x, x]).sum()),
    ("numpy.r_", lambda x: onp.r_[x, x].sum()),
    ("round", lambda x: round(x, 1)),
    ("a fraction", lambda x: x * Fraction(1, 2)),
    ("numpy.column_stack", lambda x: onp.sum(onp.column_stack([x * X, X]) * A.T)),
    ("numpy.prod", lambda x: onp.prod(x * X)),
    ("numpy.einsum", lambda x: onp.einsum("i,i", x * X, X)),
    ("numpy.full_like", lambda x: onp.sum(onp.full_like(X, x))),
    ("numpy.append", lambda x: onp.sum(onp.append(x, X) * 3)),
    ("numpy.clip", lambda x: onp.clip(x, 1.0, 3.0)),
    ("numpy.max", lambda x: onp.max(x * X)),
    ("numpy.std", lambda x: onp.std(x * X)),
    ("numpy.cumsum", lambda x: onp.sum(onp.cumsum(x * X))),
    ("numpy.outer", lambda x: onp.sum(onp.outer(x * X, X))),
    ("numpy.sort", lambda x: onp.sort(x * X)[0]),
    ("numpy.interp", lambda x: onp.interp(x, onp.arange(4.0), onp.arange(4.0) ** 2)),
]


WITHOUT_RULE = {
    "full", "full_like", "vectorize", "block", "sum of a list", "sin of a list", "r_", "round",
}  # fmt: skip


@pytest.mark.parametrize(("what", "fun"), EITHER_OR, ids=[what for what, _ in EITHER_OR])
def test_what_has_a_rule_is_right_and_the_rest_is_refused(
    what: str, fun: Callable[[Any], Any]
) -> None:
    expected = (fun(2.0 + 1e-6) - fun(2.0 - 1e-6)) / 2e-6
    for operator_ in (grad, deriv):
        if what.removeprefix("numpy.") in WITHOUT_RULE:
            with pytest.raises(REFUSALS):
                operator_(fun)(2.0)
        else:
            onp.testing.assert_allclose(operator_(fun)(2.0), expected, rtol=1e-6)


def test_every_refusal_is_that_of_a_case() -> None:
    assert {what.removeprefix("numpy.") for what, _ in EITHER_OR} > WITHOUT_RULE


@pytest.mark.parametrize(
    ("fun", "words"),
    [
        (lambda x: onp.array([x, x]), "literate_ad.numpy.array, stack or concatenate"),
        (lambda x: onp.array([x], dtype=object), "literate_ad.numpy.array"),
        (math.sin, "literate_ad.numpy or numpy"),
        (float, "literate_ad.tracer.getval"),
        (lambda x: onp.float64(x), "would lose the derivative"),
        (lambda x: operator.iadd(onp.zeros(3), x), r"write a = a \+ x"),
        (lambda x: X.dot(x * X), "write a @ x"),
        (lambda x: x.item(), r"x\.item\(\)"),
        (lambda x: onp.sin(x, dtype="f4"), "sin of a traced value takes no dtype"),
        (lambda x: onp.matmul(x * X, X, dtype=float), "takes no dtype"),
        (lambda x: onp.ravel(x * X, order="K"), "say 'C' or 'F'"),
        (lambda x: x.nonsense, "no 'nonsense'"),
    ],
)
def test_refusals_say_what_to_do_instead(fun: Any, words: str) -> None:
    with pytest.raises((TypeError, NotImplementedError, AttributeError), match=words):
        grad(fun)(2.0)


def test_an_element_assigned_into_an_array_names_the_cause() -> None:
    """NumPy words the error itself; what the box said is its cause."""
    with pytest.raises((ValueError, TypeError)) as error:
        grad(lambda x: assigned(onp.zeros(3), 0, x))(2.0)
    said = error.value.__cause__ or error.value
    assert "a[i] = x" in str(said)
    assert "would lose the derivative" in str(said)


def test_a_refused_assignment_leaves_the_array_as_it_was() -> None:
    a = onp.ones(3)
    with pytest.raises(TypeError):
        grad(lambda x: operator.iadd(a, x).sum())(2.0)
    assert a.tolist() == [1, 1, 1]


def test_boxes_in_an_object_array_of_the_users_own_keep_their_derivatives() -> None:
    def fun(x: Any) -> Any:
        a = onp.empty(2, object)
        a[0], a[1] = x, x * x
        return a.sum()

    assert grad(fun)(3.0) == 7.0


def test_assigning_names_is_no_assignment_to_arrays() -> None:
    def fun(x: Any) -> Any:
        kept = x
        x += 1
        x *= 2.0
        x -= kept
        x /= 2
        x **= 2
        return onp.sum(x)

    x = X.copy()
    onp.testing.assert_allclose(grad(fun)(x), 2 * (x + 2) / 2 / 2)
    assert x.tolist() == X.tolist()


def test_arrays_of_traced_values() -> None:
    def fun(x: Any) -> Any:
        m = np.array([[x[0], 1.0], [x[1] * x[2], X[0]]])
        assert m.shape == (2, 2)
        return np.sum(m**2)

    expected = [2 * X[0], 2 * X[1] * X[2] ** 2, 2 * X[2] * X[1] ** 2]
    onp.testing.assert_allclose(grad(fun)(X), expected)
    assert grad(lambda x: np.sum(np.array(x)))(X).tolist() == [1, 1, 1]
    assert grad(lambda x: np.array([x, x], "f4")[1] ** 2)(3.0) == 6.0
    assert grad(lambda x: np.sum(np.array(x, ndmin=3)[0, 0] * X))(X).tolist() == X.tolist()
    assert grad(lambda x: np.sum(np.array([x], ndmin=2)[0]))(3.0) == 1.0
    assert grad(lambda p: np.sum(np.array(p) * X))([1.0, 2.0, 3.0]) == X.tolist()
    assert grad(lambda x: np.sum(np.concatenate([[x, 1.0], [x]])))(3.0) == 2.0
    assert grad(lambda x: np.sum(np.stack([x, [x[0], 1.0, x[1]]])))(X).tolist() == [2, 2, 1]
    assert np.array([[1.0, 2.0]]).tolist() == [[1.0, 2.0]]


def test_joining_takes_the_options_of_numpy() -> None:
    def fun(x: Any) -> Any:
        joined = np.concatenate((x, X), dtype="f4")
        assert joined.dtype == "f4"
        return np.sum(joined * np.stack([x, x], dtype="f4").reshape(-1))

    onp.testing.assert_allclose(grad(fun)(X), 3 * X, rtol=1e-6)
    with pytest.raises(TypeError, match="out"):
        grad(lambda x: np.sum(np.stack([x], out=onp.zeros((1, 3)))))(X)


def test_joining_takes_a_generator_whole() -> None:
    for join in (np.stack, np.concatenate):
        assert grad(lambda x, join=join: np.sum(join([x for _ in range(3)])))(X).tolist() == [3] * 3


# ---- traced values in plain Python


def test_repr_and_format() -> None:
    x = traced(3.25)
    assert repr(x) == str(x) == f"{x}" == "ArrayBox(3.25)"
    assert f"{x:.3f}" == "3.250"
    assert f"{x:>8}" == "    3.25"
    assert repr(traced(onp.array([1.0, 2.0]))) == "ArrayBox([1. 2.])"
    assert repr(traced([1.0, 2.0])) == "SequenceBox([1.0, 2.0])"
    assert repr(traced({"a": 1.0})) == "DictBox({'a': 1.0})"
    inner: list[str] = []
    grad(lambda x: grad(lambda y: inner.append(f"{y!r} {y:.1f}") or y * y)(x))(3.0)
    assert inner == ["ArrayBox(3.0) 3.0"]
    assert grad(lambda x: x * len(f"{x:.3f}"))(2.0) == 5.0


def test_copies_are_the_value_itself_and_keep_the_derivative() -> None:
    for duplicate in (copy.copy, copy.deepcopy, lambda x: x.copy(), np.array):
        assert grad(lambda x, d=duplicate: np.sum(d(x) ** 2))(X).tolist() == (2 * X).tolist()
    assert grad(lambda x: copy.deepcopy({"a": [x]})["a"][0] * 2)(1.0) == 2.0
    assert grad(lambda x: onp.copy(X) @ x)(X).tolist() == X.tolist()


def test_pickling_a_traced_value_says_why_not() -> None:
    for value in (3.0, X, [1.0], {"a": 1.0}):
        with pytest.raises(TypeError, match="being traced and cannot be pickled"):
            pickle.dumps(traced(value))


def test_hash_and_identity() -> None:
    x, y = traced(3.0), traced(3.0)
    assert hash(x) == hash(x)
    assert {x: 1}[x] == 1
    assert len({x, y, x}) == 2
    assert x == y
    assert x is not y


def test_length_iteration_and_unpacking() -> None:
    assert len(traced(X)) == 3
    assert grad(lambda x: sum(v * v for v in x))(X).tolist() == (2 * X).tolist()
    assert grad(lambda x: sum(np.sum(row) * i for i, row in enumerate(x)))(A)[1].tolist() == [1] * 3
    assert grad(lambda x: (lambda a, b, c: a * b * c)(*x))(X).tolist() == [3.0, 1.0, 0.75]
    assert grad(lambda x: next(reversed(x)))(X).tolist() == [0, 0, 1]
    assert grad(lambda x: max(x) * min(x))(X).tolist() == [2.0, 0, 0.5]
    assert grad(lambda x: sorted(x, reverse=True)[0])(X).tolist() == [0, 0, 1]
    with pytest.raises(TypeError, match="iteration over a traced number"):
        grad(lambda x: sum(x))(3.0)
    with pytest.raises(TypeError, match="len"):
        len(traced(3.0))
    with pytest.raises(IndexError):
        traced(X)[3]


def test_comparisons_are_those_of_the_values() -> None:
    x = traced(X)
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        for left, right in ((x, 1.5), (1.5, x), (x, X), (X, x), (x, traced(X)), (x[0], 0.5)):
            answer = compare(left, right)
            assert not isbox(answer)
            assert onp.array_equal(answer, compare(getval(left), getval(right)))
    assert not bool(operator.eq(traced(3.0), None))
    assert traced(3.0) != "text"
    assert traced(3.0) not in [1.0, None]


def test_membership_and_truth() -> None:
    assert 1.5 in traced(X)
    assert 7.0 not in traced(X)
    assert traced(3.0) in [1.0, 3.0]
    assert bool(traced(3.0))
    assert not traced(0.0)
    assert grad(lambda x: x if x > 2 and x else -x)(3.0) == 1.0
    with pytest.raises(ValueError, match="truth value of an array"):
        bool(traced(X))


def test_attributes_and_methods() -> None:
    a = traced(A)
    assert (a.shape, a.ndim, a.size, a.dtype) == ((2, 3), 2, 6, onp.dtype(float))
    assert a.T.shape == (3, 2)
    assert a.argmax() == 5
    assert a.any()
    assert not a.all()
    assert a.nonzero()[0].tolist() == [0, 0, 1, 1, 1]
    assert hasattr(a, "sum")
    assert not hasattr(a, "nonsense")
    assert isbox(a.sum())
    assert grad(lambda x: x.mean(0).sum() + x.ravel()[1] + x.reshape(3, 2)[0, 0])(A).shape == (2, 3)
    assert grad(lambda x: x.reshape((1, -1)).squeeze(axis=0).sum())(X).tolist() == [1, 1, 1]
    with pytest.raises(AttributeError):
        a.shape = (3, 2)


def test_containers_in_plain_python() -> None:
    def fun(p: Any) -> Any:
        assert len(p) == 3
        assert "a" in p
        assert "z" not in p
        assert list(p) == list(p.keys()) == ["a", "b", "c"]
        assert p.get("z", 5.0) == 5.0
        first, (second, third) = p["b"], p["c"]
        return p["a"] * first[0] + sum(first) * second + third + sum(v for v in p["b"][1:])

    gradient = grad(fun)({"a": 2.0, "b": [3.0, 4.0], "c": (5.0, 6.0)})
    assert gradient == {"a": 3.0, "b": [7.0, 6.0], "c": (7.0, 1.0)}
    values = grad(lambda p: sum(p.values()) + sum(v * v for _, v in p.items()))
    assert values({"x": 1.0, "y": 2.0}) == {"x": 3.0, "y": 5.0}
    assert grad(lambda p: p[-1] * p[0])([2.0, 3.0, 4.0]) == [4.0, 0.0, 2.0]
    with pytest.raises(KeyError):
        grad(lambda p: p["z"])({"a": 1.0})
    with pytest.raises(IndexError):
        grad(lambda p: p[5])([1.0])


class Vector:
    """A class of someone else's that answers operators itself."""

    __array_ufunc__ = None

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __rmul__(self, factor: Any) -> Vector:
        return Vector(*[factor * part for part in self.parts])

    def __radd__(self, shift: Any) -> Vector:
        return Vector(*[shift + part for part in self.parts])


class Meters:
    """The same without a word to NumPy."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __rmul__(self, factor: Any) -> Meters:
        return Meters(factor * self.value)


def test_an_operand_of_a_class_of_its_own_may_answer() -> None:
    assert grad(lambda x: (x * Vector(2.0, 3.0)).parts[1])(5.0) == 3.0
    assert grad(lambda x: np.sum((x * Vector(X, 3.0)).parts[0]))(X).tolist() == X.tolist()
    assert deriv(lambda x: (x + Vector(2.0, 3.0)).parts[0])(5.0) == 1.0
    assert grad(lambda x: (x * Meters(2.0)).value)(5.0) == 2.0
    with pytest.raises(TypeError):
        grad(lambda x: x - Vector(1.0))(5.0)


def test_no_object_array_comes_out_of_a_primitive() -> None:
    halves = onp.array([Fraction(1, 2)] * 2)
    for fun in (np.add, np.multiply, np.subtract, np.divide, operator.add, operator.mul):
        for x in (2.0, onp.ones(2)):
            for mode in (make_vjp, deriv):
                with pytest.raises(TypeError):
                    mode(lambda x, f=fun: f(x, halves))(x)
                with pytest.raises(TypeError):
                    mode(lambda x, f=fun: f(halves, x))(x)


class Tagged(onp.ndarray):
    """An array with another name and the arithmetic of arrays."""


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_arrays_with_an_arithmetic_of_their_own_are_refused() -> None:
    """``matrix * matrix`` is no elementwise product, and a masked sum is no sum."""
    matrix, masked = onp.matrix([[1.0, 2.0], [3.0, 4.0]]), onp.ma.array([1.0, 2.0], mask=[0, 1])
    for own, plain in ((matrix, onp.ones((2, 2))), (masked, onp.ones(2))):
        for operator_ in (grad, deriv):
            for fun, x in (
                (lambda x: np.sum(x * x), own),
                (lambda x, own=own: np.sum(own * x), plain),
                (lambda x, own=own: np.sum(x * own), plain),
            ):
                with pytest.raises(TypeError):
                    operator_(fun)(x)
    assert grad(lambda x: np.sum(x * x))(onp.ones(2).view(Tagged)).tolist() == [2, 2]


BESIDE_LISTS: list[tuple[str, Callable[[Any, Any], Any], Any]] = [
    ("+", lambda x, c: x + c, X), ("-", lambda x, c: c - x, X), ("*", lambda x, c: x * c, X),
    ("/", lambda x, c: x / c, X), ("/ x", lambda x, c: c / x, X), ("**", lambda x, c: x**c, X),
    ("** x", lambda x, c: c**x, X), ("%", lambda x, c: x % c, X), ("% x", lambda x, c: c % x, X),
    ("@", lambda x, c: x @ c, X), ("@ x", lambda x, c: c @ x, X), ("A @", lambda a, c: a @ c, A),
    ("dot", lambda x, c: np.dot(c, x), X), ("maximum", np.maximum, X), ("hypot", np.hypot, X),
    ("arctan2", np.arctan2, X), ("of arctan2", lambda x, c: np.arctan2(c, x), X),
    ("logaddexp", np.logaddexp, X), ("where", lambda x, c: np.where([1, 0, 1], x, c), X),
    ("number", lambda x, c: x * onp.ones(3) ** c, 2.0),
]  # fmt: skip


@pytest.mark.parametrize(("what", "fun", "x"), BESIDE_LISTS, ids=[w for w, _, _ in BESIDE_LISTS])
def test_a_list_of_numbers_beside_a_traced_array_is_an_array(what: str, fun: Any, x: Any) -> None:
    numbers = [1, 2, 4]
    for mode in (grad, deriv):
        by_list = mode(lambda x: np.sum(fun(x, numbers)))(x)
        by_array = mode(lambda x: np.sum(fun(x, onp.array(numbers))))(x)
        onp.testing.assert_array_equal(by_list, by_array)


def test_a_list_of_lists_beside_a_traced_vector() -> None:
    assert grad(lambda x: np.sum([[1, 2, 3], [4, 5, 6]] @ x))(X).tolist() == [5, 7, 9]
