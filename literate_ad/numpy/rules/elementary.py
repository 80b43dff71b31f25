# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-elementary-imports
"""The elementary functions: one line each."""

from __future__ import annotations

from math import log, pi
from typing import Any

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import elementwise

# --- docs/en/articles/06-numpy-primitives.md#src-exponentials
elementwise(anp.exp, lambda g, ans: g * ans)
elementwise(anp.exp2, lambda g, ans: g * (ans * log(2.0)))
elementwise(anp.expm1, lambda g, ans: g * (ans + 1))
elementwise(anp.log, lambda g, x: g / x)
elementwise(anp.log2, lambda g, x: g / (x * log(2.0)))
elementwise(anp.log10, lambda g, x: g / (x * log(10.0)))
elementwise(anp.log1p, lambda g, x: g / (x + 1))

# --- docs/en/articles/06-numpy-primitives.md#src-circular-functions
elementwise(anp.sin, lambda g, x: g * anp.cos(x))
elementwise(anp.cos, lambda g, x: -g * anp.sin(x))
elementwise(anp.tan, lambda g, ans: g * (1 + ans * ans))
elementwise(anp.arcsin, lambda g, x: g / anp.sqrt(1 - x * x))
elementwise(anp.arccos, lambda g, x: -g / anp.sqrt(1 - x * x))
elementwise(anp.arctan, lambda g, x: g / (1 + x * x))
elementwise(anp.deg2rad, lambda g, _: g * (pi / 180))
elementwise(anp.rad2deg, lambda g, _: g * (180 / pi))
elementwise(anp.radians, lambda g, _: g * (pi / 180))
elementwise(anp.degrees, lambda g, _: g * (180 / pi))

# --- docs/en/articles/06-numpy-primitives.md#src-roots
elementwise(anp.square, lambda g, x: g * (2 * x))
elementwise(anp.sqrt, lambda g, ans: g / (2 * ans))
elementwise(anp.cbrt, lambda g, ans: g / (3 * ans * ans))
elementwise(anp.reciprocal, lambda g, ans: g * (-ans * ans))

# --- docs/en/articles/06-numpy-primitives.md#src-hyperbolic-functions
elementwise(anp.sinh, lambda g, x: g * anp.cosh(x))
elementwise(anp.cosh, lambda g, x: g * anp.sinh(x))
elementwise(anp.tanh, lambda g, ans: g * (1 - ans * ans))
elementwise(anp.arcsinh, lambda g, x: g / anp.sqrt(x * x + 1))
elementwise(anp.arccosh, lambda g, x: g / (anp.sqrt(x - 1) * anp.sqrt(x + 1)))
elementwise(anp.arctanh, lambda g, x: g / (1 - x * x))


# --- docs/en/articles/13-own-primitives.md#src-two-arguments
def over_radius(x: Any, r: Any) -> Any:
    """``x / r`` for a radius; 0 at the origin."""
    return x / anp.where(anp.equal(r, 0), 1.0, r)


def arctan2_slope(x: Any, y: Any) -> Any:
    """``y / (x^2 + y^2)``, without the squares, which overflow and underflow."""
    r = anp.hypot(x, y)
    return over_radius(over_radius(y, r), r)


elementwise(
    anp.arctan2,
    lambda g, x, y: g * arctan2_slope(x, y),
    lambda g, x, y: -g * arctan2_slope(y, x),
)
elementwise(
    anp.hypot, lambda g, x, ans: g * over_radius(x, ans), lambda g, y, ans: g * over_radius(y, ans)
)
elementwise(
    anp.logaddexp, lambda g, x, ans: g * anp.exp(x - ans), lambda g, y, ans: g * anp.exp(y - ans)
)
elementwise(
    anp.logaddexp2, lambda g, x, ans: g * anp.exp2(x - ans), lambda g, y, ans: g * anp.exp2(y - ans)
)
