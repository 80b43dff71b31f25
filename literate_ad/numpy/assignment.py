# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/16c-assignment.md#src-assignment-imports
"""Assignment while a trace runs: ``table[k] = x`` gives NumPy's result, or an error."""

from __future__ import annotations

import gc
import operator
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any
from weakref import WeakSet

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad import tracer
from literate_ad.core import JVPNode, SparseObject, masked_rules, takes_sparse
from literate_ad.numpy import methods
from literate_ad.numpy.forms import joint
from literate_ad.numpy.numpy_boxes import ArrayBox, MutableArray, copied
from literate_ad.numpy.numpy_vspaces import ArrayVSpace
from literate_ad.numpy.numpy_wrapper import array_primitive, convertible
from literate_ad.numpy.rules.broadcasting import unbroadcast
from literate_ad.tracer import LostDerivativeError, box_types, getval, isbox, running, snapshot


# --- docs/en/articles/16c-assignment.md#src-assigned
@array_primitive
def assigned(whole: Any, index: Any, v: Any, owned: bool = False) -> Any:
    """``whole`` with ``v`` written at ``index``: into a copy, unless the caller gives it up."""
    if not owned:
        whole = np.array(whole)
    whole[index] = v
    return whole


def assigned_reverse(argnums: Any, ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """What was overwritten has the cotangent 0; what was written has the cotangent of its place."""
    _, index, v, *_ = args
    space = ArrayVSpace.of(ans.shape, ans.dtype)
    rule = pull_both if len(argnums) == 2 else pull_whole if argnums[0] == 0 else pull_value
    residual = (space, index, last_writes(ans.shape, index), np.shape(v), np.result_type(v))
    return rule, residual


def pull_value(g: Any, residual: Any) -> Any:
    """The contribution to the written value."""
    _, index, last, shape, dtype = residual
    return value_part((g.dense() if type(g) is SparseObject else g)[index], last, shape, dtype)


def pull_whole(g: Any, residual: Any) -> Any:
    """The contribution to the array that was written into."""
    whole = taken(g)
    whole[residual[1]] = 0
    return given_on(whole, residual[0])


def pull_both(g: Any, residual: Any) -> list[Any]:
    """Both contributions."""
    space, index, last, shape, dtype = residual
    whole = taken(g)
    piece = copied(whole[index])
    whole[index] = 0
    return [given_on(whole, space), value_part(piece, last, shape, dtype)]


def taken(g: Any) -> Any:
    """The cotangent in an array that this rule may write into."""
    if type(g) is SparseObject:
        g = g.dense()
        return g if type(g) is np.ndarray else copied(g)
    return copied(g)


def given_on(whole: Any, space: ArrayVSpace) -> Any:
    """The same array as a contribution that the next assignment's rule may write into again."""
    return snapshot(whole) if isbox(whole) else SparseObject(space, [], whole)


def value_part(piece: Any, last: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The cotangent of a value that was broadcast, and perhaps overwritten, as it was written."""
    if last is not None:
        piece = piece * last
    if piece.ndim < len(shape):
        piece = anp.reshape(piece, (1,) * (len(shape) - piece.ndim) + piece.shape)
    return unbroadcast(piece, shape, dtype)


# --- docs/en/articles/16c-assignment.md#src-last-writes
def last_writes(shape: tuple[int, ...], index: Any) -> Any:
    """1 for each write that no later one of the same assignment replaces; None if all count."""
    parts = index if isinstance(index, tuple) else (index,)
    if not any(getattr(part, "dtype", None) == np.intp or isinstance(part, list) for part in parts):
        return None
    latest = np.empty(shape, np.intp)
    order = np.arange(latest[index].size).reshape(latest[index].shape)
    latest[index] = order
    last = latest[index] == order
    return None if np.all(last) else last


# --- docs/en/articles/16c-assignment.md#src-assigned-forward
def assigned_forward(argnums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
    """The tangent of the value is written into that of the array."""
    given = dict(zip(argnums, tangents))
    whole = given[0] if 0 in given else np.zeros(ans.shape, ans.dtype)
    owned = 0 not in given or (len(args) > 3 and args[3])
    return assigned(whole, args[1], given.get(2, 0), owned)


joint(assigned, assigned_reverse, assigned_forward)
for rule in (pull_value, pull_whole, pull_both):
    masked_rules[rule] = rule  # they move numbers, and multiply by none
takes_sparse.update((pull_whole, pull_both))


# --- docs/en/articles/16c-assignment.md#src-mutable-box
class MutableBox(MutableArray):
    """The same array from the first assignment of a traced value on: its node is the last write."""

    __slots__ = ()

    def snapshot(self) -> Any:
        return ArrayBox(self._value, self._trace, self._node)


def setitem(self: Any, index: Any, v: Any) -> None:
    """``self[index] = v``: in place where nothing else holds the numbers, else in a new array."""
    index, v = plain_index(index), snapshot(anp.as_array(v))
    state = self._state
    owned = state.owned and is_sole_holder(self)
    state.owned = True
    if type(self) is MutableArray and not isbox(v):
        self._value = assigned(self._value, index, v, owned)
        return
    refuse(self, v)
    result = assigned(self.snapshot(), index, v, owned)
    self._value, self._trace, self._node = result._value, result._trace, result._node
    if type(self) is MutableArray:
        self.__class__ = MutableBox
        for view in state.views:
            view.__class__ = MutableViewBox


# --- docs/en/articles/16c-assignment.md#src-sole-holder
def is_sole_holder(x: Any) -> bool:
    """Whether the array of ``x``, and that of its tangent, are referred to by ``x`` alone."""
    if type(x._value) is not np.ndarray or sys.getrefcount(x._value) > SOLE:
        return False
    if type(x._node) is not JVPNode:
        return True
    return (
        type(x._node.g) is np.ndarray
        and sys.getrefcount(x._node) <= SOLE
        and sys.getrefcount(x._node.g) <= SOLE
    )


def sole() -> int:
    """What getrefcount says of an object that one attribute holds."""
    box = ArrayBox(np.zeros(1), 0, None)
    return sys.getrefcount(box._value)


SOLE = sole()


# --- docs/en/articles/16c-assignment.md#src-mutable-view
class MutableView(MutableArray):
    """A view of a mutable array: each use looks at what the array holds then."""

    __slots__ = ("_root", "_see", "__weakref__")

    def __init__(self, root: Any, see: Callable[[Any], Any]) -> None:
        self._root, self._see = root, see

    def snapshot(self) -> Any:
        return self._see(self._root.snapshot())

    def __setitem__(self, index: Any, v: Any) -> None:
        root = self._root
        places = self._see(np.arange(root.size).reshape(root.shape))
        if self.dtype != root.dtype or not places.flags.writeable:
            raise ValueError("x[i] = v: x is a view that cannot be written to: write to its array")
        root[np.unravel_index(places[plain_index(index)], root.shape)] = v

    _value = property(lambda self: getattr(self.snapshot(), "_value", None))
    _trace = property(lambda self: self.snapshot()._trace)
    _node = property(lambda self: self.snapshot()._node)


class MutableViewBox(MutableView):
    """A view of an array that holds traced values."""

    __slots__ = ()


def looked_at(x: Any, see: Callable[[Any], Any]) -> Any:
    """``see`` of the array: a view if the answer shares memory with it."""
    result = see(x.snapshot())
    root, outer = (x._root, x._see) if isinstance(x, MutableView) else (x, None)
    if type(getval(result)) is not np.ndarray or owner(result) is not owner(root.snapshot()):
        return result
    kind = MutableViewBox if type(root) is MutableBox else MutableView
    view = kind(root, see if outer is None else lambda a: see(outer(a)))
    if kind is MutableView:
        root._state.views.add(view)
    return view


def owner(x: Any) -> Any:
    """The array whose memory ``x`` shows."""
    value = getval(x)
    while isinstance(getattr(value, "base", None), np.ndarray):
        value = value.base
    return value


# --- docs/en/articles/16c-assignment.md#src-reading-mutable
def read_by(name: str) -> Callable[..., Any]:
    """A method or an operator, of what the array holds now."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        args = tuple([snapshot(arg) for arg in args])
        return looked_at(self, lambda a: getattr(a, name)(*args, **kwargs))

    return method


def in_place(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``x += v``: all of ``x`` is assigned."""

    def method(self: Any, other: Any) -> Any:
        result = operate(self.snapshot(), snapshot(other))
        if not np.can_cast(result.dtype, self.dtype, "same_kind"):
            raise TypeError(f"a result of dtype {result.dtype} cannot be assigned to {self.dtype}")
        self[...] = result
        return self

    return method


own = {"__init__", "__hash__", "__setitem__", "__iter__", "__doc__", "__module__", "__slots__",
       "_state", "__array_ufunc__", "__array_function__", "__array__", "__getattr__"}  # fmt: skip
for name, attribute in vars(ArrayBox).items():
    if name in own:
        continue
    if callable(attribute):
        setattr(MutableArray, name, read_by(name))
    else:
        see = operator.attrgetter(name)
        setattr(MutableArray, name, property(lambda self, see=see: looked_at(self, see)))
for name in methods.OPERATORS:
    if hasattr(operator, f"i{name}"):  # there is no x divmod= y
        setattr(MutableArray, f"__i{name}__", in_place(getattr(operator, f"__{name}__")))


def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """NumPy's ufuncs read too."""
    return getattr(ufunc, method)(*[snapshot(x) for x in inputs], **kwargs)


def array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """NumPy's other functions, some of which give views of their first argument."""
    first, args, kwargs = args[:1], deep(args[1:]), {k: deep(v) for k, v in kwargs.items()}
    if first and isinstance(first[0], MutableArray):
        return looked_at(first[0], lambda a: func(a, *args, **kwargs))
    return func(*deep(first), *args, **kwargs)


def deep(x: Any) -> Any:
    """``snapshot``, in lists and tuples too."""
    return type(x)(map(deep, x)) if type(x) in (list, tuple) else snapshot(x)


def to_array(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    """The plain array for code that knows no other; of traced values a refusal."""
    value = self.snapshot()
    return value.__array__() if isbox(value) else np.array(value, dtype, copy=copy)


MutableArray.__array__ = to_array
MutableArray.__array_ufunc__ = array_ufunc
MutableArray.__array_function__ = array_function
MutableArray.__getattr__ = lambda self, name: getattr(self.snapshot(), name)
convertible.add(MutableView)
for kind in (MutableBox, MutableViewBox):
    box_types.add(kind)
for kind in (MutableArray, MutableBox, MutableView, MutableViewBox):
    tracer.box_type_mappings[kind] = lambda x, trace, node: tracer.new_box(
        x.snapshot(), trace, node
    )
    ArrayVSpace.register(kind, lambda x: ArrayVSpace(x.snapshot()))


# --- docs/en/articles/16c-assignment.md#src-becoming-mutable
class State:
    """What a mutable array has to know of itself."""

    __slots__ = ("born", "owned", "views")

    def __init__(self, born: int, owned: bool) -> None:
        self.born = born  # traces with a larger number began later
        self.owned = owned  # whether the array is no other's, but for snapshots
        self.views: WeakSet[Any] = WeakSet()  # of an array that holds constants only


def assign(x: Any, index: Any, v: Any) -> None:
    """``x[index] = v`` for a traced array: it becomes mutable, unless another shares its memory."""
    refuse_shared(x)
    x._state = State(x._trace, False)
    x.__class__ = MutableBox
    x[index] = v


def refuse_shared(x: Any) -> None:
    """An array that came in from outside, or that another one shares, cannot be written to."""
    shown = owner(x)
    if sys.getrefcount(shown) <= SOLE + 1:  # by x, and by the name `shown`
        return
    outside = any(type(o) in (list, dict) for o in gc.get_referrers(shown))
    boxes = (o for o in gc.get_objects() if type(o) is ArrayBox and o is not x)
    if outside or any(owner(o) is shown for o in boxes):
        raise LostDerivativeError(
            "x[i] = v: x is an argument of the traced function, or another array shares its "
            "memory, and would be changed as well: write to a copy, x = x.copy()"
        )


ArrayBox.__setitem__ = assign


# --- docs/en/articles/16c-assignment.md#src-writable-copies
@anp.compose(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """``numpy.copy``; the copy of a traced array, and one made in a trace, can be written to."""
    made = np.copy(a, order, subok) if not isinstance(a, ArrayBox) else copied(snapshot(a))
    return writable(made)


def getitem(self: Any, index: Any) -> Any:
    """``self[index]``: a view, or a new array, which ``self[index] += v`` has to write to."""
    index = plain_index(index)
    return writable(looked_at(self, lambda a: a[index]))


MutableArray.__getitem__ = getitem
MutableArray.copy = lambda self, order="C": copy(self, order)


def made_mutable(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array: a mutable one while a trace runs."""

    @wraps(make)
    def f(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        return writable(made) if running else made

    return f


def writable(made: Any) -> Any:
    """A new array of floats, mutable while a trace runs."""
    if type(made) is not np.ndarray or made.dtype.kind not in "fc" or not made.ndim:
        return made
    if not tracer.is_tracing():
        return made
    box = MutableArray(made, -1, None)
    box._state = State(next(tracer.trace_numbers), True)
    return box


for name in "zeros ones empty eye identity".split():
    anp.compose(getattr(np, name))(made_mutable(getattr(np, name)))
for name in "full zeros_like ones_like empty_like full_like".split():
    anp.compose(getattr(np, name))(made_mutable(anp.namespace[name]))


# --- docs/en/articles/16c-assignment.md#src-refuse-assignment
def refuse(x: Any, v: Any) -> None:
    """An assignment that would lose a derivative, or change what outlives the traced function."""
    if x.dtype.kind not in "fc" or (x.dtype.kind == "f" and isbox(v) and v.dtype.kind == "c"):
        raise LostDerivativeError(
            f"assigning a traced value of dtype {v.dtype} to an array of dtype {x.dtype} would "
            f"lose its derivative: make the array with dtype={v.dtype}"
        )
    if isbox(v) and v._trace > x._state.born:
        raise LostDerivativeError(
            "x[i] = v: x was made outside of the function that is being differentiated, which "
            "would be changed: copy it inside, with x = x.copy()"
        )


def plain_index(index: Any) -> Any:
    """The index without boxes: where something is written is a constant."""
    if isinstance(index, tuple):
        return tuple([getval(part) for part in index])
    return getval(index)


MutableArray.__setitem__ = setitem
