"""The calls of the rules that stand in articles 6, 7, 13, 15 and 18."""

from __future__ import annotations

from typing import Any

import numpy as onp
from test_rules import BINARY, MASK, ROWS, UNARY, draw, normal, pair_of

from calls import Call

A, B = normal(2, 3), normal(2, 3, seed=1)
REDUCTIONS: list[dict[str, Any]] = [
    {}, {"axis": None}, {"axis": 0}, {"axis": -1}, {"axis": (1,)}, {"axis": (0, -1)},
    {"axis": 1, "keepdims": True}, {"keepdims": True},
]  # fmt: skip
INDICES: list[Any] = [
    0, -1, slice(None, None, -1), (slice(None), 1), (0, -1), (..., None, slice(1, None)), (),
    [0, 1, 0], onp.array([[0, 1], [1, 1]]), (slice(None), MASK), A > 0,
    (onp.array([0, 1, 1]), ROWS),
]  # fmt: skip


def listed(fun: Any, *arrays: Any, **others: Any) -> Any:
    """A call with its arrays in a list."""
    return fun(list(arrays), **others)


def masked(fun: Any, *arrays: Any) -> Any:
    return fun(MASK, *arrays)


def nested(fun: Any, x: Any, y: Any, **others: Any) -> Any:
    """An array of lists of arrays, of their parts, and of plain numbers."""
    return fun([[x[0], y[1]], [y[0], [1.0, 2.0, 3.0]]], **others)


CALLS = [
    *[Call(name, (draw(interval, (2, 3)),)) for name, interval in UNARY.items()],
    *[Call(name, pair_of(name, ((2, 3), (3,)))) for name in BINARY],
    *[Call(f, (A,), others) for f in ("sum", "mean", "max", "min") for others in REDUCTIONS],
    *[Call("cumsum", (A,), others) for others in ({}, {"axis": 0}, {"axis": -1})],
    Call("reshape", (A,), {"shape": (3, 2)}),
    Call("reshape", (A,), {"shape": -1, "order": "F"}),
    Call("ravel", (A,), {}), Call("ravel", (A,), {"order": "F"}),
    Call("transpose", (A,), {}), Call("transpose", (A,), {"axes": (1, 0)}),
    Call("transpose", (A,), {"axes": [-1, 0]}),
    Call("swapaxes", (A,), {"axis1": 0, "axis2": -1}),
    Call("moveaxis", (A,), {"source": 0, "destination": -1}),
    Call("squeeze", (A[None],), {}), Call("squeeze", (A[None],), {"axis": 0}),
    Call("squeeze", (A[:, None],), {"axis": (-2,)}),
    Call("expand_dims", (A,), {"axis": 1}), Call("expand_dims", (A,), {"axis": (0, -1)}),
    Call("broadcast_to", (A,), {"shape": (4, 2, 3)}),
    *[Call("where", arrays, {}, masked)
      for arrays in ((A, B), (A, B[0]), (A[0], B), (A, B[:, :1]), (onp.float64(2.0), B))],
    *[Call("concatenate", (A, B), o, listed) for o in ({}, {"axis": 1}, {"axis": -2})],
    Call("concatenate", (A, B[:1], A), {}, listed), Call("concatenate", (A,), {}, listed),
    Call("concatenate", (A, B[0]), {"axis": None}, listed, without=("one node",)),
    *[Call("stack", (A, B), o, listed) for o in ({}, {"axis": 1}, {"axis": -1})],
    Call("stack", (A, B, A), {"axis": 2}, listed), Call("stack", (A[0, 0], B[0, 0]), {}, listed),
    # NumPy's own array makes plain numbers of what is in a list.
    Call("array", (A, B), {}, listed, without=("plain NumPy",)),
    Call("array", (A, B), {"ndmin": 4}, listed, without=("plain NumPy", "one node")),
    Call("array", (A, B), {}, nested, without=("plain NumPy", "one node")),
    *[Call("getitem", (A,), {"index": index}, lambda f, x, index: f(x, index))
      for index in INDICES],
    Call("matmul", (A, B.T), {}), Call("dot", (A, B.T), {}), Call("dot", (A, B[0]), {}),
]  # fmt: skip
