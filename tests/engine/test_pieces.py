"""Arrays turned, repeated, cut, padded and joined: NumPy's values, both modes, both orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest
from derivatives import check_like_numpy

import literate_ad.numpy as np
from literate_ad import grad, make_vjp

pytestmark = pytest.mark.filterwarnings("ignore:Output seems independent")


def draw(*shape: int, seed: int = 0) -> Any:
    return onp.random.default_rng(seed).standard_normal(shape)


A, B, V, S = draw(3, 4), draw(3, 4, seed=1), draw(5, seed=2), onp.float64(0.7)
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (np.flip, (A,)), (lambda x: np.flip(x, 1), (A,)), (np.fliplr, (A,)), (np.flipud, (A,)),
    (lambda x: np.roll(x, 2), (A,)), (lambda x: np.roll(x, (1, -2), (0, 1)), (A,)),
    (np.rot90, (A,)), (lambda x: np.rollaxis(x, 1), (A,)), (np.matrix_transpose, (A,)),
    (lambda x: np.repeat(x, 2), (A,)), (lambda x: np.repeat(x, [1, 0, 2], axis=0), (A,)),
    (lambda x: x.repeat(3, axis=1), (A,)), (lambda x: np.tile(x, (2, 1, 2)), (A,)),
    (lambda x: np.resize(x, (4, 5)), (A,)), (lambda x: np.delete(x, [0, 2], axis=1), (A,)),
    (np.diag, (A,)), (lambda x: np.diag(x, 1), (V,)), (np.diagflat, (V,)),
    (lambda x: np.diagonal(x, 1), (A,)), (lambda x: x.diagonal(-1), (A,)),
    (np.trace, (A,)), (lambda x: np.trace(x, 1), (A,)), (lambda x: x.trace(), (A,)),
    (np.tril, (A,)), (lambda x: np.triu(x, 1), (A,)),
    (lambda x: np.split(x, 2, axis=1)[1], (A,)), (lambda x: np.array_split(x, 2)[0], (V,)),
    (lambda x: np.hsplit(x, [1, 3])[1], (A,)), (lambda x: np.vsplit(x, 3)[2], (A,)),
    (lambda x: np.pad(x, 1), (A,)),
    (lambda x: np.pad(x, ((0, 2), (1, 0)), constant_values=3.0), (A,)),
    *[(lambda x, m=m: np.pad(x, 2, m), (A,)) for m in ("edge", "reflect", "symmetric", "wrap")],
    (lambda x, v: np.insert(x, 1, v, axis=0), (A, draw(4, seed=3))),
    (lambda x, v: np.insert(x, [1, 3], v), (V, draw(2, seed=3))),
    (lambda x, v: np.append(x, v), (A, V)), (lambda x, v: np.append(x, v, axis=0), (A, B)),
    (lambda x, y: np.vstack([x, y, 1.0 * V[:4]]), (A, B)), (lambda x, y: np.hstack([x, y]), (A, B)),
    (lambda x: np.hstack((x, 2 * x)), (V,)), (lambda x, y: np.dstack([x, y]), (A, B)),
    (lambda x, y: np.column_stack([x, y[:, 0]]), (A, B)),
    (lambda x, y: np.meshgrid(x, y)[0] * np.meshgrid(x, y)[1], (V, draw(3, seed=4))),
    (lambda x, y: np.meshgrid(x, y, indexing="ij", sparse=True)[1], (V, draw(3, seed=4))),
    (lambda a, b: np.linspace(a, b, 5), (S, S * 3)), (lambda a: np.linspace(a, 1, 4, False), (V,)),
    (lambda a: np.full((2, 3), a), (S,)), (lambda a: np.full_like(A, a), (S,)),
]  # fmt: skip


@pytest.mark.parametrize(("fun", "args"), CASES)
def test_values_and_derivatives(fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_like_numpy(fun, args, rtol=1e-15, atol=1e-15)


def test_float32_is_kept() -> None:
    x = A.astype("f4")
    for fun in (np.diag, np.tril, np.flip, lambda x: np.pad(x, 1), lambda x: np.vstack([x, x])):
        pullback, value = make_vjp(fun)(x)
        assert value.dtype == pullback(value).dtype == onp.float32


def test_a_mode_of_pad_that_computes_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="no mode 'mean'"):
        grad(lambda x: np.sum(np.pad(x, 1, "mean")))(A)


def test_plain_arrays_get_numpys_answer() -> None:
    for name in ("flip", "diag", "tril", "trace", "vstack", "hstack", "diagonal"):
        ours, theirs = getattr(np, name)(A), getattr(onp, name)(A)
        assert type(ours) is type(theirs)
        onp.testing.assert_array_equal(ours, theirs)
