# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-reductions-imports
"""Sums and means: many numbers become one; backwards, one cotangent becomes many."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import differentiable, linear
from literate_ad.tracer import locally_constant

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


# --- docs/en/articles/15-shapes.md#src-extreme-rules
@anp.array_primitive
def extreme_share(x: Any, extreme: Any, axis: tuple[int, ...]) -> Any:
    """1 where ``x`` is the largest (or smallest) along the axes; equal ones share it."""
    chosen = np.equal(
        x, np.reshape(extreme, [1 if i in axis else n for i, n in enumerate(x.shape)])
    )
    return chosen / np.sum(chosen, axis, x.dtype, keepdims=True)


locally_constant.add(extreme_share)


def extreme_back(g: Any, x: Any, ans: Any, axis: Any, keepdims: bool) -> Any:
    """The cotangent goes to the largest, or the smallest."""
    spread = repeat_to_match_shape(g, x.shape, axis, keepdims)
    return spread * extreme_share(x, ans, axis)


def extreme_forward(t: Any, x: Any, ans: Any, axis: Any, keepdims: bool) -> Any:
    """The tangent of the largest; of equal ones the mean."""
    return anp.sum(t * extreme_share(x, ans, axis), axis, keepdims=keepdims)


for fun in (anp.max, anp.min):
    differentiable(fun, reverse=[extreme_back], forward=[extreme_forward])


def cumsum_back(g: Any, x_shape: tuple[int, ...], axis: tuple[int, ...]) -> Any:
    """Each summand is part of its own sum and of all later ones."""
    if len(axis) != 1:  # the array was laid flat
        return anp.reshape(anp.cumsum(g[::-1])[::-1], x_shape)
    backwards = (*[slice(None)] * axis[0], slice(None, None, -1))
    return anp.cumsum(g[backwards], axis[0])[backwards]


linear(anp.cumsum, cumsum_back)
