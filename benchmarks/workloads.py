"""The programs that the engine and its peer are timed with.

Each is a function of one argument and constants, written once, for a module ``xp`` with NumPy's
functions. ``side_by_side.py`` times them, after it has seen that both libraries give the same
results.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy

CHAIN = 1000
STEPS = 200  # of the operations on an array of 3 x 3
PAIRS = 500
TERMS = 2000
Function = Callable[..., Any]


@dataclass(frozen=True)
class Workload:
    """``fun(xp, p, *constants)``, what is wanted of it, and how many operations it makes.

    ``mode`` is one of ``value``, ``gradient`` (with the value), ``record`` (a pullback is made),
    ``pull`` (it is called), ``push`` (a tangent, the last constant), ``jacobian``, ``hessian``,
    ``product`` (of the Hessian and the last constant), ``second`` and ``third`` derivative.
    """

    name: str
    fun: Function
    args: Callable[[], tuple[Any, ...]]
    mode: str = "gradient"
    operations: int = 1


def normal(*shape: int, seed: int = 0) -> Any:
    return numpy.random.default_rng(seed).standard_normal(shape)


# ---- chains of numbers


def sines(xp: Any, x: Any) -> Any:
    sin = xp.sin
    for _ in range(CHAIN):
        x = sin(x)
    return x


def affine_maps(xp: Any, x: Any) -> Any:
    for _ in range(CHAIN):
        x = x * 0.999 + 0.001
    return x


def two_inputs(xp: Any, p: Any) -> Any:
    x, y = p
    z = x
    for _ in range(CHAIN):
        z = z * y + x
    return z


def fan_out(xp: Any, x: Any) -> Any:
    total = 0.0
    for k in range(TERMS):
        total = total + x * (k + 0.5)
    return total


def summed(fun: Function) -> Function:
    """The function with all its numbers added up."""
    return lambda xp, *args: xp.sum(fun(xp, *args))


def repeated(name: str, **options: Any) -> Function:
    """An untraced function, called again and again."""

    def fun(xp: Any, x: Any, *others: Any) -> Any:
        call = getattr(xp, name)
        for _ in range(CHAIN):
            answer = call(x, *others, **options)
        return answer

    return fun


def chains() -> Iterator[Workload]:
    start, vector = (lambda: (0.7,)), (lambda: (normal(3),))
    for mode in ("gradient", "record", "pull"):
        yield Workload(f"sines, {mode}", sines, start, mode, CHAIN)
    yield Workload("sines of 100 numbers", summed(sines), lambda: (normal(100),), operations=CHAIN)
    for mode in ("gradient", "record", "pull"):
        yield Workload(f"x * a + b, {mode}", affine_maps, start, mode, 2 * CHAIN)
    yield Workload("x * a + b, push", affine_maps, lambda: (0.7, 1.0), "push", 2 * CHAIN)
    yield Workload("z * y + x of a pair", two_inputs, lambda: ([0.7, 0.3],), operations=2 * CHAIN)
    yield Workload("untraced sin", repeated("sin"), start, "value", CHAIN)
    twice = lambda: (normal(3), normal(3, seed=1))  # noqa: E731
    yield Workload("untraced multiply", repeated("multiply"), twice, "value", CHAIN)
    yield Workload("untraced sum", repeated("sum", axis=0), vector, "value", CHAIN)
    yield Workload("fan-out of a number", fan_out, start, operations=2 * TERMS)
    thousand = lambda: (normal(1000),)  # noqa: E731
    yield Workload("fan-out of 1000", summed(fan_out), thousand, operations=2 * TERMS)
    tanh = lambda xp, x: xp.tanh(x)  # noqa: E731
    for mode in ("gradient", "second", "third"):
        yield Workload(f"tanh of a number, {mode}", tanh, start, mode)


# ---- models


def layers(xp: Any, params: Any, x: Any) -> Any:
    """A perceptron; its last layer is linear."""
    for i, (weights, bias) in enumerate(params):
        x = x @ weights + bias
        if i < len(params) - 1:
            x = xp.tanh(x)
    return x


def cross_entropy(xp: Any, params: Any, x: Any, classes: Any) -> Any:
    scores = layers(xp, params, x)
    sums = xp.log(xp.sum(xp.exp(scores), axis=1, keepdims=True))
    return xp.sum(classes * (sums - scores)) / len(x)


def squared_error(xp: Any, params: Any, x: Any, y: Any) -> Any:
    return xp.sum((layers(xp, params, x) - y) ** 2)


def weights_of(*sizes: int) -> list[tuple[Any, Any]]:
    pairs = enumerate(pairwise(sizes))
    return [(normal(m, n, seed=i) / m**0.5, 0.1 * normal(n, seed=i)) for i, (m, n) in pairs]


def recurrent(xp: Any, p: Any, inputs: Any, h: Any) -> Any:
    total = 0.0
    for x in inputs:
        h = xp.tanh(x @ p["in"] + h @ p["on"] + p["bias"])
        total = total + xp.sum(h * h)
    return total


def gated(xp: Any, p: Any, inputs: Any, h: Any) -> Any:
    """A long short-term memory."""
    cell, size = h, h.shape[1]

    def gate(z: Any, place: int) -> Any:
        return xp.tanh(z[:, place * size : (place + 1) * size] / 2) / 2 + 0.5

    for x in inputs:
        z = x @ p["in"] + h @ p["on"] + p["bias"]
        cell = gate(z, 1) * cell + gate(z, 0) * xp.tanh(z[:, 3 * size :])
        h = gate(z, 2) * xp.tanh(cell)
    return xp.sum(h * h)


def sequence(gates: int) -> tuple[Any, ...]:
    """Parameters, 50 inputs of a batch of 8, and the first state."""
    width = 32 * gates
    p = {"in": normal(16, width) / 4, "on": normal(32, width) / 6, "bias": 0.1 * normal(width)}
    return p, list(normal(50, 8, 16, seed=1)), numpy.zeros((8, 32))


def logistic(xp: Any, w: Any, x: Any, y: Any) -> Any:
    return xp.sum(xp.log1p(xp.exp(-y * (x @ w))))


def evidence(xp: Any, t: Any, distances: Any, y: Any) -> Any:
    """The negative log marginal likelihood of a Gaussian process, without its constant."""
    noise = (xp.exp(t[2]) + 1e-6) * numpy.eye(len(y))
    covariance = xp.exp(t[0] - distances * xp.exp(-2.0 * t[1])) + noise
    factor = xp.linalg.cholesky(covariance)
    whitened = xp.linalg.solve(factor, y)
    return xp.sum(whitened**2) / 2 + xp.sum(xp.log(xp.diag(factor)))


def process() -> tuple[Any, ...]:
    x = numpy.linspace(0.0, 10.0, 200)
    return numpy.array([0.1, 0.2, -2.0]), (x[:, None] - x) ** 2 / 2, numpy.sin(x)


def contractions(xp: Any, p: Any) -> Any:
    a, b, c, many, others = p
    y = xp.einsum("ijk,kjl->il", a, b)
    w = xp.einsum("il,lm->im", y, c)
    z = xp.tensordot(a, b, ([2, 1], [0, 1]))
    q = xp.einsum("bij,bjk->bik", many, others)
    return xp.sum(w * w) + xp.sum(z * z) + xp.sum(q * q)


def models() -> Iterator[Workload]:
    def pictures() -> tuple[Any, ...]:
        classes = numpy.eye(10)[numpy.random.default_rng(2).integers(10, size=256)]
        return weights_of(784, 200, 100, 10), normal(256, 784, seed=1), classes

    def points() -> tuple[Any, ...]:
        return weights_of(2, 8, 8, 1), normal(16, 2), normal(16, 1)

    def votes() -> tuple[Any, ...]:
        x = normal(10_000, 100)
        return 0.1 * normal(100, seed=1), x, numpy.sign(x[:, 0] + normal(10_000, seed=2))

    def factors() -> tuple[Any, ...]:
        shapes = [(16, 24, 32), (32, 24, 20), (20, 16), (32, 20, 20), (32, 20, 20)]
        return ([normal(*shape, seed=i) for i, shape in enumerate(shapes)],)

    yield Workload("perceptron 784-200-100-10, batch of 256", cross_entropy, pictures)
    yield Workload("perceptron 2-8-8-1, batch of 16", squared_error, points)
    yield Workload("recurrent network, 50 steps", recurrent, lambda: sequence(1))
    yield Workload("long short-term memory, 50 steps", gated, lambda: sequence(4))
    yield Workload("logistic regression 10000 x 100", logistic, votes)
    yield Workload("Gaussian process of 200 points", evidence, process)
    yield Workload("einsum and tensordot", contractions, factors)


# ---- derivatives of vectors


def rosenbrock(xp: Any, x: Any) -> Any:
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def vector_field(xp: Any, x: Any, matrix: Any) -> Any:
    return xp.tanh(matrix @ x) * x + xp.sin(x)


def vectors() -> Iterator[Workload]:
    def near_half(n: int) -> Any:
        return 0.5 + 0.1 * normal(n)

    square = lambda: (normal(50), normal(50, 50, seed=1) / 7)  # noqa: E731
    yield Workload("Jacobian 50 -> 50", vector_field, square, "jacobian")
    yield Workload("Hessian, Rosenbrock of 20", rosenbrock, lambda: (near_half(20),), "hessian")
    for mode, name in (("product", "Hessian times vector"), ("push", "tangent")):
        both = lambda: (near_half(1000), normal(1000, seed=1))  # noqa: E731
        yield Workload(f"{name}, Rosenbrock of 1000", rosenbrock, both, mode)
    yield Workload("gradient, Rosenbrock of 1000", rosenbrock, lambda: (near_half(1000),))


# ---- reading, joining, and other operations whose own cost counts


def neighbours(xp: Any, x: Any) -> Any:
    total = 0.0
    for i in range(PAIRS):
        total = total + x[i] * x[i + 1]
    return total


def differences(xp: Any, x: Any) -> Any:
    total = 0.0
    for _ in range(10):
        step = x[1:] - x[:-1]
        total = total + xp.sum(step * step)
    return total


def gathered(xp: Any, x: Any, index: Any) -> Any:
    return xp.sum(x[index] ** 2)


def squares_of_a_list(xp: Any, p: Any) -> Any:
    total = 0.0
    for x in p:
        total = total + x * x
    return total


def joined(xp: Any, x: Any, count: int) -> Any:
    return xp.sum(xp.concatenate([x * (k + 0.5) for k in range(count)]))


def array_of_numbers(xp: Any, x: Any) -> Any:
    return xp.sum(xp.array([x * (k + 0.5) for k in range(PAIRS)]))


def broadcast(xp: Any, p: Any) -> Any:
    column, row = p
    z = column + row
    for _ in range(4):
        z = z * column + row
    return xp.sum(z)


def stepwise(step: Function) -> Function:
    """``step(xp, x)`` over and over on a small array."""

    def fun(xp: Any, x: Any) -> Any:
        for _ in range(STEPS):
            x = step(xp, x)
        return xp.sum(x * x)

    return fun


SMALL: dict[str, Function] = {
    "where": lambda xp, x: xp.where(x > 0.0, x, 0.5 * x),
    "transpose": lambda xp, x: xp.transpose(x, (1, 0)),
    "concatenate of two slices": lambda xp, x: xp.concatenate((x[1:], x[:1])),
    "one row added": lambda xp, x: x + 0.001 * x[1],
    "sum, reshape, subtract": lambda xp, x: x - xp.reshape(xp.sum(x, axis=1), (3, 1)) * 0.1,
    "maximum": lambda xp, x: xp.maximum(x, 0.9 * x),
}


def structure() -> Iterator[Workload]:
    for n in (1000, 10_000, 100_000):
        args = lambda n=n: (normal(n),)  # noqa: E731
        yield Workload(f"500 x[i] * x[i + 1] of {n}", neighbours, args, operations=4 * PAIRS)
    yield Workload("x[1:] - x[:-1] of 100000, ten times", differences, lambda: (normal(100_000),))
    places = numpy.random.default_rng(1).integers(10_000, size=100_000)
    yield Workload("x[index], 100000 of 10000", gathered, lambda: (normal(10_000), places))
    for n in (100, 300, 1000):
        floats = lambda n=n: (normal(n).tolist(),)  # noqa: E731
        yield Workload(f"a list of {n} floats", squares_of_a_list, floats, operations=3 * n)
        pieces = lambda n=n: (normal(4), n)  # noqa: E731
        yield Workload(f"concatenate of {n} pieces", joined, pieces, operations=2 * n)
    yield Workload("array of 500 numbers", array_of_numbers, lambda: (0.7,), operations=2 * PAIRS)
    sides = lambda: ([0.5 * normal(1000, 1), normal(1, 1000)],)  # noqa: E731
    yield Workload("broadcast (1000, 1) and (1, 1000)", broadcast, sides, operations=10)
    for name, step in SMALL.items():
        yield Workload(f"{name}, 3 x 3", stepwise(step), lambda: (normal(3, 3),), operations=STEPS)


def every_workload() -> list[Workload]:
    return [*chains(), *models(), *vectors(), *structure()]
