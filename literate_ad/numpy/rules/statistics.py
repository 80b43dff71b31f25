# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/19b-selection.md#src-statistics-imports
"""Statistics and signals: differences, integrals, convolutions and covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import multilinear
from literate_ad.numpy.numpy_wrapper import array_primitive
from literate_ad.numpy.rules.complex_numbers import conjugated
from literate_ad.numpy.rules.joining import concatenate, with_dtype
from literate_ad.numpy.rules.pieces import for_traced
from literate_ad.tracer import getval, locally_constant


# --- docs/en/articles/19b-selection.md#src-statistics-differences
def along(x: Any, axis: int, part: Any) -> Any:
    """A part of ``x`` along one axis."""
    return x[(*[slice(None)] * (axis % x.ndim), part)]


@for_traced(np.diff, 0)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """``numpy.diff``: each number less the one before, ``n`` times."""
    a = with_dtype(a)
    ends = [x if x is None else like_a_row(x, a, axis) for x in (prepend, append)]
    parts = [x for x in (ends[0], a, ends[1]) if x is not None]
    a = concatenate(parts, axis) if len(parts) > 1 else a
    for _ in range(n):
        a = along(a, axis, slice(1, None)) - along(a, axis, slice(None, -1))
    return a


def like_a_row(x: Any, a: Any, axis: int) -> Any:
    """A number before or after ``a`` as an array with an axis of length 1."""
    if np.ndim(getval(x)):
        return x
    return anp.broadcast_to(x, [1 if i == axis % a.ndim else n for i, n in enumerate(a.shape)])


@for_traced(np.ediff1d, 0)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """``numpy.ediff1d``: the differences of the numbers laid flat, with others around them."""
    flat = anp.ravel(ary)
    parts = [to_begin, flat[1:] - flat[:-1], to_end]
    return concatenate([anp.reshape(x, (-1,)) for x in parts if x is not None])


@for_traced(np.trapezoid, 0, 1)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """``numpy.trapezoid``: the area under the line through the points."""
    y = with_dtype(y)
    if x is not None:
        dx = anp.diff(x) if np.ndim(getval(x)) == 1 else anp.diff(x, axis=axis)
        if dx.ndim == 1:
            dx = anp.reshape(dx, [-1 if i == axis % y.ndim else 1 for i in range(y.ndim)])
    both = along(y, axis, slice(1, None)) + along(y, axis, slice(None, -1))
    return anp.sum(dx * both / 2.0, axis)


@array_primitive
def turns(p: Any, discont: Any, axis: int, period: float) -> Any:
    """What ``unwrap`` adds: whole periods, which no small change alters."""
    return np.unwrap(p, discont, axis, period=period) - p


locally_constant.add(turns)


@for_traced(np.unwrap, 0)
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> Any:
    """``numpy.unwrap``: the angles, less whole turns."""
    return p + turns(p, discont, axis, period)


# --- docs/en/articles/19b-selection.md#src-statistics-convolutions
@array_primitive
def convolve_full(a: Any, v: Any) -> Any:
    """``convolve`` of two vectors in the mode ``full``."""
    return np.convolve(a, v)


def opposite(g: Any, v: Any, length: int) -> Any:
    """The transpose of a convolution with ``v``: a part of one with ``v`` reversed."""
    start = v.shape[0] - 1
    return convolve_full(g, v[::-1])[start : start + length]


multilinear(
    convolve_full,
    lambda g, v, a_shape: opposite(g, v, a_shape[0]),
    lambda g, a, v_shape: opposite(g, a, v_shape[0]),
)


def window(full: Any, n: int, m: int, mode: str) -> Any:
    """The part of a full convolution of lengths ``n`` and ``m`` that a mode keeps."""
    long, short = max(n, m), min(n, m)
    if mode == "same":
        return full[(short - 1) // 2 : (short - 1) // 2 + long]
    return full[short - 1 : long] if mode == "valid" else full


@for_traced(np.convolve, 0, 1)
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """``numpy.convolve``."""
    a, v = vector(a), vector(v)
    return window(convolve_full(a, v), a.shape[0], v.shape[0], mode)


@for_traced(np.correlate, 0, 1)
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """``numpy.correlate``: a convolution with the second reversed and conjugated."""
    a, v = vector(a), vector(v)
    full = convolve_full(a, conjugated(v)[::-1])
    if mode == "same" and a.shape[0] < v.shape[0]:
        start = a.shape[0] // 2
        return full[start : start + v.shape[0]]
    return window(full, a.shape[0], v.shape[0], mode)


def vector(x: Any) -> Any:
    """A vector of floats, also of a number."""
    x = with_dtype(x)
    return anp.reshape(x, (1,)) if x.ndim == 0 else x


# --- docs/en/articles/19b-selection.md#src-statistics-covariances
@for_traced(np.cov, 0, 1)
def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """``numpy.cov``: of the rows, with the weights of observations."""
    rows = [as_rows(x, rowvar) for x in (m, y) if x is not None]
    x = concatenate(rows) if len(rows) > 1 else rows[0]
    x = x if dtype is None else anp.astype(x, dtype)
    weights = np.ones(x.shape[1])
    for given in (fweights, aweights):
        weights = weights if given is None else weights * given
    total = anp.sum(weights)
    ddof = int(not bias) if ddof is None else ddof
    lost = ddof if aweights is None else ddof * anp.sum(weights * aweights) / total
    d = x - anp.sum(x * weights, 1, keepdims=True) / total
    result = anp.matmul(d * weights, anp.transpose(conjugated(d))) / (total - lost)
    return anp.squeeze(result)


def as_rows(x: Any, rowvar: bool) -> Any:
    """Observations as columns: each variable is a row."""
    x = with_dtype(x)
    x = anp.reshape(x, (1, -1)) if x.ndim < 2 else x
    return x if rowvar or x.shape[0] == 1 else anp.transpose(x)


@for_traced(np.corrcoef, 0, 1)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """``numpy.corrcoef``: covariances over the standard deviations of both."""
    c = anp.cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = anp.sqrt(anp.real(c[np.arange(c.shape[0]), np.arange(c.shape[0])]))
    return c / deviation[:, None] / deviation[None, :]
