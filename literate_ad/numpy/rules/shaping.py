# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/07-broadcasting.md#src-shaping-imports
"""The same numbers in another shape or order: backwards, the way back."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.core import defjvp, defvjp
from literate_ad.numpy.declare import linear
from literate_ad.tracer import getval, isbox


# --- docs/en/articles/07-broadcasting.md#src-reshape
def reshape_maker(ans: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The cotangent goes back into the old shape."""
    shape = x.shape
    return lambda g: anp.reshape(g, shape)


for fun in (anp.squeeze, anp.expand_dims):
    linear(fun, reshape_maker)


def ordered_maker(ans: Any, x: Any, shape: Any = -1, order: str = "C", **options: Any) -> Any:
    """Numbers read off in one order are put back in the same order."""
    if order not in ("C", "F"):
        raise NotImplementedError(
            f"order={order!r} asks how a traced value lies in memory: say 'C' or 'F'"
        )
    shape = x.shape
    return lambda g: anp.reshape(g, shape, order)


def ordered_forward(
    t: Any, ans: Any, x: Any, shape: Any = -1, order: str = "C", **options: Any
) -> Any:
    """The tangent takes the same way as its value."""
    ordered_maker(ans, x, shape, order)
    return anp.reshape(t, ans.shape, order)


defvjp(anp.reshape, ordered_maker)
defjvp(anp.reshape, ordered_forward)
defvjp(anp.ravel, lambda ans, x, order="C": ordered_maker(ans, x, -1, order))
defjvp(anp.ravel, lambda t, ans, x, order="C": ordered_forward(t, ans, x, -1, order))


# --- docs/en/articles/07-broadcasting.md#src-transpose
def transpose_maker(ans: Any, x: Any, axes: Any = None) -> Any:
    """The inverse of a permutation is the one that sorts it."""
    inverse = None if axes is None else tuple(anp.argsort([n % x.ndim for n in axes]))
    return lambda g: anp.transpose(g, inverse)


linear(anp.transpose, transpose_maker)
linear(anp.swapaxes, lambda ans, x, axis1, axis2: lambda g: anp.swapaxes(g, axis1, axis2))
linear(
    anp.moveaxis, lambda ans, x, source, destination: lambda g: anp.moveaxis(g, destination, source)
)


# --- docs/en/articles/07-broadcasting.md#src-atleast
def atleast(raw: Any) -> Any:
    """``atleast_1d`` and its kin: a reshape to the shape that NumPy gives the plain value."""

    def f(*arrays: Any) -> Any:
        shaped = [anp.reshape(a, np.shape(raw(getval(a)))) if isbox(a) else raw(a) for a in arrays]
        return shaped[0] if len(shaped) == 1 else tuple(shaped)

    return wraps(raw)(f)


for raw in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    anp.replace(raw, atleast(raw))
