# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/07-broadcasting.md#src-indexing-imports
"""Reading a part: backwards, the part's cotangent goes where it was read, and zeros elsewhere."""

from __future__ import annotations

from typing import Any

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.core import SparseObject, defjvp, defvjp
from literate_ad.numpy.declare import linear
from literate_ad.numpy.numpy_boxes import ArrayBox
from literate_ad.numpy.numpy_vspaces import ArrayVSpace
from literate_ad.numpy.rules.broadcasting import broadcast, unbroadcast_f
from literate_ad.tracer import primitive


# --- docs/en/articles/07-broadcasting.md#src-getitem
@primitive
def getitem(x: Any, index: Any) -> Any:
    """``x[index]``, for any index that NumPy takes."""
    return x[index]


def getitem_maker(ans: Any, x: Any, index: Any) -> Any:
    """The transpose of reading is writing into zeros; the pieces wait until all are there."""
    space = ArrayVSpace(x)
    return lambda g: SparseObject(space, [(index, g)])


linear(getitem, getitem_maker)
ArrayBox.__getitem__ = lambda x, index: getitem(x, index)


# --- docs/en/articles/07-broadcasting.md#src-where
def where_makers() -> tuple[Any, Any]:
    """Each branch gets the cotangent where it was taken, and zero elsewhere."""
    return (
        lambda ans, condition, x, y: unbroadcast_f(x, lambda g: anp.where(condition, g, 0)),
        lambda ans, condition, x, y: unbroadcast_f(y, lambda g: anp.where(condition, 0, g)),
    )


defvjp(anp.where, None, *where_makers())  # a condition has no derivative
defjvp(
    anp.where,
    None,
    lambda t, ans, condition, x, y: broadcast(anp.where(condition, t, 0), ans),
    lambda t, ans, condition, x, y: broadcast(anp.where(condition, 0, t), ans),
)
