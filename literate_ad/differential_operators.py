# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/02-reverse-question.md#src-differential-operators-imports
"""``grad`` and its family: each a few lines on top of ``make_vjp`` and ``make_jvp``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import literate_ad.numpy as anp
from literate_ad.builtins import container_of, keys_of
from literate_ad.core import VSpace, is_container, vspace
from literate_ad.core import make_jvp as _make_jvp
from literate_ad.core import make_vjp as _make_vjp
from literate_ad.tracer import getval
from literate_ad.wrap_util import unary_to_nary


# --- docs/en/articles/02-reverse-question.md#src-nary-products
@unary_to_nary
def make_vjp(fun: Callable[[Any], Any], x: Any) -> Any:
    """The pullback of ``fun`` at ``x``, as ``core.make_vjp`` gives it, and the value.

    A cotangent has the shape of the value; what comes back has the shape and dtype of ``x``.

    Args:
        fun: a function of arrays, numbers and containers.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns ``(pullback, value)``. The pullback
        takes a cotangent of the value and returns that of the argument; for several positions
        it returns a tuple.

    Raises:
        TypeError: ``x`` is of a type that cannot be traced.
        ValueError: the pullback was given a cotangent of another shape than the value's.

    >>> from literate_ad import make_vjp
    >>> pullback, value = make_vjp(lambda x, y: x * y)(3.0, 5.0)
    >>> float(value), float(pullback(1.0)), float(pullback(10.0))
    (15.0, 5.0, 50.0)
    """
    return _make_vjp(fun, x)


@unary_to_nary
def make_jvp(fun: Callable[[Any], Any], x: Any) -> Any:
    """A function of a tangent of ``x`` that returns the value of ``fun`` at ``x`` and its tangent.

    A tangent of ``x`` has the shape of ``x``; that of the value has the value's shape and dtype.

    Args:
        fun: a function of arrays, numbers and containers.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun``. It returns a function of a tangent that returns
        ``(value, tangent of the value)``; for several positions the tangent that it takes is a
        tuple.

    Raises:
        TypeError: ``x`` is of a type that cannot be traced.
        ValueError: the tangent has another shape than ``x``.

    >>> from literate_ad import make_jvp
    >>> value, tangent = make_jvp(lambda x, y: x * y)(3.0, 5.0)(10.0)
    >>> float(value), float(tangent)
    (15.0, 50.0)
    """
    return _make_jvp(fun, x)


# --- docs/en/articles/02-reverse-question.md#src-deriv
@unary_to_nary
def deriv(fun: Callable[[Any], Any], x: Any) -> Any:
    """The derivative of ``fun`` along the all-ones direction of ``x``, in forward mode.

    It has the shape and dtype of the value.

    Args:
        fun: a function of arrays, numbers and containers.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns the derivative.

    Raises:
        TypeError: ``x`` is of a type that cannot be traced.

    >>> from literate_ad import deriv
    >>> float(deriv(lambda x: x * x)(3.0))
    6.0
    """
    return _make_jvp(fun, x)(vspace(x).ones())[1]


# --- docs/en/articles/02-reverse-question.md#src-jacobian
@unary_to_nary
def jacobian(fun: Callable[[Any], Any], x: Any) -> Any:
    """All partial derivatives, as an array of shape ``value.shape + x.shape``.

    One backward pass for each number in the value. For several arguments, or a value that is
    a container: such an array for each of them.

    Args:
        fun: a function whose value is real, of any shape.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns the Jacobian. For several positions,
        or for a container, it returns one array for each part.

    Raises:
        TypeError: ``x`` cannot be traced, or the value of ``fun`` is complex.

    >>> import literate_ad.numpy as np
    >>> from literate_ad import jacobian
    >>> jacobian(lambda x: x[0] * x)(np.array([2.0, 3.0]))
    array([[4., 0.],
           [3., 2.]])
    """
    pullback, value = _make_vjp(fun, x)
    space = vspace(value)
    if space.iscomplex:
        raise TypeError(f"jacobian needs a function with real values, but it was {describe(value)}")
    return split_value(map(pullback, space.standard_basis()), value, x)


def split_value(rows: Iterator[Any], value: Any, x: Any) -> Any:
    """The rows of a Jacobian, ordered like ``value``: an array, or arrays in a container."""
    if is_container(value):
        return container_of(
            getval(value), *[split_value(rows, value[key], x) for key in keys_of(getval(value))]
        )
    return split_input(list(islice(rows, vspace(value).size)), anp.shape(value), x)


def split_input(rows: list[Any], shape: tuple[int, ...], x: Any) -> Any:
    """The same for the columns, ordered like ``x``."""
    if is_container(x):
        items = [
            split_input([row[key] for row in rows], shape, x[key]) for key in keys_of(getval(x))
        ]
        return container_of(getval(x), *items)
    shape = shape + anp.shape(x)
    if not rows:
        return anp.zeros(shape, vspace(x).zeros().dtype)
    return anp.reshape(anp.stack(rows), shape) if shape else rows[0]  # a number, not an array


# --- docs/en/articles/02-reverse-question.md#src-hessian
@unary_to_nary
def hessian(fun: Callable[[Any], Any], x: Any) -> Any:
    """The matrix of second derivatives: shape ``x.shape + x.shape`` for a scalar function.

    Args:
        fun: a function whose value is one real number.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns the matrix.

    Raises:
        TypeError: ``x`` cannot be traced, or the value of ``fun`` is complex.

    >>> import literate_ad.numpy as np
    >>> from literate_ad import hessian
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    return jacobian(jacobian(fun))(x)


# --- docs/en/articles/02-reverse-question.md#src-make-hvp
@unary_to_nary
def make_hvp(fun: Callable[[Any], Any], x: Any) -> Any:
    """The product with the Hessian at ``x``, as a function of a vector, and the gradient there.

    The Hessian itself is never built: one product costs one backward pass. The vector, the
    product and the gradient have the shape and dtype of ``x``.

    Args:
        fun: a function whose value is one real number.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns ``(product, gradient)``, where
        ``product(vector)`` is the Hessian times the vector.

    Raises:
        TypeError: the value of ``fun`` is not one real number.
        ValueError: the vector has another shape than ``x``.

    >>> from literate_ad import make_hvp
    >>> hvp, gradient = make_hvp(lambda x: x**3)(2.0)
    >>> float(hvp(1.0)), float(gradient)
    (12.0, 12.0)
    """
    return _make_vjp(grad(fun), x)


# --- docs/en/articles/02-reverse-question.md#src-hessian-vector-product
def hessian_vector_product(fun: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    """A function of ``fun``'s arguments followed by a vector: the Hessian times that vector.

    The vector and the product have the shape of the argument.

    Args:
        fun: a function whose value is one real number.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` and then of a vector of the shape of the
        argument. It returns the Hessian times that vector.

    Raises:
        TypeError: the value of ``fun`` is not one real number.
        ValueError: the vector has another shape than the argument.

    >>> from literate_ad import hessian_vector_product
    >>> float(hessian_vector_product(lambda x: x**3)(2.0, 10.0))
    120.0
    """
    return HessianVectorProduct(fun, argnum)


class HessianVectorProduct:
    """What ``hessian_vector_product(f)`` returns; can be pickled whenever ``f`` can."""

    def __init__(self, fun: Callable[..., Any], argnum: int) -> None:
        self._make = make_hvp(fun, argnum)
        of = getattr(fun, "__name__", type(fun).__name__)
        self.__name__ = f"hessian_vector_product_of_{of}_wrt_argnum_{argnum}"
        about = f"The Hessian of {of}, times the vector given as the last argument."
        self.__doc__ = f"{about}\n\n{getattr(fun, '__doc__', None) or ''}".rstrip()

    def __call__(self, *args_and_vector: Any, **kwargs: Any) -> Any:
        *args, vector = args_and_vector
        return self._make(*args, **kwargs)[0](vector)


# --- docs/en/articles/03-grad.md#src-grad
@unary_to_nary
def grad(fun: Callable[[Any], Any], x: Any) -> Any:
    """The gradient of a scalar function: same structure, shape and dtype as ``x``.

    Args:
        fun: a function whose value is one real number.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns the gradient; for several positions
        a tuple of gradients.

    Raises:
        TypeError: the value of ``fun`` is not one real number.

    >>> import literate_ad.numpy as np
    >>> from literate_ad import grad
    >>> grad(lambda x: np.sum(x**2))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    pullback, value = _make_vjp(fun, x)
    return pullback(scalar_space("grad", value).ones())


# --- docs/en/articles/03-grad.md#src-value-and-grad
@unary_to_nary
def value_and_grad(fun: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """The value and the gradient of a scalar function, from one run of ``fun``.

    The gradient has the structure, shape and dtype of ``x``.

    Args:
        fun: a function whose value is one real number.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns ``(value, gradient)``; for several
        positions the gradient is a tuple.

    Raises:
        TypeError: the value of ``fun`` is not one real number.

    >>> from literate_ad import value_and_grad
    >>> value, gradient = value_and_grad(lambda x: x * x)(3.0)
    >>> float(value), float(gradient)
    (9.0, 6.0)
    """
    pullback, value = _make_vjp(fun, x)
    return value, pullback(scalar_space("value_and_grad", value).ones())


def scalar_space(name: str, value: Any) -> VSpace:
    """The space of a scalar function's value, or the error that says what else to call."""
    if value is None:
        raise TypeError(f"{name} needs a function that returns a number, but it returned None")
    space = vspace(value)
    if space.size != 1 or space.iscomplex:
        raise TypeError(
            f"{name} needs a function whose value is one real number, but it was "
            f"{describe(value)}. For the matrix of all derivatives call jacobian; for a "
            f"function applied element by element call elementwise_grad"
        )
    return space


def describe(value: Any) -> str:
    """What a value is, for messages."""
    value = getval(value)
    if hasattr(value, "shape"):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    return f"a {type(value).__name__}"


# --- docs/en/articles/03-grad.md#src-elementwise-grad
@unary_to_nary
def elementwise_grad(fun: Callable[[Any], Any], x: Any) -> Any:
    """The gradient of the sum of all outputs, whatever their shape.

    For a function that acts element by element this is its derivative, in one reverse pass.
    It has the shape and dtype of ``x``.

    Args:
        fun: a function whose value is real, of any shape.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns the gradient; for several positions
        a tuple of gradients.

    Raises:
        TypeError: the value of ``fun`` is complex.

    >>> import literate_ad.numpy as np
    >>> from literate_ad import elementwise_grad
    >>> elementwise_grad(lambda x: x**3)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    pullback, value = _make_vjp(fun, x)
    space = vspace(value)
    if space.iscomplex:
        raise TypeError(
            f"elementwise_grad needs a function with real values, but it was {describe(value)}"
        )
    return pullback(space.ones())


# --- docs/en/articles/21-complex.md#src-holomorphic-grad
@unary_to_nary
def holomorphic_grad(fun: Callable[[Any], Any], x: Any) -> Any:
    """The complex derivative of a holomorphic function, of the shape and dtype of ``x``.

    Args:
        fun: a function whose value is one complex number, with a complex derivative.
        argnum: the position of the argument to differentiate, or a tuple of positions; 0 by
            default.

    Returns:
        A function of the arguments of ``fun`` that returns the derivative.

    Raises:
        TypeError: ``x`` is not complex, or the value of ``fun`` is no single number.

    >>> from literate_ad import holomorphic_grad
    >>> complex(holomorphic_grad(lambda z: z * z)(1.0 + 2.0j))
    (2+4j)
    """
    if not vspace(x).iscomplex:
        raise TypeError(
            f"holomorphic_grad needs a complex argument, but it was {describe(x)}: call grad"
        )
    pullback, value = _make_vjp(fun, x)
    space = vspace(value)
    if space.size != 1:
        raise TypeError(
            f"holomorphic_grad needs a function whose value is one number, but it was "
            f"{describe(value)}"
        )
    return pullback(space.ones())
