# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/04-tracer.md#src-numpy-boxes-imports
"""The box of arrays and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from literate_ad.tracer import Box, getval, untraceable


# --- docs/en/articles/04-tracer.md#src-array-box
class ArrayBox(Box):
    """A traced array or number.

    Its operators and methods stand in the table of ``numpy/methods.py``.

    >>> import numpy
    >>> from literate_ad import grad
    >>> grad(lambda x: (2 * x.T).sum())(numpy.ones((1, 2)))
    array([[2., 2.]])
    """

    __slots__ = ("_state",)  # of one that is written to
    __hash__ = object.__hash__

    shape = property(lambda self: self._value.shape)
    ndim = property(lambda self: self._value.ndim)
    size = property(lambda self: self._value.size)
    dtype = property(lambda self: self._value.dtype)

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
    """Arrays of numbers and of truth values, without an arithmetic of their own."""
    if type(value) is not np.ndarray and type(value).__mul__ is not np.ndarray.__mul__:
        raise TypeError(untraceable(value))
    if value.dtype.kind not in "biufc":
        raise TypeError(
            f"cannot differentiate with respect to an array of dtype {value.dtype}: "
            f"pass an array of real or complex numbers"
        )
    return ArrayBox(value, trace, node)


ArrayBox.register(float, box_float)
ArrayBox.register(complex, lambda value, trace, node: ArrayBox(np.complex128(value), trace, node))
ArrayBox.register(np.ndarray, box_array)
for scalar_type in (
    np.float64, np.float32, np.float16, np.longdouble, np.complex128, np.complex64, np.clongdouble,
    np.bool_, np.integer,
):  # fmt: skip
    ArrayBox.register(scalar_type)


# --- docs/en/articles/16c-assignment.md#src-mutable-array
class MutableArray(ArrayBox):
    """An array made while a trace runs: values, and traced ones, can be assigned to its parts.

    What reads it reads a snapshot: the array that it holds at that moment.
    """

    __slots__ = ()
    __hash__ = object.__hash__

    def snapshot(self) -> Any:
        """What the array holds now, as a plain array or a box."""
        return self._value

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))


def copied(x: Any) -> Any:
    """A copy in memory of its own; for a box another one of the same node."""
    return ArrayBox(copied(x._value), x._trace, x._node) if type(x) is ArrayBox else np.array(x)
