"""The vector spaces of arrays and of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from literate_ad.core import VSpace, defjvp_argnums, defvjp_argnums
from literate_ad.numpy.numpy_wrapper import cast
from literate_ad.tracer import getval, isbox, primitive

# ---- ArrayVSpace


class ArrayVSpace(VSpace):
    """Arrays of one shape and one dtype; a number's shape is ``()``."""

    def __init__(self, value: Any) -> None:
        if not hasattr(value, "dtype"):
            value = np.asarray(value)
        self.shape: tuple[int, ...] = value.shape
        self.dtype: np.dtype[Any] = value.dtype if value.dtype.kind in "fc" else np.dtype(float)
        self.size = prod(self.shape)
        self.iscomplex = self.dtype.kind == "c"

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
        return as_member(self, g)

    def fit(self, g: Any) -> Any:
        return fitted(self, g)

    def scatter(self, pieces: list[tuple[Any, Any]]) -> Any:
        if any(isbox(g) for _, g in pieces):
            return scatter(self, [index for index, _ in pieces], *[g for _, g in pieces])
        return self.scatter_into(np.zeros(self.shape, self.dtype), pieces)

    def scatter_into(self, whole: Any, pieces: list[tuple[Any, Any]]) -> Any:
        for index, g in pieces:
            add_at(whole, index, g)
        return whole


for number_type in (
    float, np.float64, np.float32, np.float16, np.longdouble,
    complex, np.complex128, np.complex64, np.clongdouble, np.ndarray, int, bool, np.integer,
):  # fmt: skip
    ArrayVSpace.register(number_type)


# ---- as_member


def as_member(space: ArrayVSpace, g: Any) -> Any:
    """``g`` as an array or number of ``space``, or an error that names both shapes."""
    if type(g) is np.float64 and space.shape == ():
        return g
    if not isbox(g):
        g = np.asarray(g)
    if g.shape != space.shape:
        raise ValueError(
            f"a cotangent (or tangent) must have the shape of its value: expected {space.shape}, got {g.shape}"
        )
    return g if isbox(g) or g.dtype.kind == "c" else np.asarray(g, space.dtype)[()]


def fitted(space: ArrayVSpace, g: Any) -> Any:
    """The end of a pass: the input's own dtype, and an array that its new owner may write to."""
    if type(g) is np.float64 and space.shape == () and space.dtype.char == "d":
        return g
    value = getval(g)
    if np.shape(value) != space.shape:
        raise ValueError(f"a reverse rule returned a cotangent of shape {np.shape(value)} for a value of shape {space.shape}")
    if isbox(g):
        return g if value.dtype == space.dtype else cast(g, space.dtype)
    g = np.asarray(g) if np.asarray(g).dtype == space.dtype else cast(np.asarray(g), space.dtype)
    return g[()] if g.flags.writeable or g.shape == () else g.copy()


# ---- scatter


@primitive
def scatter(space: ArrayVSpace, indices: list[Any], *pieces: Any) -> Any:
    """A zero of ``space`` with each piece added at its index: all of them in one traced operation."""
    return space.scatter_into(np.zeros(space.shape, space.dtype), list(zip(indices, pieces)))


defvjp_argnums(scatter, lambda nums, ans, args, kwargs: lambda g: [g[args[1][num - 2]] for num in nums])
defjvp_argnums(
    scatter, lambda nums, tangents, ans, args, kwargs: scatter(args[0], [args[1][num - 2] for num in nums], *tangents)
)


def add_at(whole: Any, index: Any, g: Any) -> None:
    """``whole[index] += g``, where an index array may name a place twice."""
    parts = index if isinstance(index, tuple) else (index,)
    if all(part is None or part is Ellipsis or isinstance(part, (int, slice, np.integer)) for part in parts):
        whole[index] += g
    else:
        np.add.at(whole, index, g)
