# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/19b-selection.md#src-selection-imports
"""Selection: numbers taken by index, by condition or by place."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.rules.joining import as_arrays, concatenate, stack
from literate_ad.numpy.rules.pieces import for_traced
from literate_ad.numpy.rules.reductions import not_into
from literate_ad.tracer import getval, isbox


# --- docs/en/articles/19b-selection.md#src-selection-bounds
@for_traced(np.clip, 0, 1, 2)
def clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
) -> Any:
    """``numpy.clip``: no number below the lower bound, and none above the upper."""
    not_into("clip", out)
    lower, upper = a_min if min is None else min, a_max if max is None else max
    a = a if lower is None else anp.maximum(a, lower)
    return a if upper is None else anp.minimum(a, upper)


@for_traced(np.nan_to_num, 0)
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """``numpy.nan_to_num``: what is not finite becomes a constant."""
    largest = np.finfo(x.dtype).max
    x = anp.where(anp.isnan(x), nan, x)
    x = anp.where(anp.isposinf(x), largest if posinf is None else posinf, x)
    return anp.where(anp.isneginf(x), -largest if neginf is None else neginf, x)


# --- docs/en/articles/19b-selection.md#src-selection-index
@for_traced(np.take, 0)
def take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Any:
    """``numpy.take``: reading with an index array along one axis."""
    not_into("take", out)
    a, axis = (anp.ravel(a), 0) if axis is None else (a, axis % a.ndim)
    indices, length = np.asarray(getval(indices)), a.shape[axis]
    if mode == "wrap":
        indices = indices % length
    elif mode == "clip":
        indices = np.clip(indices, 0, length - 1)
    return a[(*[slice(None)] * axis, indices)]


@for_traced(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """``numpy.choose``: each number from the array that its place names."""
    not_into("choose", out)
    choices = as_arrays(list(choices))
    shape = np.broadcast_shapes(np.shape(a), *[anp.shape(x) for x in choices])
    layers = stack([anp.broadcast_to(x, shape) for x in choices])
    which, count = np.broadcast_to(getval(a), shape), len(choices)
    if mode == "raise" and (np.any(which < 0) or np.any(which >= count)):
        raise ValueError(f"choose: an entry names none of the {count} arrays")
    which = which % count if mode == "wrap" else np.clip(which, 0, count - 1)
    return layers[(which, *np.indices(shape, sparse=True))]


# --- docs/en/articles/19b-selection.md#src-selection-condition
@for_traced(np.extract, 1)
def extract(condition: Any, arr: Any) -> Any:
    """``numpy.extract``: the numbers where the condition holds, laid flat."""
    return anp.ravel(arr)[np.flatnonzero(getval(condition))]


@for_traced(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """``numpy.select``: of each place the first choice whose condition holds."""
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = anp.where(getval(condition), choice, result)
    return result


@for_traced(np.piecewise, 0)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Any:
    """``numpy.piecewise``: each function is called with the numbers that it serves."""
    conditions = [np.asarray(getval(each)) for each in condlist]
    if len(funclist) == len(conditions) + 1:
        conditions.append(~np.any(conditions, axis=0))
    pieces, places = [], []
    for condition, fun in zip(conditions, funclist, strict=True):
        index = np.flatnonzero(np.broadcast_to(condition, x.shape))
        chosen = anp.ravel(x)[index]
        piece = fun(chosen, *args, **kwargs) if callable(fun) else fun
        pieces.append(piece + 0.0 * chosen)
        places.append(index)
    order = np.argsort(np.concatenate(places), kind="stable")
    return anp.reshape(concatenate(pieces)[order], x.shape)


@for_traced(np.unique, 0)
def unique(ar: Any, *args: Any, **kwargs: Any) -> Any:
    """``numpy.unique`` of the numbers laid flat: each value is read at its first place."""
    if args or kwargs.get("axis") is not None:
        raise NotImplementedError("unique of a traced value takes its options by name, and no axis")
    _, first, *others = np.unique(getval(ar), **{**kwargs, "return_index": True})
    chosen = anp.ravel(ar)[first]
    rest = ([first] if kwargs.get("return_index") else []) + others
    return (chosen, *rest) if rest else chosen


# --- docs/en/articles/19b-selection.md#src-selection-interp
@for_traced(np.interp, 0, 1, 2)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """``numpy.interp``: on the line through the two points around each number."""
    xp, fp = (each if isbox(each) else np.asarray(each, float) for each in (xp, fp))
    if period is not None:
        x, xp = anp.remainder(x, period), anp.remainder(xp, period)
        order = np.argsort(getval(xp))
        xp, fp = xp[order], fp[order]
        xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = concatenate([fp[-1:], fp, fp[:1]])
    places, points = np.asarray(getval(x)), getval(xp)
    i = np.clip(np.searchsorted(points, places, "right") - 1, 0, len(points) - 2)
    result = on_line(x, xp, fp, i)
    met = (places == points[i]) & (i > 0)  # at a point the lines on both sides count equally
    result = anp.where(met, (result + on_line(x, xp, fp, np.maximum(i - 1, 0))) / 2, result)
    result = anp.where(places < points[0], fp[0] if left is None else left, result)
    return anp.where(places > points[-1], fp[-1] if right is None else right, result)


def on_line(x: Any, xp: Any, fp: Any, i: Any) -> Any:
    """The height at ``x`` of the line through the points ``i`` and ``i + 1``."""
    slope = (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i])
    return slope * (x - xp[i]) + fp[i]


@for_traced(np.bincount, 1)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """``numpy.bincount``: sums of the weights that have the same index."""
    from_index = np.asarray(getval(x))
    places = np.arange(max(int(from_index.max(initial=-1)) + 1, minlength))
    return anp.sum(anp.where(from_index == places[:, None], weights, 0.0), 1)
