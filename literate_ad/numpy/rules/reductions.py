# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-reductions-imports
"""Sums and means: many numbers become one; backwards, one cotangent becomes many."""

from __future__ import annotations

from functools import wraps
from math import prod
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.arguments import Arguments
from literate_ad.numpy.forms import differentiable, linear
from literate_ad.numpy.rules.complex_numbers import conjugated
from literate_ad.numpy.rules.joining import as_traced_array, concatenate, with_dtype
from literate_ad.tracer import getval, isbox, locally_constant

no_value = object()

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


# --- docs/en/articles/17-reductions.md#src-affine-scan
def affine_scan(a: Any, b: Any) -> Any:
    """``s[i] = a[i] s[i - 1] + b[i]`` along the last axis, in steps that double their reach.

    Without a division: a factor may be 0.
    """
    reach, length = 1, a.shape[-1]
    while reach < length:
        b = join(b[..., :reach], b[..., reach:] + a[..., reach:] * b[..., :-reach])
        a = join(a[..., :reach], a[..., reach:] * a[..., :-reach])
        reach *= 2
    return b


def join(first: Any, rest: Any) -> Any:
    """The two parts of a last axis."""
    return concatenate([first, rest], -1)


def shifted(x: Any, fill: float) -> Any:
    """``x`` one place later along the last axis, after ``fill``."""
    return join(np.full((*x.shape[:-1], 1), fill, x.dtype), x[..., :-1])


# --- docs/en/articles/17-reductions.md#src-cumprod
def along_last(rule: Any, forward: bool = False) -> Any:
    """Makes a rule for one axis of one for the last; without an axis the array was laid flat."""

    def moved(g: Any, x: Any, ans: Any, axis: tuple[int, ...]) -> Any:
        if x.size == 0:
            return g * 0.0
        if len(axis) != 1:
            flat = rule(anp.ravel(g), anp.ravel(x), ans)
            return flat if forward else anp.reshape(flat, x.shape)
        parts = [anp.swapaxes(each, axis[0], -1) for each in (g, x, ans)]
        return anp.swapaxes(rule(*parts), axis[0], -1)

    return moved


def cumprod_back(g: Any, x: Any, ans: Any) -> Any:
    """All products after a factor contain it: what is before it, times a sum built from the end."""
    later = shifted(x[..., ::-1], 0.0)
    return shifted(ans, 1.0) * affine_scan(later, g[..., ::-1])[..., ::-1]


def cumprod_forward(t: Any, x: Any, ans: Any) -> Any:
    """The product rule, factor by factor."""
    return affine_scan(x, shifted(ans, 1.0) * t)


differentiable(
    anp.cumprod,
    reverse=[along_last(cumprod_back)],
    forward=[along_last(cumprod_forward, forward=True)],
)


# --- docs/en/articles/17-reductions.md#src-prod
def others(x: Any, axis: tuple[int, ...]) -> Any:
    """For each number the product of all others that are multiplied with it."""
    rest = [i for i in range(x.ndim) if i not in axis]
    moved = anp.transpose(x, (*rest, *axis))
    flat = anp.reshape(moved, (*moved.shape[: len(rest)], prod([x.shape[i] for i in axis])))
    before = anp.cumprod(shifted(flat, 1.0), -1)
    after = anp.cumprod(shifted(flat[..., ::-1], 1.0), -1)[..., ::-1]
    back = np.argsort([*rest, *axis]).tolist()
    return anp.transpose(anp.reshape(before * after, moved.shape), back)


def prod_back(g: Any, x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Each factor has the product of the others as slope."""
    g = repeat_to_match_shape(g, x.shape, axis, keepdims)
    return g * others(x, axis) if x.size and x.ndim else g


def prod_forward(t: Any, x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The product rule."""
    return anp.sum(t * others(x, axis) if x.size and x.ndim else t, axis, keepdims=keepdims)


differentiable(anp.prod, reverse=[prod_back], forward=[prod_forward])


# --- docs/en/articles/17-reductions.md#src-spread
def deviation(x: Any, axis: tuple[int, ...]) -> Any:
    """Each number less the mean, conjugated."""
    d = x - anp.mean(x, axis, keepdims=True)
    return conjugated(d)


def freedom(x: Any, axis: tuple[int, ...], ddof: float, correction: Any) -> float:
    """What the sum of squares is divided by."""
    ddof = ddof if correction is None else correction
    return max(prod([x.shape[i] for i in axis]) - ddof, 0)


def var_back(g: Any, x: Any, axis: Any, ddof: Any, keepdims: bool, correction: Any) -> Any:
    """The slope of the mean is no part of it: the deviations add up to 0."""
    g = repeat_to_match_shape(g, x.shape, axis, keepdims)
    return g * deviation(x, axis) * (2 / freedom(x, axis, ddof, correction))


def var_forward(t: Any, x: Any, axis: Any, ddof: Any, keepdims: bool, correction: Any) -> Any:
    """Twice the mean of deviation times tangent."""
    total = anp.sum(deviation(x, axis) * t, axis, keepdims=keepdims)
    return total * (2 / freedom(x, axis, ddof, correction))


def scaled(x: Any, ans: Any, axis: Any, keepdims: bool) -> Any:
    """The deviations over the standard deviation; 0 where that is 0."""
    spread = repeat_to_match_shape(ans, x.shape, axis, keepdims)
    return deviation(x, axis) / anp.where(anp.equal(spread, 0), 1.0, spread)


def std_back(
    g: Any, x: Any, ans: Any, axis: Any, ddof: Any, keepdims: bool, correction: Any
) -> Any:
    """The root of the variance; at data that are all equal its slope is 0."""
    g = repeat_to_match_shape(g, x.shape, axis, keepdims)
    return g * scaled(x, ans, axis, keepdims) / freedom(x, axis, ddof, correction)


def std_forward(
    t: Any, x: Any, ans: Any, axis: Any, ddof: Any, keepdims: bool, correction: Any
) -> Any:
    """The same for a tangent."""
    total = anp.sum(scaled(x, ans, axis, keepdims) * t, axis, keepdims=keepdims)
    return total / freedom(x, axis, ddof, correction)


differentiable(anp.var, reverse=[var_back], forward=[var_forward])
differentiable(anp.std, reverse=[std_back], forward=[std_forward])


# --- docs/en/articles/17-reductions.md#src-reductions-made
@anp.compose(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """``numpy.ptp``: the largest less the smallest."""
    if not isbox(a):
        return np.ptp(a, axis, out, keepdims)
    not_into("ptp", out)
    return anp.max(a, axis, keepdims=keepdims) - anp.min(a, axis, keepdims=keepdims)


def not_into(name: str, out: Any) -> None:
    """An error for ``out=`` with a traced value."""
    if out is not None:
        raise TypeError(f"{name} of a traced value cannot be written into out: use its answer")


@anp.compose(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """``numpy.average``, of traced values or with traced weights."""
    a, weights = as_traced_array(a), as_traced_array(weights)
    if not (isbox(a) or isbox(weights)):
        return np.average(a, axis, weights, returned, keepdims=keepdims)
    a = with_dtype(a)
    if weights is None:
        mean = anp.mean(a, axis, keepdims=keepdims)
        total = np.full(mean.shape, a.size / max(mean.size, 1))
        return (mean, total) if returned else mean
    weights = with_dtype(weights)
    if weights.shape != a.shape:
        axes = [axis] if isinstance(axis, int) else [] if axis is None else list(axis)
        if [a.shape[i] for i in axes] != list(weights.shape):
            raise TypeError(
                f"average: weights of shape {weights.shape} belong to axes of their lengths of "
                f"an array of shape {a.shape}: name them with axis"
            )
        order = np.argsort([i % a.ndim for i in axes]).tolist()
        axes = sorted(i % a.ndim for i in axes)
        shape = [n if i in axes else 1 for i, n in enumerate(a.shape)]
        weights = anp.reshape(anp.transpose(weights, order), shape)
    total = anp.sum(weights * np.ones(a.shape), axis, keepdims=keepdims)
    mean = anp.sum(a * weights, axis, keepdims=keepdims) / total
    return (mean, total) if returned else mean


def cumulative(raw: Any, along: Any, unit: float) -> Any:
    """``cumulative_sum`` or ``cumulative_prod``, by the older function."""

    def f(
        x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None,
        include_initial: bool = False,
    ) -> Any:  # fmt: skip
        if not isbox(x):
            return raw(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)
        not_into(raw.__name__, out)
        if axis is None and x.ndim != 1:
            raise ValueError(f"{raw.__name__}: name the axis of an array of {x.ndim} dimensions")
        x = x if dtype is None else anp.astype(x, dtype)
        result = along(x, axis or 0)
        if not include_initial:
            return result
        first = [1 if i == (axis or 0) % x.ndim else n for i, n in enumerate(x.shape)]
        return concatenate([np.full(first, unit, x.dtype), result], axis or 0)

    return wraps(raw)(f)


anp.compose(np.cumulative_sum)(cumulative(np.cumulative_sum, anp.cumsum, 0.0))
anp.compose(np.cumulative_prod)(cumulative(np.cumulative_prod, anp.cumprod, 1.0))

# --- docs/en/articles/17-reductions.md#src-reduction-options
# What a number that is left out counts as.
neutral = {"sum": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
joined_by = {"sum": anp.add, "prod": anp.multiply, "max": anp.maximum, "min": anp.minimum}


def with_options(fun: Any) -> Any:
    """How the options that no rule reads are put into other operations."""

    names = Arguments(fun).by_place

    def f(x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kwargs = {**dict(zip(names, args)), **kwargs}
        not_into(fun.__name__, kwargs.pop("out", None))
        where, initial = kwargs.pop("where", True), kwargs.pop("initial", no_value)
        dtype = kwargs.pop("dtype", None)
        x = x if dtype is None else anp.astype(x, dtype)
        if where is True:
            result = fun(x, **kwargs)
        elif fun.__name__ in neutral:
            if fun.__name__ in ("max", "min") and initial is no_value:
                raise ValueError(
                    f"{fun.__name__} with where needs initial, the answer for no number"
                )
            result = fun(anp.where(where, x, x.dtype.type(neutral[fun.__name__])), **kwargs)
        else:
            return of_chosen(fun, x, where, **kwargs)
        return result if initial is no_value else joined_by[fun.__name__](result, initial)

    return f


def of_chosen(fun: Any, x: Any, where: Any, axis: Any = None, keepdims: Any = False,
              ddof: float = 0, correction: float = 0) -> Any:  # fmt: skip
    """``mean``, ``var`` and ``std`` of the numbers where the condition holds."""
    chosen = np.broadcast_to(getval(where), x.shape).astype(x.dtype)
    count = np.sum(chosen, axis, keepdims=True)
    result = anp.sum(anp.where(where, x, 0.0), axis, keepdims=True) / count
    if fun is not anp.mean:
        d = anp.where(where, x - result, 0.0)
        squares = anp.real(d * anp.conjugate(d)) if d.dtype.kind == "c" else d * d
        freedom = np.maximum(count - (correction or ddof), 0)
        result = anp.sum(squares, axis, keepdims=True) / freedom
        result = result if fun is anp.var else root(result)
    return result if keepdims else anp.reshape(result, np.sum(chosen, axis).shape)


def root(x: Any) -> Any:
    """The square root; where ``x`` is 0, its slope counts as 0."""
    zero = anp.equal(x, 0)
    return anp.where(zero, 0.0, anp.sqrt(anp.where(zero, 1.0, x)))


for fun in (
    anp.sum,
    anp.prod,
    anp.max,
    anp.min,
    anp.mean,
    anp.var,
    anp.std,
    anp.cumsum,
    anp.cumprod,
):
    fun.with_options = with_options(fun)


# --- docs/en/articles/17-reductions.md#src-nan-reductions
def without_nan(raw: Any, fun: Any, fill: float) -> Any:
    """``nansum`` and the like: nan counts as ``fill``."""

    def f(a: Any, *args: Any, **kwargs: Any) -> Any:
        a = as_traced_array(a)
        if not isbox(a):
            return raw(a, *args, **kwargs)
        return fun(anp.where(anp.isnan(a), a.dtype.type(fill), a), *args, **kwargs)

    return anp.compose(raw)(wraps(raw)(f))


def of_the_numbers(raw: Any, fun: Any) -> Any:
    """``nanmean`` and the like: of what is not nan."""

    def f(a: Any, *args: Any, **kwargs: Any) -> Any:
        a = as_traced_array(a)
        if not isbox(a):
            return raw(a, *args, **kwargs)
        raw(getval(a), *args, **kwargs)  # warns of slices without a number
        numbers = ~anp.isnan(a) & kwargs.pop("where", True)
        kept = anp.where(numbers, a, a.dtype.type(0))
        if fun not in (anp.max, anp.min):
            with np.errstate(invalid="ignore", divide="ignore"):
                return fun(kept, *args, **kwargs, where=numbers)
        worst = a.dtype.type(neutral[fun.__name__])
        result = fun(anp.where(numbers, a, worst), *args, **kwargs)
        return anp.where(np.equal(getval(result), worst), np.nan, result)

    return anp.compose(raw)(wraps(raw)(f))


for raw, fun, fill in (
    (np.nansum, anp.sum, 0.0), (np.nanprod, anp.prod, 1.0),
    (np.nancumsum, anp.cumsum, 0.0), (np.nancumprod, anp.cumprod, 1.0),
):  # fmt: skip
    without_nan(raw, fun, fill)
for raw, fun in (
    (np.nanmean, anp.mean), (np.nanvar, anp.var), (np.nanstd, anp.std),
    (np.nanmax, anp.max), (np.nanmin, anp.min),
):  # fmt: skip
    of_the_numbers(raw, fun)
