# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/19-order.md#src-ordering-imports
"""Order: sorting and what is read of sorted numbers, with equal numbers sharing a cotangent."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import differentiable
from literate_ad.numpy.numpy_wrapper import array_primitive
from literate_ad.numpy.rules.joining import as_traced_array
from literate_ad.numpy.rules.reductions import not_into
from literate_ad.tracer import getval, isbox


# --- docs/en/articles/19-order.md#src-along-axis
@array_primitive
def add_along_axis(g: Any, indices: Any, axis: int, length: int) -> Any:
    """Each number of ``g``, added to a zero at its index along the axis: reading, transposed."""
    shape = [length if i == axis % g.ndim else n for i, n in enumerate(g.shape)]
    whole = np.zeros(shape, g.dtype)
    places = np.indices(g.shape, sparse=True)
    np.add.at(whole, (*places[: axis % g.ndim], indices, *places[axis % g.ndim + 1 :]), g)
    return whole


differentiable(
    add_along_axis,
    reverse=[lambda g, indices, axis: anp.take_along_axis(g, indices, axis), None],
    forward=[lambda t, indices, axis, length: add_along_axis(t, indices, axis, length), None],
)


def taken_back(g: Any, arr: Any, indices: Any, axis: Any) -> Any:
    """Each cotangent goes where its number was read."""
    if len(axis) != 1:  # the array was laid flat
        return anp.reshape(add_along_axis(g, indices, 0, arr.size), arr.shape)
    return add_along_axis(g, np.broadcast_to(indices, g.shape), axis[0], arr.shape[axis[0]])


differentiable(
    anp.take_along_axis,
    reverse=[taken_back, None],
    forward=[
        lambda t, indices, axis: anp.take_along_axis(
            t, indices, axis[0] if len(axis) == 1 else None
        ),
        None,
    ],
)


# --- docs/en/articles/19-order.md#src-ties
@array_primitive
def shared_by_equals(t: Any, y: Any, axis: int) -> Any:
    """The mean of ``t`` over the places along an axis at which ``y`` has the same number."""
    t, y = np.moveaxis(t, axis, -1), np.moveaxis(y, axis, -1)
    order = np.argsort(y, -1, kind="stable")
    ranked = np.take_along_axis(y, order, -1)
    new = np.concatenate(
        [np.ones_like(ranked[..., :1], bool), ranked[..., 1:] != ranked[..., :-1]], -1
    )
    if np.all(new):
        return np.moveaxis(t, -1, axis)
    group = (np.cumsum(new, -1) - 1) + y.shape[-1] * np.arange(new[..., 0].size).reshape(
        (*new.shape[:-1], 1)
    )
    values = np.take_along_axis(t, order, -1)
    count = np.bincount(group.ravel())
    total = np.zeros(count.shape, t.dtype)
    np.add.at(total, group.ravel(), values.ravel())
    mean = (total / np.maximum(count, 1).astype(t.real.dtype))[group]
    result = np.empty_like(mean)
    np.put_along_axis(result, order, mean, -1)
    return np.moveaxis(result, -1, axis)


differentiable(
    shared_by_equals,
    reverse=[lambda g, y, axis: shared_by_equals(g, y, axis), None],
    forward=[lambda t, y, axis: shared_by_equals(t, y, axis), None],
)


# --- docs/en/articles/19-order.md#src-sorting
def sorted_back(order_of: Any) -> Any:
    """The rule of a function that puts numbers into another order."""

    def back(g: Any, x: Any, ans: Any, axis: tuple[int, ...], **how: Any) -> Any:
        if not x.size or not x.ndim:
            return anp.reshape(g, x.shape)
        if len(axis) != 1 and x.ndim > 1:
            flat = back(g, anp.ravel(x), ans, (0,), **how)
            return anp.reshape(flat, x.shape)
        order = order_of(x, axis[0], **how)
        return add_along_axis(shared_by_equals(g, ans, axis[0]), order, axis[0], x.shape[axis[0]])

    return back


def sorted_forward(order_of: Any) -> Any:
    """Tangents in the order of their numbers."""

    def forward(t: Any, x: Any, ans: Any, axis: tuple[int, ...], **how: Any) -> Any:
        if not x.size or not x.ndim:
            return anp.reshape(t, ans.shape)
        if len(axis) != 1 and x.ndim > 1:
            return forward(anp.ravel(t), anp.ravel(x), ans, (0,), **how)
        order = order_of(x, axis[0], **how)
        return shared_by_equals(anp.take_along_axis(t, order, axis[0]), ans, axis[0])

    return forward


def by_sorting(x: Any, axis: int) -> Any:
    """The order of ``sort``."""
    return anp.argsort(x, axis, kind="stable")


def by_partition(x: Any, axis: int, kth: Any) -> Any:
    """The order of ``partition``."""
    return anp.argpartition(x, kth, axis)


sort_back, sort_forward = sorted_back(by_sorting), sorted_forward(by_sorting)
partition_back, partition_forward = sorted_back(by_partition), sorted_forward(by_partition)
differentiable(
    anp.sort,
    reverse=[lambda g, x, ans, axis: sort_back(g, x, ans, axis)],
    forward=[lambda t, x, ans, axis: sort_forward(t, x, ans, axis)],
)
differentiable(
    anp.partition,
    reverse=[lambda g, x, ans, kth, axis: partition_back(g, x, ans, axis, kth=kth)],
    forward=[lambda t, x, ans, kth, axis: partition_forward(t, x, ans, axis, kth=kth)],
)

# --- docs/en/articles/19-order.md#src-quantile-places
# How much further a quantile's place moves in the sorted numbers, as (a, b) of a n + b.
SPEED = {
    "linear": (1, -1), "hazen": (1, 0), "weibull": (1, 1), "interpolated_inverted_cdf": (1, 0),
    "median_unbiased": (1, 1 / 3), "normal_unbiased": (1, 1 / 4),
}  # fmt: skip


def on_last_axis(a: Any, axis: Any) -> tuple[Any, list[int]]:
    """``a`` with the axes to reduce laid flat, as its last; and the shape with them kept."""
    axes = range(a.ndim) if axis is None else np.atleast_1d(axis)
    axes = sorted(int(i) % a.ndim for i in axes) if a.ndim else []
    rest = [i for i in range(a.ndim) if i not in axes]
    shape = [1 if i in axes else n for i, n in enumerate(a.shape)]
    moved = anp.transpose(a, (*rest, *axes))
    return anp.reshape(moved, (*[a.shape[i] for i in rest], -1)), shape


def places_of(counts: Any, q: Any, method: str) -> Any:
    """Where the quantiles stand among so many sorted numbers: (quantiles, *counts)."""
    q, counts = np.asarray(q, float).ravel(), np.asarray(counts)
    places = np.zeros((q.size, *counts.shape))
    for count in np.unique(counts[counts > 0]):
        found = np.quantile(np.arange(count, dtype=float), q, method=method)
        places[:, counts == count] = found[:, None]
    return places


# --- docs/en/articles/19-order.md#src-quantiles
def quantiles(ranked: Any, counts: Any, q: Any, method: str) -> Any:
    """The quantiles of sorted numbers along the last axis: (quantiles, *rest)."""
    places = places_of(counts, getval(q), method)
    lower, last = np.floor(places).astype(int), np.maximum(np.asarray(counts) - 1, 0)
    upper = np.minimum(lower + 1, last)
    part = places - lower
    if isbox(q):
        a, b = SPEED.get(method, (0, 0))
        inside = (places > 0) & (places < last)
        moved = anp.reshape(anp.ravel(q) - getval(anp.ravel(q)), (-1,) + (1,) * np.ndim(counts))
        part = part + inside * (a * np.asarray(counts) + b) * moved
    rows = anp.expand_dims(ranked, 0)
    rows = anp.broadcast_to(rows, (places.shape[0], *ranked.shape))
    low = anp.squeeze(anp.take_along_axis(rows, lower[..., None], -1), -1)
    high = anp.squeeze(anp.take_along_axis(rows, upper[..., None], -1), -1)
    return low + (high - low) * (anp.astype(part, low.dtype) if low.dtype.kind == "f" else part)


def quantile_of(raw: Any, scale: float, skip_nan: bool) -> Any:
    """``quantile``, ``percentile`` or one of their nan-versions."""

    def f(
        a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
        method: str = "linear", keepdims: Any = False, **options: Any,
    ) -> Any:  # fmt: skip
        a, q = as_traced_array(a), as_traced_array(q)
        if not (isbox(a) or isbox(q)):
            return raw(a, q, axis, out, overwrite_input, method, keepdims, **options)
        not_into(raw.__name__, out)
        if any(option is not None for option in options.values()):
            raise NotImplementedError(
                f"{raw.__name__} of a traced value takes no {', '.join(options)}: sort, and find "
                f"the place with searchsorted(cumsum(weights), ...)"
            )
        a = a if isbox(a) else np.asarray(a, float)
        q = q if isbox(q) else np.asarray(q, float)
        result = along(a, q / scale, axis, method, bool(keepdims), skip_nan)
        return anp.reshape(result, np.shape(getval(q)) + result.shape[1:])

    f.__name__ = f.__qualname__ = raw.__name__
    f.__doc__ = raw.__doc__
    return anp.compose(raw)(f)


def along(a: Any, q: Any, axis: Any, method: str, keepdims: bool, skip_nan: bool) -> Any:
    """The quantiles along the axes: (quantiles, *rest)."""
    flat, kept = on_last_axis(a, axis)
    ranked = anp.sort(flat, -1)
    numbers = ~np.isnan(getval(ranked))
    counts = np.sum(numbers, -1)
    if not skip_nan:
        counts = np.where(counts < ranked.shape[-1], 0, counts)
    result = quantiles(ranked, counts, q, method)
    result = anp.where(counts == 0, np.nan, result)
    return anp.reshape(result, (result.shape[0], *kept)) if keepdims else result


quantile_of(np.quantile, 1.0, False)
quantile_of(np.percentile, 100.0, False)
quantile_of(np.nanquantile, 1.0, True)
quantile_of(np.nanpercentile, 100.0, True)


def median_of(raw: Any, skip_nan: bool) -> Any:
    """``median``: the number in the middle, or the mean of the two there."""

    def f(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
          keepdims: Any = False) -> Any:  # fmt: skip
        a = as_traced_array(a)
        if not isbox(a):
            return raw(a, axis, out, overwrite_input, keepdims)
        not_into(raw.__name__, out)
        return along(a, 0.5, axis, "linear", bool(keepdims), skip_nan)[0]

    f.__name__ = f.__qualname__ = raw.__name__
    f.__doc__ = raw.__doc__
    return anp.compose(raw)(f)


median_of(np.median, False)
median_of(np.nanmedian, True)
