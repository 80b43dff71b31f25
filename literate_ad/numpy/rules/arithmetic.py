# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-arithmetic-imports
"""The operators, and the functions they stand for."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import elementwise
from literate_ad.tracer import locally_constant, primitive

# --- docs/en/articles/06-numpy-primitives.md#src-four-operations
elementwise(anp.add, lambda g, _: g, lambda g, _: g)
elementwise(anp.subtract, lambda g, _: g, lambda g, _: -g)
elementwise(anp.multiply, lambda g, y: g * y, lambda g, x: g * x)
elementwise(anp.divide, lambda g, y: g / y, lambda g, y, ans: -g * (ans / y))


# --- docs/en/articles/06-numpy-primitives.md#src-one-operand
def absolute_rule(g: Any, x: Any) -> Any:
    """``sign(x)``, which is 0 at 0; for complex numbers ``conj(x) / |x|``."""
    return g * anp.sign(anp.conjugate(x) if x.dtype.kind == "c" else x)


elementwise(anp.positive, lambda g, _: g)
elementwise(anp.negative, lambda g, _: -g)
elementwise(anp.absolute, absolute_rule)


# --- docs/en/articles/13-own-primitives.md#src-powers
def power_base(g: Any, x: Any, y: Any) -> Any:
    """``y x^(y-1)``; a plain number as exponent needs no array of exponents."""
    if type(y) in (int, float) and y >= 1:
        return g * (y * x) if y == 2 else g * (y * x ** (y - 1))
    return g * power_derivative(x, y, 1)


@primitive
def power_derivative(x: Any, y: Any, order: int) -> Any:
    """``y (y-1) ... x^(y-order)``; 0 where a factor is 0, at x = 0 too: no division by zero."""
    if isinstance(y, (int, float)):
        factor = falling(float(y), order)
        return factor * x ** (y - order if factor else 0)
    factor = falling(np.asarray(y), order)
    return (factor * x ** np.where(factor == 0, 0, np.subtract(y, order)))[()]


def falling(y: Any, order: int) -> Any:
    """``y (y-1) ... (y-order+1)``."""
    return prod([anp.subtract(y, k) if k else y for k in range(order)])


def falling_slope(y: Any, order: int) -> Any:
    """Its derivative: each factor is left out once."""
    return sum(prod([anp.subtract(y, k) for k in range(order) if k != out]) for out in range(order))


def power_exponent(g: Any, x: Any, ans: Any) -> Any:
    """``x^y log x``. At x = 0 the power is 0 for every y > 0, so its slope there is 0."""
    return g * ans * anp.log(anp.where(anp.equal(x, 0), 1.0, x))


elementwise(anp.power, power_base, power_exponent)


def power_derivative_exponent(g: Any, x: Any, y: Any, order: int) -> Any:
    """The derivative of factor times power, with the logarithm as in ``power_exponent``."""
    log = anp.log(anp.where(anp.equal(x, 0), 1.0, x))
    return g * (x ** anp.subtract(y, order) * (falling_slope(y, order) + falling(y, order) * log))


elementwise(
    power_derivative,
    lambda g, x, y, order: g * power_derivative(x, y, order + 1),
    power_derivative_exponent,
)
elementwise(anp.remainder, lambda g, _: g, lambda g, x, y: -g * anp.floor(x / y))


# --- docs/en/articles/15-shapes.md#src-winner-share
@primitive
def share(x: Any, y: Any, ans: Any) -> Any:
    """1 where ``x`` is the larger (or smaller) of two, 0 where ``y`` is, and 1/2 where both are."""
    half = ans.dtype.type(0.5)
    return np.equal(x, ans) - half * np.equal(x, y)


locally_constant.add(share)

for fun in (anp.maximum, anp.minimum, anp.fmax, anp.fmin):
    elementwise(
        fun, lambda g, x, y, ans: g * share(x, y, ans), lambda g, x, y, ans: g * share(y, x, ans)
    )
