# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/17-reductions.md#src-ufunc-methods-imports
"""Methods of ufuncs on traced arrays: ``add.reduce``, ``multiply.accumulate``, ``add.outer``."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce as fold
from typing import Any, NoReturn

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.rules.joining import as_traced_array, stack
from literate_ad.numpy.rules.reductions import not_into
from literate_ad.tracer import LostDerivativeError, getval, isbox, locally_constant

# --- docs/en/articles/17-reductions.md#src-ufunc-reduce
# The functions that are a reduction, or a cumulative one, of a ufunc.
REDUCTIONS = {"add": anp.sum, "multiply": anp.prod, "maximum": anp.max, "minimum": anp.min}
ACCUMULATIONS = {"add": anp.cumsum, "multiply": anp.cumprod}


def reduction(fun: Any) -> Callable[..., Any]:
    """``fun.reduce``: a reduction of its own name, or else item by item."""

    def reduce(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
               keepdims: bool = False, **options: Any) -> Any:  # fmt: skip
        not_into(f"{fun.__name__}.reduce", out)
        if fun.__name__ in REDUCTIONS:
            options |= {} if dtype is None else {"dtype": dtype}
            return REDUCTIONS[fun.__name__](array, axis, keepdims=keepdims, **options)
        if options or not isinstance(axis, int):
            raise NotImplementedError(
                f"{fun.__name__}.reduce of a traced value takes one axis and no where or initial"
            )
        result = fold(fun, list(anp.moveaxis(array, axis, 0)))
        return anp.expand_dims(result, axis) if keepdims else result

    return reduce


def accumulation(fun: Any) -> Callable[..., Any]:
    """``fun.accumulate``: each item joined with all before it."""

    def accumulate(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        not_into(f"{fun.__name__}.accumulate", out)
        array = array if dtype is None else anp.astype(array, dtype)
        if fun.__name__ in ACCUMULATIONS:
            return ACCUMULATIONS[fun.__name__](array, axis)
        results: list[Any] = []
        for item in anp.moveaxis(array, axis, 0):
            results.append(fun(results[-1], item) if results else item)
        return stack(results, axis)

    return accumulate


# --- docs/en/articles/17-reductions.md#src-ufunc-outer
def outer_of(fun: Any) -> Callable[..., Any]:
    """``fun.outer``: of every number of one with every number of the other."""

    def outer(a: Any, b: Any, **options: Any) -> Any:
        return fun(anp.reshape(a, np.shape(getval(a)) + (1,) * np.ndim(getval(b))), b, **options)

    return outer


def pieces_reduction(fun: Any) -> Callable[..., Any]:
    """``fun.reduceat``: a reduction from each index to the next."""

    def reduceat(
        array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        not_into(f"{fun.__name__}.reduceat", out)
        array = anp.moveaxis(array if dtype is None else anp.astype(array, dtype), axis, 0)
        starts = [int(i) for i in indices]
        ends = [*starts[1:], array.shape[0]]
        parts = [fun.reduce(array[i:j]) if i < j else array[i] for i, j in zip(starts, ends)]
        return stack(parts, axis)

    return reduceat


def refused_at(fun: Any) -> Callable[..., Any]:
    """``fun.at`` works in place."""

    def at(a: Any, indices: Any, *b: Any) -> NoReturn:
        raise LostDerivativeError(
            f"{fun.__name__}.at writes into an array: assign to a[indices], or add with "
            f"bincount(indices, weights)"
        )

    return at


# --- docs/en/articles/17-reductions.md#src-ufunc-install
METHODS = {
    "reduce": reduction, "accumulate": accumulation, "outer": outer_of,
    "reduceat": pieces_reduction, "at": refused_at,
}  # fmt: skip


def with_methods(fun: Any, raw: np.ufunc) -> None:
    """Gives the primitive of a ufunc the ufunc's methods and attributes."""
    for name in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
        setattr(fun, name, getattr(raw, name))
    for name, make in METHODS.items():
        setattr(fun, name, dispatched(fun, getattr(raw, name), make(fun)))


def dispatched(fun: Any, raw: Callable[..., Any], traced: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's method for plain arrays, ours for traced ones; its value where that is a constant."""

    def method(*args: Any, **kwargs: Any) -> Any:
        args = tuple([as_traced_array(arg) for arg in args])
        if not any(map(isbox, args)):
            return raw(*args, **kwargs)
        if fun in locally_constant:
            return raw(*map(getval, args), **kwargs)
        return traced(*args, **kwargs)

    return method


for raw, fun in list(anp.primitives.items()):
    if isinstance(raw, np.ufunc) and raw.signature is None and raw.nout == 1:
        with_methods(fun, raw)
