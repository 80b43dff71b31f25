# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/16b-pieces.md#src-pieces-imports
"""Pieces: arrays turned, repeated, cut, padded and put together again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.rules.joining import as_arrays, as_traced_array, concatenate
from literate_ad.numpy.rules.reductions import not_into
from literate_ad.tracer import getval, isbox

Function = Callable[..., Any]


# --- docs/en/articles/16b-pieces.md#src-pieces-moved
def moved(x: Any, raw: Function, *args: Any, **kwargs: Any) -> Any:
    """What ``raw`` makes of ``x``: NumPy moves the numbers 1, 2, 3, ... and shows where each went.

    A place to which none of them came is 0.
    """
    numbers = np.arange(1, x.size + 1).reshape(x.shape)
    places = raw(numbers, *map(getval, args), **kwargs)
    if isinstance(places, (list, tuple)):
        return type(places)([read(x, each) for each in places])
    return read(x, np.asarray(places))


def read(x: Any, places: Any) -> Any:
    """The numbers of ``x`` at places that count from 1; 0 where a place is 0."""
    flat = anp.ravel(x)
    if np.all(places > 0):
        return flat[places - 1]
    return concatenate([np.zeros(1, x.dtype), flat])[places]


# --- docs/en/articles/16b-pieces.md#src-pieces-rearranging
def rearranging(raw: Any) -> None:
    """Gives a function that copies numbers, and computes none, to traced arrays."""

    @wraps(raw)
    def f(x: Any, *args: Any, **kwargs: Any) -> Any:
        x = as_traced_array(x)
        return moved(x, raw, *args, **kwargs) if isbox(x) else raw(x, *args, **kwargs)

    anp.compose(raw)(f)


for name in """
    array_split delete diag diagflat diagonal dsplit flip fliplr flipud hsplit matrix_transpose
    repeat resize roll rollaxis rot90 split tile tril triu unstack vsplit
""".split():
    if hasattr(np, name):  # unstack is of NumPy 2.1
        rearranging(getattr(np, name))


# --- docs/en/articles/16b-pieces.md#src-pieces-composed
def for_traced(raw: Any, *places: int) -> Callable[[Function], Function]:
    """Decorates a function of traced arrays; NumPy's own serves calls without a traced value.

    A list that holds traced values becomes an array at the ``places``, and stays a list elsewhere.
    """

    def install(traced: Function) -> Function:
        @wraps(raw)
        def f(*args: Any, **kwargs: Any) -> Any:
            args = tuple([as_traced_array(x) if i in places else x for i, x in enumerate(args)])
            given = [*args, *kwargs.values()]
            return (traced if any(map(anp.holds_box, given)) else raw)(*args, **kwargs)

        return anp.compose(raw)(f)

    return install


@for_traced(np.trace)
def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """``numpy.trace``: the sum of a diagonal."""
    not_into("trace", out)
    total = anp.sum(anp.diagonal(a, offset, axis1, axis2), -1)
    return total if dtype is None else anp.astype(total, dtype)


@for_traced(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    """``numpy.pad``, in the modes that copy numbers or write constants."""
    if mode in ("edge", "reflect", "symmetric", "wrap") and kwargs.get("reflect_type") != "odd":
        return moved(array, np.pad, pad_width, mode, **kwargs)
    if mode != "constant":
        raise NotImplementedError(
            f"pad of a traced array has no mode {mode!r}: compute the border, and concatenate"
        )
    border = np.pad(np.zeros(array.shape, array.dtype), pad_width, mode, **kwargs)
    return moved(array, np.pad, pad_width) + border


@for_traced(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """``numpy.insert``: read from both, laid behind each other."""
    arr, values = (
        x if isbox(x) else np.asarray(x, float) for x in map(as_traced_array, (arr, values))
    )
    both = concatenate([anp.ravel(arr), anp.ravel(values)])
    numbers = np.arange(1, both.size + 1)
    places = np.insert(
        numbers[: arr.size].reshape(arr.shape), obj, numbers[arr.size :].reshape(values.shape), axis
    )
    return read(both, places)


# --- docs/en/articles/16b-pieces.md#src-pieces-joined
@for_traced(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """``numpy.append``: joined, laid flat without an axis."""
    return concatenate([arr, values], axis)


@for_traced(np.vstack)
def vstack(tup: Any, **options: Any) -> Any:
    """``numpy.vstack``: rows below each other."""
    return concatenate([anp.atleast_2d(x) for x in as_arrays(list(tup))], 0, **options)


@for_traced(np.hstack)
def hstack(tup: Any, **options: Any) -> Any:
    """``numpy.hstack``: columns side by side, or vectors behind each other."""
    arrays = [anp.atleast_1d(x) for x in as_arrays(list(tup))]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1, **options)


@for_traced(np.dstack)
def dstack(tup: Any) -> Any:
    """``numpy.dstack``: along a third axis."""
    return concatenate([anp.atleast_3d(x) for x in as_arrays(list(tup))], 2)


@for_traced(np.column_stack)
def column_stack(tup: Any) -> Any:
    """``numpy.column_stack``: vectors as columns."""
    arrays = [anp.atleast_1d(x) for x in as_arrays(list(tup))]
    return concatenate([anp.reshape(x, (-1, 1)) if x.ndim == 1 else x for x in arrays], 1)


@for_traced(np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """``numpy.meshgrid``: each vector along an axis of its own."""
    xi = tuple([anp.ravel(x) if isbox(x) else np.ravel(x) for x in map(as_traced_array, xi)])
    order = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        order[:2] = 1, 0
    thin = [
        anp.reshape(x, [-1 if axis == place else 1 for axis in range(len(xi))])
        for x, place in zip(xi, order)
    ]
    if sparse:
        return tuple(thin)
    shape = np.broadcast_shapes(*[x.shape for x in thin])
    return tuple([anp.broadcast_to(x, shape) for x in thin])


# --- docs/en/articles/16b-pieces.md#src-pieces-made
@for_traced(np.linspace)
def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0, **device: Any,
) -> Any:  # fmt: skip
    """``numpy.linspace``: between bounds, in equal steps."""
    start, stop = (x if isbox(x) else np.asarray(x) for x in map(as_traced_array, (start, stop)))
    parts = max(num - 1 if endpoint else num, 1)
    shape = np.broadcast_shapes(start.shape, stop.shape)
    t = np.arange(num).reshape((-1,) + (1,) * len(shape)) / parts
    result = anp.moveaxis(start + (stop - start) * t, 0, axis)
    result = result if dtype is None else anp.astype(result, dtype)
    return (result, (stop - start) / parts) if retstep else result


@for_traced(np.full)
def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **options: Any) -> Any:
    """``numpy.full`` of a traced value: its copies."""
    result = anp.broadcast_to(fill_value, shape)
    return result if dtype is None else anp.astype(result, dtype)


@for_traced(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, *args: Any, **options: Any) -> Any:
    """``numpy.full_like`` of a traced value: its copies, in the dtype of ``a``."""
    shape = options.get("shape") or np.shape(getval(a))
    dtype = np.result_type(getval(a)) if dtype is None else dtype
    return anp.astype(anp.broadcast_to(fill_value, shape), dtype)
