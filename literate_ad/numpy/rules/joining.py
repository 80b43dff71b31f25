# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/16-joining-indexing.md#src-joining-imports
"""Rules of joining arrays: each gets its own part of the cotangent, all in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from itertools import accumulate
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import joint
from literate_ad.numpy.numpy_boxes import ArrayBox, MutableArray, copied
from literate_ad.numpy.numpy_wrapper import array_primitive, holds_box
from literate_ad.tracer import snapshot


# --- docs/en/articles/16-joining-indexing.md#src-stack
@array_primitive
def stack_args(axis: int, *arrays: Any) -> Any:
    """``stack(arrays, axis)`` with the arrays as arguments, where boxes can be seen."""
    return np.array(arrays) if axis == 0 else np.stack(arrays, axis)


def split(g: Any, residual: tuple[Any, Any]) -> list[Any]:
    """Each traced array gets its own place of the cotangent, in its own dtype."""
    places, dtypes = residual
    if not dtypes:
        return [g[place] for place in places]
    return [anp.cast(g[place], dtype) for place, dtype in zip(places, dtypes)]


def first(g: Any, residual: tuple[Any, Any]) -> Any:
    """The same for one traced array."""
    return split(g, residual)[0]


def split_rule(argnums: Sequence[int], ans: Any, args: Any, places: list[Any]) -> Any:
    """The rule and the residual of a joining."""
    dtypes = [args[num].dtype for num in argnums]
    if dtypes.count(ans.dtype) == len(dtypes):
        dtypes = []
    return (first if len(argnums) == 1 else split), (places, dtypes)


def stack_rule(argnums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> Any:
    """Each array gets back its own layer."""
    before = (slice(None),) * (args[0] % ans.ndim)
    return split_rule(argnums, ans, args, [(*before, num - 1) for num in argnums])


def push_together(fun: Any) -> Any:
    """Tangents are joined like their arrays; what is not traced has the tangent zero."""

    def pushforward(
        argnums: Sequence[int], tangents: Sequence[Any], ans: Any, args: Any, kwargs: Any
    ) -> Any:
        parts: list[Any] = [np.zeros(np.shape(a), np.result_type(a)) for a in args[1:]]
        for num, tangent in zip(argnums, tangents):
            parts[num - 1] = tangent
        return fun(args[0], *parts)

    return pushforward


joint(stack_args, stack_rule, push_together(stack_args))


# --- docs/en/articles/16-joining-indexing.md#src-concatenate
@array_primitive
def concatenate_args(axis: int, *arrays: Any) -> Any:
    """``concatenate(arrays, axis)`` with the arrays as arguments, where boxes can be seen."""
    return np.concatenate(arrays, axis)


def concatenate_rule(argnums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> Any:
    """Each array gets back its own stretch."""
    axis, *arrays = args
    ends = list(accumulate([np.shape(array)[axis] for array in arrays], initial=0))
    before = (slice(None),) * (axis % ans.ndim)
    stretches = [(*before, slice(ends[num - 1], ends[num])) for num in argnums]
    return split_rule(argnums, ans, args, stretches)


joint(concatenate_args, concatenate_rule, push_together(concatenate_args))


# --- docs/en/articles/16-joining-indexing.md#src-array
@anp.compose(np.array)
def array(object: Any, *args: Any, **kwargs: Any) -> Any:
    """``numpy.array``, for nested lists and tuples of traced values too.

    >>> import literate_ad.numpy as np
    >>> from literate_ad import grad
    >>> float(grad(lambda x: np.sum(np.array([x, 2.0 * x])))(1.0))
    3.0
    """
    if isinstance(object, ArrayBox):
        return with_options(copied(snapshot(object)), *args, **kwargs)
    if not holds_box(object):
        return np.array(object, *args, **kwargs)
    return with_options(stack_args(0, *as_arrays(object)), *args, **kwargs)


def like_array(raw: Any) -> Any:
    """``asarray`` and its kin: NumPy's own, and ``array`` for what holds traced values."""

    def f(a: Any, dtype: Any = None, **options: Any) -> Any:
        return array(a, dtype, **options) if holds_box(a) else raw(a, dtype, **options)

    return wraps(raw)(f)


for raw in (np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray):
    anp.compose(raw)(like_array(raw))


def as_traced_array(x: Any) -> Any:
    """An array of a list that holds traced values; anything else as it is."""
    if isinstance(x, MutableArray):
        return x.snapshot()
    return array(x) if type(x) is not ArrayBox and holds_box(x) else x


def with_dtype(x: Any) -> Any:
    """``x``, if it is traced or an array; an array of anything else."""
    return x if hasattr(x, "dtype") else np.asarray(x)


def as_arrays(items: Any) -> list[Any]:
    """The items of a list, also of a traced one; lists among them become arrays."""
    return [array(item) if isinstance(item, (list, tuple)) else snapshot(item) for item in items]


def with_options(
    x: Any, dtype: Any = None, *, out: Any = None, ndmin: int = 0, **options: Any
) -> Any:
    """Applies the options that change the answer of a joining function, and refuses ``out``."""
    if out is not None:
        raise TypeError("traced values cannot be written into out: use the answer instead")
    x = x if dtype is None else anp.astype(x, dtype)
    added = ndmin - np.ndim(x)
    return anp.reshape(x, (1,) * added + np.shape(x)) if added > 0 else x


# --- docs/en/articles/16-joining-indexing.md#src-joining-names
@anp.compose(np.stack)
def stack(arrays: Any, axis: int = 0, out: Any = None, **options: Any) -> Any:
    """``numpy.stack``. Costs the size of the result, however many the arrays."""
    if not holds_box(arrays):
        return np.stack(arrays, axis, out, **options)
    joined = stack_args(axis, *as_arrays(arrays))
    return joined if out is None and not options else with_options(joined, out=out, **options)


@anp.compose(np.concatenate)
def concatenate(arrays: Any, axis: int | None = 0, out: Any = None, **options: Any) -> Any:
    """``numpy.concatenate``. Costs the size of the result, however many the arrays."""
    if not holds_box(arrays):
        return np.concatenate(arrays, axis, out, **options)
    arrays = as_arrays(arrays)
    if axis is None:
        axis, arrays = 0, [anp.ravel(a) for a in arrays]
    joined = concatenate_args(axis, *arrays)
    return joined if out is None and not options else with_options(joined, out=out, **options)
