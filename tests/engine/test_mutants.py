"""What mutants of the mechanism showed to be untested: see ``make mutate``."""

from __future__ import annotations

from typing import Any

import numpy as onp
import pytest
from test_settled import recorded

import literate_ad.numpy as np
from literate_ad import grad, make_jvp, primitive
from literate_ad.core import is_recorded
from literate_ad.extend import (
    VSpace,
    defjvp,
    defjvp_argnums,
    defvjp,
    differentiable,
    elementwise,
    notrace_primitive,
)
from literate_ad.numpy.arguments import Arguments
from literate_ad.numpy.numpy_wrapper import array_primitive
from literate_ad.tracer import is_discrete, new_box

X = onp.array([1.0, 2.0, 3.0])


# ---- tracer


def test_a_list_of_the_same_trace_beside_a_traced_argument_is_an_error() -> None:
    @primitive
    def total(x: Any, others: Any) -> Any:
        return x + sum(others)

    defvjp(total, lambda ans, x, others: lambda g: g)
    with pytest.raises(TypeError, match="total: a list of traced values is no argument"):
        grad(lambda x: total(x, [x, 2.0 * x]))(3.0)


def test_a_function_of_values_alone_keeps_its_name_and_docstring() -> None:
    @notrace_primitive
    def whole(x: Any) -> Any:
        """Rounded."""
        return x // 1

    assert (whole.__name__, whole.__doc__) == ("whole", "Rounded.")


def test_a_container_is_discrete_where_it_has_items_and_all_of_them_are() -> None:
    assert not is_discrete(())
    assert not is_discrete([])
    assert is_discrete((3,))
    assert is_discrete([3, True])
    assert not is_discrete((3, 3.0))


# ---- core


def test_a_value_whose_node_is_of_no_known_kind_counts_as_recorded() -> None:
    assert is_recorded(new_box(3.0, 0, None))


def test_a_missing_rule_of_a_function_of_any_number_of_arguments_is_named() -> None:
    @primitive
    def total(*xs: Any) -> Any:
        return sum(xs)

    with pytest.raises(NotImplementedError, match="total has no reverse rule for argument 0"):
        grad(total)(1.0)


def test_a_space_of_ones_own_is_real_unless_it_says_otherwise() -> None:
    assert VSpace().iscomplex is False


def hypotenuse() -> Any:
    """Its slope at the origin is 0 / 0."""

    @primitive
    def length(x: Any, y: Any) -> Any:
        return onp.hypot(x, y)

    return length


def test_forward_rules_of_ones_own_keep_tangents_of_zeros() -> None:
    joint, single = hypotenuse(), hypotenuse()
    defjvp_argnums(
        joint, lambda nums, ts, ans, args, kwargs: sum(t * args[n] for n, t in zip(nums, ts)) / ans
    )
    defjvp(single, lambda t, ans, x, y: t * x / ans, lambda t, ans, x, y: t * y / ans)
    with onp.errstate(invalid="ignore"):
        for length in (joint, single):
            both = make_jvp(length, (0, 1))(0.0, 0.0)
            assert both((0.0, 0.0))[1] == 0.0
            assert onp.isnan(both((0.0, 1.0))[1])
            assert onp.isnan(both((1.0, 0.0))[1])
            assert make_jvp(length)(0.0, 0.0)(0.0)[1] == 0.0
            assert onp.isnan(make_jvp(length)(0.0, 0.0)(1.0)[1])


def test_a_program_of_a_forward_rule_keeps_tangents_of_zeros_at_other_inputs() -> None:
    length = hypotenuse()
    defjvp_argnums(
        length, lambda nums, ts, ans, args, kwargs: sum(t * args[n] for n, t in zip(nums, ts)) / ans
    )
    program = recorded(lambda x: make_jvp(length, (0, 1))(x, 1.0 * x)((x, 1.0 * x))[1], 3.0)
    with onp.errstate(invalid="ignore"):
        assert program(0.0) == 0.0
    onp.testing.assert_allclose(program(2.0), 8**0.5)


# ---- forms


def test_a_declaration_without_a_rule_is_an_error() -> None:
    @primitive
    def same(x: Any) -> Any:
        return x

    with pytest.raises(TypeError, match=r"elementwise\(same, ...\): 0 rules"):
        elementwise(same)


def test_an_argument_declared_without_a_derivative_is_a_constant() -> None:
    @array_primitive
    def scaled(x: Any, factor: Any) -> Any:
        return x * factor

    differentiable(
        scaled, [lambda g, factor: g * factor, None], [lambda t, factor: t * factor, None]
    )
    assert grad(lambda x: np.sum(scaled(x, x)))(X).tolist() == X.tolist()
    assert grad(lambda x: np.sum(scaled(x, 2.0)))(X).tolist() == [2, 2, 2]
    assert make_jvp(lambda x: scaled(x, x))(X)(X)[1].tolist() == (X * X).tolist()


# ---- arguments


def test_a_default_is_none_where_numpy_has_a_marker_and_where_there_is_none() -> None:
    assert Arguments(np.sum).others["keepdims"] is None
    assert Arguments(np.expand_dims).others["axis"] is None
    assert Arguments(np.cumsum).others == {"axis": None, "dtype": None, "out": None}


def test_a_wrong_contribution_or_tangent_names_the_function() -> None:
    @primitive
    def total(x: Any) -> Any:
        return onp.sum(x)

    differentiable(total, [lambda g, x_shape: g], [lambda t, x_shape: t])
    with pytest.raises(ValueError, match=r"reverse rule of total.*\(\).*\(3,\)"):
        grad(total)(X)
    with pytest.raises(ValueError, match=r"forward rule of total.*\(3,\).*\(\)"):
        make_jvp(total)(X)(X)
    assert np.sum(X) == 6.0
