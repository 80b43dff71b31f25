# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/07-broadcasting.md#src-products-imports
"""Products of vectors and matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.core import def_linear, defvjp
from literate_ad.numpy.declare import refuse_options
from literate_ad.numpy.numpy_boxes import ArrayBox
from literate_ad.numpy.rules.broadcasting import unbroadcast
from literate_ad.tracer import isbox

# --- docs/en/articles/07-broadcasting.md#src-matmul-left
# C = A B:  dA = g B^T,  dB = A^T g  (Giles, "Collected matrix derivative results", 2.2.1)


def matmul_left(ans: Any, a: Any, b: Any, **options: Any) -> Any:
    """The cotangent of the left factor. A vector is a matrix of one row, or of one column."""
    refuse_options(anp.matmul, (), options)
    shape, dtype = np.shape(a), result_type(a)
    if len(shape) == np.ndim(b) == 2 and dtype == ans.dtype:
        return lambda g: anp.matmul(g, anp.transpose(b))

    def pullback(g: Any) -> Any:
        if np.ndim(b) == 1:
            contribution = anp.multiply(anp.expand_dims(g, -1) if len(shape) > 1 else g, b)
        elif len(shape) == 1:
            contribution = anp.squeeze(anp.matmul(b, anp.expand_dims(g, -1)), -1)
        else:
            contribution = anp.matmul(g, anp.swapaxes(b, -1, -2))
        return unbroadcast(contribution, shape, dtype)

    return pullback


# --- docs/en/articles/07-broadcasting.md#src-matmul-right
def matmul_right(ans: Any, a: Any, b: Any, **options: Any) -> Any:
    """The cotangent of the right factor."""
    refuse_options(anp.matmul, (), options)
    shape, dtype = np.shape(b), result_type(b)
    if len(shape) <= np.ndim(a) == 2 and dtype == ans.dtype:
        return lambda g: anp.matmul(anp.transpose(a), g)

    def pullback(g: Any) -> Any:
        if np.ndim(a) == 1:
            contribution = (
                anp.multiply(a, g)
                if len(shape) == 1
                else anp.expand_dims(a, -1) * anp.expand_dims(g, -2)
            )
        elif len(shape) <= 2:  # one factor for all batches: one product of all their rows
            rows = prod(np.shape(a)[:-1])
            columns = anp.transpose(anp.reshape(a, (rows, shape[0])))
            contribution = anp.matmul(columns, anp.reshape(g, (rows, *shape[1:])))
        else:
            contribution = anp.matmul(anp.swapaxes(a, -1, -2), g)
        return unbroadcast(contribution, shape, dtype)

    return pullback


def result_type(x: Any) -> Any:
    """The dtype of an array, or that NumPy would give a number or a list."""
    return x.dtype if hasattr(x, "dtype") else np.result_type(x)


defvjp(anp.matmul, matmul_left, matmul_right)
def_linear(anp.matmul)
ArrayBox.__matmul__ = lambda a, b: anp.matmul(a, b)
ArrayBox.__rmatmul__ = lambda a, b: anp.matmul(b, a)


# --- docs/en/articles/07-broadcasting.md#src-dot
def dot(a: Any, b: Any) -> Any:
    """``numpy.dot``: a product, a matrix product, or for more dimensions a sum over the last of
    ``a`` and the last but one of ``b``, which is a matrix product of the two laid flat.
    """
    if not (isbox(a) or isbox(b)):
        return np.dot(a, b)
    if anp.ndim(a) == 0 or anp.ndim(b) == 0:
        return anp.multiply(a, b)
    if anp.ndim(b) == 1 or max(anp.ndim(a), anp.ndim(b)) == 2:
        return anp.matmul(a, b)
    front = anp.moveaxis(b, -2, 0)
    (*places_a, inner_a), (inner_b, *places_b) = anp.shape(a), anp.shape(front)
    rows = anp.reshape(a, (prod(places_a), inner_a))
    columns = anp.reshape(front, (inner_b, prod(places_b)))
    return anp.reshape(anp.matmul(rows, columns), (*places_a, *places_b))


anp.replace(np.dot, dot)
ArrayBox.dot = dot
