"""What the tests of the engine measure derivatives with: no rule has a say in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as onp

import literate_ad.numpy as np
from literate_ad import grad, make_jvp, make_vjp

Function = Callable[..., Any]
Values = tuple[Any, ...]


def direction(values: Sequence[Any], seed: int) -> Values:
    """A random vector for each value, of its shape and dtype."""
    draw = onp.random.default_rng(seed).standard_normal
    return tuple(onp.asarray(draw(onp.shape(v)), onp.result_type(v))[()] for v in values)


def inner(xs: Any, ys: Any) -> Any:
    return sum(np.sum(x * y) for x, y in zip(xs, ys, strict=True))


def central(fun: Function, xs: Values, vs: Values, step: float = 1e-6) -> Any:
    """The derivative of ``fun`` along ``vs``, without a rule of the engine."""
    ahead = fun(*[x + step * v for x, v in zip(xs, vs, strict=True)])
    behind = fun(*[x - step * v for x, v in zip(xs, vs, strict=True)])
    return (ahead - behind) / (2 * step)


def weighted(fun: Function, args: Values) -> Function:
    """A number that depends on all of the output of ``fun``."""
    (weights,) = direction([fun(*args)], seed=7)
    return lambda *xs: np.sum(fun(*xs) * weights)


def check_first_order(fun: Function, args: Values, tolerance: float = 1e-6) -> None:
    """Reverse, forward and central difference say the same, all arguments at once."""
    argnums = tuple(range(len(args)))
    s, v = weighted(fun, args), direction(args, seed=1)
    forward = make_jvp(s, argnums)(*args)(v)[1]
    reverse = inner(grad(s, argnums)(*args), v)
    onp.testing.assert_allclose(reverse, forward, rtol=1e-9, atol=1e-12)
    onp.testing.assert_allclose(forward, central(s, args, v), rtol=tolerance, atol=tolerance)


def check_like_numpy(fun: Function, args: Values, rtol: float, atol: float) -> None:
    """A traced call has the value of a plain one, and both modes are right to second order."""
    value = make_vjp(fun, tuple(range(len(args))))(*args)[1]
    onp.testing.assert_allclose(value, fun(*args), rtol=rtol, atol=atol)
    check_first_order(fun, args)
    check_second_order(fun, args)


def check_second_order(fun: Function, args: Values, tolerance: float = 1e-6) -> None:
    """The four ways to differentiate twice agree with a central difference of the gradient."""
    argnums = tuple(range(len(args)))
    s = weighted(fun, args)
    v, w = direction(args, seed=2), direction(args, seed=3)

    def by_reverse(*xs: Any) -> Any:
        return inner(grad(s, argnums)(*xs), v)

    def by_forward(*xs: Any) -> Any:
        return make_jvp(s, argnums)(*xs)(v)[1]

    expected = central(by_reverse, args, w)
    for once in (by_reverse, by_forward):
        twice = (
            inner(grad(once, argnums)(*args), w),
            make_jvp(once, argnums)(*args)(w)[1],
        )
        onp.testing.assert_allclose(twice, [expected] * 2, rtol=tolerance, atol=tolerance)
