# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-reductions-imports
"""Sums and means: many numbers become one; backwards, one cotangent becomes many."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.declare import linear, refuse_options


# --- docs/en/articles/06-numpy-primitives.md#src-sum-rule
def sum_maker(
    ans: Any, x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Every summand has slope 1."""
    shape = x.shape
    return lambda g: repeat_to_match_shape(g, shape, axis, keepdims)


linear(anp.sum, sum_maker)


# --- docs/en/articles/06-numpy-primitives.md#src-repeat-to-match-shape
def repeat_to_match_shape(g: Any, shape: tuple[int, ...], axis: Any, keepdims: bool) -> Any:
    """``g``, whose array was reduced along ``axis``, copied back along it to ``shape``."""
    if not shape:
        return g
    if type(g) is np.float64:  # one number, seen at every place
        return np.ndarray(shape, g.dtype, g, 0, (0,) * len(shape))
    if not keepdims and axis is not None:
        axes = {n % len(shape) for n in (axis if isinstance(axis, tuple) else (axis,))}
        g = anp.reshape(g, tuple([1 if i in axes else n for i, n in enumerate(shape)]))
    return anp.broadcast_to(g, shape)


# --- docs/en/articles/07-broadcasting.md#src-mean-rule
def mean_maker(
    ans: Any,
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    **options: Any,
) -> Any:
    """Every summand has slope 1/n, where n numbers went into each mean."""
    refuse_options(anp.mean, (), options)
    shape, share = x.shape, ans.size / max(x.size, 1)
    return lambda g: repeat_to_match_shape(g * share, shape, axis, keepdims)


linear(anp.mean, mean_maker)
