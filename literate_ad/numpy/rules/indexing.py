# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/16-joining-indexing.md#src-indexing-imports
"""Rules of reading a part: its cotangent goes where it was read, and zeros elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.core import SparseObject, VJPNode, primitive_jvps, primitive_vjps
from literate_ad.numpy.forms import elementwise
from literate_ad.numpy.numpy_boxes import ArrayBox
from literate_ad.numpy.numpy_vspaces import ArrayVSpace
from literate_ad.tracer import getval, isbox, record


# --- docs/en/articles/16-joining-indexing.md#src-getitem
def getitem(x: Any, index: Any) -> Any:
    """``x[index]``, for any index that NumPy takes."""
    if type(x) is not ArrayBox:
        return record(getitem, (x, index), {}) if type(index) is ArrayBox else x[index]
    node, value = x._node, x._value
    if type(node) is not VJPNode or type(index) is ArrayBox:
        return record(getitem, (x, index), {})
    ans = value[index]
    return ArrayBox(ans, x._trace, VJPNode(node, put_back, (value.shape, value.dtype, index)))


def put_back(g: Any, residual: tuple[Any, ...]) -> Any:
    """The transpose of reading is writing into zeros; the pieces are collected and written once."""
    shape, dtype, index = residual
    return SparseObject(ArrayVSpace.of(shape, dtype), [(index, g)])


getitem.fun, getitem.declared = getitem, True
primitive_vjps[getitem] = lambda nums, ans, args, kwargs: (
    put_back, (args[0].shape, args[0].dtype, args[1])
)  # fmt: skip
primitive_jvps[getitem] = lambda nums, tangents, ans, args, kwargs: tangents[0][args[1]]

# --- docs/en/articles/16-joining-indexing.md#src-where
# Each branch gets the cotangent where it was taken, and zero elsewhere.
elementwise(
    anp.where,
    None,  # a condition has no derivative
    lambda g, condition: anp.where(condition, g, 0.0),
    lambda g, condition: anp.where(condition, 0.0, g),
)


# --- docs/en/articles/16-joining-indexing.md#src-compress
@anp.compose(np.compress)
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """``numpy.compress``, by reading the places where the condition holds."""
    if not isbox(a):
        return np.compress(getval(condition), a, axis, out)
    if axis is None:
        a, axis = anp.ravel(a), 0
    return a[(*[slice(None)] * (axis % a.ndim), np.flatnonzero(getval(condition)))]
