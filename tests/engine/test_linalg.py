"""``numpy.linalg``: complex matrices, singular and degenerate ones, triangles, errors, peers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as onp
import numpy.linalg as onpla
import pytest
from calls.linalg import CALLS
from test_rules import ELSEWHERE, normal

import literate_ad.numpy as np
import literate_ad.numpy.linalg as npla
from literate_ad import deriv, grad, hessian, make_jvp, make_vjp
from literate_ad.core import primitive_jvps, primitive_vjps
from literate_ad.numpy.rules.linalg import conjugate, real
from literate_ad.tracer import Node, trace

Function = Callable[..., Any]


def draw(*shape: int, seed: int = 0) -> Any:
    return normal(*shape, seed=seed) + 1j * normal(*shape, seed=seed + 50)


def slope(f: Function, x: Any, v: Any, step: float = 1e-6) -> float:
    return float((f(x + step * v) - f(x - step * v)) / (2 * step))


def check(f: Function, x: Any, v: Any = None, tolerance: float = 2e-6, order: int = 2) -> None:
    """Both modes against a central difference, to second order."""
    v = v if v is not None else (draw if x.dtype.kind == "c" else normal)(*x.shape, seed=9)
    gradient = grad(f)(x)
    assert (gradient.shape, gradient.dtype) == (x.shape, x.dtype)
    forward = make_jvp(f)(x)(v)[1]
    onp.testing.assert_allclose(onp.sum(gradient * v).real, forward, rtol=1e-8, atol=1e-10)
    onp.testing.assert_allclose(forward, slope(f, x, v), rtol=tolerance, atol=tolerance)
    if order == 1:
        return

    def along(x: Any) -> Any:
        return make_jvp(f)(x)(v)[1]

    second = make_jvp(along)(x)(v)[1]
    onp.testing.assert_allclose(second, slope(along, x, v), rtol=tolerance, atol=20 * tolerance)
    reverse_twice = onp.sum(grad(along)(x) * v).real
    onp.testing.assert_allclose(reverse_twice, second, rtol=1e-7, atol=1e-8)


def size(x: Any) -> Any:
    """The sum of weighted squared absolute values: a real function of complex numbers."""
    weights = onp.linspace(0.5, 1.5, int(onp.prod(x.shape))).reshape(x.shape)
    return np.sum(real(x * conjugate(x)) * weights)


def directed(x: Any) -> Any:
    """A real function of a complex array that is not even in it."""
    return np.sum(real(x * draw(*x.shape, seed=4)))


C, B = draw(3, 3) + 2 * onp.eye(3), draw(3, 3, seed=2)
STACK, TALL, WIDE = draw(2, 3, 3, seed=5), draw(4, 2, seed=6), draw(2, 4, seed=7)


def test_the_module_stands_in_the_place_of_numpys() -> None:
    assert np.linalg is npla
    assert npla.__all__ == sorted(onpla.__all__) == dir(npla)
    for name in onpla.__all__:
        assert hasattr(npla, name)
    assert npla.inv.__module__ == npla.eigh.__module__ == "literate_ad.numpy.linalg"
    assert npla.LinAlgError is onpla.LinAlgError


@pytest.mark.parametrize("name", sorted(set(onpla.__all__) - {"LinAlgError"}))
def test_plain_arrays_get_what_numpy_gives(name: str) -> None:
    ours, theirs, spd = getattr(npla, name), getattr(onpla, name), C @ C.conj().T
    special = {
        "matrix_power": (C, 3), "solve": (C, B), "tensorsolve": (C, B[0]), "tensorinv": (C, 1),
        "cholesky": (spd,), "lstsq": (C, B), "multi_dot": ([C, B],), "outer": (B[0], B[1]),
        "cross": (B, C), "tensordot": (B, C), "matmul": (B, C), "vecdot": (B, C),
    }  # fmt: skip
    args = special.get(name, (C,))
    expected, got = theirs(*args), ours(*args)
    assert type(expected) is type(got)
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (expected, got)), strict=True):
        onp.testing.assert_array_equal(a, b)
        assert onp.result_type(a) == onp.result_type(b)


COMPLEX: dict[str, tuple[Function, Any]] = {
    "inv": (lambda a: directed(npla.inv(a)), C),
    "solve for a": (lambda a: directed(npla.solve(a, B)), C),
    "solve for b": (lambda b: directed(npla.solve(C, b)), B),
    "solve for a vector": (lambda b: directed(npla.solve(C, b)), B[0]),
    "det": (lambda a: directed(npla.det(a)), STACK),
    "slogdet, both": (lambda a: directed(npla.slogdet(a)[0]) + np.sum(npla.slogdet(a)[1]), STACK),
    "pinv": (lambda a: directed(npla.pinv(a)), TALL),
    "pinv, wide": (lambda a: directed(npla.pinv(a)), WIDE),
    "pinv, hermitian": (lambda a: directed(npla.pinv(a, hermitian=True)), C),
    "lstsq": (lambda a: directed(npla.lstsq(a, draw(4, 2))[0]), TALL),
    "lstsq, residuals": (lambda a: np.sum(npla.lstsq(a, draw(4, 2))[1]), TALL),
    "cholesky": (lambda a: directed(npla.cholesky(a @ conjugate(a.mT) + onp.eye(3))), C),
    "cholesky, upper": (
        lambda a: directed(npla.cholesky(a @ conjugate(a.mT) + onp.eye(3), upper=True)), C
    ),
    "qr, q": (lambda a: directed(npla.qr(a)[0]), TALL),
    "qr, r": (lambda a: directed(npla.qr(a)[1]), TALL),
    "qr, wide": (lambda a: directed(npla.qr(a)[0]) + directed(npla.qr(a)[1]), WIDE),
    "qr, square": (lambda a: directed(npla.qr(a)[0]) + directed(npla.qr(a)[1]), STACK),
    "eigh, values": (lambda a: np.sum(npla.eigh(a)[0] * onp.array([1.0, 2.0, 4.0])), C),
    "eigh, U": (lambda a: np.sum(npla.eigvalsh(a, "U") * onp.array([1.0, 2.0, 4.0])), C),
    "eigh, vectors": (lambda a: size(npla.eigh(a)[1]), C),
    "eig, values": (lambda a: directed(npla.eig(a)[0]), C),
    "eig, vectors": (lambda a: size(npla.eig(a)[1]), C),
    "eig of a real matrix": (
        lambda a: size(npla.eig(a)[1]) + directed(npla.eig(a)[0]),
        onp.array([[1.0, -2.0, 0.0], [2.0, 0.5, 1.0], [0.3, 0.0, 3.0]]),
    ),
    "solve of a real matrix": (lambda a: directed(npla.solve(a, B)), B.real),
    "svd, values": (lambda a: np.sum(npla.svdvals(a) ** 3), TALL),
    "svd, vectors": (lambda a: size(npla.svd(a, full_matrices=False)[0]), TALL),
    "svd, right vectors": (lambda a: size(npla.svd(a)[2]), C),
    "polar factor": (lambda a: directed(polar(a)), TALL),
    "polar factor, wide": (lambda a: directed(polar(a)), WIDE),
    "norm": (lambda a: npla.norm(a), C),
    "norm, 3": (lambda a: np.sum(npla.norm(a, 3, axis=0)), C),
    "norm, nuc": (lambda a: npla.norm(a, "nuc"), TALL),
    "norm, 1": (lambda a: npla.norm(a, 1), C),
    "cond": (lambda a: npla.cond(a), C),
    "cond, fro": (lambda a: npla.cond(a, "fro"), C),
    "matrix_power": (lambda a: directed(npla.matrix_power(a, -2)), C),
}  # fmt: skip


def polar(a: Any) -> Any:
    u, _, vh = npla.svd(a, full_matrices=False)
    return u @ vh


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_matrices(name: str) -> None:
    f, x = COMPLEX[name]
    check(f, x, order=1 if name in ("solve for b", "solve for a vector") else 2)


# ---- determinants of singular matrices


@pytest.mark.parametrize("rank", [4, 3, 2, 1, 0])
@pytest.mark.parametrize("make", [normal, draw])
def test_det_has_its_two_derivatives_at_every_rank(rank: int, make: Function) -> None:
    a = make(4, rank) @ make(rank, 4, seed=3)
    f = lambda a: np.sum(real(npla.det(a) * (1 + 0.5j))) if make is draw else npla.det(a)  # noqa: E731
    check(f, a, make(4, 4, seed=8), tolerance=1e-5)


def test_the_gradient_of_det_is_the_matrix_of_cofactors() -> None:
    for rank in (3, 2, 1):
        a = normal(3, rank) @ normal(rank, 3, seed=2)
        minors = [
            [(-1) ** (i + j) * onpla.det(onp.delete(onp.delete(a, i, 0), j, 1)) for j in range(3)]
            for i in range(3)
        ]
        onp.testing.assert_allclose(grad(npla.det)(a), minors, atol=1e-13)


def test_third_derivative_of_det() -> None:
    a, e = normal(3, 3), normal(3, 3, seed=1)
    cubic = lambda t: npla.det(a + t * e)  # noqa: E731
    third = deriv(deriv(deriv(cubic)))(0.3)
    assert third == pytest.approx(6 * onpla.det(e))


def test_slogdet_is_right_where_det_underflows_and_raises_at_a_singular_matrix() -> None:
    a = 1e-200 * onp.eye(3)
    onp.testing.assert_allclose(grad(lambda a: npla.slogdet(a)[1])(a), 1e200 * onp.eye(3))
    with pytest.raises(onpla.LinAlgError, match="Singular"):
        grad(lambda a: npla.slogdet(a)[1])(onp.ones((2, 2)))


# ---- rank deficient pseudoinverses


@pytest.mark.parametrize("make", [normal, draw])
def test_pinv_and_lstsq_of_constant_rank(make: Function) -> None:
    left, right, b = make(4, 1), make(1, 3, seed=1), make(4, 2, seed=2)
    value = directed if make is draw else lambda x: np.sum(x * normal(*x.shape, seed=4))
    check(lambda left: value(npla.pinv(left @ right, 1e-10)), left)
    check(lambda right: value(npla.lstsq(left @ right, b, 1e-10)[0]), right)
    _, residuals, rank, s = npla.lstsq(left @ right, b)
    assert (rank, residuals.size, s.shape) == (1, 0, (3,))


def test_lstsq_gives_all_four_answers() -> None:
    a, b = normal(4, 2), normal(4, seed=1)
    seen = []
    grad(lambda a: seen.append(npla.lstsq(a, b)) or np.sum(seen[0][0]))(a)
    for ours, theirs in zip(seen[0], onpla.lstsq(a, b), strict=True):
        value = getattr(ours, "_value", ours)
        onp.testing.assert_allclose(value, theirs, atol=1e-14)


# ---- one triangle is read


@pytest.mark.parametrize("uplo", ["L", "U", "l"])
def test_the_cotangent_goes_into_the_triangle_that_is_read(uplo: str) -> None:
    a = normal(3, 3)
    inside = onp.tri(3, dtype=bool) if uplo in "Ll" else onp.tri(3, dtype=bool).T
    weights = onp.array([1.0, 2.0, 4.0])
    f = lambda a: np.sum(npla.eigvalsh(a, uplo) * weights)  # noqa: E731
    gradient = grad(f)(a)
    assert onp.array_equal(gradient != 0, inside)
    for i, j in onp.ndindex(3, 3):
        unit = onp.zeros((3, 3))
        unit[i, j] = 1.0
        assert gradient[i, j] == pytest.approx(slope(f, a, unit), abs=1e-7)


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_reads_one_triangle(upper: bool) -> None:
    a = normal(3, 3) @ normal(3, 3).T + onp.eye(3)
    weights = normal(3, 3, seed=3)
    f = lambda a: np.sum(npla.cholesky(a, upper=upper) * weights)  # noqa: E731
    gradient = grad(f)(a)
    for i, j in onp.ndindex(3, 3):
        unit = onp.zeros((3, 3))
        unit[i, j] = 1.0
        assert gradient[i, j] == pytest.approx(slope(f, a, unit), abs=1e-7)


# ---- equal eigenvalues and singular values


def symmetrised(g: Any) -> Any:
    return (g + g.T) / 2


def test_symmetric_functions_of_equal_eigenvalues_have_their_gradient() -> None:
    a = onp.diag([2.0, 2.0, 5.0])
    for f, expected in [
        (lambda a: np.sum(npla.eigvalsh(a)), onp.eye(3)),
        (lambda a: np.sum(npla.eigvalsh(a) ** 2), 2 * a),
        (lambda a: np.sum(npla.eigh(a)[1] @ npla.eigh(a)[1].mT), onp.zeros((3, 3))),
        (lambda a: np.sum(npla.svdvals(a)), onp.eye(3)),
        (lambda a: npla.norm(a, "nuc"), onp.eye(3)),
    ]:
        onp.testing.assert_allclose(symmetrised(grad(f)(a)), expected, atol=1e-13)
    assert onp.all(onp.isfinite(hessian(lambda a: np.sum(npla.eigvalsh(a) ** 2))(a)))
    assert onp.all(onp.isfinite(grad(lambda a: np.sum(np.real(npla.eig(a)[1]) ** 3))(onp.eye(3))))


def test_the_polar_factor_is_smooth_where_singular_values_are_equal() -> None:
    check(lambda a: np.sum(polar(a) * normal(3, 3, seed=4)), 2 * onp.eye(3), order=1)


def test_a_zero_singular_value_gives_no_nan() -> None:
    a = onp.outer(normal(4), normal(2, seed=1))
    for f in (lambda a: npla.norm(a, "nuc"), lambda a: npla.norm(a, 2)):
        assert onp.all(onp.isfinite(grad(f)(a)))


# ---- norms at 0


@pytest.mark.parametrize("order", [None, 1, 2, 3, 1.5, onp.inf, -onp.inf, 0, 0.5, "fro", "nuc"])
def test_the_slope_of_a_norm_at_0_is_0(order: Any) -> None:
    x = onp.zeros((2, 2)) if order in ("fro", "nuc") else onp.zeros(3)
    f = lambda x: npla.norm(x, order)  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        gradient = grad(f)(x)
        assert onp.all(onp.isfinite(make_jvp(f)(x)(onp.ones_like(x))[1]))
        assert onp.all(onp.isfinite(hessian(f)(x)))
    if order != "nuc":
        assert onp.all(gradient == 0)
    else:
        assert onp.all(onp.abs(onpla.svdvals(gradient)) <= 1 + 1e-12)


def test_norm_at_0_in_a_row_leaves_the_other_rows_alone() -> None:
    x = onp.array([[0.0, 0.0], [3.0, 4.0]])
    for order in (None, 2, 2.0):
        gradient = grad(lambda x, order=order: np.sum(npla.norm(x, order, axis=1)))(x)
        onp.testing.assert_allclose(gradient, [[0, 0], [0.6, 0.8]])
    hess = hessian(lambda x: np.sum(npla.norm(x, axis=1)))(x)
    assert onp.all(onp.isfinite(hess))


# ---- empty matrices, float32, integers


def test_empty_matrices() -> None:
    for f, shape in [
        (npla.inv, (0, 0)), (npla.inv, (0, 3, 3)), (lambda a: npla.solve(a, onp.ones(0)), (0, 0)),
        (npla.det, (0, 3, 3)), (lambda a: npla.eigh(a)[0], (0, 0)), (npla.pinv, (0, 3)),
        (npla.svdvals, (0, 3)), (lambda a: npla.qr(a)[1], (0, 0)), (npla.cholesky, (0, 0)),
        (npla.norm, (0,)), (lambda a: np.real(npla.eig(a)[0]), (0, 0)),
    ]:  # fmt: skip
        a = onp.ones(shape)
        assert grad(lambda a, f=f: np.sum(f(a)))(a).shape == shape
        assert make_jvp(f)(a)(a)[1].shape == f(a).shape
    assert grad(npla.det)(onp.ones((0, 0))).shape == (0, 0)


def test_answers_keep_their_names_and_types() -> None:
    def f(a: Any) -> Any:
        value = npla.eigh(a)
        assert type(value) is type(onpla.eigh(onp.eye(1)))
        assert npla.slogdet(a).logabsdet.dtype == onp.float32
        return np.sum(value.eigenvalues) + np.sum(npla.svd(a).S) + np.sum(npla.qr(a).R)

    assert grad(f)(onp.eye(3, dtype="f4") + onp.float32(0.1)).dtype == onp.float32


def test_rank_is_a_constant() -> None:
    with pytest.warns(UserWarning, match="independent"):
        assert onp.all(grad(lambda a: 1.0 * npla.matrix_rank(a))(onp.eye(2)) == 0)


# ---- plain NumPy calls, lists, errors


def test_plain_numpy_calls_and_lists_of_traced_values() -> None:
    a = normal(2, 2)
    expected = grad(lambda a: np.sum(npla.inv(a)))(a)
    onp.testing.assert_array_equal(grad(lambda a: onp.sum(onpla.inv(a)))(a), expected)
    of_list = grad(lambda a: npla.det([[a[0, 0], a[0, 1]], [a[1, 0], a[1, 1]]]))(a)
    onp.testing.assert_allclose(of_list, grad(npla.det)(a))
    assert grad(lambda x: npla.norm([x, 4.0]))(3.0) == pytest.approx(0.6)
    assert grad(lambda x: onpla.multi_dot([x, a, x]))(a[0]) == pytest.approx((a + a.T) @ a[0])


@pytest.mark.parametrize(
    ("f", "kind", "words"),
    [
        (lambda a: npla.qr(a, "raw")[0], NotImplementedError, "mode='raw'"),
        (lambda a: npla.inv(a[:1]), onpla.LinAlgError, "square"),
        (lambda a: npla.inv(a * 0), onpla.LinAlgError, "Singular"),
        (lambda a: npla.norm(a, "what"), ValueError, "Invalid norm order"),
        (lambda a: npla.norm(a, "fro", axis=0), ValueError, "Invalid norm order"),
        (lambda a: npla.norm(a, 2, axis=5), ValueError, "axis 5"),
        (lambda a: npla.matrix_power(a[0], 2), onpla.LinAlgError, "two-dimensional"),
        (lambda a: npla.multi_dot([a]), ValueError, "at least two"),
        (lambda a: npla.multi_dot([a, a], out=a), TypeError, "cannot be written into out"),
        (lambda a: npla.outer(a, a), ValueError, "one-dimensional"),
        (lambda a: npla.tensorinv(a, 0), ValueError, "ind"),
    ],
)
def test_errors(f: Function, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        grad(lambda a: np.sum(f(a)))(normal(2, 2))


def test_products_go_to_the_functions_of_the_main_namespace() -> None:
    """These have their rules when the main namespace has them: the value goes there as it is."""
    a, b = normal(2, 3), normal(2, 3, seed=1)
    for name in ("cross", "vecdot", "tensordot"):
        fun, calls = getattr(npla, name), []
        main = lambda x, y, calls=calls, **options: calls.append(options) or x * y  # noqa: E731
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("literate_ad.numpy.numpy_wrapper." + name, main)
            onp.testing.assert_array_equal(grad(lambda a, f=fun: np.sum(f(a, b)))(a), b)
        assert calls == [{"axes": 2} if name == "tensordot" else {"axis": -1}]


@pytest.mark.filterwarnings("ignore:Output seems independent")
def test_every_primitive_of_ours_is_run_by_a_call() -> None:
    run: set[str] = set()

    class Run(Node):
        def __init__(self, value, fun, args, kwargs, parent_argnums, parents):  # type: ignore[no-untyped-def]
            run.add(fun.__name__)

        @classmethod
        def new_root(cls):  # type: ignore[no-untyped-def]
            return cls.__new__(cls)

    for call in CALLS:
        f = lambda x, call=call: call(x, *call.arrays[1:])  # noqa: E731
        trace(Run.new_root(), f, call.arrays[0])
        value = f(call.arrays[0])
        pullback = lambda x, f=f, value=value: make_vjp(f)(x)[0](onp.ones_like(value))  # noqa: E731
        trace(Run.new_root(), pullback, call.arrays[0])
    ours = {fun.__name__ for fun in primitive_vjps if fun.__module__ in ELSEWHERE}
    assert ours == {fun.__name__ for fun in primitive_jvps if fun.__module__ in ELSEWHERE}
    # Of complex numbers, and of second derivatives: tests above.
    assert ours - run <= {"conjugate", "cofactor_change"}
    assert len(ours) >= 15


# ---- peers


PEERS: dict[str, tuple[Function, Any]] = {
    "inv": (lambda m: lambda a: m.sum(m.linalg.inv(a) ** 2), normal(2, 3, 3) + 3 * onp.eye(3)),
    "solve": (lambda m: lambda a: m.sum(m.linalg.solve(a, a @ a) ** 2), C.real),
    "det": (lambda m: lambda a: m.sum(m.linalg.det(a)), normal(2, 3, 3)),
    "slogdet": (lambda m: lambda a: m.sum(m.linalg.slogdet(a)[1]), normal(2, 3, 3)),
    "pinv": (lambda m: lambda a: m.sum(m.linalg.pinv(a) ** 3), normal(4, 3)),
    "cholesky": (
        lambda m: lambda a: m.sum(m.linalg.cholesky(a @ a.T + onp.eye(3)) ** 3), C.real
    ),
    "eigh": (
        lambda m: lambda a: m.sum(m.linalg.eigh(a + a.T)[0] * onp.arange(3.0))
        + m.sum(m.linalg.eigh(a + a.T)[1] ** 4), C.real
    ),
    "svd": (
        lambda m: lambda a: m.sum(m.linalg.svd(a, full_matrices=False)[0] ** 4)
        + m.sum(m.linalg.svd(a, full_matrices=False)[1] ** 3), normal(4, 3)
    ),
    "norm": (lambda m: lambda a: m.linalg.norm(a), C.real),
    "norm, axis": (lambda m: lambda a: m.sum(m.linalg.norm(a, 3, axis=1)), C.real),
    "norm, nuc": (lambda m: lambda a: m.linalg.norm(a, "nuc"), C.real),
    "qr": (lambda m: lambda a: m.sum(m.linalg.qr(a)[0] ** 3 + m.linalg.qr(a)[1] ** 3), C.real),
    "norm, 2": (lambda m: lambda a: m.linalg.norm(a, 2), C.real),
    "matrix_power": (lambda m: lambda a: m.sum(m.linalg.matrix_power(a, 3)), C.real),
}  # fmt: skip


@pytest.mark.parametrize("name", PEERS)
def test_autograd_and_jax_give_the_same_gradients(name: str) -> None:
    autograd = pytest.importorskip("autograd")
    jax = pytest.importorskip("jax")
    anp = pytest.importorskip("autograd.numpy")
    jnp = pytest.importorskip("jax.numpy")
    make, x = PEERS[name]
    ours = grad(make(np))(x)
    with jax.enable_x64(True):
        theirs = jax.grad(make(jnp))(jnp.asarray(x))
        onp.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)
    if name not in ("qr", "norm, 2", "matrix_power"):  # which autograd lacks
        onp.testing.assert_allclose(ours, autograd.grad(make(anp))(x), rtol=1e-9, atol=1e-11)


def test_transposes_agree_with_forward_maps_for_a_random_cotangent() -> None:
    for f, x in [
        (lambda a: npla.svd(a, full_matrices=True)[0], draw(4, 2, seed=1)),
        (lambda a: npla.svd(a, full_matrices=True)[2], draw(2, 4, seed=1)),
        (lambda a: npla.qr(a, "complete")[0], draw(4, 2, seed=1)),
        (lambda a: npla.eig(a)[1], draw(3, 3, seed=1)),
        (lambda a: npla.eigh(a)[1], draw(3, 3, seed=1)),
    ]:
        t = draw(*x.shape, seed=3)
        pullback, value = make_vjp(f)(x)
        g = draw(*value.shape, seed=4)
        tangent = make_jvp(f)(x)(t)[1]
        assert onp.sum(g * tangent).real == pytest.approx(onp.sum(pullback(g) * t).real)
