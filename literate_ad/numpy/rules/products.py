# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/18-products.md#src-products-imports
"""Products of vectors and matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import multilinear
from literate_ad.numpy.rules.broadcasting import unbroadcast
from literate_ad.numpy.rules.joining import as_traced_array
from literate_ad.tracer import isbox

# --- docs/en/articles/18-products.md#src-matmul-left
# C = A B:  dA = g B^T,  dB = A^T g  (Giles, "Collected matrix derivative results", 2.2.1)


def matmul_left(g: Any, y: Any, x_shape: tuple[int, ...]) -> Any:
    """The cotangent of the left factor. A vector is a matrix of one row, or of one column."""
    if len(x_shape) == np.ndim(y) == 2:
        return anp.matmul(g, anp.transpose(y))
    if np.ndim(y) == 1:
        contribution = anp.multiply(anp.expand_dims(g, -1) if len(x_shape) > 1 else g, y)
    elif len(x_shape) == 1:
        contribution = anp.squeeze(anp.matmul(y, anp.expand_dims(g, -1)), -1)
    else:
        contribution = anp.matmul(g, anp.swapaxes(y, -1, -2))
    return unbroadcast(contribution, x_shape)


# --- docs/en/articles/18-products.md#src-matmul-right
def matmul_right(g: Any, x: Any, y_shape: tuple[int, ...]) -> Any:
    """The cotangent of the right factor."""
    if len(y_shape) <= np.ndim(x) == 2:
        return anp.matmul(anp.transpose(x), g)
    if np.ndim(x) == 1:
        contribution = (
            anp.multiply(x, g)
            if len(y_shape) == 1
            else anp.expand_dims(x, -1) * anp.expand_dims(g, -2)
        )
    elif len(y_shape) <= 2:  # one factor for all batches: one product of all their rows
        rows = prod(np.shape(x)[:-1])
        columns = anp.transpose(anp.reshape(x, (rows, y_shape[0])))
        contribution = anp.matmul(columns, anp.reshape(g, (rows, *y_shape[1:])))
    else:
        contribution = anp.matmul(anp.swapaxes(x, -1, -2), g)
    return unbroadcast(contribution, y_shape)


multilinear(anp.matmul, matmul_left, matmul_right)


# --- docs/en/articles/18-products.md#src-dot
@anp.compose(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """``numpy.dot``: a product, a matrix product, or for more dimensions a sum over the last of
    ``a`` and the last but one of ``b``, which is a matrix product of the two laid flat.
    """
    a, b = as_traced_array(a), as_traced_array(b)
    if not (isbox(a) or isbox(b)):
        return np.dot(a, b, out)
    if out is not None:
        raise TypeError("dot of a traced value cannot be written into out: use its answer")
    if anp.ndim(a) == 0 or anp.ndim(b) == 0:
        return anp.multiply(a, b)
    if anp.ndim(b) == 1 or max(anp.ndim(a), anp.ndim(b)) == 2:
        return anp.matmul(a, b)
    front = anp.moveaxis(b, -2, 0)
    (*places_a, inner_a), (inner_b, *places_b) = anp.shape(a), anp.shape(front)
    rows = anp.reshape(a, (prod(places_a), inner_a))
    columns = anp.reshape(front, (inner_b, prod(places_b)))
    return anp.reshape(anp.matmul(rows, columns), (*places_a, *places_b))
