# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/12-containers.md#src-builtins-imports
"""Lists, tuples and dicts as inputs: a traced container gives out traced items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import cached_property
from typing import Any, NoReturn

from literate_ad.core import (
    SparseObject,
    VSpace,
    accumulate,
    defjvp,
    primitive_jvps,
    primitive_vjps,
    register_rule,
    vspace,
)
from literate_ad.tracer import Box, getval, isbox, primitive


# --- docs/en/articles/12-containers.md#src-container-take
@primitive
def container_take(container: Any, key: Any) -> Any:
    """``container[key]``.

    >>> from literate_ad.builtins import container_take
    >>> container_take({"x": 3.0}, "x")
    3.0
    """
    return container[key]


def put_item(g: Any, residual: tuple[VSpace, Any]) -> SparseObject:
    """The cotangent of an item is a piece of the container's, and zero elsewhere."""
    space, key = residual
    return SparseObject(space, [(key, g)])


def take_rule(nums: Any, ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The reverse rule of an item: its cotangent stands alone in a container of zeros."""
    container, key = args
    return put_item, (vspace(container), key)


register_rule(primitive_vjps, "container_take", container_take, take_rule)
defjvp(container_take, "same")


# --- docs/en/articles/12-containers.md#src-sequence-box
class SequenceBox(Box):
    """A traced list or tuple. It cannot be changed; its items, and a named tuple's fields, can be
    read.

    >>> from literate_ad import grad
    >>> grad(lambda pair: pair[0] * pair[1])((3.0, 5.0)) == (5.0, 3.0)
    True
    """

    __slots__ = ()
    __getitem__ = container_take

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        """A field of a named tuple."""
        kind = type(getval(self))
        if name.startswith("_") or name not in getattr(kind, "_fields", ()):
            raise AttributeError(f"a traced {kind.__name__} has no {name!r}")
        return self[kind._fields.index(name)]

    def __setitem__(self, key: Any, value: Any) -> None:
        kind = type(getval(self)).__name__
        raise TypeError(
            f"a traced {kind} cannot be changed: make another, [*x[:i], value, *x[i + 1:]]"
        )


# --- docs/en/articles/12-containers.md#src-dict-box
class DictBox(Box):
    """A traced dict: it can be read, and cannot be changed.

    >>> from literate_ad import grad
    >>> grad(lambda d: d["x"] * d["y"])({"x": 3.0, "y": 5.0}) == {"x": 5.0, "y": 3.0}
    True
    """

    __slots__ = ()
    __getitem__ = container_take

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._value)

    def __contains__(self, key: Any) -> bool:
        return key in self._value

    def keys(self) -> Any:
        return self._value.keys()

    def values(self) -> list[Any]:
        return [self[key] for key in self]

    def items(self) -> list[tuple[Any, Any]]:
        return [(key, self[key]) for key in self]

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self._value else default

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(f"a traced dict cannot be changed: make another, {{**x, {key!r}: value}}")


SequenceBox.register(list)
SequenceBox.register(tuple)
DictBox.register(dict)


# --- docs/en/articles/12-containers.md#src-container-of
@primitive
def container_of(like: Any, *items: Any) -> Any:
    """``items`` in a container of the kind and with the keys of ``like``.

    >>> from literate_ad.builtins import container_of
    >>> container_of({"x": None, "y": None}, 1.0, 2.0)
    {'x': 1.0, 'y': 2.0}
    """
    if type(like) is dict:
        return dict(zip(like, items))
    if isinstance(like, dict):
        filled = copy(like)
        filled.update(zip(like, items))
        return filled
    return like._make(items) if hasattr(like, "_make") else type(like)(items)


def keys_of(container: Any) -> tuple[Any, ...]:
    """The keys of the items of a list, tuple or dict."""
    return tuple(container) if isinstance(container, dict) else tuple(range(len(container)))


def own_items(g: Any, keys: list[Any]) -> list[Any]:
    """Each item gets back its own place."""
    return [g[key] for key in keys]


def own_item(g: Any, key: Any) -> Any:
    """The same for one traced item."""
    return g[key]


def items_rule(argnums: Any, ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The reverse rule of a container: each traced item gets its part of the cotangent."""
    keys = keys_of(args[0])
    mine = [keys[num - 1] for num in argnums]
    return (own_item, mine[0]) if len(mine) == 1 else (own_items, mine)


def tangent_container(
    argnums: tuple[int, ...], tangents: Any, ans: Any, args: Any, kwargs: Any
) -> Any:
    """The tangents in a container like the answer; what is not traced has the tangent zero."""
    items = [vspace(item).zeros() for item in args[1:]]
    for num, tangent in zip(argnums, tangents):
        items[num - 1] = tangent
    return container_of(args[0], *items)


register_rule(primitive_vjps, "container_of", container_of, items_rule)
register_rule(primitive_jvps, "container_of", container_of, tangent_container)


# --- docs/en/articles/12-containers.md#src-container-operators
def kind_of(x: Any) -> type | None:
    """Whether ``x``, traced or not, is a list or a tuple."""
    value = getval(x)
    return next((kind for kind in (list, tuple) if isinstance(value, kind)), None)


def join(left: Any, right: Any) -> Any:
    """``left + right`` for two lists or two tuples."""
    kinds = kind_of(left), kind_of(right)
    if None in kinds:
        return no_array(left if isbox(left) else right)
    if kinds[0] is not kinds[1]:
        raise TypeError(f"cannot join a {kinds[0].__name__} and a {kinds[1].__name__}")
    items = [*left, *right]
    return container_of(kinds[0]([None] * len(items)), *items)


def repeat(x: Any, times: Any) -> Any:
    """``x * times`` for a list or a tuple."""
    if not isinstance(times, int):
        no_array(x)
    items = [*x] * times
    return container_of(kind_of(x)([None] * len(items)), *items)


def no_array(x: Any, *others: Any) -> NoReturn:
    """The error for arithmetic with a container."""
    kind = type(getval(x)).__name__
    raise TypeError(
        f"a traced {kind} is no array and has no arithmetic: "
        f"make an array of it first, with literate_ad.numpy.array(x)"
    )


def merged(left: Any, right: Any) -> Any:
    """``left | right`` for two dicts."""
    if not (isinstance(getval(left), dict) and isinstance(getval(right), dict)):
        return NotImplemented
    items = {**left, **right}
    return container_of(dict.fromkeys(items), *items.values())


SequenceBox.__add__ = join
SequenceBox.__radd__ = lambda x, y: join(y, x)
SequenceBox.__mul__ = SequenceBox.__rmul__ = repeat
DictBox.__or__ = merged
DictBox.__ror__ = lambda x, y: merged(y, x)
for name in "sub truediv floordiv mod pow matmul".split():
    setattr(SequenceBox, f"__{name}__", no_array)
    setattr(SequenceBox, f"__r{name}__", no_array)
for name in "neg pos abs".split():
    setattr(SequenceBox, f"__{name}__", no_array)


# --- docs/en/articles/12-containers.md#src-product-vspace
class ProductVSpace(VSpace):
    """A product of spaces, one for each key; its methods work item by item."""

    @property
    def keys(self) -> tuple[Any, ...]:
        raise NotImplementedError

    @property
    def spaces(self) -> tuple[VSpace, ...]:
        raise NotImplementedError

    def build(self, items: list[Any]) -> Any:
        raise NotImplementedError

    def each(self, method: str, *members: Any) -> list[Any]:
        """What the spaces return, each for its own item of every member."""
        return [
            getattr(space, method)(*[member[key] for member in members])
            for key, space in zip(self.keys, self.spaces)
        ]

    @cached_property
    def size(self) -> int:
        return sum(space.size for space in self.spaces)

    @cached_property
    def iscomplex(self) -> bool:
        return any(space.iscomplex for space in self.spaces)

    def standard_basis(self) -> Iterator[Any]:
        zeros = self.each("zeros")
        for i, space in enumerate(self.spaces):
            for vector in space.standard_basis():
                yield self.build([*zeros[:i], vector, *zeros[i + 1 :]])

    def scalar_mul(self, x: Any, a: Any) -> Any:
        pairs = zip(self.keys, self.spaces)
        return self.build([space.scalar_mul(x[key], a) for key, space in pairs])

    def inner_prod(self, x: Any, y: Any) -> Any:
        return sum(self.each("inner_prod", x, y))


# --- docs/en/articles/12-containers.md#src-itemwise
def itemwise(method: str) -> Callable[..., Any]:
    """The method that calls that of every space and builds a member of the results."""
    return lambda self, *members: self.build(self.each(method, *members))


for method in ("zeros", "ones", "randn", "add", "covector"):
    setattr(ProductVSpace, method, itemwise(method))


# --- docs/en/articles/12-containers.md#src-unshared
def unshared(items: list[Any], owners: set[int] | None = None) -> list[Any]:
    """The items, at any depth, with a copy of each array that an earlier item shares."""
    apart: list[Any] = []
    owners = set() if owners is None else owners
    for item in items:
        if isinstance(item, (list, tuple, dict)):
            item = container_of(item, *unshared([item[key] for key in keys_of(item)], owners))
        base = getattr(item, "base", None)
        owner = id(item if base is None else base)
        apart.append(item.copy() if owner in owners and hasattr(item, "copy") else item)
        owners.add(owner)
    return apart


def single_items(
    pieces: list[tuple[Any, Any]], container: Any, keys: tuple[Any, ...]
) -> Iterator[tuple[Any, Any]]:
    """The pieces by plain item number, also those read by negative number or by slice."""
    for key, g in pieces:
        if isinstance(container, dict):
            yield key, g
        elif isinstance(key, slice):
            yield from zip(keys[key], (g[i] for i in range(len(keys[key]))))
        else:
            yield keys[key], g


# --- docs/en/articles/12-containers.md#src-container-vspace
class ContainerVSpace(ProductVSpace):
    """The space of a list, tuple or dict; those of its items are made at first use.

    >>> from literate_ad.builtins import ContainerVSpace
    >>> ContainerVSpace([1.0, 2.0]).size
    2
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    @cached_property
    def keys(self) -> tuple[Any, ...]:
        return keys_of(self.value)

    @cached_property
    def spaces(self) -> tuple[VSpace, ...]:
        return tuple([self.space_of(key) for key in self.keys])

    def space_of(self, key: Any) -> VSpace:
        """The space of one item.

        Raises:
            TypeError: the item is no number; the message names its key.
        """
        try:
            return vspace(self.value[key])
        except TypeError as error:
            raise TypeError(
                f"the item {key!r} of a {type(self.value).__name__} cannot be differentiated: "
                f"{error}. Pass constants in an argument of their own"
            ) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ContainerVSpace):
            return False
        return (self.keys, self.spaces) == (other.keys, other.spaces)

    __hash__ = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.build(list(self.spaces))})"

    def build(self, items: list[Any]) -> Any:
        return container_of(self.value, *items)

    def cotangent(self, g: Any) -> Any:
        if not isbox(g) and (type(g) is not type(self.value) or {*keys_of(g)} != {*self.keys}):
            raise ValueError(
                f"a cotangent (or tangent) must be built like its value: expected {self}, got {g!r}"
            )
        return self.build(self.each("cotangent", g))

    def project(self, g: Any) -> Any:
        return self.build(self.each("project", g))

    def own(self, g: Any) -> Any:
        return self.build(unshared(self.each("own", g)))

    def scatter(self, pieces: list[tuple[Any, Any]]) -> Any:
        sums: dict[Any, Any] = {}
        owned: set[Any] = set()
        for key, g in single_items(pieces, self.value, self.keys):
            sums[key] = accumulate(sums[key], g, key, owned) if key in sums else g
        pairs = zip(self.keys, self.spaces)
        return self.build([sums[key] if key in sums else space.zeros() for key, space in pairs])


for container_type in (list, tuple, dict):
    ContainerVSpace.register(container_type)
