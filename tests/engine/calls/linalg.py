"""The calls of ``numpy.linalg``: one array for every answer that derivatives agree on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp
from test_rules import normal

import literate_ad.numpy as np
from calls import Call

EYE = onp.eye(3)
A, B = normal(3, 3) + 2 * EYE, normal(3, 3, seed=1)
SPREAD = A + onp.diag([0.0, 2.0, 5.0])  # with eigenvalues far from each other
STACK = normal(2, 3, 3, seed=2) + 3 * EYE
WIDE, TALL, TALLS = normal(2, 4, seed=3), normal(4, 2, seed=4), normal(2, 4, 3, seed=5)
RANK_ONE = onp.outer(normal(4, seed=6), normal(3, seed=7))


def linalg(name: str, *arrays: Any, made: Callable[..., Any] | None = None, **others: Any) -> Call:
    """A call of ``numpy.linalg``, which has no long doubles."""
    return Call(f"linalg.{name}", arrays, others, made, ("longdouble",), tolerance=5e-6)


def part(index: int) -> Callable[..., Any]:
    """One of several answers."""
    return lambda fun, *xs, **others: fun(*xs, **others)[index]


def positive(fun: Any, x: Any, upper: bool) -> Any:
    """The factor of a positive matrix; what is not read of it may be anything."""
    shift = onp.tril(onp.ones((3, 3)), -1) if upper else onp.triu(onp.ones((3, 3)), 1)
    return fun(x @ x.mT / 4 + EYE + shift.astype(x.dtype), upper=upper)


def whole(fun: Any, x: Any, **others: Any) -> Any:
    """The matrix from its singular parts, the values squared: no sign of a vector matters."""
    u, s, vh = fun(x, **others)
    k = s.shape[-1]
    return (u[..., :k] * (s * s)[..., None, :]) @ vh[..., :k, :]


def projector(index: int, start: int, **others: Any) -> Callable[..., Any]:
    """The projector on the columns from ``start`` on, which their choice leaves alone."""

    def made(fun: Any, x: Any) -> Any:
        q = fun(x, **others)[index]
        q = (q.mT if index == 2 else q)[..., start:]
        return q @ q.mT

    return made


def spectral(fun: Any, x: Any, **others: Any) -> Any:
    """A matrix function through eigenvalues and vectors of a symmetric matrix."""
    w, v = fun(x, **others)
    return (v * (w * w * w)[..., None, :]) @ v.mT


def real_part(fun: Any, x: Any) -> Any:
    """The real part of what a function gives."""
    return np.real(fun(x))


def eig_function(fun: Any, x: Any) -> Any:
    """The absolute entries of the vectors, which no phase changes, beside the values."""
    w, v = fun(x)
    return v * v * w


NORMS: list[dict[str, Any]] = [
    {}, {"ord": None, "axis": 0}, {"ord": 3, "axis": -1}, {"ord": 1.5, "axis": 1},
    {"ord": -1, "axis": 0}, {"ord": 1, "axis": 0}, {"ord": 0.5, "axis": 0},
    {"ord": onp.inf, "axis": 1}, {"ord": -onp.inf, "axis": 1},
    {"ord": 2, "axis": 0, "keepdims": True},
    {"ord": "fro"}, {"ord": "nuc"}, {"ord": 2}, {"ord": -2}, {"ord": 1}, {"ord": onp.inf},
    {"ord": -onp.inf, "axis": (0, 1)}, {"ord": "nuc", "axis": (1, 0), "keepdims": True},
    {"ord": "fro", "axis": (-1, 0)}, {"ord": None, "axis": None, "keepdims": True},
]  # fmt: skip
STACK_NORMS: list[dict[str, Any]] = [
    {"ord": 2, "axis": (0, 2)}, {"ord": -1, "axis": (2, 0), "keepdims": True}, {},
    {"ord": "nuc", "axis": (1, 0)}, {"ord": -2, "axis": (-1, -2), "keepdims": True},
]  # fmt: skip
CALLS = [
    linalg("inv", A), linalg("inv", STACK),
    *[linalg("solve", a, b) for a, b in [
        (A, B), (A, B[0]), (STACK, B), (STACK, B[0]), (A, STACK), (STACK, STACK[:1]),
        (STACK[:1], STACK), (STACK, B[:, :2]),
    ]],
    linalg("det", A), linalg("det", STACK), linalg("det", normal(1, 1)),
    linalg("slogdet", A, made=part(1)), linalg("slogdet", STACK, made=part(1)),
    *[linalg("pinv", x) for x in (A, WIDE, TALL, TALLS)],
    linalg("pinv", TALL, rcond=0.01), linalg("pinv", TALL, rtol=0.01),
    linalg("pinv", A + A.T, hermitian=True),
    *[linalg("lstsq", a, b, made=part(i)) for a, b, i in [
        (TALL, TALLS[0], 0), (TALL, TALLS[0], 1), (TALL, TALLS[0, :, 0], 0),
        (TALL, TALLS[0, :, 0], 1), (WIDE, B[:2], 0), (A, B, 0),
    ]],
    linalg("cholesky", A, upper=False, made=positive),
    linalg("cholesky", A, upper=True, made=positive),
    linalg("cholesky", STACK, upper=False, made=positive),
    *[linalg("qr", x, mode="reduced", made=part(i))
      for x in (A, WIDE, TALL, TALLS) for i in (0, 1)],
    *[linalg("qr", x, mode="r") for x in (A, WIDE, TALL, TALLS)],
    linalg("qr", WIDE, mode="complete", made=part(0)),
    linalg("qr", TALLS, mode="complete", made=part(1)),
    linalg("qr", TALLS, made=projector(0, 3, mode="complete")),
    *[linalg("eigh", x, UPLO=uplo, made=spectral) for x in (SPREAD, STACK) for uplo in "LU"],
    *[linalg("eigvalsh", x, UPLO=uplo) for x in (SPREAD, STACK) for uplo in "LU"],
    linalg("eig", SPREAD, made=lambda fun, x: np.real(eig_function(fun, x))),
    linalg("eigvals", SPREAD, made=real_part),  # complex since NumPy 2.5
    *[linalg("svd", x, full_matrices=full, made=whole)
      for x in (A, WIDE, TALL, TALLS) for full in (False, True)],
    linalg("svd", TALLS, made=projector(0, 3)), linalg("svd", WIDE, made=projector(2, 2)),
    linalg("svd", TALLS, compute_uv=False), linalg("svd", WIDE, compute_uv=False),
    linalg("svd", SPREAD, full_matrices=False, hermitian=True, made=whole),
    linalg("svd", SPREAD, compute_uv=False, hermitian=True),
    linalg("svdvals", TALLS), linalg("svdvals", WIDE),
    *[linalg("cond", A, p=p) for p in (None, 2, -2, 1, -1, onp.inf, -onp.inf, "fro", "nuc")],
    linalg("cond", STACK, p="fro"), linalg("cond", TALLS),
    *[linalg("matrix_power", x, n=n) for x, n in [(A, 1), (A, 2), (A, 5), (A, -1), (STACK, -3)]],
    linalg("multi_dot", A, TALL.T[:, :3].T, WIDE, made=lambda fun, *xs: fun(xs)),
    linalg("multi_dot", A[0], A, B, B[1], made=lambda fun, *xs: fun(list(xs))),
    linalg("multi_dot", A[0], A, made=lambda fun, *xs: fun(list(xs))),
    linalg("tensorinv", normal(2, 3, 6), ind=2), linalg("tensorinv", normal(6, 2, 3), ind=1),
    linalg("tensorsolve", normal(2, 3, 6), normal(2, 3, seed=1)),
    linalg("tensorsolve", normal(6, 2, 3), normal(2, 3, seed=1), axes=(0,)),
    *[linalg("norm", A, **others) for others in NORMS],
    *[linalg("norm", STACK, **others) for others in STACK_NORMS],
    *[linalg("norm", B[0], **others) for others in ({}, {"ord": 1}, {"ord": 4}, {"ord": onp.inf})],
    linalg("vector_norm", STACK), linalg("vector_norm", STACK, axis=(0, 2), ord=3),
    linalg("vector_norm", STACK, axis=1, keepdims=True, ord=1),
    *[linalg("matrix_norm", STACK, ord=o) for o in ("fro", "nuc", 2, -2, 1, -1, onp.inf)],
    linalg("matrix_norm", STACK, keepdims=True),
    linalg("diagonal", STACK), linalg("diagonal", WIDE, offset=1),
    linalg("diagonal", TALL, offset=-2),
    linalg("trace", STACK), linalg("trace", WIDE, offset=1), linalg("trace", TALL, offset=-1),
    linalg("outer", B[0], B[1]), linalg("matmul", STACK, B), linalg("matrix_transpose", STACK),
]  # fmt: skip
