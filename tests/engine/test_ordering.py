"""Order: what the example calls do not see."""

from __future__ import annotations

from typing import Any

import numpy as onp
import pytest

import literate_ad.numpy as np
from literate_ad import grad, make_vjp

X = onp.array([3.0, 1.0, 2.0, 2.0])


@pytest.mark.parametrize("fun", [np.median, np.nanmedian, lambda x: np.quantile(x, [0.2, 0.6])])
def test_float32_is_kept(fun: Any) -> None:
    pullback, value = make_vjp(fun)(X.astype("f4"))
    assert value.dtype == onp.float32
    assert pullback(onp.ones(value.shape, "f4")).dtype == onp.float32


def test_equal_numbers_share() -> None:
    weights = onp.array([1.0, 10.0, 100.0, 1000.0])
    onp.testing.assert_array_equal(
        grad(lambda x: np.sum(np.sort(x) * weights))(X), [1000, 1, 55, 55]
    )
    onp.testing.assert_array_equal(grad(np.median)(X), [0, 0, 0.5, 0.5])


def test_nan_in_a_median() -> None:
    gap = onp.array([1.0, onp.nan, 3.0])
    onp.testing.assert_array_equal(grad(np.nanmedian)(gap), [0.5, 0, 0.5])
    assert onp.isnan(make_vjp(np.median)(gap)[1])


def test_weights_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="quantile of a traced value takes no weights"):
        grad(lambda x: np.quantile(x, 0.5, method="inverted_cdf", weights=onp.ones(4)))(X)
