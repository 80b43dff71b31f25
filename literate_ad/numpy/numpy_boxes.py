# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/04-tracer.md#src-numpy-boxes-imports
"""The box of arrays and numbers: what a traced value answers when used like an array."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.tracer import Box, getval, isbox, untraceable


# --- docs/en/articles/04-tracer.md#src-array-box
class ArrayBox(Box):
    """A traced array or number.

    Operators with derivatives are attached where their rules are declared.

    >>> import numpy
    >>> from literate_ad import grad
    >>> grad(lambda x: (2 * x.T).sum())(numpy.ones((1, 2)))
    array([[2., 2.]])
    """

    __slots__ = ()
    __hash__ = object.__hash__

    shape = property(lambda self: self._value.shape)
    ndim = property(lambda self: self._value.ndim)
    size = property(lambda self: self._value.size)
    dtype = property(lambda self: self._value.dtype)
    T = property(lambda self: anp.transpose(self))

    def __getattr__(self, name: str) -> Any:
        """A method of arrays is the function of the same name: ``x.sum()`` is ``sum(x)``.

        An attribute is the function's answer: ``x.real`` is ``real(x)``.
        """
        if name.startswith("_") or not (hasattr(np.ndarray, name) and hasattr(anp, name)):
            raise AttributeError(
                f"a traced array has no {name!r}: use a function of literate_ad.numpy instead"
            )
        fun = getattr(anp, name)
        return partial(fun, self) if callable(getattr(np.ndarray, name)) else fun(self)

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 0:
            raise TypeError("iteration over a traced number (an array without dimensions)")
        return (self[i] for i in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        return getval(item) in getval(self)

    def __format__(self, spec: str) -> str:
        return format(getval(self), spec) if spec else repr(self)


# --- docs/en/articles/04-tracer.md#src-box-array
def box_float(value: Any, trace: int, node: Any) -> ArrayBox:
    """Python floats travel as NumPy's, which divide by zero as arrays do."""
    return ArrayBox(np.float64(value), trace, node)


def box_array(value: np.ndarray[Any, Any], trace: int, node: Any) -> ArrayBox:
    """Integers travel as floats; what cannot is refused, and a class with its own arithmetic."""
    if type(value) is not np.ndarray and type(value).__mul__ is not np.ndarray.__mul__:
        raise TypeError(untraceable(value))
    if value.dtype.kind in "iub":
        value = value.astype(float)
    elif value.dtype.kind not in "fc":
        raise TypeError(
            f"cannot differentiate with respect to an array of dtype {value.dtype}: "
            f"it must hold real or complex numbers"
        )
    return ArrayBox(value, trace, node)


ArrayBox.register(float, box_float)
ArrayBox.register(complex, lambda value, trace, node: ArrayBox(np.complex128(value), trace, node))
ArrayBox.register(np.ndarray, box_array)
for scalar_type in (
    np.float64, np.float32, np.float16, np.longdouble, np.complex128, np.complex64, np.clongdouble,
):  # fmt: skip
    ArrayBox.register(scalar_type)

# --- docs/en/articles/04-tracer.md#src-array-box-methods
# Methods that take their arguments in another form than the function, or have none.
ArrayBox.reshape = lambda x, *shape, **order: anp.reshape(
    x, shape[0] if len(shape) == 1 else shape, **order
)
ArrayBox.transpose = lambda x, *axes: anp.transpose(x, axes[0] if len(axes) == 1 else axes or None)
ArrayBox.flatten = lambda x: anp.ravel(x)
ArrayBox.copy = lambda x: x


# --- docs/en/articles/04-tracer.md#src-comparisons
def comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison sees values only: what it answers has no derivative."""
    return lambda self, other: compare(getval(self), getval(other))


for name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(ArrayBox, f"__{name}__", comparison(getattr(operator, name)))


# --- docs/en/articles/04-tracer.md#src-refusals
def refusal(what: str, instead: str) -> Callable[..., NoReturn]:
    """A method that would lose the derivative: it says so, and what to write instead."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{what} would lose the derivative of a traced value: {instead}")

    return refuse


plain = (
    "use functions of literate_ad.numpy or numpy on it, "
    "or literate_ad.tracer.getval(x) for its value as a constant"
)
for name, what, instead in (
    ("__float__", "float(x), a function of module math, or an assignment a[i] = x", plain),
    ("__int__", "int(x)", plain),
    ("__complex__", "complex(x)", plain),
    ("__round__", "round(x)", plain),
    ("__index__", "using it as an index", plain),
    ("__array__", "a plain numpy array (numpy.array, numpy.asarray, a.dot(x), a[i] = x)",
     "build arrays of traced values with literate_ad.numpy.array, stack or concatenate, "
     "and write a @ x"),
    ("__setitem__", "the assignment x[i] = v",
     "build the new array, with where(mask, v, x), concatenate([x[:i], [v], x[i + 1:]]) "
     "or array([...])"),
    ("item", "x.item()", plain),
    ("tolist", "x.tolist()", plain),
    ("fill", "x.fill(v)", "use full(shape, v)"),
):  # fmt: skip
    setattr(ArrayBox, name, refusal(what, instead))


# --- docs/en/articles/06-numpy-primitives.md#src-array-ufunc
def array_ufunc(self: Box, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``numpy.sin(x)`` on a traced ``x`` runs the primitive of the same function."""
    if kwargs.get("out") is not None:
        raise TypeError(
            f"numpy.{ufunc.__name__} cannot write a traced value into an existing array "
            f"(out=, or a += x with a plain a): write a = a + x"
        )
    if not any(type(x) is ArrayBox for x in inputs):
        raise TypeError(
            f"{ufunc.__name__} of a traced {type(getval(self)).__name__}: "
            f"make an array of it first, with array(...)"
        )
    call = anp.wrappers.get(ufunc) if method == "__call__" else None
    if call is None:
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise NotImplementedError(
            f"{name} cannot be traced: write it with functions of literate_ad.numpy"
        )
    return call(*inputs, **kwargs)


# --- docs/en/articles/06-numpy-primitives.md#src-array-function
def array_function(self: Box, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """The same for NumPy's other functions; with boxes inside a list, NumPy's own code runs."""
    call = anp.wrappers.get(func)
    if call is None:
        raise NotImplementedError(
            f"{func.__module__}.{func.__name__} cannot be traced: "
            f"write it with functions of literate_ad.numpy"
        )
    primitive_in_list = hasattr(call, "fun") and not any(
        isbox(a) for a in (*args, *kwargs.values())
    )
    return func._implementation(*args, **kwargs) if primitive_in_list else call(*args, **kwargs)


Box.__array_ufunc__ = array_ufunc
Box.__array_function__ = array_function
