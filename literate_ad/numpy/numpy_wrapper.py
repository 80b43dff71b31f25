# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-numpy-wrapper-imports
"""Every NumPy function under its own name, as a primitive of the engine."""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as _np
from numpy import float64

from literate_ad import tracer
from literate_ad.core import JVPNode, VJPNode
from literate_ad.numpy.numpy_boxes import ArrayBox, MutableArray
from literate_ad.tracer import (
    LostDerivativeError,
    isbox,
    locally_constant,
    notrace_primitive,
    primitive,
)


# --- docs/en/articles/06-numpy-primitives.md#src-unary
def unary(raw: Callable[..., Any]) -> Callable[..., Any]:
    """The primitive of a ufunc of one argument. A declaration fills in its rule."""
    rule = push = None
    place: Any = 0  # of the residual in (x, ans, None)

    @wraps(raw)
    def f(x: Any, *args: Any, **kwargs: Any) -> Any:
        if type(x) is not ArrayBox:
            try:
                return raw(x, *args, **kwargs) if args or kwargs else raw(x)
            except LostDerivativeError:
                return with_arrays(f, (x, *args), kwargs)
        if rule is None or args or kwargs:
            return tracer.record(f, (x, *args), kwargs)
        node, value = x._node, x._value
        ans = f(value) if type(value) is ArrayBox else raw(value)
        residual = (value, ans, None)[place]
        if type(node) is VJPNode and (type(ans) is float64 or ans.dtype == value.dtype):
            return ArrayBox(ans, x._trace, VJPNode(node, rule, residual))
        if type(node) is JVPNode:
            return ArrayBox(ans, x._trace, JVPNode(push(rule, node.g, residual, ans)))
        return tracer.record(f, (x,), {}, ans)

    def record_by(its_rule: Any, its_place: Any, its_push: Any) -> None:
        nonlocal rule, place, push
        rule, place, push = its_rule, its_place, its_push

    f.record_by = record_by
    return f


# --- docs/en/articles/15-shapes.md#src-shells
def binary(raw: Callable[..., Any]) -> Callable[..., Any]:
    """The primitive of a ufunc of two arguments. A declaration fills in its recorder."""

    @wraps(raw)
    def f(x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            if type(x) is not ArrayBox and type(y) is not ArrayBox:
                return raw(x, y, *args, **kwargs) if args or kwargs else raw(x, y)
            if args or kwargs:
                return tracer.record(f, (x, y, *args), kwargs)
            if isinstance(y if type(x) is ArrayBox else x, MutableArray):
                return f(as_array(x), as_array(y))
            ans = traced(x, y)
        except LostDerivativeError:
            return with_arrays(f, (x, y, *args), kwargs)
        if ans is NotImplemented:
            other = type(y if type(x) is ArrayBox else x).__name__
            raise TypeError(
                f"{f.__name__} of a traced value and a {other}: both must be numbers, or arrays"
            )
        return ans

    def traced(x: Any, y: Any) -> Any:
        return tracer.record(f, (x, y), {})

    def record_by(recorder: Callable[[Any, Any], Any]) -> None:
        nonlocal traced
        traced = recorder

    f.record_by = record_by
    return f


def one_array(raw: Callable[..., Any], quick: Callable[..., Any]) -> Callable[..., Any]:
    """The primitive of a function of one array and parameters, such as an axis.

    ``quick`` gives what ``raw`` gives, sooner.
    """

    @wraps(raw)
    def f(a: Any = missing, *args: Any, **kwargs: Any) -> Any:
        if type(a) is ArrayBox:
            return traced(a, args, kwargs)
        if a is missing:
            args, kwargs = tracer.bind_positionally(raw, (), kwargs)
            return f(*args, **kwargs)
        try:
            return quick(a, *args, **kwargs)
        except LostDerivativeError:
            return with_arrays(f, (a, *args), kwargs)

    def traced(a: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return tracer.record(f, (a, *args), kwargs)

    def record_by(recorder: Callable[..., Any]) -> None:
        nonlocal traced
        traced = recorder

    f.record_by, f.quick, f.of_one_array, f.with_options = record_by, quick, True, None
    return f


missing = object()


def several_arrays(raw: Callable[..., Any], quick: Callable[..., Any]) -> Callable[..., Any]:
    """The primitive of any other function: each of its arguments may be traced."""

    @wraps(raw)
    def f(*args: Any, **kwargs: Any) -> Any:
        try:
            for arg in args:
                if type(arg) is ArrayBox:
                    return traced(args, kwargs)
            if kwargs:
                for arg in kwargs.values():
                    if type(arg) is ArrayBox:
                        return traced(args, kwargs)
            return quick(*args, **kwargs)
        except LostDerivativeError:
            return with_arrays(f, args, kwargs)

    def traced(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return tracer.record(f, *tracer.traced_by_position(raw, args, kwargs))

    def record_by(recorder: Callable[..., Any]) -> None:
        nonlocal traced
        traced = recorder

    f.record_by, f.quick, f.of_one_array = record_by, quick, False
    return f


def array_primitive(raw: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function of arrays of our own: a primitive with a recorder from its form."""
    f = several_arrays(raw, raw)
    f.fun = raw
    return f


def with_arrays(f: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The call again, with arrays for the lists that hold traced values.

    Raises:
        LostDerivativeError: there are none; the function makes a plain array inside.
    """
    joined = [as_array(arg) for arg in args]
    named = {name: as_array(value) for name, value in kwargs.items()}
    if not any(a is not b for a, b in zip([*joined, *named.values()], [*args, *kwargs.values()])):
        raise
    return f(*joined, **named)


def as_array(arg: Any) -> Any:
    """The array of a list that holds traced values; anything else as it is."""
    if isinstance(arg, MutableArray):
        return arg.snapshot()
    return globals()["array"](arg) if type(arg) is not ArrayBox and holds_box(arg) else arg


plain_types = {_np.ndarray, _np.float64, float, int}


# Arguments that are no boxes, and may have to be replaced before a call is recorded.
convertible = {list, tuple, MutableArray}


def holds_box(x: Any) -> bool:
    """Whether ``x`` is traced, or a list or tuple with a traced value somewhere."""
    if not isinstance(x, (list, tuple)):
        return isbox(x) or isinstance(x, MutableArray)
    for item in x:  # a loop and no generator: untraced lists come by here too
        if type(item) in plain_types:
            continue
        if holds_box(item):
            return True
    return False


# --- docs/en/articles/15-shapes.md#src-shorter
def quick_sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    **options: Any,
) -> Any:
    """``numpy.sum``, without a detour that costs more than adding three numbers."""
    if type(a) is _np.ndarray and not options:
        return add_up(a, axis, dtype, out, keepdims)
    return _np.sum(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **options)


add_up = _np.add.reduce


def by_method(raw: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's method, where the function around it would end up there."""

    def quick(a: Any, *args: Any, **kwargs: Any) -> Any:
        if type(a) is _np.ndarray and not kwargs:
            return method(a, *args)
        return raw(a, *args, **kwargs)

    return quick


def matrix_product(a: Any, b: Any, **options: Any) -> Any:
    """``matmul``; for two matrices ``dot``, which is the same product and starts sooner."""
    if type(a) is type(b) is _np.ndarray and a.ndim == b.ndim == 2 and not options:
        return a.dot(b)
    return _np.matmul(a, b, **options)


quick_ways = {
    _np.sum: quick_sum,
    _np.matmul: matrix_product,
    _np.reshape: by_method(_np.reshape, lambda a, shape, order="C": a.reshape(shape, order=order)),
    _np.transpose: by_method(_np.transpose, _np.ndarray.transpose),
    _np.swapaxes: by_method(_np.swapaxes, _np.ndarray.swapaxes),
    _np.ravel: by_method(_np.ravel, _np.ndarray.ravel),
}

# --- docs/en/articles/15-shapes.md#src-notrace-functions
# What these tell of an array no trace changes: its shape, its type.
notrace_functions: list[Callable[..., Any]] = [
    getattr(_np, name)
    for name in """
    array2string array_repr array_str broadcast_shapes can_cast common_type empty_like
    iscomplexobj isrealobj isscalar min_scalar_type ndim ones_like result_type shape shares_memory
    size typename zeros_like
    """.split()
]

# Functions of the values that are constant almost everywhere: constants to a derivative, and
# operations to a recorder of programs.
constant_functions: list[Callable[..., Any]] = [
    getattr(_np, name)
    for name in """
    all allclose any argmax argmin argpartition argsort argwhere around array_equal array_equiv
    ceil count_nonzero digitize equal fix flatnonzero floor floor_divide greater greater_equal
    heaviside iscomplex isclose isfinite isinf isnan isneginf isposinf isreal less less_equal
    lexsort logical_and logical_not logical_or logical_xor nonzero not_equal rint round
    searchsorted sign signbit trunc
    """.split()
]

# --- docs/en/articles/06-numpy-primitives.md#src-wrap-namespace
# From each NumPy function to its primitive: how plain NumPy calls on boxes find theirs.
primitives: dict[Any, Callable[..., Any]] = {}

functions_of_one_array = [
    getattr(_np, name)
    for name in """
    amax amin broadcast_to cumprod cumsum diff expand_dims flip max mean min moveaxis nancumsum
    nansum prod ravel reshape roll rollaxis rot90 sort squeeze std sum swapaxes trace transpose
    tril triu var
    """.split()
]


def wrap(raw: Any) -> Callable[..., Any]:
    """The primitive of one function of NumPy, by the number of arrays that it takes."""
    if raw in notrace_functions:
        return notrace_primitive(raw)
    if isinstance(raw, _np.ufunc) and raw.nout == 1 and raw.nin <= 2 and raw.signature is None:
        f = unary(raw) if raw.nin == 1 else binary(raw)
    else:
        shell = one_array if raw in functions_of_one_array else several_arrays
        f = shell(raw, quick_ways.get(raw, raw))
    f.fun = raw
    if raw in constant_functions:
        locally_constant.add(f)
    return f


def wrap_namespace(old: dict[str, Any], new: dict[str, Any], part: str = "") -> None:
    """Fills ``new`` with the functions of ``old`` as primitives; all else stays as it is.

    Two names of one function get the same primitive. ``part`` is the part of NumPy that ``old``
    is, such as ``"linalg"``.
    """
    home = f"literate_ad.numpy.{part}".rstrip(".")
    for name, obj in old.items():
        if isinstance(obj, type) and issubclass(obj, _np.integer) and obj not in abstract_integers:
            new[name] = wrap_intdtype(obj)
        elif isinstance(obj, type) or not callable(obj):
            new[name] = obj
        else:
            if obj not in primitives:
                primitives[obj] = at_home(wrap(obj), home)
            new[name] = primitives[obj]


# --- docs/en/articles/15-shapes.md#src-wrap-intdtype
def at_home(fun: Any, home: str = "literate_ad.numpy") -> Any:
    """``fun`` under the address where it can be found again when it is unpickled."""
    fun.__module__, fun.__qualname__ = home, fun.__name__
    return fun


abstract_integers = (_np.integer, _np.signedinteger, _np.unsignedinteger)


def wrap_intdtype(cls: type) -> type:
    """An integer type that takes a traced value too, and answers with a plain integer."""
    return type(
        cls.__name__,
        (cls,),
        {"__new__": notrace_primitive(cls.__new__), "__module__": cls.__module__},
    )


namespace: dict[str, Any] = {}
public = [name for name in dir(_np) if name in vars(_np) and not name.startswith("_")]
wrap_namespace({name: vars(_np)[name] for name in public}, namespace)
globals().update(namespace)

# The parts of NumPy that have a module of their own here, each with its functions.
parts: dict[str, dict[str, Any]] = {name: {} for name in "linalg fft".split()}
for name, functions in parts.items():
    part = getattr(_np, name)
    wrap_namespace({each: getattr(part, each) for each in part.__all__}, functions, name)


# --- docs/en/articles/15-shapes.md#src-missing-name
def __getattr__(name: str) -> Any:
    """The parts of NumPy that it loads at first use, such as ``random``."""
    part = getattr(_np, name, None)
    if isinstance(part, types.ModuleType):
        return part
    raise AttributeError(
        f"literate_ad.numpy has no {name!r}, and neither has numpy {_np.__version__}"
    )


# --- docs/en/articles/15-shapes.md#src-replace
def compose(raw: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function written with primitives that stands in NumPy's place for ``raw``."""

    def install(composed: Callable[..., Any]) -> Callable[..., Any]:
        general = primitives[raw]
        primitives[raw] = at_home(composed, general.__module__)
        for names in (namespace, globals(), *parts.values()):
            names.update({name: composed for name, obj in names.items() if obj is general})
        return composed

    return install


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


@compose(_np.astype)
def astype(x: Any, dtype: Any, **options: Any) -> Any:
    """``numpy.astype``. In an integer dtype a traced value becomes a constant."""
    if isbox(x) and _np.dtype(dtype).kind not in "iub":
        return cast(x, dtype)
    return tracer.getval(x).astype(dtype, **options)
