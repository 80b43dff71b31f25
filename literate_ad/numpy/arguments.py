# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/15-shapes.md#src-arguments-imports
"""The arguments of a call in the one form that rules see, however the call was written."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


# --- docs/en/articles/15-shapes.md#src-arguments
class Arguments:
    """The parameters of the primitive ``fun``, and the canonical values of a call's arguments.

    An axis becomes a tuple of non-negative ints, ``keepdims`` a bool. An option that no
    rule knows is refused.

    >>> import literate_ad.numpy as anp
    >>> from literate_ad.numpy.arguments import Arguments
    >>> Arguments(anp.sum).bind(2, (), {"axis": -1})["axis"]
    (1,)
    """

    def __init__(self, fun: Callable[..., Any], arrays: int = 1) -> None:
        self.fun = fun
        raw = fun.fun
        if isinstance(raw, np.ufunc):
            self.arrays, self.others = ["x", "y", "z"][: raw.nin], {"out": None, **ufunc_options}
            self.by_place = ["out"]
        else:
            parameters = list(inspect.signature(raw).parameters.values())
            self.arrays = [p.name for p in parameters[:arrays]]
            self.others = {p.name: default_of(p) for p in parameters[arrays:]}
            self.by_place = [
                p.name
                for p in parameters[arrays:]
                if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            ]
        aliases = [] if "x" in self.arrays else ["x", "y"][: len(self.arrays)]
        self.names = [*self.arrays, *aliases]
        self.shape_names = [f"{name}_shape" for name in self.names]
        settle = dict.fromkeys(self.others, refused) if isinstance(raw, np.ufunc) else canonical
        if not str(raw.__module__).startswith(("numpy", "scipy")) and settle is canonical:
            settle = {}  # the parameters of a user's function mean what the user says
        self.settled = [(name, settle[name]) for name in self.others if name in settle]

    def by_name(self, args: Sequence[Any]) -> dict[str, Any]:
        """The arrays of a call by their names, and the first two as ``x`` and ``y`` as well."""
        return dict(zip(self.names, (*args, *args)))

    def shapes_by_name(self, args: Sequence[Any]) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays of a call: ``x_shape``, ``y_shape``."""
        shapes = [x.shape if hasattr(x, "shape") else np.shape(x) for x in args]
        return dict(zip(self.shape_names, (*shapes, *shapes)))

    def bind(self, ndim: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The canonical values of all parameters behind the arrays, the first of ``ndim`` axes."""
        values = {**self.others, **dict(zip(self.by_place, args)), **kwargs}
        if len(values) != len(self.others) or len(args) > len(self.by_place):
            raise TypeError(f"{self.fun.__name__} has no parameters for {(*args, *kwargs)}")
        for name, settle in self.settled:
            values[name] = settle(self.fun, name, values[name], ndim)
        return values


ufunc_options = {"where": True, "casting": None, "order": None, "dtype": None, "subok": None,
                 "signature": None, "axes": None, "axis": None, "keepdims": None}  # fmt: skip


def default_of(parameter: inspect.Parameter) -> Any:
    """The default, without NumPy's marker for no value; a required parameter has none."""
    none = parameter.default is np._NoValue or parameter.default is parameter.empty
    return None if none else parameter.default


# --- docs/en/articles/15-shapes.md#src-canonical
Fun = Callable[..., Any]


def axes_of(fun: Fun, name: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes as non-negative ints; None stands for all of them."""
    if axis is None:
        return tuple(range(ndim))
    if type(axis) is int:
        return (axis % ndim if ndim else axis,)
    return tuple([n % ndim for n in (axis if isinstance(axis, (tuple, list)) else (int(axis),))])


def truth(fun: Fun, name: str, value: Any, ndim: int) -> bool:
    """A bool; NumPy's marker for no value is False."""
    return value is not np._NoValue and bool(value)


def layout(fun: Fun, name: str, order: Any, ndim: int) -> str:
    """The order in which numbers are read: by rows or by columns."""
    if order not in ("C", "F", None):
        raise NotImplementedError(
            f"{fun.__name__}: order={order!r} depends on the memory layout of a traced value: "
            f"say 'C' or 'F'"
        )
    return order or "C"


def refused(fun: Fun, name: str, value: Any, ndim: int) -> Any:
    """An option that would change what the rule says."""
    if value is None or value is True or value is np._NoValue:
        return value
    raise NotImplementedError(
        f"{fun.__name__} of a traced value takes no {name}: "
        f"use where() or astype() on its operands or its result instead"
    )


canonical: dict[str, Callable[[Fun, str, Any, int], Any]] = {
    "axis": axes_of, "keepdims": truth, "order": layout,
    "out": refused, "where": refused, "initial": refused, "casting": refused,
}  # fmt: skip
