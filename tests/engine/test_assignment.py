"""Assignment to arrays in a traced function: NumPy's values, right derivatives, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest
from derivatives import check_first_order, check_second_order
from hypothesis import given, settings
from hypothesis import strategies as st
from test_settled import Step

import literate_ad.numpy as np
from literate_ad import grad, jacobian, make_jvp, make_vjp, primitive, value_and_grad
from literate_ad.core import SparseObject
from literate_ad.extend import defvjp
from literate_ad.numpy import assignment
from literate_ad.tracer import LostDerivativeError, isbox, trace

X = onp.array([0.3, 0.5, 0.7, 0.9])


def table_in_a_loop(x: Any) -> Any:
    table = np.zeros(6)
    table[0] = x[0]
    for k in range(1, 6):
        table[k] = table[k - 1] * x[k % 4] + np.sin(table[0])
    return np.sum(table * table)


def canvas(x: Any) -> Any:
    canvas = np.ones((3, 4))
    canvas[1:, 2:4] = np.reshape(x, (2, 2))
    canvas[0] = x
    canvas[:, 0] += canvas[0, 1:] ** 2
    return np.sum(canvas**2) + np.sum(canvas[1] * x)


def traced_array(x: Any) -> Any:
    y = x * 2.0
    y[1] = x[0] * x[2]
    y[2:] += y[1]
    return np.sum(y * y * x)


def copies(x: Any) -> Any:
    y, z, w, u = x.copy(), np.array(x), np.copy(x), x.flatten()
    y[0], z[1], w[2], u[3] = x[3], x[0] * 2, x[1] ** 2, 1.0
    return np.sum(x * y * z * w) + np.sum(np.sin(u) * x)


def views(x: Any) -> Any:
    table = np.zeros((2, 4))
    row, column, turned, flat = table[1], table[:, 1], table.T, table.reshape(8)
    row[:] = x
    column[0] = row[2] * x[0]
    turned[3, 0] = flat[6] ** 2
    flat[0] = turned[1, 1] + column[1]
    tail = row[1:][1:]
    tail[0] = tail[1] * x[1]
    tail *= 2.0
    return np.sum(np.sin(table)) + np.sum(row * column[0])


def views_of_a_traced_array(x: Any) -> Any:
    y = x[:, None] * x
    y[0, 0] = 1.0
    for row in y:
        row[1] = row[0] * row[2]
    y.T[2] = x
    return np.sum(y**3)


def in_place_operators(x: Any) -> Any:
    y = np.ones(4)
    y += x
    y *= x
    y -= 0.5
    y /= 1.0 + x**2
    y **= 2
    return np.sum(y)


def repeated_places(x: Any) -> Any:
    y = np.zeros(3)
    y[onp.array([0, 2, 0, 1])] = x
    y[[2, 2]] = x[:2] ** 2
    return np.sum(y * onp.array([1.0, 2.0, 3.0]))


def masks(x: Any) -> Any:
    y = x.copy()
    y[x > 0.6] = 0.0
    y[x < 0.4] = x[3] * 2
    return np.sum(y * y + x * y)


def broadcast_values(x: Any) -> Any:
    y = np.empty((2, 4))
    y[...] = x
    y[1] = x[0]
    y[:, 1:3] = x[None, None, :2]
    return np.sum(y**3)


def read_before_and_after(x: Any) -> Any:
    y = np.exp(x)
    before = np.sin(y)
    y = y.copy()
    y[0] = before[1]
    after = np.sin(y) * x
    y[1:3] = after[:2]
    return np.sum(before * after * y)


def overwritten(x: Any) -> Any:
    y = np.zeros(4)
    y[:] = x**2
    y[:] = 1.0
    y[2] = x[1]
    return np.sum(y) + x[0]


def operand_of_everything(x: Any) -> Any:
    t = np.zeros(4)
    u = x * t + t * x + np.multiply(x, t) + (t - 1.0) * 2
    t[1] = 2.0
    v = x * t + np.maximum(t, x) + np.where(x > 0.4, t, x)
    t[0] = x[3]
    w = np.dot(t, x) + np.matmul(t, x) + t @ x + x @ t + np.hypot(t, x)[0]
    both = np.concatenate([t, x]) + np.concatenate([x, t])
    return np.sum(u * v) * w + np.sum(np.stack([t, x, t]) ** 2) + np.sum(both**2) + np.sum(t**2)


def used_after_being_recorded(x: Any) -> Any:
    t = np.full(4, 2.0)
    y = x * t
    t[:] = 5.0
    z = y * t
    t[:] = x
    return np.sum(z * t)


def identity_and_likes(x: Any) -> Any:
    a, b = np.eye(2), np.zeros_like(x)
    a[0, 1] = x[0]
    b[1:] = x[1:] ** 2
    a[1] *= x[:2]
    return np.sum(a @ a) + np.sum(np.ones_like(x) * b)


PROGRAMS: list[Callable[[Any], Any]] = [
    table_in_a_loop, canvas, traced_array, copies, views, views_of_a_traced_array,
    in_place_operators, repeated_places, masks, broadcast_values, read_before_and_after,
    overwritten, operand_of_everything, used_after_being_recorded, identity_and_likes,
]  # fmt: skip
named = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


@named
def test_values_are_numpys(program: Callable[[Any], Any]) -> None:
    """Without a trace the same code runs on plain arrays."""
    expected = program(X.copy())
    assert value_and_grad(program)(X)[0] == expected
    assert make_jvp(program)(X)(X)[0] == expected


@named
def test_both_modes_and_both_orders_are_right(program: Callable[[Any], Any]) -> None:
    check_first_order(program, (X,))
    check_second_order(program, (X,))


@named
def test_a_pass_changes_nothing_for_the_next(program: Callable[[Any], Any]) -> None:
    pullback, _ = make_vjp(program)(X)
    onp.testing.assert_array_equal(pullback(1.0), pullback(1.0))


@named
def test_float32_is_kept(program: Callable[[Any], Any]) -> None:
    gradient = grad(program)(X.astype(onp.float32))
    assert gradient.dtype == onp.float32
    onp.testing.assert_allclose(gradient, grad(program)(X), rtol=2e-4, atol=2e-4)


INDICES = st.sampled_from(
    [0, -1, slice(1, 3), slice(None, None, -1), slice(None, None, 2), onp.array([0, 2, 0]),
     onp.array([True, False, True, True]), Ellipsis]
)  # fmt: skip
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "constant", "add", "view", "read", "copy"]), INDICES,
        st.integers(0, 3), st.integers(0, 2),
    ), min_size=1, max_size=8,
)  # fmt: skip


def run(steps: list[Any], start: str, x: Any) -> Any:
    """A program of assignments to a few arrays and views of them."""
    arrays = [np.zeros(4) if start == "zeros" else x * 1.5]
    total = 0.0
    for step, index, k, which in steps:
        array = arrays[which % len(arrays)]
        index = index if array.ndim and array.size == 4 else Ellipsis
        if step == "write":
            array[index] = x[k] * 2.0 + total
        elif step == "constant":
            array[index] = 0.25
        elif step == "add":
            array[index] += x[k] * array[index]
        elif step == "view" and array.size == 4:
            arrays.append(array[::-1] if k % 2 else array[1:3])
        elif step == "copy":
            arrays.append(array.copy())
        else:
            total = total + np.sum(np.sin(array) * x[: array.size])
    return total + sum(np.sum(a**2) for a in arrays)


@pytest.mark.filterwarnings("ignore:Output seems independent")
@settings(max_examples=300, deadline=None)
@given(STEPS, st.sampled_from(["zeros", "traced"]))
def test_programs_of_assignments(steps: list[Any], start: str) -> None:
    """Each has NumPy's value and the derivatives of it, unless a view was taken before a write."""

    def program(x: Any) -> Any:
        return run(steps, start, x)

    try:
        value, gradient = value_and_grad(program)(X)
    except LostDerivativeError as error:
        if "shares its memory" in str(error) and "view" in [step for step, *_ in steps]:
            return
        raise
    assert value == program(X)
    if onp.max(onp.abs(gradient)) < 1e6:
        check_first_order(program, (X,), tolerance=1e-4)


# ---- refusals


def test_the_callers_arrays_are_not_written_to() -> None:
    table, x = onp.zeros(4), X.copy()
    ours = np.zeros(4)

    def argument(x: Any) -> Any:
        x[0] = 1.0
        return np.sum(x)

    def view_of_argument(x: Any) -> Any:
        x[1:][0] = 1.0
        return np.sum(x)

    def in_a_list(p: Any) -> Any:
        p[0][1] = 5.0
        return np.sum(p[0])

    for fun, arg in ((argument, x), (view_of_argument, x), (in_a_list, [x])):
        for differentiate in (lambda f, a: grad(f)(a), lambda f, a: make_jvp(f)(a)(a)):
            with pytest.raises(LostDerivativeError, match=r"x = x\.copy\(\)"):
                differentiate(fun, arg)
    for outside in (table, ours):
        with pytest.raises(TypeError, match="lose the derivative"):
            grad(lambda x, outside=outside: outside.__setitem__(0, x[0]) or np.sum(x))(x)
    onp.testing.assert_array_equal(x, X)
    assert not table.any()
    assert not ours.any()


def test_an_array_of_an_outer_function_is_not_written_to_by_an_inner_one() -> None:
    def outer(x: Any) -> Any:
        table = np.zeros(2)

        def inner(y: Any) -> Any:
            table[0] = y * x
            return np.sum(table)

        return grad(inner)(x)

    with pytest.raises(LostDerivativeError, match="outside of the function"):
        grad(outer)(2.0)

    def inside(x: Any) -> Any:
        def inner(y: Any) -> Any:
            table = np.zeros(2)
            table[0], table[1] = y * x, y**3
            return np.sum(table**2)

        return grad(inner)(x)

    assert grad(inside)(2.0) == pytest.approx(6 * 2.0**2 + 30 * 2.0**4)


def test_a_view_taken_before_the_first_write_to_a_traced_array_is_refused() -> None:
    def program(x: Any) -> Any:
        y = x * 2.0
        row = y[1:]
        y[1] = x[0]
        return np.sum(row)

    for differentiate in (grad(program), lambda x: make_jvp(program)(x)(x)):
        with pytest.raises(LostDerivativeError, match="shares its memory"):
            differentiate(X)


def test_an_integer_array_takes_no_traced_value() -> None:
    def program(x: Any) -> Any:
        counts = np.zeros(3, int)
        counts[0] = x[0]
        return np.sum(counts)

    with pytest.raises(TypeError):
        grad(program)(X)


def test_a_real_array_takes_no_traced_complex_value() -> None:
    def program(z: Any) -> Any:
        table = np.zeros(2)
        table[0] = z
        return np.real(np.sum(table))

    with pytest.raises(LostDerivativeError, match="dtype=complex128"):
        grad(program)(1.0 + 2.0j)


def test_read_only_views_stay_read_only() -> None:
    def program(x: Any) -> Any:
        np.broadcast_to(np.zeros((1, 4)), (2, 4))[0, 0] = x[0]
        return np.sum(x)

    with pytest.raises((ValueError, TypeError)):
        grad(program)(X)


# ---- what else such an array is


def test_outside_of_a_trace_arrays_are_plain() -> None:
    grad(np.sum)(X)
    assert type(np.zeros(3)) is type(np.ones_like(X)) is onp.ndarray
    with pytest.raises(ZeroDivisionError):
        grad(lambda x: 1 // 0)(1.0)
    assert type(np.zeros(3)) is onp.ndarray


def test_results_are_plain_arrays() -> None:
    def program(x: Any) -> Any:
        table = np.zeros(2)
        table[1] = x
        return table

    pullback, value = make_vjp(program)(3.0)
    assert type(value) is onp.ndarray
    assert pullback(onp.array([5.0, 7.0])) == 7.0
    onp.testing.assert_array_equal(jacobian(program)(3.0), [0.0, 1.0])
    assert type(make_jvp(program)(3.0)(1.0)[1]) is onp.ndarray
    with pytest.warns(UserWarning, match="independent"):
        _, constant = make_vjp(lambda x: np.zeros(2))(3.0)
    assert type(constant) is onp.ndarray


def test_a_primitive_of_the_users_reads_what_the_array_holds_when_it_is_called() -> None:
    @primitive
    def scaled(x: Any, t: Any) -> Any:
        return x * onp.asarray(t)

    defvjp(scaled, lambda ans, x, t: lambda g: g * t, None)

    def program(x: Any) -> Any:
        t = np.full(4, 2.0)
        y = scaled(x, t)
        t[:] = 7.0
        return np.sum(y)

    onp.testing.assert_array_equal(grad(program)(X), [2.0] * 4)


def test_a_recorder_of_programs_replays_assignments() -> None:
    for program in (table_in_a_loop, canvas, traced_array, repeated_places, in_place_operators):
        _, end = trace(Step.new_root(), program, X)
        onp.testing.assert_allclose(end.replay(X * 1.1), program(X * 1.1), rtol=1e-12)


def test_code_that_knows_plain_arrays_only_gets_one_or_a_refusal() -> None:
    def program(x: Any) -> Any:
        t = np.zeros(3)
        plain = onp.asarray(t)
        assert type(plain) is onp.ndarray
        assert onp.asarray(t, onp.float32).dtype == onp.float32
        t[0] = x
        assert plain[0] == 0.0
        for taken in (t, t[1:]):
            with pytest.raises(LostDerivativeError, match="makes a plain numpy array"):
                onp.asarray(taken)
        return np.sum(t)

    assert grad(program)(3.0) == 1.0


def test_an_array_that_was_assigned_behaves_like_an_array() -> None:
    def program(x: Any) -> Any:
        t = np.zeros((2, 3))
        assert not isbox(t)
        assert t.sum() == 0.0
        assert float(t[0, 0]) == 0.0
        assert t.tolist() == [[0.0] * 3] * 2
        t[0, 0] = x
        assert isbox(t)
        assert isbox(t[0])
        assert isbox(t.T)
        assert t.shape == (2, 3)
        assert t.ndim == 2
        assert len(t) == 2
        assert t.dtype == float
        assert t.T.shape == (3, 2)
        assert "3." in repr(t)
        with pytest.raises(TypeError, match="lose the derivative"):
            float(t[0, 0])
        return np.sum(t) + t.sum() + t.mean(axis=0)[0] + sum(row[0] for row in t)

    assert grad(program)(3.0) == 3.5


# ---- what it costs


def test_writes_in_a_loop_copy_the_array_once(monkeypatch: pytest.MonkeyPatch) -> None:
    copies = []

    def assigned(whole: Any, index: Any, v: Any, owned: bool = False) -> Any:
        copies.append(not owned)
        return real(whole, index, v, owned)

    real = assignment.assigned
    monkeypatch.setattr(assignment, "assigned", assigned)

    def program(x: Any) -> Any:
        table = np.zeros(50)
        for k in range(1, 50):
            table[k] = table[k - 1] + x * k
        return np.sum(table)

    for differentiate in (grad(program), lambda x: make_jvp(program)(x)(1.0)):
        copies.clear()
        differentiate(2.0)
        assert len(copies) >= 49
        assert sum(copies) == 0


def test_the_reverse_pass_of_writes_in_a_loop_copies_the_cotangent_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wholes = []
    real = SparseObject.dense
    monkeypatch.setattr(SparseObject, "dense", lambda self: wholes.append(self.whole) or real(self))

    def program(x: Any) -> Any:
        table = np.zeros(50)
        for k in range(1, 50):
            table[k] = table[k - 1] * 0.5 + x * k
        return np.sum(table)

    grad(program)(2.0)
    arrays = {id(whole) for whole in wholes if whole is not None}
    assert len(arrays) == 1
    assert len(wholes) >= 48
