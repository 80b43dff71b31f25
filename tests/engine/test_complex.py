"""Complex numbers: dL = Re(g dz) in both modes and to second order; Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

import literate_ad.numpy as np
import literate_ad.numpy.fft as npfft
from literate_ad import grad, holomorphic_grad, make_jvp, make_vjp


def draw(shape: tuple[int, ...], like: Any, seed: int) -> Any:
    """Random numbers, complex where ``like`` is."""
    rng = onp.random.default_rng(seed)
    real = rng.standard_normal(shape)
    return real + 1j * rng.standard_normal(shape) if onp.iscomplexobj(like) else real


Z, X = draw((3, 4), 1j, 0), draw((3, 4), 1.0, 1)
FUNCTIONS = """
    real imag conj angle absolute sign exp sin cos tan sinh tanh log sqrt square arctan arcsinh
    arccosh arctanh log1p expm1 reciprocal sum mean prod cumsum var std
""".split()
EXPRESSIONS: list[Callable[[Any], Any]] = [
    lambda z: z * X, lambda z: z / (X + 3), lambda z: z**2, lambda z: z ** (1 + 2j),
    lambda z: (X**2 + 1) ** z, lambda z: np.prod(z, 1), lambda z: z @ Z.T,
    lambda z: z.real * z.imag,
    lambda z: np.vdot(z, z + 1), lambda z: np.angle(z, deg=True), lambda z: np.vecdot(z, Z),
    lambda z: np.einsum("ij,kj->ik", z, z), lambda z: z.conj() * z,
]  # fmt: skip


def check(fun: Callable[[Any], Any], x: Any) -> None:
    """Both modes against a central difference, then the same of the gradient."""
    pullback, value = make_vjp(fun)(x)
    onp.testing.assert_allclose(value, fun(x), rtol=1e-12, atol=1e-12)
    weights, t = draw(onp.shape(value), value, 2), draw(x.shape, x, 3)

    def loss(x: Any) -> Any:
        return onp.real(onp.sum(weights * fun(x)))

    g = pullback(weights)
    assert g.dtype == x.dtype
    expected = (loss(x + 1e-6 * t) - loss(x - 1e-6 * t)) / 2e-6
    for found in (onp.sum(g * t), onp.sum(weights * make_jvp(fun)(x)(t)[1])):
        onp.testing.assert_allclose(onp.real(found), expected, rtol=1e-6, atol=1e-7)


def twice(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The gradient of a function of what ``fun`` gives."""

    def gradient(x: Any) -> Any:
        pullback, value = make_vjp(lambda y: fun(y) * fun(y))(x)
        return pullback(draw(onp.shape(value), value, 4))

    return gradient


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_complex_arrays(name: str) -> None:
    check(getattr(np, name), Z)
    check(twice(getattr(np, name)), Z)


@pytest.mark.parametrize("fun", EXPRESSIONS)
def test_expressions(fun: Callable[[Any], Any]) -> None:
    check(fun, Z)
    check(twice(fun), Z)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 3, 4, 5, 7])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_of_every_length(name: str, n: int | None, norm: str | None) -> None:
    transform = getattr(npfft, name)
    for x in [X] if name in ("rfft", "ihfft") else [X, Z]:
        for axis in (0, -1):
            check(lambda x, axis=axis: transform(x, n, axis, norm), x)
        check(twice(lambda x: transform(x, n, -1, norm)), x)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "fftn", "ifftn", "irfft2", "irfftn", "fftshift"])
def test_transforms_of_several_axes(name: str) -> None:
    check(getattr(npfft, name), Z)
    check(getattr(onp.fft, name), Z)


def test_a_real_operand_has_a_real_cotangent() -> None:
    gradient = grad(lambda x: np.real(np.sum(x * Z)))(X)
    assert gradient.dtype == float
    onp.testing.assert_allclose(gradient, Z.real)


def test_the_modulus_at_zero_has_the_slope_zero() -> None:
    assert grad(np.abs)(0j) == 0
    assert make_jvp(np.abs)(0j)(1.0 + 1.0j)[1] == 0


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_dtypes_are_kept(kind: str) -> None:
    assert grad(lambda z: np.sum(np.abs(npfft.fft(z))))(Z.astype(kind)).dtype == kind


def test_holomorphic_grad() -> None:
    onp.testing.assert_allclose(holomorphic_grad(np.exp)(1 + 2j), onp.exp(1 + 2j))
    with pytest.raises(TypeError, match="needs a complex argument"):
        holomorphic_grad(np.exp)(1.0)
    with pytest.raises(TypeError, match="one number"):
        holomorphic_grad(np.exp)(Z)


def test_peers_have_the_same_convention() -> None:
    autograd = pytest.importorskip("autograd")
    theirs = autograd.numpy
    for ours, other in (
        (lambda z: np.sum(np.abs(z) ** 3), lambda z: theirs.sum(theirs.abs(z) ** 3)),
        (
            lambda z: np.real(np.sum(np.exp(z) * z)),
            lambda z: theirs.real(theirs.sum(theirs.exp(z) * z)),
        ),
        (
            lambda z: np.sum(np.abs(npfft.fft(z)) ** 2 * X),
            lambda z: theirs.sum(theirs.abs(theirs.fft.fft(z)) ** 2 * X),
        ),
    ):
        onp.testing.assert_allclose(grad(ours)(Z), autograd.grad(other)(Z))
