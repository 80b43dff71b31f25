# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/07-broadcasting.md#src-broadcasting-imports
"""Broadcasting copies numbers; its reverse rule sums the cotangents of the copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import float64

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.numpy_wrapper import cast


# --- docs/en/articles/07-broadcasting.md#src-unbroadcast
def unbroadcast(g: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
    """The cotangent, in ``dtype``, of an array of ``shape`` that was broadcast to ``g.shape``.

    Args:
        g: a cotangent of the larger array.
        shape: the shape of the array before it was broadcast.
        dtype: the dtype of the answer; by default that of ``g``.

    Returns:
        ``g`` summed over the axes that were added or stretched.

    >>> import literate_ad.numpy as np
    >>> from literate_ad.numpy.numpy_vjps import unbroadcast
    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    """
    added = g.ndim - len(shape)
    if added:
        g = anp.sum(g, tuple(range(added)))
    stretched = tuple([i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1])
    if stretched:
        g = anp.sum(g, stretched, None, None, True)
    return g if dtype is None or g.dtype == dtype else cast(g, dtype)


# --- docs/en/articles/07-broadcasting.md#src-unbroadcast-f
def unbroadcast_f(target: Any, pullback: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``pullback``, followed by ``unbroadcast`` to the shape and dtype of ``target``.

    Args:
        target: the value of the argument that was broadcast.
        pullback: takes the cotangent of the answer and returns one of the answer's shape.

    Returns:
        A function of the cotangent of the answer that returns the cotangent of ``target``.

    >>> import literate_ad.numpy as np
    >>> from literate_ad.numpy.numpy_vjps import unbroadcast_f
    >>> unbroadcast_f(np.zeros(3), lambda g: 10 * g)(np.ones((2, 3)))
    array([20., 20., 20.])
    """
    shape, dtype = anp.shape(target), anp.result_type(target)
    return lambda g: unbroadcast(pullback(g), shape, dtype)


# --- docs/en/articles/07-broadcasting.md#src-broadcast
def broadcast(t: Any, ans: Any) -> Any:
    """A tangent in the shape and dtype of the answer: ``unbroadcast`` for forward mode."""
    if type(t) is type(ans) is float64:
        return t
    if t.shape != ans.shape:
        t = anp.broadcast_to(t, ans.shape)
    return t if t.dtype == ans.dtype else cast(t, ans.dtype)
