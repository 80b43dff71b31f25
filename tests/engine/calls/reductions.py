"""The calls of article 17."""

from __future__ import annotations

from typing import Any

import numpy as onp
from test_rules import normal

from calls import Call

A, B = normal(2, 3) + 2.0, normal(2, 3, 2, seed=1)
AXES: list[dict[str, Any]] = [
    {}, {"axis": None}, {"axis": 0}, {"axis": -1}, {"axis": (1,)}, {"axis": (0, -1)},
    {"axis": 1, "keepdims": True}, {"keepdims": True},
]  # fmt: skip
WITH_ZEROS = onp.array([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0]])
CALLS = [
    *[Call(f, (A,), others) for f in ("prod", "var", "std") for others in AXES],
    *[Call(f, (B,), {"axis": at}) for f in ("prod", "var", "std") for at in (1, (0, 2), (2, 0))],
    *[Call("prod", (WITH_ZEROS,), others) for others in AXES],
    *[
        Call("cumprod", (x,), others)
        for x in (A, WITH_ZEROS)
        for others in ({}, {"axis": 0}, {"axis": -1})
    ],
    Call("var", (A,), {"axis": 1, "ddof": 1}), Call("std", (A,), {"ddof": 1.5}),
    Call("var", (A,), {"axis": 1, "correction": 1}), Call("std", (A,), {"correction": 1}),
]  # fmt: skip
