# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/22-linear-algebra.md#src-norms-imports
"""Norms of vectors and matrices, and condition numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import differentiable
from literate_ad.numpy.rules.decompositions import reciprocal, svdvals
from literate_ad.numpy.rules.linalg import conjugate, inv, real, traced


# --- docs/en/articles/22-linear-algebra.md#src-length
@anp.array_primitive
def modulus(x: Any) -> Any:
    """The absolute values; the slope at 0 is 0."""
    return np.abs(x)


@anp.array_primitive
def length(x: Any, axis: tuple[int, ...]) -> Any:
    """The root of the sum of squares along the axes, which stay with length 1."""
    return np.sqrt(np.sum(np.real(x * np.conj(x)), axis, keepdims=True))


# n = |x|:  dn = Re(conj(x) dx) / n, which is 0 by decree at n = 0
differentiable(
    modulus,
    reverse=[lambda g, x, ans: conjugate(x) * (g * reciprocal(ans))],
    forward=[lambda t, x, ans: real(conjugate(x) * t) * reciprocal(ans)],
)
differentiable(
    length,
    reverse=[lambda g, x, ans: conjugate(x) * (g * reciprocal(ans))],
    forward=[
        lambda t, x, ans, axis: (
            anp.sum(real(conjugate(x) * t), axis, keepdims=True) * reciprocal(ans)
        )
    ],
)


# --- docs/en/articles/22-linear-algebra.md#src-p-norm
@anp.array_primitive
def p_norm(x: Any, p: float, axis: tuple[int, ...]) -> Any:
    """``(sum x^p)^(1/p)`` of numbers that are not negative; the axes stay with length 1."""
    with np.errstate(divide="ignore"):
        return np.sum(x**p, axis, keepdims=True) ** x.dtype.type(1 / p)


def p_slope(x: Any, ans: Any, p: float) -> Any:
    """``(x / ans)^(p-1)``, and 0 where ``x`` is 0."""
    zero = anp.equal(x, 0)
    ratio = anp.where(zero, 1, x * reciprocal(ans))
    return anp.where(zero, 0, ratio ** (p - 1))


differentiable(
    p_norm,
    reverse=[lambda g, x, ans, p: g * p_slope(x, ans, p)],
    forward=[lambda t, x, ans, p, axis: anp.sum(t * p_slope(x, ans, p), axis, keepdims=True)],
)


# --- docs/en/articles/22-linear-algebra.md#src-vector-norm
def norm_along(x: Any, order: Any, axis: tuple[int, ...]) -> Any:
    """A vector norm along the axes, which stay with length 1."""
    if order is None or order == 2:
        return length(x, axis)
    sizes = modulus(x)
    if order == np.inf:
        return anp.max(sizes, axis, keepdims=True)
    if order == -np.inf:
        return anp.min(sizes, axis, keepdims=True)
    if order == 0:
        return anp.sum(anp.not_equal(sizes, 0), axis, keepdims=True).astype(sizes.dtype)
    if order == 1:
        return anp.sum(sizes, axis, keepdims=True)
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order '{order}' for vectors")
    return p_norm(sizes, order, axis)


# --- docs/en/articles/22-linear-algebra.md#src-matrix-norm
def norm_of_matrices(x: Any, order: Any, axes: tuple[int, ...]) -> Any:
    """A matrix norm over the two axes, rows and columns, which stay with length 1."""
    rows, columns = axes
    if order in (None, "f", "fro"):
        return length(x, axes)
    if order in ("nuc", 2, -2):
        s = svdvals(anp.moveaxis(x, axes, (-2, -1)))
        choose = {"nuc": anp.sum, 2: anp.max, -2: anp.min}[order]
        chosen = anp.expand_dims(choose(s, -1, keepdims=True), -1)
        return anp.moveaxis(chosen, (-2, -1), axes)
    if order not in (1, -1, np.inf, -np.inf):
        raise ValueError("Invalid norm order for matrices.")
    along, across = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = anp.sum(modulus(x), along, keepdims=True)
    return (anp.max if order > 0 else anp.min)(sums, across, keepdims=True)


# --- docs/en/articles/22-linear-algebra.md#src-norm
def checked_axes(x: Any, axis: Any) -> tuple[int, ...]:
    """The axes as non-negative numbers, with NumPy's errors for wrong ones."""
    np.linalg.norm(np.empty([1] * x.ndim), axis=axis)
    return tuple([n % x.ndim for n in (axis if isinstance(axis, tuple) else (axis,))])


@traced(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``numpy.linalg.norm``; its slope at 0 is 0."""
    everything = tuple(range(x.ndim))
    if axis is None and (ord is None or x.ndim not in (1, 2)):
        if ord is not None:
            raise ValueError("Improper number of dimensions to norm.")
        return shaped(length(x, everything), everything, keepdims)
    axes = everything if axis is None else checked_axes(x, axis)
    along = norm_along if len(axes) == 1 else norm_of_matrices
    return shaped(along(x, ord, axes), axes, keepdims)


def shaped(values: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The norms, without the axes of length 1 if they are not to stay."""
    return values if keepdims else anp.squeeze(values, axes)


@traced(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """``numpy.linalg.vector_norm``: along several axes as along one."""
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple([n % x.ndim for n in axes])
    return shaped(norm_along(x, ord, axes), axes, keepdims)


@traced(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """``numpy.linalg.matrix_norm``, over the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)


# --- docs/en/articles/22-linear-algebra.md#src-cond
@traced(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """``numpy.linalg.cond``; a singular matrix raises an error but for the norms 2 and -2."""
    if p in (None, 2, -2):
        s = svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))
