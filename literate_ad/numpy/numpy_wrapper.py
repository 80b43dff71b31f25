# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-numpy-wrapper-imports
"""Every NumPy function under its own name, as a primitive of the engine."""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as _np

from literate_ad import tracer
from literate_ad.tracer import isbox, notrace_primitive, primitive

# --- docs/en/articles/06-numpy-primitives.md#src-notrace-functions
# Functions of which every output is constant almost everywhere, or is not a number.
notrace_functions: list[Callable[..., Any]] = [
    getattr(_np, name)
    for name in """
    all allclose any argmax argmin argpartition argsort argwhere around array2string array_equal
    array_equiv array_repr array_str broadcast_shapes can_cast ceil common_type
    count_nonzero digitize
    empty_like equal fix flatnonzero floor floor_divide greater greater_equal heaviside iscomplex
    iscomplexobj isclose isfinite isinf isnan isneginf isposinf isreal isrealobj isscalar
    less less_equal
    lexsort logical_and logical_not logical_or logical_xor min_scalar_type ndim nonzero not_equal
    ones_like result_type rint round searchsorted shape shares_memory sign signbit size
    trunc typename zeros_like
    """.split()
]

# --- docs/en/articles/06-numpy-primitives.md#src-wrap-namespace
# From each NumPy function to its primitive: how plain NumPy calls on boxes find theirs.
wrappers: dict[Any, Callable[..., Any]] = {}


def wrap_namespace(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Fills ``new`` with the functions of ``old`` as primitives; all else stays as it is.

    Two names of one function get the same primitive.
    """
    for name, obj in old.items():
        if isinstance(obj, type) and issubclass(obj, _np.integer) and obj not in abstract_integers:
            new[name] = wrap_intdtype(obj)
        elif isinstance(obj, type) or not callable(obj):
            new[name] = obj
        else:
            if obj not in wrappers:
                wrap = notrace_primitive if obj in notrace_functions else primitive
                wrappers[obj] = at_home(wrap(obj))
            new[name] = wrappers[obj]


# --- docs/en/articles/06-numpy-primitives.md#src-wrap-intdtype
def at_home(fun: Any) -> Any:
    """``fun`` under the address where it can be found again when it is unpickled."""
    fun.__module__, fun.__qualname__ = "literate_ad.numpy", fun.__name__
    return fun


abstract_integers = (_np.integer, _np.signedinteger, _np.unsignedinteger)


def wrap_intdtype(cls: type) -> type:
    """An integer type that takes a traced value too, and answers with a plain integer."""
    return type(
        cls.__name__,
        (cls,),
        {"__new__": notrace_primitive(cls.__new__), "__module__": cls.__module__},
    )


wrap_namespace({k: v for k, v in vars(_np).items() if not k.startswith("_")}, globals())


# --- docs/en/articles/06-numpy-primitives.md#src-missing-name
def __getattr__(name: str) -> Any:
    """The parts of NumPy that it loads when they are asked for, such as ``random``."""
    part = getattr(_np, name, None)
    if isinstance(part, types.ModuleType):
        return part
    raise AttributeError(
        f"literate_ad.numpy has no {name!r}, and neither has numpy {_np.__version__}"
    )


# --- docs/en/articles/06-numpy-primitives.md#src-replace
def replace(raw: Callable[..., Any], better: Callable[..., Any]) -> None:
    """Puts ``better`` in the place of the primitive of NumPy's ``raw``, under all its names."""
    general = wrappers[raw]
    wrappers[raw] = at_home(better)
    for name, obj in list(globals().items()):
        if obj is general:
            globals()[name] = better


# --- docs/en/articles/06-numpy-primitives.md#src-sum-wrapper
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    **options: Any,
) -> Any:
    """``numpy.sum``, without a detour that costs more than adding three numbers."""
    if type(a) is _np.ndarray and not options:
        return reduce_by_adding(a, axis, dtype, out, keepdims)
    if not isbox(a):
        return _np.sum(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **options)
    if out is not None or options:
        raise NotImplementedError(
            "sum of a traced value takes no out, initial or where: "
            "use where() on what is summed, and + on the sum"
        )
    return tracer.record(sum, (a, axis, dtype, out, keepdims), {})


reduce_by_adding = _np.add.reduce
sum.fun = _np.sum
replace(_np.sum, sum)


# --- docs/en/articles/06-numpy-primitives.md#src-shorter
def shorter(raw: Callable[..., Any], method: Callable[..., Any]) -> None:
    """Calls NumPy's method instead of the function around it that would end up there."""

    @primitive
    def f(a: Any, *args: Any, **kwargs: Any) -> Any:
        return (
            method(a, *args) if type(a) is _np.ndarray and not kwargs else raw(a, *args, **kwargs)
        )

    wraps(raw)(f)
    f.fun = raw
    replace(raw, f)


def reshaped(a: Any, shape: Any, order: Any = "C") -> Any:
    """``ndarray.reshape``, which takes ``order`` by name alone."""
    return a.reshape(shape, order=order)


def matrix_product(a: Any, b: Any, **options: Any) -> Any:
    """``matmul``; for two matrices ``dot``, which is the same product and starts sooner."""
    if type(a) is type(b) is _np.ndarray and a.ndim == b.ndim == 2 and not options:
        return a.dot(b)
    return _np.matmul(a, b, **options)


shorter(_np.reshape, reshaped)
shorter(_np.transpose, _np.ndarray.transpose)
shorter(_np.swapaxes, _np.ndarray.swapaxes)
shorter(_np.ravel, _np.ndarray.ravel)
shorter(_np.matmul, matrix_product)


# --- docs/en/articles/07-broadcasting.md#src-cast
@primitive
def cast(x: Any, dtype: Any) -> Any:
    """``x`` in another floating dtype; from complex to real, its real part."""
    dtype = _np.dtype(dtype)
    if dtype.kind not in "iubfc":
        raise TypeError(
            f"a traced value cannot become of dtype {dtype}: it would lose its derivative"
        )
    if _np.iscomplexobj(x) and dtype.kind != "c":
        x = _np.real(x)
    return x.astype(dtype)


def astype(x: Any, dtype: Any, **options: Any) -> Any:
    """``numpy.astype``. In an integer dtype a traced value becomes a constant."""
    if isbox(x) and _np.dtype(dtype).kind not in "iub":
        return cast(x, dtype)
    return tracer.getval(x).astype(dtype, **options)


replace(_np.astype, astype)
