# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/08-vector-spaces.md#src-numpy-vspaces-imports
"""The vector spaces of arrays and of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from literate_ad.core import VSpace, primitive_jvps, primitive_vjps, register_rule
from literate_ad.numpy.numpy_wrapper import cast
from literate_ad.tracer import getval, isbox, primitive


# --- docs/en/articles/08-vector-spaces.md#src-array-vspace
class ArrayVSpace(VSpace):
    """Arrays of one shape and one dtype; a number's shape is ``()``.

    Raises:
        TypeError: an array of that dtype holds no numbers.

    >>> from literate_ad.numpy.numpy_vspaces import ArrayVSpace
    >>> ArrayVSpace(3).zeros()
    np.float64(0.0)
    """

    def __init__(self, value: Any) -> None:
        if not hasattr(value, "dtype"):
            value = np.asarray(value)
        if value.dtype.kind not in "iubfc":
            raise TypeError(
                f"an array of dtype {value.dtype} has no vector space: it holds no numbers"
            )
        self.shape: tuple[int, ...] = value.shape
        self.dtype: np.dtype[Any] = value.dtype if value.dtype.kind in "fc" else np.dtype(float)

    @classmethod
    def of(cls, shape: tuple[int, ...], dtype: np.dtype[Any]) -> ArrayVSpace:
        """The space of arrays of a shape and a dtype."""
        space = cls.__new__(cls)
        space.shape, space.dtype = shape, dtype
        return space

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def iscomplex(self) -> bool:
        return self.dtype.kind == "c"

    def zeros(self) -> Any:
        return np.zeros(self.shape, self.dtype)[()]

    def ones(self) -> Any:
        return self.dtype.type(1) if self.shape == () else np.ones(self.shape, self.dtype)

    def randn(self) -> Any:
        parts = np.random.standard_normal((2, *self.shape))
        return (parts[0] + 1j * parts[1] if self.iscomplex else parts[0]).astype(self.dtype)[()]

    def standard_basis(self) -> Iterator[Any]:
        for index in np.ndindex(*self.shape):
            for unit in (1, 1j) if self.iscomplex else (1,):
                vector = np.zeros(self.shape, self.dtype)
                vector[index] = unit
                yield vector[()]

    def inner_prod(self, x: Any, y: Any) -> Any:
        return np.real(np.vdot(x, y))

    def covector(self, x: Any) -> Any:
        return np.conj(x) if self.iscomplex else x

    def cotangent(self, g: Any) -> Any:
        if type(g) is np.float64 and self is float64_space:
            return g
        return received(self, g)

    def project(self, g: Any) -> Any:
        if type(g) is np.float64 and self is float64_space:
            return g
        return projected(self, g)

    def own(self, g: Any) -> Any:
        if type(g) is np.float64 and self is float64_space:
            return g
        g = self.project(g)
        if isbox(g) or not g.shape:
            return g if isbox(g) else g[()]  # a number, and no array without dimensions
        return g if g.flags.writeable else g.copy()

    def scatter(self, pieces: list[tuple[Any, Any]]) -> Any:
        if any(isbox(g) or isbox(index) for index, g in pieces):
            return scatter(self, *[part for piece in pieces for part in piece])
        return self.scatter_into(np.zeros(self.shape, self.dtype), pieces)[()]

    def scatter_into(self, whole: Any, pieces: list[tuple[Any, Any]]) -> Any:
        for index, g in pieces:
            add_at(whole, index, g)
        return whole


# --- docs/en/articles/08-vector-spaces.md#src-array-vspace-register
for value_type in (np.ndarray, np.number, float, complex, int, bool):
    ArrayVSpace.register(value_type)

float64_space = ArrayVSpace(np.float64(0.0))
for float_type in (float, np.float64):
    ArrayVSpace.register(float_type, lambda number: float64_space)  # one space for all of them


# --- docs/en/articles/08-vector-spaces.md#src-received
def received(space: ArrayVSpace, g: Any) -> Any:
    """The start of a pass: a seed of the right shape, in the value's dtype, safe from writing."""
    if not isbox(g):
        g = np.asarray(g)
    if g.shape != space.shape:
        raise ValueError(
            f"expected a cotangent (or tangent) of its value's shape {space.shape}, "
            f"got shape {g.shape}"
        )
    if isbox(g):
        return g
    if g.dtype.kind not in ("iubfc" if space.iscomplex else "iubf"):
        raise TypeError(
            f"expected a cotangent (or tangent) of dtype {space.dtype}, got dtype {g.dtype}"
        )
    g = np.asarray(g, space.dtype).view()
    g.flags.writeable = False  # its owner may go on using it: what hands it on must copy it
    return g[()]


# --- docs/en/articles/08-vector-spaces.md#src-fitted
def projected(space: ArrayVSpace, g: Any) -> Any:
    """A contribution in the dtype of its space; a complex one gives its real part to a real space.

    Raises:
        ValueError: it has another shape.
    """
    value = getval(g)
    if not hasattr(value, "dtype"):  # a rule may return a Python number
        g = value = np.asarray(value, space.dtype)[()]
    if value.shape != space.shape:
        raise ValueError(
            f"a rule returned a cotangent of shape {value.shape} for a value of shape {space.shape}"
        )
    return g if value.dtype == space.dtype else cast(g, space.dtype)


# --- docs/en/articles/05-reverse-pass.md#src-scatter
@primitive
def scatter(space: ArrayVSpace, *pieces: Any) -> Any:
    """A zero of ``space`` with pieces added: an index and its piece, the next index, and so on."""
    return space.scatter(list(zip(pieces[::2], pieces[1::2])))


def gather(g: Any, indices: list[Any]) -> list[Any]:
    """The transpose of ``scatter``: each piece gets what lies at its index."""
    return [g[index] for index in indices]


def gather_one(g: Any, index: Any) -> Any:
    """The same for one traced piece."""
    return g[index]


def scatter_rule(nums: Any, ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The reverse rule: each piece gets the part of the cotangent at its index."""
    indices = [args[num - 1] for num in nums]
    return (gather_one, indices[0]) if len(indices) == 1 else (gather, indices)


def scatter_forward(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
    """The forward rule: the tangents of the pieces, written into zeros."""
    pairs = zip([args[num - 1] for num in nums], tangents)
    return scatter(args[0], *[part for pair in pairs for part in pair])


register_rule(primitive_vjps, "scatter", scatter, scatter_rule)
register_rule(primitive_jvps, "scatter", scatter, scatter_forward)

# --- docs/en/articles/05-reverse-pass.md#src-add-at
basic_index = (int, slice, np.integer, type(None), type(Ellipsis))


def add_at(whole: Any, index: Any, g: Any) -> None:
    """``whole[index] += g``, where an index array may name a place twice."""
    for part in index if isinstance(index, tuple) else (index,):
        if not isinstance(part, basic_index):
            np.add.at(whole, index, g)
            return
    whole[index] += g
