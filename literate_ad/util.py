# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/04-tracer.md#src-util-imports
"""Small tools without a word of differentiation in them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any


# --- docs/en/articles/04-tracer.md#src-bind-positionally
def bind_positionally(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The call ``fun(*args, **kwargs)`` with every argument that has a place put there.

    Defaults fill the gaps. What stays behind as a keyword can be given no other way.

    Raises:
        TypeError: ``fun`` has no readable signature.

    >>> from literate_ad.util import bind_positionally
    >>> bind_positionally(lambda x, y=2.0, *, z: ..., (), {"x": 1.0, "z": 3.0})
    ((1.0, 2.0), {'z': 3.0})
    """
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
    except ValueError:
        name = getattr(fun, "__name__", repr(fun))
        raise TypeError(
            f"{name}: pass traced values by position, not as {', '.join(kwargs)}"
        ) from None
    bound.apply_defaults()
    return bound.args, {name: kwargs[name] for name in bound.kwargs if name in kwargs}


# --- docs/en/articles/04-tracer.md#src-subvals
def subval(x: tuple[Any, ...], i: int, v: Any) -> tuple[Any, ...]:
    """A copy of the tuple ``x`` with item ``i`` replaced by ``v``.

    >>> from literate_ad.util import subval
    >>> subval((1, 2, 3), 1, "two")
    (1, 'two', 3)
    """
    items = list(x)
    items[i] = v
    return tuple(items)


def subvals(x: tuple[Any, ...], ivs: Iterable[tuple[int, Any]]) -> tuple[Any, ...]:
    """A copy of the tuple ``x`` with item ``i`` replaced by ``v`` for every pair in ``ivs``.

    >>> from literate_ad.util import subvals
    >>> subvals((1, 2, 3), [(0, "one"), (2, "three")])
    ('one', 2, 'three')
    """
    items = list(x)
    for i, v in ivs:
        items[i] = v
    return tuple(items)


# --- docs/en/articles/05-reverse-pass.md#src-toposort
def toposort(
    end_node: Any, parents: Callable[[Any], Iterable[Any]] = attrgetter("parents")
) -> Iterator[Any]:
    """The nodes behind ``end_node``, each after every node that was computed from it.

    Works for any objects with ``parents``, numbered or not: a node is given out when all its
    uses have been. Time and memory are linear in the number of edges; nothing recurses.

    >>> from literate_ad.util import toposort
    >>> made_from = {"c": "bb", "b": "aa", "a": ""}
    >>> list(toposort("c", made_from.get))
    ['c', 'b', 'a']
    """
    uses: dict[Any, int] = {}
    stack = [end_node]
    while stack:
        node = stack.pop()
        if node in uses:
            uses[node] += 1
        else:
            uses[node] = 1
            stack.extend(parents(node))
    ready = [end_node]
    while ready:
        node = ready.pop()
        yield node
        for parent in parents(node):
            uses[parent] -= 1
            if not uses[parent]:
                ready.append(parent)
