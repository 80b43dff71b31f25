# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/07-broadcasting.md#src-shaping-imports
"""Rules of functions that give the same numbers in another shape, order or dtype."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import linear
from literate_ad.numpy.rules.broadcasting import unbroadcast
from literate_ad.tracer import getval, isbox

# --- docs/en/articles/07-broadcasting.md#src-broadcast-to
linear(anp.broadcast_to, lambda g, x_shape: unbroadcast(g, x_shape))

# --- docs/en/articles/07-broadcasting.md#src-cast-rules
linear(anp.cast, lambda g: g)  # the form casts to the old dtype

# --- docs/en/articles/07-broadcasting.md#src-reshape
# The cotangent goes back into the old shape; numbers read off in one order are put back in it.
linear(anp.squeeze, lambda g, x_shape: anp.reshape(g, x_shape))
linear(anp.expand_dims, lambda g, x_shape: anp.reshape(g, x_shape))
linear(anp.reshape, lambda g, x_shape, order: anp.reshape(g, x_shape, order))
linear(anp.ravel, lambda g, x_shape, order: anp.reshape(g, x_shape, order))


# --- docs/en/articles/07-broadcasting.md#src-transpose
def transpose_back(g: Any, axes: tuple[int, ...] | None) -> Any:
    """The inverse of a permutation is the one that sorts it."""
    if axes is None:
        return anp.transpose(g)
    return anp.transpose(g, sorted(range(g.ndim), key=[n % g.ndim for n in axes].__getitem__))


linear(anp.transpose, transpose_back)
linear(anp.swapaxes, lambda g, axis1, axis2: anp.swapaxes(g, axis1, axis2))
linear(anp.moveaxis, lambda g, source, destination: anp.moveaxis(g, destination, source))


# --- docs/en/articles/07-broadcasting.md#src-atleast
def atleast(raw: Any) -> Any:
    """``atleast_1d`` and its kin: a reshape to the shape that NumPy gives the plain value."""

    def f(*arrays: Any) -> Any:
        shaped = [anp.reshape(a, np.shape(raw(getval(a)))) if isbox(a) else raw(a) for a in arrays]
        return shaped[0] if len(shaped) == 1 else tuple(shaped)

    return wraps(raw)(f)


for raw in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    anp.compose(raw)(atleast(raw))
