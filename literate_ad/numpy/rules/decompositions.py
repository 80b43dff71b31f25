# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/22b-decompositions.md#src-decompositions-imports
"""Decompositions: Cholesky, QR, eigenvalues and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import differentiable, elementwise, linear
from literate_ad.numpy.rules.linalg import (
    adjoint,
    conjugate,
    cut_of,
    diagonal_of,
    least_squares,
    on_diagonal,
    pseudoinverse,
    real,
    real_dtype,
    solve,
    traced,
    transposed,
)
from literate_ad.tracer import getval


# --- docs/en/articles/22b-decompositions.md#src-mirrored
def triangle(n: int, below: int = 0) -> Any:
    """True on and below the diagonal, or only ``below`` it."""
    return np.tri(n, k=-below, dtype=bool)


# --- docs/en/articles/22b-decompositions.md#src-mirrored-value
@anp.array_primitive
def mirrored(a: Any, uplo: str) -> Any:
    """The Hermitian matrices whose triangle ``uplo`` is read from ``a``."""
    keep = triangle(a.shape[-1], 1)
    keep = keep if uplo.upper() == "L" else keep.T
    part = np.where(keep, a, 0)
    middle = np.where(np.eye(a.shape[-1], dtype=bool), np.real(a), 0)
    return part + np.conj(np.swapaxes(part, -1, -2)) + middle


# --- docs/en/articles/22b-decompositions.md#src-mirrored-back
def mirrored_back(g: Any, uplo: str) -> Any:
    """An entry that is read stands in two places; the others have no influence."""
    n = g.shape[-1]
    keep = triangle(n, 1)
    keep = keep if uplo.upper() == "L" else keep.T
    both = g + adjoint(g)
    return both * keep + both * (np.eye(n) / 2).astype(real_dtype(g))


linear(mirrored, mirrored_back)


# --- docs/en/articles/22b-decompositions.md#src-half-lower
def half_lower(x: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    n = x.shape[-1]
    return x * (triangle(n) * (1 - np.eye(n) / 2)).astype(real_dtype(x))


# --- docs/en/articles/22b-decompositions.md#src-cholesky
@anp.array_primitive
def cholesky_factor(a: Any, upper: bool) -> Any:
    """``numpy.linalg.cholesky`` of a matrix whose two triangles agree."""
    return np.linalg.cholesky(a, upper=upper)


# A = L L^H:  L^-1 dA L^-H = F + F^H with F = L^-1 dL lower, so F = half_lower(L^-1 dA L^-H)
def cholesky_back(g: Any, ans: Any, upper: bool) -> Any:
    """L^-T half_lower(L^T g) conj(L)^-1; the upper factor is L^H."""
    lower, g = (adjoint(ans), adjoint(g)) if upper else (ans, g)
    left = solve(transposed(lower), half_lower(transposed(lower) @ g))
    return transposed(solve(adjoint(lower), transposed(left)))


def cholesky_forward(t: Any, ans: Any, upper: bool) -> Any:
    """L half_lower(L^-1 t L^-H)."""
    lower = adjoint(ans) if upper else ans
    left = solve(lower, t)
    tangent = lower @ half_lower(adjoint(solve(lower, adjoint(left))))
    return adjoint(tangent) if upper else tangent


differentiable(
    cholesky_factor,
    reverse=[cholesky_back],
    forward=[cholesky_forward],
)


@traced(np.linalg.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """``numpy.linalg.cholesky``; the cotangent goes into the triangle that is read."""
    return cholesky_factor(mirrored(a, "U" if upper else "L"), upper)


# --- docs/en/articles/22b-decompositions.md#src-packed
def packed(*arrays: Any) -> Any:
    """Several arrays of one batch laid flat on one axis, so that a primitive has one answer."""
    batch = arrays[-1].shape[:-2]
    return anp.concatenate([anp.reshape(array, (*batch, -1)) for array in arrays], -1)


def unpacked(flat: Any, *shapes: tuple[int, ...]) -> list[Any]:
    """The arrays again, of ``shapes`` behind the batch."""
    arrays, start = [], 0
    for shape in shapes:
        size = int(np.prod(shape))
        part = flat[..., start : start + size]
        arrays.append(anp.reshape(part, (*flat.shape[:-1], *shape)))
        start += size
    return arrays


# --- docs/en/articles/22b-decompositions.md#src-gaps
@anp.array_primitive
def reciprocal(x: Any) -> Any:
    """1 / x, and 0 for 0, where the slope is 0 as well."""
    zero = np.equal(x, 0)
    return np.where(zero, 0, 1 / np.where(zero, 1, x))


elementwise(reciprocal, lambda g, ans: -g * ans * ans)


def gaps(w: Any) -> Any:
    """1 / (w_j - w_i) in row i and column j, and 0 for equal values."""
    return reciprocal(anp.expand_dims(w, -2) - anp.expand_dims(w, -1))


# --- docs/en/articles/22b-decompositions.md#src-eigh
EighResult = type(np.linalg.eigh(np.eye(1)))


@anp.array_primitive
def eigh_parts(a: Any, uplo: str) -> Any:
    """Both answers of ``eigh`` in one array, for a matrix whose two triangles agree."""
    return packed(*np.linalg.eigh(a, uplo))


# A V = V diag(w), P = V^H dA V:  dw = diag P,  dV = V (gaps * P)  (Giles 2008, 3.1)
def eigh_back(g: Any, a: Any, ans: Any) -> Any:
    """conj(V) (diag(gw) + gaps * (V^T gV)) V^T."""
    n = a.shape[-1]
    w, v = unpacked(ans, (n,), (n, n))
    gw, gv = unpacked(g, (n,), (n, n))
    return conjugate(v) @ (on_diagonal(gw, (n, n)) + gaps(w) * (transposed(v) @ gv)) @ transposed(v)


def eigh_forward(t: Any, a: Any, ans: Any) -> Any:
    """The tangents of values and vectors."""
    n = a.shape[-1]
    w, v = unpacked(ans, (n,), (n, n))
    change = adjoint(v) @ t @ v
    return packed(diagonal_of(change), v @ (gaps(w) * change))


differentiable(eigh_parts, reverse=[eigh_back], forward=[eigh_forward])


@traced(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """``numpy.linalg.eigh``; the cotangent goes into the triangle that is read."""
    n = a.shape[-1]
    w, v = unpacked(eigh_parts(mirrored(a, UPLO), UPLO), (n,), (n, n))
    return EighResult(real(w), v)


@traced(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """``numpy.linalg.eigvalsh``, with the vectors that its derivative needs."""
    return eigh(a, UPLO).eigenvalues


# --- docs/en/articles/22b-decompositions.md#src-eig
EigResult = type(np.linalg.eig(np.eye(1)))


@anp.array_primitive
def eig_parts(a: Any) -> Any:
    """Both answers of ``eig`` in one array."""
    return packed(*np.linalg.eig(a))


# P = V^-1 dA V:  dw = diag P,  dV = W - V diag(v_j^H w_j) with W = V (gaps * P): the vectors
# keep their length, and of their free phases none turns
def eig_back(g: Any, a: Any, ans: Any) -> Any:
    """V^-T (diag(gw) + gaps * (V^T g')) V^T with gV less its part along the vectors."""
    n = a.shape[-1]
    w, v = unpacked(ans, (n,), (n, n))
    gw, gv = unpacked(g, (n,), (n, n))
    gv = gv - conjugate(v) * anp.sum(v * gv, -2, keepdims=True)
    inner = on_diagonal(gw, (n, n)) + gaps(w) * (transposed(v) @ gv)
    return solve(transposed(v), inner @ transposed(v))


def eig_forward(t: Any, a: Any, ans: Any) -> Any:
    """The tangents of values and vectors."""
    n = a.shape[-1]
    w, v = unpacked(ans, (n,), (n, n))
    change = solve(v, t @ v)
    turned = v @ (gaps(w) * change)
    turned = turned - v * anp.sum(conjugate(v) * turned, -2, keepdims=True)
    return packed(diagonal_of(change), turned)


differentiable(eig_parts, reverse=[eig_back], forward=[eig_forward])


@traced(np.linalg.eig)
def eig(a: Any) -> Any:
    """``numpy.linalg.eig``; the vectors have a free phase, which the derivative leaves alone."""
    n = a.shape[-1]
    return EigResult(*unpacked(eig_parts(a), (n,), (n, n)))


@traced(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """``numpy.linalg.eigvals``, with the vectors that its derivative needs."""
    return eig(a).eigenvalues


# --- docs/en/articles/22b-decompositions.md#src-svd
SVDResult = type(np.linalg.svd(np.eye(1)))


@anp.array_primitive
def svd_parts(a: Any, full: bool, hermitian: bool) -> Any:
    """The three answers of ``svd`` in one array."""
    u, s, vh = np.linalg.svd(a, full, hermitian=hermitian)
    return packed(s, u, vh)


def svd_shapes(a: Any, full: bool) -> tuple[tuple[int, ...], ...]:
    """The shapes of s, U and V^H."""
    m, n = a.shape[-2:]
    k = min(m, n)
    return (k,), (m, m if full else k), (n if full else k, n)


def completed_back(g: Any, u: Any, k: int) -> Any:
    """The cotangent of the first ``k`` columns of a unitary matrix, with that of the others.

    The others keep their place but for dU2 = -U1 dU1^H U2: both stay orthogonal.
    """
    if u.shape[-1] == k:
        return g
    return g[..., :k] - conjugate(u[..., k:]) @ (adjoint(g[..., k:]) @ conjugate(u[..., :k]))


def completed_forward(t: Any, u: Any, k: int) -> Any:
    """The tangent of all columns, from that of the first ``k``."""
    if u.shape[-1] == k:
        return t
    return anp.concatenate([t, -(u[..., :k] @ (adjoint(t) @ u[..., k:]))], -1)


# --- docs/en/articles/22b-decompositions.md#src-svd-rule
# P = U^H dA V, X and Y its Hermitian and skew parts:  ds = diag X  (Townsend 2016),
# dU = U (X * gaps + Y * sums) + (1 - U U^H) dA V / s,  the same for V with - Y and dA^H
def gaps_and_sums(s: Any) -> tuple[Any, Any]:
    """1 / (s_j - s_i) and 1 / (s_j + s_i), and 0 for 0."""
    return gaps(s), reciprocal(anp.expand_dims(s, -2) + anp.expand_dims(s, -1))


def svd_back(g: Any, a: Any, ans: Any, full: bool) -> Any:
    """The contribution to the matrix."""
    shapes, (m, n) = svd_shapes(a, full), a.shape[-2:]
    k = min(m, n)
    s, u, vh = unpacked(ans, *shapes)
    gs, gu, gvh = unpacked(g, *shapes)
    gu = completed_back(gu, u, k)
    gv = completed_back(transposed(gvh), transposed(vh), k)
    u, v = (
        u[..., :k],
        transposed(vh[..., :k, :]),
    )  # v is conj(V), and its cotangent gv that of conj(V)
    left, right = transposed(u) @ gu, conjugate(transposed(v) @ gv)
    near, far = gaps_and_sums(s)
    even, odd = near * (left + right) + on_diagonal(gs, (k, k)), far * (left - right)
    inner = (even + adjoint(even) + odd - adjoint(odd)) / 2
    back = conjugate(u) @ inner @ transposed(conjugate(v))
    over = anp.expand_dims(reciprocal(s), -2)
    if m > k:
        back = back + ((gu - conjugate(u) @ left) * over) @ adjoint(v)
    if n > k:
        rest = gv - conjugate(v) @ (transposed(v) @ gv)
        back = back + conjugate(u) @ transposed(rest * over)
    return back


def svd_forward(t: Any, a: Any, ans: Any, full: bool) -> Any:
    """The tangents of the three parts."""
    shapes, (m, n) = svd_shapes(a, full), a.shape[-2:]
    k = min(m, n)
    s, u_full, vh_full = unpacked(ans, *shapes)
    u, v = u_full[..., :k], adjoint(vh_full[..., :k, :])
    image = t @ v
    change = adjoint(u) @ image
    even, odd = (change + adjoint(change)) / 2, (change - adjoint(change)) / 2
    near, far = gaps_and_sums(s)
    du, dv = u @ (near * even + far * odd), v @ (near * even - far * odd)
    over = anp.expand_dims(reciprocal(s), -2)
    if m > k:
        du = du + (image - u @ change) * over
    if n > k:
        dv = dv + (adjoint(t) @ u - v @ adjoint(change)) * over
    du = completed_forward(du, u_full, k)
    dv = completed_forward(dv, adjoint(vh_full), k)
    return packed(diagonal_of(even), du, adjoint(dv))


differentiable(svd_parts, reverse=[svd_back], forward=[svd_forward])


@traced(np.linalg.svd)
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """``numpy.linalg.svd``; of Hermitian matrices it reads the lower triangle."""
    full = bool(full_matrices and compute_uv)
    a = mirrored(a, "L") if hermitian else a
    s, u, vh = unpacked(svd_parts(a, full, hermitian), *svd_shapes(a, full))
    return SVDResult(u, real(s), vh) if compute_uv else real(s)


@traced(np.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    """``numpy.linalg.svdvals``, with the vectors that its derivative needs."""
    return svd(x, compute_uv=False)


# --- docs/en/articles/22b-decompositions.md#src-qr
QRResult = type(np.linalg.qr(np.eye(1)))


@anp.array_primitive
def qr_parts(a: Any, full: bool) -> Any:
    """Q and R of matrices that are not wider than high, in one array; R is square."""
    q, r = np.linalg.qr(a, "complete" if full else "reduced")
    return packed(q, r[..., : a.shape[-1], :])


def qr_shapes(a: Any, full: bool) -> tuple[tuple[int, int], tuple[int, int]]:
    """The shapes of Q and of the square R."""
    m, n = a.shape[-2:]
    return (m, m if full else n), (n, n)


def over_upper(x: Any, r: Any) -> Any:
    """``x R^-T``, by solving."""
    return transposed(solve(r, transposed(x)))


# C = Q^H dA R^-1 = Q^H dQ + dR R^-1, skew plus upper, so dR R^-1 = half_upper(C + C^H)
# (Walter and Lehmann 2010);  dR = (dR R^-1) R,  dQ = dA R^-1 - Q dR R^-1
def qr_back(g: Any, a: Any, ans: Any, full: bool) -> Any:
    """(gQ + conj(Q) (M + M^H)) R^-T with M = half_upper(gR R^T - Q^T gQ)."""
    shapes, n = qr_shapes(a, full), a.shape[-1]
    q, r = unpacked(ans, *shapes)
    gq, gr = unpacked(g, *shapes)
    gq, q = completed_back(gq, q, n), q[..., :n]
    middle = transposed(half_lower(transposed(gr @ transposed(r) - transposed(q) @ gq)))
    return over_upper(gq + conjugate(q) @ (middle + adjoint(middle)), r)


def qr_forward(t: Any, a: Any, ans: Any, full: bool) -> Any:
    """The tangents of both parts."""
    n = a.shape[-1]
    q_full, r = unpacked(ans, *qr_shapes(a, full))
    q = q_full[..., :n]
    image = over_upper(t, transposed(r))
    change = adjoint(q) @ image
    change = transposed(half_lower(transposed(change + adjoint(change))))
    return packed(completed_forward(image - q @ change, q_full, n), change @ r)


differentiable(qr_parts, reverse=[qr_back], forward=[qr_forward])


@traced(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """``numpy.linalg.qr`` in the modes reduced, complete and r."""
    if mode not in ("reduced", "complete", "r"):
        raise NotImplementedError(
            f"qr of a traced value has no derivative in mode={mode!r}: "
            f"use mode 'reduced', 'complete' or 'r'"
        )
    m, n = a.shape[-2:]
    k = min(m, n)
    front, full = a[..., :k], mode == "complete" and m > n
    q, r = unpacked(qr_parts(front, full), *qr_shapes(front, full))
    if n > k:  # A = [A1 A2]: of A1 come Q and R1, and R2 is Q^H A2
        r = anp.concatenate([r, adjoint(q) @ a[..., k:]], -1)
    if full:
        r = anp.concatenate([r, np.zeros((*r.shape[:-2], m - n, n), r.dtype)], -2)
    return r if mode == "r" else QRResult(q, r)


# --- docs/en/articles/22b-decompositions.md#src-pinv
@traced(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """``numpy.linalg.pinv``; its derivative holds the rank constant."""
    return pseudoinverse(mirrored(a, "L") if hermitian else a, rcond, hermitian, rtol)


# --- docs/en/articles/22b-decompositions.md#src-lstsq-parts
@traced(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """``numpy.linalg.lstsq``; its derivative holds the rank constant."""
    (m, n), cut = a.shape, cut_of(a, rcond)
    x, s = least_squares(a, b, cut), svdvals(a)
    singular = getval(s)
    rank = np.sum(singular > cut * singular.max(initial=0))
    if not rank == n < m:
        return x, np.empty(0, s.dtype), rank, s
    rest = b - a @ x
    return x, anp.sum(real(rest * conjugate(rest)), 0, keepdims=b.ndim == 1), rank, s
