# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-arithmetic-imports
"""The operators, and the functions they stand for."""

from __future__ import annotations

from typing import Any

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.declare import binary, elementwise
from literate_ad.numpy.numpy_boxes import ArrayBox
from literate_ad.numpy.rules.zero import over, times
from literate_ad.tracer import isbox

# --- docs/en/articles/06-numpy-primitives.md#src-four-operations
binary(anp.add, lambda g, _: g, lambda g, _: g, "add")
binary(anp.subtract, lambda g, _: g, lambda g, _: -g, "sub")
binary(anp.multiply, lambda g, y: g * y, lambda g, x: g * x, "mul")
binary(anp.divide, lambda g, y: over(g, y), lambda g, y, ans: -times(g, ans / y), "truediv")


# --- docs/en/articles/06-numpy-primitives.md#src-powers
def power_base(g: Any, x: Any, y: Any) -> Any:
    """``y x^(y-1)``. A power of exponent 0 is constant, at x = 0 too."""
    if isinstance(y, (int, float)) and y >= 1:
        return g * (y * x) if y == 2 else g * (y * x ** (y - 1))
    if isinstance(y, (list, tuple)):
        y = anp.array(y)
    lower = y - 1 if isbox(y) else y - 1 + (y == 0)  # 0 x^0 instead of 0 x^-1: no division by zero
    return times(g, times(y, x**lower))


def power_exponent(g: Any, x: Any, ans: Any) -> Any:
    """``x^y log x``. At x = 0 the power is 0 for every y > 0, so its slope there is 0."""
    return g * ans * anp.log(anp.where(x == 0, 1.0, x))


binary(anp.power, power_base, power_exponent, "pow")
binary(anp.remainder, lambda g, _: g, lambda g, x, y: -g * anp.floor(x / y), "mod")


# --- docs/en/articles/06-numpy-primitives.md#src-one-operand
def absolute_rule(g: Any, x: Any) -> Any:
    """``sign(x)``, which is 0 at 0; of complex numbers the engine has no rule."""
    if x.dtype.kind == "c":
        raise NotImplementedError(
            "absolute has no rule for complex numbers: "
            "wrap it in a @primitive of your own and give it one"
        )
    return g * anp.sign(x)


elementwise(anp.positive, lambda g, _: g)
elementwise(anp.negative, lambda g, _: -g)
elementwise(anp.absolute, absolute_rule)
for method, fun in (
    ("__neg__", anp.negative),
    ("__abs__", anp.absolute),
    ("__pos__", anp.positive),
):
    setattr(ArrayBox, method, fun)

# --- docs/en/articles/06-numpy-primitives.md#src-floor-divide
ArrayBox.__floordiv__ = lambda x, y: anp.floor_divide(x, y)
ArrayBox.__rfloordiv__ = lambda x, y: anp.floor_divide(y, x)
ArrayBox.__divmod__ = lambda x, y: (x // y, x % y)
ArrayBox.__rdivmod__ = lambda x, y: (y // x, y % x)


# --- docs/en/articles/06-numpy-primitives.md#src-winner-share
def winner_share(g: Any, x: Any, y: Any, ans: Any) -> Any:
    """The winner takes the cotangent; where both are equal each takes half."""
    return g * (x == ans) - 0.5 * g * (x == y)


def second_share(g: Any, x: Any, y: Any, ans: Any) -> Any:
    """The same for the second argument."""
    return winner_share(g, y, x, ans)


for fun in (anp.maximum, anp.minimum, anp.fmax, anp.fmin):
    binary(fun, winner_share, second_share)
