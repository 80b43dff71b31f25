# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-reductions-imports
"""Sums and means: many numbers become one; backwards, one cotangent becomes many."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import linear

# --- docs/en/articles/06-numpy-primitives.md#src-sum-rule
# Every summand has slope 1.
linear(
    anp.sum, lambda g, x_shape, axis, keepdims: repeat_to_match_shape(g, x_shape, axis, keepdims)
)


# --- docs/en/articles/06-numpy-primitives.md#src-repeat-to-match-shape
def repeat_to_match_shape(
    g: Any, shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool
) -> Any:
    """``g``, whose array was reduced along the axes, copied back along them to ``shape``."""
    if not shape:
        return g
    if type(g) is np.float64:  # one number, seen at every place
        return np.ndarray(shape, g.dtype, g, 0, (0,) * len(shape))
    if not keepdims and len(axis) < len(shape):
        g = anp.reshape(g, tuple([1 if i in axis else n for i, n in enumerate(shape)]))
    return anp.broadcast_to(g, shape)


# --- docs/en/articles/07-broadcasting.md#src-mean-rule
def mean_transpose(g: Any, x_shape: Any, axis: Any, keepdims: bool) -> Any:
    """Every summand has slope 1/n, where n numbers went into each mean."""
    count = prod([x_shape[i] for i in axis])
    return repeat_to_match_shape(g / max(count, 1), x_shape, axis, keepdims)


linear(anp.mean, mean_transpose)
