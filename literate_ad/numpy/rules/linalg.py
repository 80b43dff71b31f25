# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/22-linear-algebra.md#src-linalg-imports
"""Linear equations, inverses and determinants."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import differentiable, linear
from literate_ad.numpy.numpy_wrapper import as_array, cast, holds_box, plain_types, primitives
from literate_ad.numpy.rules.broadcasting import unbroadcast
from literate_ad.tracer import locally_constant


# --- docs/en/articles/22-linear-algebra.md#src-linalg-traced
def traced(raw: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function that stands in for ``raw`` when an argument is traced; else NumPy runs.

    The function gets arrays for lists that hold traced values.
    """

    def install(fun: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(raw)
        def f(*args: Any, **kwargs: Any) -> Any:
            for arg in (*args, *kwargs.values()):
                if type(arg) not in plain_types and holds_box(arg):
                    break
            else:
                return raw(*args, **kwargs)
            named = {name: as_array(value) for name, value in kwargs.items()}
            return fun(*[as_array(arg) for arg in args], **named)

        return anp.compose(raw)(f)

    return install


# --- docs/en/articles/22-linear-algebra.md#src-linalg-transposes
def transposed(x: Any) -> Any:
    """The transposed matrices of a stack."""
    return anp.swapaxes(x, -1, -2)


@anp.array_primitive
def conjugate(x: Any) -> Any:
    """The complex conjugate. If y = conj(z), Re(g dy) = Re(conj(g) dz)."""
    return np.conj(x) if np.iscomplexobj(x) else x


linear(conjugate, lambda g: conjugate(g))


def adjoint(x: Any) -> Any:
    """The conjugate transposes of a stack of matrices."""
    return conjugate(transposed(x))


def real_dtype(x: Any) -> Any:
    """The dtype of the absolute values."""
    return x.dtype.type(0).real.dtype


def real(x: Any) -> Any:
    """The real part, in the real dtype."""
    return cast(x, real_dtype(x)) if x.dtype.kind == "c" else x


def identity(n: int, like: Any) -> Any:
    """The identity matrix in the dtype of ``like``."""
    return np.eye(n, dtype=like.dtype)


# --- docs/en/articles/22-linear-algebra.md#src-linalg-diagonals
@anp.array_primitive
def diagonal_of(x: Any, offset: int = 0) -> Any:
    """The diagonals of a stack of matrices."""
    return np.diagonal(x, offset, -2, -1)


@anp.array_primitive
def on_diagonal(x: Any, shape: tuple[int, ...], offset: int = 0) -> Any:
    """Matrices of ``shape`` with ``x`` on a diagonal, and zeros: the transpose of reading it."""
    matrices = np.zeros((*x.shape[:-1], *shape), x.dtype)
    places = np.arange(x.shape[-1])
    matrices[..., places - min(offset, 0), places + max(offset, 0)] = x
    return matrices


linear(diagonal_of, lambda g, x_shape, offset: on_diagonal(g, x_shape[-2:], offset))
linear(on_diagonal, lambda g, offset: diagonal_of(g, offset))

# --- docs/en/articles/22-linear-algebra.md#src-linalg-inv
inv = primitives[np.linalg.inv]
solve = primitives[np.linalg.solve]

# X = A^-1:  A X = 1, so dA X + A dX = 0 and dX = -X dA X  (Giles 2008, 2.2.3)
differentiable(
    inv,
    reverse=[lambda g, ans: -(transposed(ans) @ g @ transposed(ans))],
    forward=[lambda t, ans: -(ans @ t @ ans)],
)


# --- docs/en/articles/22-linear-algebra.md#src-linalg-solve
# A X = B:  dX = A^-1 (dB - dA X);  gB = A^-T g,  gA = -gB X^T  (Giles 2008, 2.3.1)
def as_columns(x: Any, b_shape: tuple[int, ...]) -> Any:
    """``x`` as matrices: a single right-hand side, which is a vector, is one column."""
    return anp.expand_dims(x, -1) if len(b_shape) == 1 else x


def solve_columns(a: Any, g: Any, b_shape: tuple[int, ...]) -> Any:
    """``solve(a, g)``, where ``g`` has one axis less if the right-hand side had one alone."""
    columns = solve(a, as_columns(g, b_shape))
    return columns[..., 0] if len(b_shape) == 1 else columns


# --- docs/en/articles/22-linear-algebra.md#src-linalg-solve-matrix
def solve_matrix(g: Any, a: Any, ans: Any, a_shape: Any, b_shape: Any) -> Any:
    """The contribution to the matrix."""
    back = as_columns(solve_columns(transposed(a), g, b_shape), b_shape)
    return unbroadcast(-(back @ transposed(as_columns(ans, b_shape))), a_shape)


# --- docs/en/articles/22-linear-algebra.md#src-linalg-solve-forward
def solve_matrix_forward(t: Any, a: Any, ans: Any, b_shape: Any) -> Any:
    """The tangent for a change of the matrix."""
    change = t @ as_columns(ans, b_shape)
    return -solve_columns(a, change[..., 0] if len(b_shape) == 1 else change, b_shape)


def broadcast_right(t: Any, a: Any, ans: Any, b_shape: Any) -> Any:
    """The tangent for a change of the right-hand side, of the shape of the answer."""
    return anp.broadcast_to(solve_columns(a, t, b_shape), ans.shape)


differentiable(
    solve,
    reverse=[
        solve_matrix,
        lambda g, a, b_shape: unbroadcast(solve_columns(transposed(a), g, b_shape), b_shape),
    ],
    forward=[solve_matrix_forward, broadcast_right],
)


# --- docs/en/articles/22-linear-algebra.md#src-linalg-cofactor
def products_without(s: Any) -> Any:
    """For each number of the last axis the product of all others: no division, so zeros may be."""
    one = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate([one, s[..., :-1]], -1), -1)[..., : s.shape[-1]]
    after = np.cumprod(np.concatenate([one, s[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after[..., : s.shape[-1]]


def frames(a: Any) -> tuple[Any, Any, Any, Any]:
    """The singular value decomposition, and the determinant of the two unitary factors."""
    u, s, vh = np.linalg.svd(a)
    return u, s, vh, (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]


# --- docs/en/articles/22-linear-algebra.md#src-linalg-cofactor-value
@anp.array_primitive
def cofactor(a: Any) -> Any:
    """The derivative of the determinant: det(A) A^-T, and its limit where A is singular."""
    try:
        inverse = np.linalg.inv(a)
        size = np.abs(a).sum(-1).max(-1, initial=0) * np.abs(inverse).sum(-1).max(-1, initial=0)
        if np.all(size < 0.1 * np.finfo(a.dtype).eps ** -0.5):
            return np.linalg.det(a)[..., None, None] * np.swapaxes(inverse, -1, -2)
    except np.linalg.LinAlgError:
        pass
    u, s, vh, unit = frames(a)
    return (unit * (u.conj() * products_without(s)[..., None, :]) @ vh.conj()).astype(a.dtype)


# --- docs/en/articles/22-linear-algebra.md#src-linalg-cofactor-slope
@anp.array_primitive
def cofactor_change(a: Any, e: Any) -> Any:
    """The change of ``cofactor(a)`` along ``e``; its pairing with another change is symmetric."""
    u, s, vh, unit = frames(a)
    m = u.conj().swapaxes(-1, -2) @ e @ vh.conj().swapaxes(-1, -2)
    n = s.shape[-1]
    others = np.where(np.eye(n, dtype=bool), s.dtype.type(1), s[..., None, :])
    pairs = products_without(others) * (1 - np.eye(n, dtype=s.dtype))  # of all but two
    diagonal = (pairs @ np.diagonal(m, axis1=-2, axis2=-1)[..., None])[..., 0]
    change = diagonal[..., None] * np.eye(n, dtype=s.dtype) - pairs * m.swapaxes(-1, -2)
    return (unit * u.conj() @ change @ vh.conj()).astype(np.result_type(a, e))


def third_change(g: Any, a: Any, e: Any) -> Any:
    """The derivative of <g, cofactor_change(a, e)>: of three changes, all places are alike.

    It divides by A: with P = A^-1 E and Q = A^-1 G it comes from det (tr P tr Q - tr P Q).
    """
    p, q = solve(a, e), solve(a, g)
    trace_p, trace_q, both = trace(p), trace(q), trace(p @ q)
    inner = (trace_p * trace_q - both) * identity(a.shape[-1], a)
    inner = inner - trace_q * p - trace_p * q + p @ q + q @ p
    return anp.expand_dims(anp.expand_dims(det(a), -1), -1) * transposed(inner @ inv(a))


def trace(x: Any) -> Any:
    """The traces of a stack of matrices, as matrices of one number."""
    return anp.sum(x * identity(x.shape[-1], x), (-2, -1), keepdims=True)


differentiable(
    cofactor,
    reverse=[lambda g, a: cofactor_change(a, g)],
    forward=[lambda t, a: cofactor_change(a, t)],
)
differentiable(
    cofactor_change,
    reverse=[third_change, lambda g, a: cofactor_change(a, g)],
    forward=[third_change, lambda t, a: cofactor_change(a, t)],
)

# --- docs/en/articles/22-linear-algebra.md#src-linalg-det
det = primitives[np.linalg.det]


def on_matrices(x: Any) -> Any:
    """A number for each matrix, with two axes that broadcast over it."""
    return anp.expand_dims(anp.expand_dims(x, -1), -1) if x.ndim else x


# d det A = tr(adj(A) dA): the cofactor of each entry  (Jacobi 1841; Magnus and Neudecker, 8.3)
differentiable(
    det,
    reverse=[lambda g, a: on_matrices(g) * cofactor(a)],
    forward=[lambda t, a: anp.sum(t * cofactor(a), (-2, -1))],
)

# --- docs/en/articles/22-linear-algebra.md#src-linalg-slogdet
SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


@anp.array_primitive
def sign_and_log(a: Any) -> Any:
    """Both answers of ``slogdet`` in one array, on a new last axis."""
    return np.stack(np.linalg.slogdet(a), -1)


# With tau = tr(A^-1 dA):  d log|det| = Re tau,  d sign = i sign Im tau
def sign_and_log_back(g: Any, a: Any, ans: Any) -> Any:
    """The contributions of both to the matrix."""
    turn = g[..., 0] * ans[..., 0]
    slope = g[..., 1] + (turn - conjugate(turn)) / 2
    return on_matrices(slope) * transposed(inv(a))


def sign_and_log_forward(t: Any, a: Any, ans: Any) -> Any:
    """The tangents of both."""
    tau = anp.sum(t * transposed(inv(a)), (-2, -1))
    return anp.stack([ans[..., 0] * (tau - conjugate(tau)) / 2, (tau + conjugate(tau)) / 2], -1)


differentiable(sign_and_log, reverse=[sign_and_log_back], forward=[sign_and_log_forward])


@traced(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    """``numpy.linalg.slogdet``; a singular matrix, where the logarithm has no slope, raises."""
    both = sign_and_log(a)
    return SlogdetResult(both[..., 0], real(both[..., 1]))


# --- docs/en/articles/22-linear-algebra.md#src-linalg-least-squares
@anp.array_primitive
def least_squares(a: Any, b: Any, rcond: Any) -> Any:
    """The solution that ``numpy.linalg.lstsq`` gives."""
    return np.linalg.lstsq(a, b, rcond)[0]


@anp.array_primitive
def pseudoinverse(a: Any, rcond: Any, hermitian: bool, rtol: Any) -> Any:
    """``numpy.linalg.pinv``, of a matrix whose two triangles agree if it is Hermitian."""
    return np.linalg.pinv(a, rcond, hermitian, **({} if rtol is np._NoValue else {"rtol": rtol}))


# x = P b with P = A^+ of constant rank, r = b - A x  (Golub and Pereyra 1973):
# dx = P (db - dA x) + P P^H dA^H r + (1 - P A) dA^H P^H x
def pulled(g: Any, a: Any, p: Any, x: Any, r: Any) -> Any:
    """The contribution to ``a``. The last two terms have dA^H, so their cotangents are turned."""
    g_h = adjoint(g)
    through = conjugate(r) @ (g_h @ conjugate(p)) @ transposed(p)
    beside = conjugate(adjoint(p) @ x) @ (g_h - g_h @ conjugate(p @ a))
    return through + beside - transposed(p) @ g @ transposed(x)


def pushed(t: Any, a: Any, p: Any, x: Any, r: Any) -> Any:
    """The tangent of ``x``."""
    beside = adjoint(t) @ (adjoint(p) @ x)
    return p @ (adjoint(p) @ (adjoint(t) @ r) - t @ x) + beside - p @ (a @ beside)


def residual_of_pinv(a: Any, p: Any) -> Any:
    """The pseudoinverse is the solution for b = 1."""
    return identity(a.shape[-2], a) - a @ p


differentiable(
    pseudoinverse,
    reverse=[lambda g, a, ans: pulled(g, a, ans, ans, residual_of_pinv(a, ans))],
    forward=[lambda t, a, ans: pushed(t, a, ans, ans, residual_of_pinv(a, ans))],
)


# --- docs/en/articles/22-linear-algebra.md#src-linalg-lstsq
def cut_of(a: Any, rcond: Any) -> Any:
    """The singular values that count as 0, as a fraction of the largest."""
    eps = np.finfo(a.dtype).eps
    return eps * max(a.shape) if rcond is None else eps if rcond == -1 else rcond


def inverse_for(a: Any, rcond: Any) -> Any:
    """The pseudoinverse with the cut that ``lstsq`` makes."""
    return pseudoinverse(a, rcond, False, np._NoValue)


def least_squares_back(g: Any, a: Any, b: Any, ans: Any, rcond: Any) -> Any:
    """The contribution to the matrix."""
    shape = b.shape
    g, b, x = as_columns(g, shape), as_columns(b, shape), as_columns(ans, shape)
    return pulled(g, a, inverse_for(a, rcond), x, b - a @ x)


def least_squares_forward(t: Any, a: Any, b: Any, ans: Any, rcond: Any) -> Any:
    """The tangent for a change of the matrix."""
    columns, x = as_columns(b, b.shape), as_columns(ans, b.shape)
    tangent = pushed(t, a, inverse_for(a, rcond), x, columns - a @ x)
    return anp.reshape(tangent, ans.shape)


differentiable(
    least_squares,
    reverse=[least_squares_back, lambda g, a, rcond: transposed(inverse_for(a, rcond)) @ g],
    forward=[least_squares_forward, lambda t, a, rcond: inverse_for(a, rcond) @ t],
)


# --- docs/en/articles/22-linear-algebra.md#src-linalg-tensors
@traced(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """``numpy.linalg.tensorsolve``: a linear equation of arrays laid flat."""
    if axes is not None:
        axes = [axis % a.ndim for axis in axes]
        a = anp.transpose(a, [*[n for n in range(a.ndim) if n not in axes], *axes])
    shape = a.shape[anp.ndim(b) :]
    flat = anp.reshape(a, (anp.size(b), prod(shape)))
    return anp.reshape(solve(flat, anp.ravel(b)), shape)


@traced(np.linalg.tensorinv)
def tensorinv(a: Any, ind: int = 2) -> Any:
    """``numpy.linalg.tensorinv``: the inverse of an array laid flat."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = a.shape[ind:] + a.shape[:ind]
    return anp.reshape(inv(anp.reshape(a, (prod(a.shape[:ind]), -1))), shape)


# --- docs/en/articles/22-linear-algebra.md#src-linalg-powers
@traced(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """``numpy.linalg.matrix_power``, by squaring: of the bits of ``n``, a product each."""
    if n <= 0 or a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        np.linalg.matrix_power(np.ones_like(a), 1)  # raises for other shapes
    if n == 0:
        return np.broadcast_to(identity(a.shape[-1], a), a.shape)
    if n < 0:
        a, n = inv(a), -n
    result = None
    while n:
        if n % 2:
            result = a if result is None else result @ a
        n //= 2
        a = a @ a if n else a
    return result


# --- docs/en/articles/22-linear-algebra.md#src-linalg-multi-dot
@anp.compose(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """``numpy.linalg.multi_dot``: a product of matrices in the order with the least operations."""
    if not holds_box(arrays if isinstance(arrays, list | tuple) else list(arrays)):
        return np.linalg.multi_dot(arrays, out=out)
    if out is not None:
        raise TypeError("multi_dot of traced values cannot be written into out: use its answer")
    arrays = [as_array(array) for array in arrays]
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    first, last = arrays[0], arrays[-1]
    rows = () if anp.ndim(first) == 1 else anp.shape(first)[:1]
    columns = () if anp.ndim(last) == 1 else anp.shape(last)[1:]
    arrays[0] = anp.reshape(first, (*(rows or (1,)), anp.shape(first)[-1]))
    arrays[-1] = anp.reshape(last, (anp.shape(last)[0], *(columns or (1,))))
    return anp.reshape(in_order(arrays), rows + columns)


def in_order(arrays: Any) -> Any:
    """The product, split where the fewest multiplications are needed (Godbole 1973)."""
    sizes = [array.shape[0] for array in arrays] + [arrays[-1].shape[1]]
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for length in range(1, len(arrays)):
        for i in range(len(arrays) - length):
            j = i + length
            outer = sizes[i] * sizes[j + 1]
            best[i, j] = min(
                (cost(best, i, k) + cost(best, k + 1, j) + outer * sizes[k + 1], k)
                for k in range(i, j)
            )

    def multiply(i: int, j: int) -> Any:
        if i == j:
            return arrays[i]
        split = best[i, j][1]
        return multiply(i, split) @ multiply(split + 1, j)

    return multiply(0, len(arrays) - 1)


def cost(best: dict[tuple[int, int], tuple[int, int]], i: int, j: int) -> int:
    """The multiplications of the product of the factors ``i`` to ``j``."""
    return best[i, j][0] if i < j else 0


# --- docs/en/articles/22-linear-algebra.md#src-linalg-views
@traced(np.linalg.diagonal)
def diagonal(x: Any, *, offset: int = 0) -> Any:
    """``numpy.linalg.diagonal``: the diagonal of each matrix."""
    return diagonal_of(x, offset)


@traced(np.linalg.trace)
def matrix_trace(x: Any, *, offset: int = 0, dtype: Any = None) -> Any:
    """``numpy.linalg.trace``: the sum of the diagonal of each matrix."""
    return anp.sum(diagonal(x, offset=offset), -1, dtype)


@traced(np.linalg.outer)
def outer(x1: Any, x2: Any) -> Any:
    """``numpy.linalg.outer`` of two vectors."""
    if anp.ndim(x1) != 1 or anp.ndim(x2) != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are {anp.ndim(x1)=}, {anp.ndim(x2)=}."
        )
    return anp.expand_dims(x1, -1) * x2


traced(np.linalg.matrix_transpose)(transposed)
traced(np.linalg.matmul)(lambda x1, x2: anp.matmul(x1, x2))
# By their names in the main namespace, which may get their rules later than this module.
traced(np.linalg.cross)(lambda x1, x2, *, axis=-1: anp.cross(x1, x2, axis=axis))
traced(np.linalg.tensordot)(lambda x1, x2, *, axes=2: anp.tensordot(x1, x2, axes=axes))
traced(np.linalg.vecdot)(lambda x1, x2, *, axis=-1: anp.vecdot(x1, x2, axis=axis))

locally_constant.add(primitives[np.linalg.matrix_rank])
