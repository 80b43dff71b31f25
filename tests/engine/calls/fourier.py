"""The calls of articles 21 and 23 whose answers are real; test_complex has the others."""

from __future__ import annotations

from test_rules import normal

from calls import Call

A = normal(3, 4)
CALLS = [
    Call("real", (A,), without=("method",)), Call("conjugate", (A,)),
    *[
        Call(f"fft.{name}", (A,), others, without=("longdouble",))
        for name in ("irfft", "hfft")
        for others in ({}, {"n": 5}, {"n": 2, "axis": 0, "norm": "ortho"}, {"norm": "forward"})
    ],
    *[
        Call(f"fft.{name}", (A,), others, without=("longdouble",))
        for name in ("irfft2", "irfftn")
        for others in ({}, {"s": (4, 3), "axes": (0, 1)})
    ],
    Call("fft.fftshift", (A,)), Call("fft.ifftshift", (A,), {"axes": 1}),
]  # fmt: skip
