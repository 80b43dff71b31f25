"""The calls of article 19, on order."""

from __future__ import annotations

import numpy as onp
from test_rules import normal

from calls import Call

A = normal(3, 4)
ROWS = onp.array([[2, 0, 1, 0], [0, 0, 2, 2]])
TIES = onp.array([[1.0, 2.0, 1.0, 3.0], [2.0, 2.0, 2.0, 0.0]])
CALLS = [
    *[
        Call("sort", (A,), others, without=("method",))
        for others in ({}, {"axis": 0}, {"axis": -1}, {"axis": None})
    ],
    *[
        Call("partition", (A,), others, without=("method",))
        for others in ({"kth": 2}, {"kth": 1, "axis": 0})
    ],
    Call("take_along_axis", (A,), {"indices": ROWS, "axis": 0}),
    Call("take_along_axis", (A,), {"indices": ROWS.T[:3] % 4, "axis": 1}),
    *[
        Call(f, (A,), others, without=("method",))
        for f in ("median", "nanmedian")
        for others in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)})
    ],
    *[
        Call("quantile", (A,), {"q": onp.array([0.2, 0.7]), "axis": 1, "method": method})
        for method in (
            "linear", "lower", "higher", "midpoint", "nearest", "hazen", "weibull",
            "median_unbiased", "normal_unbiased", "inverted_cdf", "averaged_inverted_cdf",
            "closest_observation", "interpolated_inverted_cdf",
        )
    ],
    Call("quantile", (A, onp.array([0.21, 0.7])), {"axis": 0}),
    Call("percentile", (A,), {"q": 30.0}), Call("nanpercentile", (A,), {"q": 30.0, "axis": 0}),
    Call("nanquantile", (A,), {"q": 0.3, "axis": (0, 1), "keepdims": True}),
]  # fmt: skip
