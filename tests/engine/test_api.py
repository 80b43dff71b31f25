"""The differential operators and the registries of rules, as their users call them."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from collections import OrderedDict, defaultdict
from functools import partial
from operator import setitem
from typing import Any, NamedTuple

import numpy as onp
import pytest

import literate_ad
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
from literate_ad.extend import (
    JVPNode,
    VJPNode,
    def_linear,
    defjvp,
    defjvp_argnum,
    defjvp_argnums,
    defvjp,
    defvjp_argnum,
    defvjp_argnums,
    notrace_primitive,
    register_notrace,
)
from literate_ad.tracer import getval, isbox

X = onp.array([0.5, 1.5, 2.0])
OPERATORS = [
    grad, value_and_grad, elementwise_grad, deriv, jacobian, hessian, make_vjp, make_jvp, make_hvp,
]  # fmt: skip


def energy(x, y=2.0, *, scale=1.0):  # type: ignore[no-untyped-def]
    """The energy of x."""
    return scale * np.sum(x**2) * y


# ---- the operators


def test_grad_has_the_structure_shape_and_dtype_of_its_argument() -> None:
    assert grad(lambda x: x * x)(3.0) == 6.0
    assert grad(lambda x: np.sum(x * x))(X).tolist() == (2 * X).tolist()
    assert grad(lambda x: np.sum(x[0] * x[1]["a"]))((2.0, {"a": 5.0})) == (5.0, {"a": 2.0})
    assert grad(lambda x: np.sum(x))(onp.ones((2, 3), "f4")).dtype == "f4"
    assert grad(lambda x: x.sum())(onp.ones((1, 1))).shape == (1, 1)


def test_a_value_of_one_number_in_an_array_is_a_scalar() -> None:
    assert grad(lambda x: x[:1] * 3)(X).tolist() == [3, 0, 0]
    assert grad(lambda x: np.reshape(x, (1, 1)))(2.0) == 1.0


@pytest.mark.parametrize("number", [2.0, onp.float32(2), onp.array(2.0)], ids=repr)
def test_the_gradient_of_a_number_is_a_number_whatever_shapes_it_went_through(number: Any) -> None:
    for fun in (lambda x: np.reshape(x, (1, 1)), lambda x: np.sum(np.atleast_2d(x) * X)):
        gradient = grad(fun)(number)
        assert type(gradient) is type(onp.asarray(number)[()])


class Line(NamedTuple):
    slope: Any
    shift: Any


def test_fields_of_a_named_tuple_and_classes_of_dicts() -> None:
    gradient = grad(lambda line: np.sum(line.slope * X + line.shift))(Line(2.0, X))
    assert type(gradient) is Line
    assert gradient.slope == X.sum()
    assert gradient.shift.tolist() == [1, 1, 1]
    second = hessian_vector_product(lambda line: line.slope**2 * line.shift)
    assert second(Line(2.0, 3.0), Line(1.0, 0.0)) == Line(6.0, 4.0)
    with pytest.raises(AttributeError, match="a traced Line has no 'colour'"):
        grad(lambda line: line.colour)(Line(2.0, 1.0))
    with pytest.raises(AttributeError, match="a traced list has no 'append'"):
        grad(lambda p: p.append(1.0))([2.0])

    def square(p: Any) -> Any:
        return p["a"] ** 2

    for p in (OrderedDict(a=3.0), defaultdict(float, a=3.0)):
        gradient = grad(square)(p)
        assert type(gradient) is type(p)
        assert gradient["a"] == 6.0
        assert make_jvp(square)(p)(gradient)[1] == 36.0
        assert hessian_vector_product(square)(p, p)["a"] == 6.0


@pytest.mark.parametrize(
    ("container", "key", "named"),
    [
        ([2.0, 1.0], 0, "list cannot be changed"),
        ((2.0, 1.0), 0, "tuple cannot be changed"),
        ({"a": 2.0}, "a", r"dict cannot be changed: .*'a': value"),
    ],
)
def test_a_traced_container_cannot_be_changed(container: Any, key: Any, named: str) -> None:
    with pytest.raises(TypeError, match=f"a traced {named}"):
        grad(lambda p: setitem(p, key, 2.0 * p[key]))(container)


def test_grad_builds_nothing_until_it_is_called() -> None:
    calls = []
    df = grad(lambda x: calls.append(x) or x * x)
    assert calls == []
    assert df(3.0) == 6.0
    assert len(calls) == 1


def test_value_and_grad() -> None:
    value, gradient = value_and_grad(energy)(X)
    assert value == energy(X)
    assert gradient.tolist() == (4 * X).tolist()
    assert not isbox(value)


def test_elementwise_grad() -> None:
    assert elementwise_grad(np.sin)(X).tolist() == onp.cos(X).tolist()
    onp.testing.assert_allclose(elementwise_grad(elementwise_grad(np.sin))(X), -onp.sin(X))
    assert elementwise_grad(lambda x: x**2)(3.0) == 6.0


def test_deriv() -> None:
    assert deriv(np.sin)(X).tolist() == onp.cos(X).tolist()
    assert deriv(lambda x, y: x * y, 1)(2.0, 5.0) == 2.0
    assert deriv(lambda x, y: x * y, (0, 1))(2.0, 5.0) == 7.0


@pytest.mark.parametrize("x", [2.0, X, onp.ones((2, 3)), onp.ones((0,))], ids=repr)
def test_jacobian_has_the_shape_of_the_value_and_then_of_the_argument(x: Any) -> None:
    weights = onp.arange(6.0).reshape(2, 3)
    for fun in (np.sum, lambda x: x * x, lambda x: np.sum(x) * weights):
        result = jacobian(fun)(x)
        assert result.shape == onp.shape(fun(x)) + onp.shape(x)
    onp.testing.assert_array_equal(
        jacobian(lambda x: x * x)(x).reshape(onp.size(x), onp.size(x)),
        onp.diag(2 * onp.ravel(x)),
    )


def test_jacobian_of_several_arguments() -> None:
    jx, jy = jacobian(lambda x, y: x[:2] * y, (0, 1))(X, 3.0)
    assert jx.tolist() == [[3, 0, 0], [0, 3, 0]]
    assert jy.tolist() == X[:2].tolist()
    by_name = jacobian(lambda p: p["a"] * p["b"])({"a": X, "b": 2.0})
    assert by_name["a"].tolist() == (2 * onp.eye(3)).tolist()
    assert by_name["b"].tolist() == X.tolist()


@pytest.mark.filterwarnings("ignore:Output seems independent")
def test_hessian() -> None:
    def fun(x: Any) -> Any:
        return x[0] ** 2 * x[1] + np.sin(x[2])

    expected = [[2 * X[1], 2 * X[0], 0], [2 * X[0], 0, 0], [0, 0, -onp.sin(X[2])]]
    onp.testing.assert_allclose(hessian(fun)(X), expected, atol=1e-15)
    assert hessian(lambda x: x**3)(2.0) == 12.0
    assert hessian(np.sum)(onp.ones((2, 3))).shape == (2, 3, 2, 3)
    assert hessian(lambda x, y: x**3 * y, 1)(2.0, 1.0) == 0.0


def test_hessian_of_several_arguments_is_made_of_blocks() -> None:
    (xx, xy), (yx, yy) = hessian(lambda x, y: np.sum(x * x) * y**2, (0, 1))(X, 3.0)
    assert xx.tolist() == (18 * onp.eye(3)).tolist()
    assert xy.tolist() == yx.tolist() == (12 * X).tolist()
    assert yy == 2 * onp.sum(X * X)


def test_hessian_vector_products() -> None:
    v = onp.array([1.0, -1.0, 2.0])

    def fun(x: Any) -> Any:
        return np.sum(x**3) * x[0]

    expected = hessian(fun)(X) @ v
    onp.testing.assert_allclose(hessian_vector_product(fun)(X, v), expected)
    product, gradient = make_hvp(fun)(X)
    onp.testing.assert_allclose(product(v), expected)
    onp.testing.assert_allclose(product(2 * v), 2 * expected)
    onp.testing.assert_allclose(gradient, grad(fun)(X))
    assert hessian_vector_product(lambda a, x: a * x**3, 1)(5.0, 2.0, 10.0) == 600.0
    assert hessian_vector_product(lambda a, x: a * x**3, -1)(5.0, 2.0, 10.0) == 600.0
    by_both = hessian_vector_product(lambda x, y: x * x * y, (0, 1))(2.0, 3.0, (1.0, 0.0))
    assert by_both == (6.0, 4.0)


def test_make_vjp_can_be_asked_many_times() -> None:
    runs = []
    pullback, value = make_vjp(lambda x: runs.append(0) or x * x)(3.0)
    assert value == 9.0
    assert [pullback(g) for g in (1.0, 10.0, 0.0, -1.0, 1.0)] == [6.0, 60.0, 0.0, -6.0, 6.0]
    assert len(runs) == 1


def test_make_jvp() -> None:
    jvp = make_jvp(lambda x, y: x * y, (0, 1))(3.0, 5.0)
    assert jvp((1.0, 0.0)) == (15.0, 5.0)
    assert jvp((0.0, 1.0)) == (15.0, 3.0)
    value, tangent = make_jvp(lambda p: p["a"] * p["b"])({"a": X, "b": 2.0})({"a": X, "b": 1.0})
    assert value.tolist() == (2 * X).tolist()
    assert tangent.tolist() == (3 * X).tolist()


# ---- which argument


def product(x, y, z):  # type: ignore[no-untyped-def]
    return x * y**2 * z**3


@pytest.mark.parametrize(
    ("argnum", "expected"),
    [
        (0, 72.0), (1, 48.0), (2, 108.0), (-1, 108.0), (-3, 72.0), ((0,), (72.0,)), ([2], (108.0,)),
        ((0, 2), (72.0, 108.0)), ([2, 0], (108.0, 72.0)), ((0, -1), (72.0, 108.0)), ((), ()),
    ],
)  # fmt: skip
def test_argnum(argnum: Any, expected: Any) -> None:
    args = (1.0, 3.0, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no argument everything is independent
        assert grad(product, argnum)(*args) == expected
        assert grad(product, argnum=argnum)(*args) == expected
        value, gradient = value_and_grad(product, argnum)(*args)
    assert (value, gradient) == (72.0, expected)


@pytest.mark.parametrize("argnum", ["x", 1.0, None, True, (0, "y"), [0.0], {0}])
@pytest.mark.parametrize("operator", OPERATORS)
def test_argnum_of_another_type_is_refused_at_once(operator: Any, argnum: Any) -> None:
    with pytest.raises(TypeError, match=f"{operator.__name__}: argnum must be an int, or a tuple"):
        operator(product, argnum)


def test_an_argument_cannot_be_chosen_twice() -> None:
    with pytest.raises(TypeError, match=r"names an argument twice: \(1, 1\)"):
        grad(product, (1, 1))


def test_an_argument_that_was_not_given_by_position() -> None:
    with pytest.raises(TypeError, match=r"argument 3 was not given by position .got 3 positional"):
        grad(product, 3)(1.0, 2.0, 3.0)
    with pytest.raises(TypeError, match="argument 2 was not given by position"):
        grad(product, 2)(1.0, 2.0, z=3.0)
    with pytest.raises(TypeError, match="not given by position"):
        grad(product)()


def test_keyword_arguments_pass_through() -> None:
    assert grad(energy)(3.0, scale=10.0) == 120.0
    assert grad(energy)(3.0, y=1.0) == 6.0
    assert grad(energy, 1)(3.0, 1.0, scale=2.0) == 18.0
    assert hessian(energy)(3.0, scale=2.0) == 8.0
    assert hessian_vector_product(energy)(3.0, 1.0, scale=2.0) == 8.0
    assert make_vjp(energy)(3.0, y=1.0)[0](1.0) == 6.0
    assert make_jvp(energy)(3.0, y=1.0)(1.0) == (9.0, 6.0)


# ---- looks


@pytest.mark.parametrize("operator", OPERATORS)
def test_names_and_docstrings_are_kept(operator: Any) -> None:
    derived = operator(energy, 1)
    assert derived.__name__ == f"{operator.__name__}_of_energy_wrt_argnum_1"
    assert "argument number 1" in derived.__doc__
    assert "The energy of x." in derived.__doc__
    assert derived.__module__ == energy.__module__
    assert derived.__wrapped__ is energy
    assert repr(derived) == f"<{operator.__name__}_of_energy_wrt_argnum_1>"
    assert list(inspect.signature(derived).parameters) == ["x", "y", "scale"]
    assert operator.__doc__
    assert operator.__name__ in literate_ad.__all__


def test_a_hessian_vector_product_keeps_the_name_too() -> None:
    derived = hessian_vector_product(energy, 1)
    assert derived.__name__ == "hessian_vector_product_of_energy_wrt_argnum_1"
    assert derived.__doc__.endswith("The energy of x.")


class Polynomial:
    """A callable object without a name of its own."""

    def __init__(self, *coefficients: float) -> None:
        self.coefficients = coefficients

    def __call__(self, x: Any) -> Any:
        return sum(c * x**i for i, c in enumerate(self.coefficients))

    def at(self, x: Any) -> Any:
        return self(x)

    slope = grad(__call__, 1)

    @partial(grad, argnum=1)
    def curvature(self, x: Any) -> Any:
        return self.slope(x)


def test_functions_of_every_kind() -> None:
    polynomial = Polynomial(1.0, 2.0, 3.0)
    assert grad(polynomial)(2.0) == 14.0
    assert grad(polynomial).__name__ == "grad_of_Polynomial_wrt_argnum_0"
    assert grad(polynomial.at)(2.0) == 14.0
    assert grad(Polynomial.at, 1)(polynomial, 2.0) == 14.0
    assert grad(partial(product, z=1.0))(1.0, 3.0) == 9.0
    assert grad(np.sin)(0.0) == 1.0
    assert grad(onp.sin)(0.0) == 1.0
    assert grad(grad(polynomial))(2.0) == 6.0


def test_a_derivative_is_a_method_when_a_class_says_so() -> None:
    polynomial = Polynomial(1.0, 2.0, 3.0)
    assert polynomial.slope(2.0) == 14.0
    assert Polynomial.slope(polynomial, 2.0) == 14.0
    assert polynomial.curvature(2.0) == 6.0


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("fun", [energy, np.sum, Polynomial(1.0, 2.0)], ids=["def", "np", "object"])
def test_what_an_operator_returns_can_be_pickled_and_copied(operator: Any, fun: Any) -> None:
    derived = operator(fun)
    for again in (pickle.loads(pickle.dumps(derived)), copy.deepcopy(derived), copy.copy(derived)):
        assert again.__name__ == derived.__name__
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the gradient of a linear function is constant
            first, second = derived(2.0), again(2.0)
        if operator in (make_vjp, make_jvp, make_hvp):
            first, second = (r[0](1.0) if isinstance(r, tuple) else r(1.0) for r in (first, second))
        assert second == first


def test_second_derivatives_and_functions_of_numpy_can_be_pickled() -> None:
    for fun in (grad(grad(energy)), hessian(energy), partial(hessian_vector_product(energy), 2.0)):
        again = pickle.loads(pickle.dumps(fun))
        assert again(3.0) == fun(3.0)
    for name in ("sin", "add", "sum", "reshape", "prod", "argmax", "where", "dot", "array"):
        fun = getattr(np, name)
        assert pickle.loads(pickle.dumps(fun)) is fun


# ---- what cannot be differentiated


@pytest.mark.parametrize("operator", [grad, value_and_grad, make_hvp])
def test_a_value_that_is_not_scalar_names_what_to_call(operator: Any) -> None:
    with pytest.raises(TypeError) as error:
        operator(lambda x: x * x)(X)
    assert "jacobian" in str(error.value)
    assert "elementwise_grad" in str(error.value)
    assert "array of shape (3,)" in str(error.value)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (3, "type int: a derivative needs a real number: pass 3.0 instead of 3"),
        (True, "pass 1.0 instead of True"),
        (onp.int64(3), "type int64: a derivative needs a real number: pass 3.0"),
        ("text", "type str"),
        (None, "type NoneType"),
        ({1.0}, "type set"),
        (onp.array(["text"]), "dtype <U4"),
        (onp.array([1.0, None]), "dtype object"),
        (onp.array(["2000-01-01"], "M8[D]"), "dtype datetime64"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("operator", [grad, value_and_grad, elementwise_grad, jacobian, make_vjp])
def test_an_argument_of_an_untraceable_type_is_named(operator: Any, value: Any, named: str) -> None:
    with pytest.raises(TypeError) as error:
        operator(lambda x: x)(value)
    assert "cannot differentiate with respect to" in str(error.value)
    assert named in str(error.value)


@pytest.mark.parametrize(
    ("x", "named"),
    [
        ({"x": 2.0, "n": 3}, "pass 3.0 instead of 3"),
        ([2.0, [(1.0, True)]], "1.0 instead of True"),
        ((2.0, onp.int64(5)), "type int64"), ([2.0, onp.arange(3)], "ndarray and dtype int"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("operator", [grad, value_and_grad, jacobian, make_vjp, deriv])
def test_an_integer_in_a_container_is_no_silent_constant(operator: Any, x: Any, named: str) -> None:
    with pytest.raises(TypeError, match=f"cannot differentiate .*{named}"):
        operator(lambda p: 1.0)(x)
    with pytest.raises(TypeError, match="instead of 3"):
        grad(lambda x, n: x**n, (0, 1))(2.0, 3)


@pytest.mark.parametrize("operator", OPERATORS)
def test_what_is_no_function_is_refused_at_once(operator: Any) -> None:
    with pytest.raises(TypeError, match=rf"got 3.0: call it as {operator.__name__}\(f\)\(x\)"):
        operator(3.0)


def test_a_function_without_an_answer() -> None:
    with (
        pytest.warns(UserWarning, match="independent"),
        pytest.raises(TypeError, match="it returned None"),
    ):
        grad(lambda x: None)(1.0)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda x: [x, x], lambda x: (x, 1.0), lambda x: {"a": x}, lambda x: [[1.0, [x]]],
        lambda x: ({"a": {"b": (x,)}},),
    ],
)  # fmt: skip
@pytest.mark.parametrize("operator", [grad, jacobian, make_vjp, elementwise_grad])
def test_traced_values_in_a_plain_container_are_no_constant(operator: Any, wrap: Any) -> None:
    with pytest.raises(TypeError, match=r"returned traced values inside a plain (list|tuple|dict)"):
        operator(wrap)(1.0)


def test_complex_values_of_a_real_function_are_refused() -> None:
    for operator in (grad, elementwise_grad, jacobian):
        with pytest.raises(TypeError, match="real"):
            operator(lambda x: x * 1j)(2.0)


# ---- the independent output


@pytest.mark.parametrize("x", [2.0, X, onp.float32(1), onp.ones((2, 0))], ids=repr)
def test_an_output_independent_of_the_input_warns_and_has_zero_derivatives(x: Any) -> None:
    for fun in (lambda x: 5.0, lambda x: np.sum(x > 0), lambda x: float(np.size(x))):
        with pytest.warns(UserWarning, match="Output seems independent of input"):
            g = grad(fun)(x)
        assert onp.shape(g) == onp.shape(x)
        assert g.dtype == onp.result_type(x)
        assert not onp.any(g)
        with pytest.warns(UserWarning, match="independent"):
            assert make_jvp(fun)(x)(onp.ones_like(x))[1] == 0.0


def test_independent_of_a_container() -> None:
    with pytest.warns(UserWarning, match="independent"):
        assert grad(lambda p: 5.0)({"a": (1.0, [2.0])}) == {"a": (0.0, [0.0])}


def test_no_warning_where_the_output_depends_on_the_input() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(lambda x: 0.0 * x)(1.0) == 0.0
        assert grad(lambda x: x)(1.0) == 1.0


# ---- cotangents


@pytest.mark.parametrize("g", [1.0, onp.ones(2), onp.ones((3, 1)), onp.ones((1, 3)), None, "text"])
def test_a_cotangent_or_tangent_of_another_shape_is_refused(g: Any) -> None:
    for ask in (make_vjp(np.sin)(X)[0], make_jvp(np.sin)(X)):
        with pytest.raises(ValueError, match=r"shape \(3,\), got shape"):
            ask(g)


def test_a_cotangent_may_be_anything_that_makes_such_an_array() -> None:
    pullback = make_vjp(lambda x: 2 * x)(X.astype("f4"))[0]
    for g in ([1, 2, 3], (1, 2, 3), onp.arange(1, 4), onp.array([1.0, 2.0, 3.0])):
        result = pullback(g)
        assert result.tolist() == [2, 4, 6]
        assert result.dtype == "f4"
    assert make_vjp(lambda x: x)(2.0)[0](1) == 1.0
    assert make_vjp(lambda x: x)(2.0)[0](onp.array(3)) == 3.0


@pytest.mark.parametrize("g", [None, "2.0", 1j], ids=repr)
def test_a_cotangent_or_tangent_that_is_no_real_number_is_refused(g: Any) -> None:
    for ask in (make_vjp(np.sin)(2.0)[0], make_jvp(np.sin)(2.0)):
        with pytest.raises(TypeError, match="of dtype float64, got dtype"):
            ask(g)
    assert make_vjp(lambda x: x * 2j)(2.0)[0](1j) == -2.0


def test_a_cotangent_of_a_container_is_built_like_its_value() -> None:
    pullback, _ = make_vjp(lambda p: p)([1.0, X])
    first, second = pullback([2.0, onp.ones(3)])
    assert first == 2.0
    assert second.tolist() == [1, 1, 1]
    for g in ([2.0], (2.0, X), 2.0, {"a": 1}):
        with pytest.raises((ValueError, TypeError)):
            pullback(g)
    with pytest.raises(ValueError, match="must be built like its value"):
        make_jvp(lambda p: p["a"])({"a": 2.0})({"b": 1.0})


@pytest.mark.parametrize(
    "fun", [lambda x: x, lambda x: x + 1, lambda x: x.reshape(3, 1), lambda x: x[:3], lambda x: -x]
)
def test_answers_share_no_memory_with_questions(fun: Any) -> None:
    value = fun(X)
    for ask in (make_vjp(fun)(X)[0], lambda v: make_jvp(fun)(X)(v.reshape(3))[1]):
        g = onp.ones(value.shape)
        answer = ask(g)
        answer += 10.0
        assert g.tolist() == onp.ones(value.shape).tolist()
    assert X.tolist() == [0.5, 1.5, 2.0]


def test_two_gradients_share_no_memory() -> None:
    def fun(x: Any, y: Any) -> Any:
        return np.sum((x + y) * onp.array([1.0, 2.0, 3.0]))

    gx, gy = grad(fun, (0, 1))(X, X)
    gx += 100.0
    assert gy.tolist() == [1, 2, 3]
    gx, gy = grad(lambda x, y: fun(x.reshape(3, 1)[:, 0], y), (0, 1))(X, X)
    assert not onp.shares_memory(gx, gy)
    gx, gy = grad(lambda x, y: np.sum((x.reshape(3, 1) + y) * y), (0, 1))(X, X.reshape(3, 1))
    assert not onp.shares_memory(gx, gy)
    gx, gy = grad(lambda x, y: fun(x, y.reshape(3)), (0, 1))(X, X.reshape(3, 1))
    assert not onp.shares_memory(gx, gy)
    tree = grad(lambda p: fun(p["a"][0], p["b"][0]))({"a": [X], "b": [X]})
    tree["a"][0][:] = 0.0
    assert tree["b"][0].tolist() == [1, 2, 3]


# ---- rules of one's own


def test_a_maker_runs_once_while_recording_and_its_pullback_as_often_as_asked() -> None:
    log = []

    @primitive
    def square(x: Any) -> Any:
        log.append("run")
        return x * x

    def maker(ans: Any, x: Any) -> Any:
        log.append(f"make {float(ans)}")
        return lambda g: log.append("pull") or g * 2 * x

    defvjp(square, maker)
    pullback, value = make_vjp(square)(3.0)
    assert log == ["run", "make 9.0"]
    assert [pullback(1.0), pullback(2.0)] == [6.0, 12.0]
    assert log == ["run", "make 9.0", "pull", "pull"]
    assert value == 9.0


def test_a_missing_rule_names_function_argument_and_remedy() -> None:
    @primitive
    def mystery(x: Any, weight: Any) -> Any:
        return x * weight

    with pytest.raises(NotImplementedError) as error:
        grad(mystery, 1)(1.0, 2.0)
    message = str(error.value)
    assert "mystery has no reverse rule for argument 1 ('weight')" in message
    assert "literate_ad.extend.defvjp(mystery, ...)" in message
    with pytest.raises(NotImplementedError, match=r"forward rule for argument 0 .'x'.*defjvp"):
        deriv(mystery)(1.0, 2.0)
    defvjp(mystery, lambda ans, x, weight: lambda g: g * weight)
    assert grad(mystery)(1.0, 2.0) == 2.0
    with pytest.raises(NotImplementedError, match=r"argument 1 .'weight'"):
        grad(mystery, (0, 1))(1.0, 2.0)


@pytest.mark.parametrize("fun", [np.float_power, np.gradient])
def test_numpy_without_a_rule_says_so(fun: Any) -> None:
    args = (X,) if fun in (np.prod, np.sort) else (X, X) if fun is not np.interp else (X, X, X)
    with pytest.raises(NotImplementedError, match=f"{fun.__name__} has no reverse rule"):
        grad(lambda *a: np.sum(fun(*a)))(*args)
    assert onp.array_equal(fun(*args), getattr(onp, fun.__name__)(*args))


def scaled_and_shifted() -> Any:
    @primitive
    def affine(x: Any, scale: Any, shift: Any) -> Any:
        return x * scale + shift

    return affine


def test_rules_for_chosen_arguments_and_arguments_without_a_derivative() -> None:
    affine = scaled_and_shifted()
    defvjp(affine, lambda ans, x, scale, shift: lambda g: g * x, None, argnums=(1, 2))
    assert grad(affine, 1)(3.0, 5.0, 7.0) == 3.0
    assert grad(affine, (1, 2))(3.0, 5.0, 7.0) == (3.0, 0.0)
    with pytest.raises(NotImplementedError, match="argument 0"):
        grad(affine)(3.0, 5.0, 7.0)
    defjvp(affine, lambda g, ans, x, scale, shift: g * x, None, argnums=[1, 2])
    assert deriv(affine, 1)(3.0, 5.0, 7.0) == 3.0
    assert deriv(affine, 2)(3.0, 5.0, 7.0) == 0.0
    assert make_jvp(affine, (1, 2))(3.0, 5.0, 7.0)((1.0, 1.0)) == (22.0, 3.0)


def test_rules_for_all_arguments_at_once_and_for_each_by_number() -> None:
    slopes = (lambda x, s, t: s, lambda x, s, t: x, lambda x, s, t: 1.0)
    together, apart = scaled_and_shifted(), scaled_and_shifted()
    defvjp_argnums(
        together, lambda nums, ans, args, kw: lambda g: (g * slopes[n](*args) for n in nums)
    )
    defjvp_argnums(
        together,
        lambda nums, gs, ans, args, kw: sum(
            g * slopes[n](*args) for n, g in zip(nums, gs, strict=True)
        ),
    )
    defvjp_argnum(apart, lambda n, ans, args, kw: lambda g: g * slopes[n](*args))
    defjvp_argnum(apart, lambda n, g, ans, args, kw: g * slopes[n](*args))
    for fun in (together, apart):
        assert grad(fun, (0, 1, 2))(3.0, 5.0, 7.0) == (5.0, 3.0, 1.0)
        assert grad(fun, 1)(3.0, 5.0, 7.0) == 3.0
        assert make_jvp(fun, (0, 1, 2))(3.0, 5.0, 7.0)((1.0, 1.0, 1.0)) == (22.0, 9.0)
        assert grad(grad(fun), 1)(3.0, 5.0, 7.0) == 1.0


def test_linear_functions() -> None:
    @primitive
    def doubled(x: Any) -> Any:
        return 2 * x

    def_linear(doubled)
    assert deriv(doubled)(3.0) == 2.0
    defjvp(doubled, "same")
    assert deriv(doubled)(3.0) == 2.0


def test_too_few_cotangents_are_an_error_and_no_silent_zero() -> None:
    affine = scaled_and_shifted()
    defvjp_argnums(affine, lambda nums, ans, args, kw: lambda g: [g])
    with pytest.raises(ValueError, match="affine returned 1 cotangents for 2 arguments"):
        grad(affine, (0, 1))(3.0, 5.0, 7.0)


def test_a_rule_may_return_a_python_number_and_must_return_the_shape() -> None:
    @primitive
    def doubled(x: Any) -> Any:
        return 2 * x

    defvjp(doubled, lambda ans, x: lambda g: 2.0)
    assert grad(doubled)(3.0) == 2.0
    assert grad(lambda x: doubled(x * x))(3.0) == 12.0
    with pytest.raises(ValueError, match=r"cotangent of shape \(\) for a value of shape \(3,\)"):
        grad(lambda x: np.sum(doubled(x)))(X)


def test_traced_keyword_arguments_of_a_primitive() -> None:
    affine = scaled_and_shifted()
    defvjp(
        affine,
        lambda ans, x, scale, shift: lambda g: g * scale,
        lambda ans, x, scale, shift: lambda g: g * x,
        lambda ans, x, scale, shift: lambda g: g,
    )
    assert grad(lambda x: affine(2.0, scale=x, shift=x))(3.0) == 3.0
    assert grad(lambda x: affine(x, scale=x, shift=1.0))(3.0) == 6.0
    assert grad(lambda x: affine(shift=x, scale=x, x=x))(3.0) == 7.0
    assert grad(lambda y: grad(lambda x: affine(x, scale=x * y, shift=y))(2.0))(3.0) == 4.0

    @primitive
    def by_name(x: Any, *, weight: float) -> Any:
        return x * weight

    defvjp(by_name, lambda ans, x, weight: lambda g: g * weight)
    assert grad(lambda x: by_name(x, weight=2.0))(3.0) == 2.0
    with pytest.raises(TypeError, match="weight, a keyword-only argument"):
        grad(lambda x: by_name(x, weight=x))(3.0)


def test_rules_only_for_primitives_that_have_none() -> None:
    with pytest.raises(TypeError, match="is not a primitive"):
        defvjp(lambda x: x, None)
    with pytest.raises(TypeError, match="not a primitive"):
        defjvp(onp.sin, "same")
    with pytest.raises(TypeError, match="sin has its rules already"):
        defvjp(np.sin, None)


# ---- functions without a derivative


def test_functions_of_the_values_alone() -> None:
    @notrace_primitive
    def index_of_largest(x: Any) -> int:
        assert not isbox(x)
        return int(onp.argmax(x))

    assert grad(lambda x: x[index_of_largest(x)])(X).tolist() == [0, 0, 1]
    assert grad(lambda x: grad(lambda y: y * index_of_largest(x=y * onp.ones(2)))(x) + x)(2.0) == 1


def test_notrace_functions_of_numpy() -> None:
    def fun(x: Any) -> Any:
        assert type(np.argmax(x)) is type(onp.argmax(X))
        assert np.shape(x) == (3,)
        assert np.floor(x).tolist() == [0, 1, 2]
        assert not isbox(np.zeros_like(x))
        assert np.allclose(x, X)
        return x[np.argmax(x)] * np.sum(np.sign(x)) + np.sum(np.round(x))

    assert grad(fun)(X).tolist() == [0, 0, 3]


def test_a_primitive_can_be_opaque_to_one_kind_of_trace() -> None:
    @primitive
    def frozen(x: Any) -> Any:
        return 1.0 * x

    register_notrace(VJPNode, frozen)
    defjvp(frozen, "same")
    assert grad(lambda x: frozen(x) * x)(3.0) == 3.0
    assert deriv(lambda x: frozen(x) * x)(3.0) == 6.0
    register_notrace(JVPNode, frozen)
    assert deriv(lambda x: frozen(x) * x)(3.0) == 3.0


def test_wrapped_integer_types_take_traced_values() -> None:
    def fun(x: Any) -> Any:
        n = np.int64(x)
        assert type(n) is np.int64 or n == 3
        return x ** np.int32(n) + np.int8(x)

    assert fun(3.0) == 30.0
    assert grad(fun)(3.0) == 27.0
    assert grad(lambda x: x * x.astype(int))(3.7) == 3
    assert np.int64(2) == 2
    assert onp.zeros(2, np.int64).dtype == "i8"


def test_primitives_keep_name_and_words() -> None:
    assert np.sin.__name__ == "sin"
    assert np.sin.__doc__ == onp.sin.__doc__
    assert np.sum(X) == 4.0
    assert np.pi is onp.pi
    assert np.float32 is onp.float32
    with pytest.raises(AttributeError, match="has no 'sinus', and neither has numpy"):
        np.sinus  # noqa: B018


def test_values_outside_a_trace_are_those_of_numpy() -> None:
    for name in ("sin", "add", "maximum", "sum", "mean", "reshape", "matmul", "dot", "where"):
        args = {"add": (X, 1), "maximum": (X, 1), "reshape": (X, (3, 1)), "matmul": (X, X),
                "dot": (X, X), "where": (X > 1, X, 0)}.get(name, (X,))  # fmt: skip
        ours, theirs = getattr(np, name)(*args), getattr(onp, name)(*args)
        assert type(ours) is type(theirs)
        assert onp.array_equal(ours, theirs)
    assert getval(X) is X


def test_options_of_numpy_outside_a_trace() -> None:
    out = onp.zeros(3)
    assert np.sin(X, out=out) is out
    assert out.tolist() == onp.sin(X).tolist()
    assert np.add(X, 1, dtype="f4").dtype == "f4"
    assert np.multiply(X, 2, out, where=X > 1).tolist() == [onp.sin(0.5), 3.0, 4.0]
    assert np.sum(X, initial=1.0, where=X > 1) == 4.5
    assert np.sum(a := onp.ones((2, 3)), axis=1, keepdims=True).tolist() == [[3], [3]]
    assert np.reshape(a, (3, 2), "F").shape == np.reshape(a, (3, 2), order="F").shape == (3, 2)
    assert np.matmul(a, X, dtype="f4").dtype == "f4"
    assert np.concatenate([X, X], dtype="f4").dtype == np.stack([X], dtype="f4").dtype == "f4"
    assert np.array(X, ndmin=2, dtype="f4").shape == (1, 3)
    assert np.mean(X, where=X > 1) == 1.75
    assert np.astype(X, int).tolist() == [0, 1, 2]
    assert np.argmax(a=X) == 2
