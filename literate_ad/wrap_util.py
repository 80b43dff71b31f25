# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/03-grad.md#src-wrap-util-imports
"""From operators on functions of one argument to operators on functions of any."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from types import MethodType
from typing import Any

from literate_ad.util import subvals


# --- docs/en/articles/03-grad.md#src-unary-to-nary
def unary_to_nary(unary_operator: Callable[..., Any]) -> Callable[..., Any]:
    """Lets an operator on ``f(x)`` work on one chosen argument, or several, of any ``f``.

    The operator it makes takes ``fun`` and ``argnum``, an int for one argument, or a tuple or
    list of ints for several at once, and returns a function of ``fun``'s own arguments.

    >>> from literate_ad import grad
    >>> df = grad(lambda x, y: x * y, 1)
    >>> float(df(3.0, 5.0))
    3.0
    """

    def nary_operator(
        fun: Callable[..., Any], argnum: Any = 0, *operator_args: Any, **operator_kwargs: Any
    ) -> DerivedFunction:
        return DerivedFunction(
            nary_operator, unary_operator, fun, argnum, operator_args, operator_kwargs
        )

    return update_wrapper(nary_operator, unary_operator)


# --- docs/en/articles/03-grad.md#src-derived-function
class DerivedFunction:
    """What ``grad(f)`` returns: a function of ``f``'s arguments that has computed nothing yet.

    Keeps the name and the docstring of ``f``; can be pickled whenever ``f`` can.

    Raises:
        TypeError: ``f`` is no function, or ``argnum`` is not an int or a tuple or list of ints.

    >>> from literate_ad import grad
    >>> def f(x, y):
    ...     return x * y
    >>> grad(f, 1)
    <grad_of_f_wrt_argnum_1>
    """

    def __init__(
        self,
        nary_operator: Callable[..., Any],
        unary_operator: Callable[..., Any],
        fun: Callable[..., Any],
        argnum: Any,
        operator_args: tuple[Any, ...],
        operator_kwargs: dict[str, Any],
    ) -> None:
        check_operand(unary_operator, fun, argnum)
        self._recipe = (nary_operator, fun, argnum, operator_args, operator_kwargs)
        self._operate = unary_operator
        self.__wrapped__ = fun
        name, of = unary_operator.__name__, getattr(fun, "__name__", type(fun).__name__)
        self.__name__ = f"{name}_of_{of}_wrt_argnum_{argnum}"
        self.__qualname__ = self.__name__
        self.__module__ = getattr(fun, "__module__", __name__)
        about = f"with respect to argument number {argnum}. Takes the same arguments."
        self.__doc__ = (
            f"The {name} of {of} {about}\n\n{getattr(fun, '__doc__', None) or ''}".rstrip()
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _, fun, argnum, operator_args, operator_kwargs = self._recipe
        if len(args) == 1 and argnum == 0 and not kwargs:
            return self._operate(fun, args[0], *operator_args, **operator_kwargs)
        x = select(self.__name__, args, argnum)

        def unary_f(x: Any) -> Any:
            chosen = [(argnum, x)] if isinstance(argnum, int) else zip(argnum, x)
            return fun(*subvals(args, chosen), **kwargs)

        return self._operate(update_name(unary_f, fun), x, *operator_args, **operator_kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<{self.__name__}>"

    def __reduce__(self) -> Any:
        nary_operator, fun, argnum, operator_args, operator_kwargs = self._recipe
        return partial(nary_operator, **operator_kwargs), (fun, argnum, *operator_args)


def update_name(unary_f: Callable[[Any], Any], fun: Callable[..., Any]) -> Callable[[Any], Any]:
    """``unary_f`` under the name of ``fun``, for messages."""
    unary_f.__name__ = getattr(fun, "__name__", type(fun).__name__)
    return unary_f


# --- docs/en/articles/03-grad.md#src-check-operand
def check_operand(operator: Callable[..., Any], fun: Any, argnum: Any) -> None:
    """Raises for a wrong operand when ``grad(f)`` is evaluated, before it is called."""
    name = operator.__name__
    if not callable(fun):
        raise TypeError(
            f"{name} differentiates a function, but got {fun!r}: call it as {name}(f)(x)"
        )
    numbers = argnum if isinstance(argnum, (tuple, list)) else [argnum]
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        raise TypeError(
            f"{name}: argnum must be an int, or a tuple or list of ints, not {argnum!r}"
        )
    if len(set(numbers)) < len(numbers):
        raise TypeError(f"{name}: argnum names an argument twice: {argnum!r}")


def select(name: str, args: tuple[Any, ...], argnum: Any) -> Any:
    """The argument to differentiate, or a tuple of several.

    Raises:
        TypeError: there is no such positional argument.
    """
    try:
        return args[argnum] if isinstance(argnum, int) else tuple([args[n] for n in argnum])
    except IndexError:
        raise TypeError(
            f"{name}: argument {argnum} was not given by position "
            f"(got {len(args)} positional arguments)"
        ) from None
