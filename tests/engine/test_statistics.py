"""Selection, differences, integrals, convolutions and covariances against NumPy and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest
from derivatives import check_like_numpy

import literate_ad.numpy as np
from literate_ad import grad

pytestmark = pytest.mark.filterwarnings("ignore:Output seems independent")


def draw(*shape: int, seed: int = 0) -> Any:
    return onp.random.default_rng(seed).standard_normal(shape)


A, B, V, W = draw(3, 4), draw(3, 4, seed=1), draw(5, seed=2), draw(3, seed=3)
POINTS, HEIGHTS = onp.array([0.0, 1.0, 2.5, 4.0]), draw(4, seed=4)
PLACES = onp.array([0.3, 1.7, 3.9, -0.5, 4.6])
WHICH = onp.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]])
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x: np.clip(x, -0.5, 0.5), (A,)),
    (lambda x, y: np.clip(x, y - 1.0, y + 0.2), (A, B)),
    (lambda x: np.clip(x, None, 0.1), (A,)),
    (lambda x: x.clip(min=-0.2), (A,)),
    (lambda x: np.nan_to_num(np.where(WHICH == 1, onp.nan, x), nan=3.0), (A,)),
    (lambda x: np.take(x, [[0, 5], [5, -1]]), (A,)),
    (lambda x: np.take(x, [0, 0, 2], axis=1), (A,)),
    (lambda x: np.take(x, [0, 7, -5], axis=0, mode="wrap"), (A,)),
    (lambda x: np.take(x, [0, 7, -5], axis=0, mode="clip"), (A,)),
    (lambda x: x.take([2, 1]), (A,)),
    (lambda x, y: np.choose(WHICH, [x, y]), (A, B)),
    (lambda x: np.choose(WHICH, [x, 2.0]), (A,)),
    (lambda x: np.extract(WHICH, x), (A,)),
    (lambda x, y: np.select([WHICH == 1, B > 0], [x * y, y**2], 5.0), (A, B)),
    (lambda x: np.piecewise(x, [WHICH == 1], [np.sin, lambda v: v**2]), (A,)),
    (lambda x: np.piecewise(x, [WHICH == 1, WHICH == 0], [np.exp, 2.0]), (A,)),
    (lambda x: np.unique(x) ** 2, (A,)),
    (lambda x: np.interp(x, POINTS, HEIGHTS), (PLACES,)),
    (lambda x, xp, fp: np.interp(x, xp, fp), (PLACES, POINTS, HEIGHTS)),
    (lambda x, fp: np.interp(x, POINTS, fp, left=1.0, right=fp[0]), (PLACES, HEIGHTS)),
    (lambda x, fp: np.interp(x, POINTS[:3], fp[:3], period=3.7), (PLACES, HEIGHTS)),
    (lambda w: np.bincount([0, 2, 2, 1, 0], w, minlength=5), (V,)),
    (np.diff, (A,)),
    (lambda x: np.diff(x, 2, axis=0), (A,)),
    (lambda x, p: np.diff(x, prepend=p, append=2.0, axis=0), (A, onp.float64(0.3))),
    (lambda x: np.ediff1d(x, to_end=[1.0, 2.0], to_begin=0.5), (A,)),
    (np.trapezoid, (A,)),
    (lambda y, x: np.trapezoid(y, x, axis=1), (A, draw(4, seed=5))),
    (lambda y, x: np.trapezoid(y, x, axis=0), (A, B)),
    (lambda p: np.unwrap(4 * p), (A,)),
    *[(lambda a, v, m=m: np.convolve(a, v, m), (V, W)) for m in ("full", "same", "valid")],
    *[(lambda a, v, m=m: np.correlate(a, v, m), (V, W)) for m in ("full", "same", "valid")],
    *[(lambda a, v, m=m: np.correlate(a, v, m), (W, V)) for m in ("full", "same", "valid")],
    (np.cov, (A,)),
    (lambda x, y: np.cov(x, y, rowvar=False, ddof=0), (A, B)),
    (lambda x: np.cov(x, bias=True), (V,)),
    (lambda x: np.cov(x, fweights=[1, 2, 1, 3], aweights=[0.1, 0.2, 0.5, 0.3]), (A,)),
    (np.corrcoef, (A,)),
    (lambda x, y: np.corrcoef(x, y), (V, V[::-1] ** 2)),
]


@pytest.mark.parametrize(("fun", "args"), CASES)
def test_values_and_derivatives(fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_like_numpy(fun, args, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["clip", "take", "diff", "trapezoid", "convolve", "cov", "interp"])
def test_plain_arrays_get_numpys_answer(name: str) -> None:
    args: dict[str, tuple[Any, ...]] = {
        "clip": (A, -0.5, 0.5), "take": (A, [0, 1]), "convolve": (V, W),
        "interp": (PLACES, POINTS, HEIGHTS),
    }  # fmt: skip
    ours, theirs = getattr(np, name), getattr(onp, name)
    result = ours(*args.get(name, (A,)))
    assert type(result) is type(theirs(*args.get(name, (A,))))
    onp.testing.assert_array_equal(result, theirs(*args.get(name, (A,))))


def test_a_bound_that_is_met_shares_the_slope() -> None:
    onp.testing.assert_array_equal(
        grad(lambda x: np.sum(np.clip(x, 0.0, 1.0)))(onp.array([-1.0, 0.0, 0.5, 1.0])),
        [0.0, 0.5, 1.0, 0.5],
    )


def test_options_of_a_reduction_may_be_given_by_place() -> None:
    chosen = A > 0
    cases: list[Callable[[Any], Any]] = [
        lambda x: np.mean(x, 0, None, None, True, where=chosen),
        lambda x: np.var(x, 1, None, None, 0, True, where=chosen),
    ]
    for fun in cases:
        check_like_numpy(fun, (A,), rtol=1e-12, atol=1e-13)


def test_a_function_of_piecewise_sees_its_own_numbers_only() -> None:
    x = onp.array([-1.0, 4.0])
    gradient = grad(lambda x: np.sum(np.piecewise(x, [x > 0], [np.sqrt, lambda v: v])))(x)
    onp.testing.assert_array_equal(gradient, [1.0, 0.25])


def test_an_index_of_choose_that_names_no_array() -> None:
    with pytest.raises(ValueError, match="names none of the 2 arrays"):
        grad(lambda x: np.sum(np.choose([3], [x, x])))(onp.ones(1))
