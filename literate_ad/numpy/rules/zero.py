# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-zero-imports
"""A cotangent of zero stays zero, whatever slope it meets: infinite, or none at all."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.tracer import getval


# --- docs/en/articles/06-numpy-primitives.md#src-times
def times(g: Any, slope: Any) -> Any:
    """``g * slope``, and 0 where ``g`` is 0: a path that was not taken contributes nothing.

    ``where(x > 0, log(x), 0)`` at 0 sends the cotangent 0 to a logarithm of slope infinity.
    Multiplied as they stand they would be nan.
    """
    if type(g) is np.float64:
        return g * slope if g else g
    with np.errstate(invalid="ignore", over="ignore"):
        product = g * slope
        if is_clean(product):
            return product
    taken = getval(g) != 0
    return anp.where(taken, g, 0) * anp.where(taken, slope, 0)


# --- docs/en/articles/06-numpy-primitives.md#src-over
def over(g: Any, y: Any) -> Any:
    """``g / y``, and 0 where ``g`` is 0."""
    if type(g) is np.float64:
        return g / y if g else g
    with np.errstate(invalid="ignore", over="ignore"):
        quotient = g / y
        if is_clean(quotient):
            return quotient
    taken = getval(g) != 0
    return anp.where(taken, g, 0) / anp.where(taken, y, 1)


def is_clean(x: Any) -> bool:
    """Whether no number is nan: the sum, which is cheap, would be nan too."""
    total = np.add.reduce(getval(x), axis=None)
    return bool(total == total)
