"""One example call, or a few, of every function with a rule; the properties walk over all of them.

A module of this package lists the calls of one topic in ``CALLS``.
"""

from __future__ import annotations

import importlib
import operator
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as onp

import literate_ad.numpy as np


@dataclass
class Call:
    """One call of a NumPy function: its arrays, then its other arguments by name, in order.

    ``made(fun, *arrays, **others)`` makes the call where the arrays do not come first, one by one.
    ``without`` names the ways to write it that NumPy does not have (see ``ways`` in test_calls),
    ``float16`` and the like, ``replay`` where what is recorded holds for one input alone, or
    ``one node`` where several primitives make the answer.
    """

    name: str
    arrays: tuple[Any, ...]
    others: dict[str, Any] = field(default_factory=dict)
    made: Callable[..., Any] | None = None
    without: tuple[str, ...] = ()
    tolerance: float = 1e-6

    def __str__(self) -> str:
        shapes = ", ".join(str(onp.shape(x)) for x in self.arrays)
        return f"{self.name}({shapes}, {self.others})"

    @property
    def fun(self) -> Any:
        """The engine's function of this name, or the operator of indexing."""
        return operator.getitem if self.name == "getitem" else operator.attrgetter(self.name)(np)

    @property
    def numpy_fun(self) -> Any:
        """NumPy's function of this name, or the operator of indexing."""
        return operator.getitem if self.name == "getitem" else operator.attrgetter(self.name)(onp)

    def of(self, fun: Any, *xs: Any) -> Any:
        """``fun`` called with other arrays in place of the call's."""
        return self.made(fun, *xs, **self.others) if self.made else fun(*xs, **self.others)

    def __call__(self, *xs: Any) -> Any:
        return self.of(self.fun, *xs)


def every_call() -> list[Call]:
    """The calls of all topics."""
    topics = [importlib.import_module(f"calls.{m.name}") for m in pkgutil.iter_modules(__path__)]
    return [call for topic in topics for call in topic.CALLS]
