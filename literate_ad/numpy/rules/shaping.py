"""The same numbers in another shape or order: backwards, the way back."""

from __future__ import annotations

from typing import Any

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.declare import linear
from literate_ad.numpy.numpy_boxes import ArrayBox

# ---- reshape


def reshape_maker(ans: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    shape = x.shape
    return lambda g: anp.reshape(g, shape)


for fun in (anp.reshape, anp.ravel, anp.squeeze, anp.expand_dims):
    linear(fun, reshape_maker)

# ---- transpose


def transpose_maker(ans: Any, x: Any, axes: Any = None) -> Any:
    """The inverse of a permutation is the one that sorts it."""
    inverse = None if axes is None else tuple(anp.argsort([n % x.ndim for n in axes]))
    return lambda g: anp.transpose(g, inverse)


linear(anp.transpose, transpose_maker)
linear(anp.swapaxes, lambda ans, x, axis1, axis2: lambda g: anp.swapaxes(g, axis1, axis2))
linear(anp.moveaxis, lambda ans, x, source, destination: lambda g: anp.moveaxis(g, destination, source))

# ---- methods


def reshape_method(x: Any, *shape: Any, **kwargs: Any) -> Any:
    """``x.reshape(2, 3)`` as well as ``x.reshape((2, 3))``."""
    return anp.reshape(x, shape[0] if len(shape) == 1 else shape, **kwargs)


def transpose_method(x: Any, *axes: Any) -> Any:
    return anp.transpose(x, axes[0] if len(axes) == 1 else axes or None)


ArrayBox.reshape = reshape_method  # type: ignore[attr-defined]
ArrayBox.transpose = transpose_method  # type: ignore[attr-defined]
for name in ("ravel", "squeeze", "swapaxes"):
    setattr(ArrayBox, name, (lambda fun: lambda x, *args: fun(x, *args))(getattr(anp, name)))
ArrayBox.flatten = lambda x: anp.ravel(x)  # type: ignore[attr-defined]
