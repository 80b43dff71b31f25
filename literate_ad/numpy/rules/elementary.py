# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-elementary-imports
"""The elementary functions: one line each."""

from math import log, pi

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.declare import binary, elementwise
from literate_ad.numpy.rules.zero import over, times

# --- docs/en/articles/06-numpy-primitives.md#src-exponentials
elementwise(anp.exp, lambda g, ans: g * ans)
elementwise(anp.exp2, lambda g, ans: g * (ans * log(2.0)))
elementwise(anp.expm1, lambda g, ans: g * (ans + 1))
elementwise(anp.log, lambda g, x: over(g, x))
elementwise(anp.log2, lambda g, x: over(g, x * log(2.0)))
elementwise(anp.log10, lambda g, x: over(g, x * log(10.0)))
elementwise(anp.log1p, lambda g, x: over(g, x + 1))

# --- docs/en/articles/06-numpy-primitives.md#src-circular-functions
elementwise(anp.sin, lambda g, x: g * anp.cos(x))
elementwise(anp.cos, lambda g, x: -g * anp.sin(x))
elementwise(anp.tan, lambda g, ans: g * (1 + ans * ans))
elementwise(anp.arcsin, lambda g, x: over(g, anp.sqrt(1 - x * x)))
elementwise(anp.arccos, lambda g, x: -over(g, anp.sqrt(1 - x * x)))
elementwise(anp.arctan, lambda g, x: g / (1 + x * x))
elementwise(anp.deg2rad, lambda g, _: g * (pi / 180))
elementwise(anp.rad2deg, lambda g, _: g * (180 / pi))
elementwise(anp.radians, lambda g, _: g * (pi / 180))
elementwise(anp.degrees, lambda g, _: g * (180 / pi))

# --- docs/en/articles/06-numpy-primitives.md#src-roots
elementwise(anp.square, lambda g, x: g * (2 * x))
elementwise(anp.sqrt, lambda g, ans: over(g, 2 * ans))
elementwise(anp.cbrt, lambda g, ans: over(g, 3 * ans * ans))
elementwise(anp.reciprocal, lambda g, ans: times(g, -ans * ans))

# --- docs/en/articles/06-numpy-primitives.md#src-hyperbolic-functions
elementwise(anp.sinh, lambda g, x: g * anp.cosh(x))
elementwise(anp.cosh, lambda g, x: g * anp.sinh(x))
elementwise(anp.tanh, lambda g, ans: g * (1 - ans * ans))
elementwise(anp.arcsinh, lambda g, x: g / anp.sqrt(x * x + 1))
elementwise(anp.arccosh, lambda g, x: over(g, anp.sqrt(x * x - 1)))
elementwise(anp.arctanh, lambda g, x: over(g, 1 - x * x))

# --- docs/en/articles/06-numpy-primitives.md#src-two-arguments
binary(
    anp.arctan2,
    lambda g, x, y: over(g * y, anp.square(x) + anp.square(y)),
    lambda g, x, y: -over(g * x, anp.square(x) + anp.square(y)),
)
binary(anp.hypot, lambda g, x, ans: over(g * x, ans), lambda g, y, ans: over(g * y, ans))
binary(
    anp.logaddexp, lambda g, x, ans: g * anp.exp(x - ans), lambda g, y, ans: g * anp.exp(y - ans)
)
binary(
    anp.logaddexp2, lambda g, x, ans: g * anp.exp2(x - ans), lambda g, y, ans: g * anp.exp2(y - ans)
)
