"""The calls of the rules that stand in articles 6, 7, 13, 15 and 18."""

from __future__ import annotations

from typing import Any

from test_rules import BINARY, UNARY, draw, normal, pair_of

from calls import Call

A, B = normal(2, 3), normal(2, 3, seed=1)
REDUCTIONS: list[dict[str, Any]] = [
    {}, {"axis": None}, {"axis": 0}, {"axis": -1}, {"axis": (1,)}, {"axis": (0, -1)},
    {"axis": 1, "keepdims": True}, {"keepdims": True},
]  # fmt: skip
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
    Call("matmul", (A, B.T), {}), Call("dot", (A, B.T), {}), Call("dot", (A, B[0]), {}),
]  # fmt: skip
