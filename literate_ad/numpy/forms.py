# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-forms-imports
"""The forms in which the derivative of a primitive is declared.

The parameters of a rule say what it reads. ``g`` is the cotangent, or the tangent. Then come,
as needed, the arguments ``x`` and ``y`` (or the function's own names for them), the answer
``ans``, a shape ``x_shape``, and parameters such as ``axis``::

    elementwise(anp.exp, lambda g, ans: g * ans)
    elementwise(anp.multiply, lambda g, y: g * y, lambda g, x: g * x)
    linear(anp.sum, lambda g, x_shape, axis, keepdims: spread(g, x_shape, axis, keepdims))
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from literate_ad.core import (
    elementwise_rule,
    missing_rule,
    primitive_jvps,
    primitive_vjps,
    register_rule,
    sum_of_tangents,
    sum_outgrads,
    vspace,
)
from literate_ad.numpy.arguments import Arguments
from literate_ad.numpy.numpy_wrapper import cast
from literate_ad.numpy.recorder import (
    Place,
    Rule,
    binary_recorder,
    number,
    one_array_recorder,
    pushed,
    reduced,
    several_arrays_recorder,
    together,
)
from literate_ad.numpy.rules.broadcasting import broadcast
from literate_ad.util import bind_positionally


# --- docs/en/articles/06-numpy-primitives.md#src-kept
class Reads:
    """A rule as ``rule(g, residual)``, and what it reads of a call: the residual's parts."""

    def __init__(self, form: str, fun: Any, rule: Rule, known: Sequence[str]) -> None:
        name = fun.__name__
        if not callable(rule):
            raise TypeError(f"{form}({name}, ...): a rule is a function, not {rule!r}")
        _, *names = inspect.signature(rule).parameters
        names = [each for each in names if each != "_"]
        unknown = [each for each in names if each not in known]
        if unknown:
            raise TypeError(
                f"{form}({name}, ...): a rule has no parameter {unknown[0]!r} to read: "
                f"after g it can read {', '.join(known)}"
            )
        self.names = names
        if len(names) == 1:
            self.rule = rule
        elif names:
            self.rule = lambda g, residual: rule(g, *residual)
        else:
            plain = rule if len(inspect.signature(rule).parameters) == 2 else None
            self.rule = plain or (lambda g, residual: rule(g))
        self.pick = itemgetter(*names) if names else lambda values: None


def place_of(reads: Reads, slots: Sequence[str]) -> Place:
    """Where the residual stands in the values of ``slots``, the last of which is None."""
    places = sorted(slots.index(name) for name in reads.names)
    if [slots[place] for place in places] != reads.names:
        raise TypeError(f"a rule reads {', '.join(slots[:-1])} in this order, not {reads.names}")
    if not places:
        return len(slots) - 1
    step = places[1] - places[0] if len(places) > 1 else 1
    return places[0] if len(places) == 1 else slice(places[0], places[-1] + 1, step)


# --- docs/en/articles/06-numpy-primitives.md#src-elementwise
def elementwise(fun: Any, *rules: Rule | None) -> None:
    """Declares a function that acts number by number, with a rule for each of its arguments.

    Each number of the answer has a slope, so that one rule serves both modes: it multiplies
    a cotangent, or a tangent, by the slope. Operands are broadcast as NumPy does. ``None``
    stands for an argument whose derivative is zero.

    Args:
        fun: a primitive of one or more arrays.
        rules: for each argument ``rule(g, ...)``, which returns ``g`` times the slope.

    Raises:
        TypeError: the declaration does not fit the function; the message says how.

    >>> import literate_ad.numpy as np
    >>> from literate_ad import deriv, grad, primitive
    >>> from literate_ad.extend import elementwise
    >>> @primitive
    ... def cube(x):
    ...     return x**3
    >>> elementwise(cube, lambda g, x: g * 3 * x**2)
    >>> float(grad(cube)(2.0)), float(deriv(cube)(2.0))
    (12.0, 12.0)
    """
    arguments = arguments_of("elementwise", fun, len(rules))
    defaults = {} if isinstance(fun.fun, np.ufunc) else arguments.others
    known = [*arguments.by_name(arguments.arrays), "ans", *defaults]
    reads = [None if rule is None else Reads("elementwise", fun, rule, known) for rule in rules]
    for each in reads:
        if each is not None:
            elementwise_rule(each.rule)

    def values_of(ans: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        values = {**defaults, **arguments.by_name(args[: len(rules)]), "ans": ans}
        if kwargs or len(args) > len(rules):
            values |= arguments.bind(0, tuple(args[len(rules) :]), kwargs)
        return values

    def reverse(nums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        ans = number(ans)
        values = values_of(ans, args, kwargs)
        pairs = [(reads[num], args[num]) for num in nums if reads[num] is not None]
        return together([reduced(r.rule, r.pick(values), arg, ans) for r, arg in pairs])

    def forward(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        ans = number(ans)
        values = values_of(ans, args, kwargs)
        pairs = [(reads[num], t) for num, t in zip(nums, tangents) if reads[num] is not None]
        return sum_outgrads([pushed(r.rule, t, r.pick(values), ans) for r, t in pairs])

    declare("elementwise", fun, reverse, forward)
    give_elementwise_recorder(fun, reads, reverse)


# --- docs/en/articles/06-numpy-primitives.md#src-install
def declare(form: str, fun: Any, reverse: Any, forward: Any) -> None:
    """Enters both rules of ``fun``, which has none yet."""
    register_rule(primitive_vjps, form, fun, reverse)
    register_rule(primitive_jvps, form, fun, forward)
    fun.declared = True


def arguments_of(form: str, fun: Any, count: int) -> Arguments:
    """The parameters of ``fun``, ``count`` arrays first.

    Raises:
        TypeError: ``fun`` is no primitive, or takes fewer arguments than it is given rules.
    """
    name = getattr(fun, "__name__", repr(fun))
    if not hasattr(fun, "fun"):
        raise TypeError(f"{form}: {name} is not a primitive: decorate it with @primitive")
    arguments = Arguments(fun, count)
    if not 0 < count == len(arguments.arrays):
        raise TypeError(f"{form}({name}, ...): {count} rules for {len(arguments.arrays)} arguments")
    return arguments


# --- docs/en/articles/06-numpy-primitives.md#src-binary
def give_elementwise_recorder(fun: Any, reads: Sequence[Any], reverse: Any) -> None:
    """The recorder that fits the number of arguments."""
    if isinstance(fun.fun, np.ufunc) and len(reads) == 1:
        rule, place = reads[0].rule, place_of(reads[0], ["x", "ans", ""])
        fun.record_by(rule, place, pushed)
    elif isinstance(fun.fun, np.ufunc) and len(reads) == 2:
        slots = ["x", "y", "ans", ""]
        rules: list[Any] = [p for each in reads for p in (each.rule, place_of(each, slots))]
        symbol = OPERATORS.get(fun.__name__)
        fun.operator = binary_recorder(fun, getattr(operator, symbol) if symbol else fun, *rules)
        fun.record_by(fun.operator)
    else:
        give_recorder(fun, reverse, frozenset(i for i, each in enumerate(reads) if each is None))


def give_recorder(fun: Any, reverse: Any, constant: frozenset[int]) -> None:
    """The recorder of a function of NumPy; a primitive of the user's keeps its own."""
    if getattr(fun, "of_one_array", None):
        fun.record_by(one_array_recorder(fun, reverse))
    elif hasattr(fun, "quick"):
        fun.record_by(several_arrays_recorder(fun, reverse, constant))


# The functions that stand behind Python's operators: on numbers these cost less than ufuncs.
OPERATORS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "power": "pow",
    "remainder": "mod",
}  # fmt: skip


# --- docs/en/articles/13-own-primitives.md#src-differentiable
def differentiable(
    fun: Any, reverse: Sequence[Rule | None], forward: Sequence[Rule | None]
) -> None:
    """Declares any other function: a reverse and a forward rule for each argument, side by side.

    A reverse rule takes the cotangent of the answer, a forward rule the tangent of its argument.
    ``None`` stands for an argument whose derivative is zero.

    Args:
        fun: a primitive.
        reverse: for each argument ``rule(g, ...)``, which returns its contribution.
        forward: for each argument ``rule(g, ...)``, which returns its part of the tangent.

    Raises:
        TypeError: the declaration does not fit the function; the message says how.

    >>> import numpy
    >>> from literate_ad import deriv, grad, primitive
    >>> from literate_ad.extend import differentiable
    >>> @primitive
    ... def square_sum(x):
    ...     return numpy.sum(x * x)
    >>> reverse, forward = lambda g, x: 2 * g * x, lambda g, x: numpy.sum(2 * x * g)
    >>> differentiable(square_sum, reverse=[reverse], forward=[forward])
    >>> grad(square_sum)(numpy.array([2.0, 3.0]))
    array([4., 6.])
    """
    if len(reverse) != len(forward):
        raise TypeError(
            f"differentiable({fun.__name__}, ...): {len(reverse)} reverse rules and {len(forward)} "
            f"forward rules: give both for each argument, or None for both"
        )
    arguments = arguments_of("differentiable", fun, len(reverse))
    arrays = [*arguments.by_name(arguments.arrays), *arguments.shape_names]
    known = [*arrays, "ans", *arguments.others]
    reads = [r and Reads("differentiable", fun, r, known) for r in reverse]
    pushes = [r and Reads("differentiable", fun, r, known) for r in forward]
    count = len(reverse)

    def values_of(ans: Any, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) < count:  # some of the arrays were given by name
            args, kwargs = bind_positionally(fun.fun, args, kwargs)
        others = arguments.bind(np.ndim(args[0]), tuple(args[count:]), kwargs)
        arrays = {**arguments.by_name(args[:count]), **arguments.shapes_by_name(args[:count])}
        return {**others, **arrays, "ans": ans}

    def pull(nums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        values = values_of(ans, args, kwargs)
        pairs = [(reads[num], args[num]) for num in nums if reads[num]]
        return together([projected(fun, r.rule, r.pick(values), arg) for r, arg in pairs])

    def push(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        values = values_of(ans, args, kwargs)
        pairs = [(pushes[num], t) for num, t in zip(nums, tangents) if pushes[num]]
        return sum_of_tangents(fun, [(r.rule(t, r.pick(values)), t) for r, t in pairs], ans)

    declare("differentiable", fun, pull, push)
    constant = frozenset(place for place, rule in enumerate(reverse) if rule is None)
    give_recorder(fun, pull, constant)


def projected(fun: Any, rule: Rule, residual: Any, arg: Any) -> tuple[Rule, Any]:
    """The rule of ``fun``, held to the shape and dtype of its argument."""
    return rule_then_project, (fun, rule, residual, vspace(arg))


def rule_then_project(g: Any, residual: tuple[Any, Rule, Any, Any]) -> Any:
    """A rule, and the check of what it returns."""
    fun, rule, rest, space = residual
    contribution = rule(g, rest)
    try:
        return space.project(contribution)
    except ValueError as error:
        raise ValueError(
            f"the reverse rule of {fun.__name__} returned a wrong contribution: {error}"
        ) from error


# --- docs/en/articles/15-shapes.md#src-linear
def linear(fun: Any, transpose: Rule) -> None:
    """Declares a function that is linear in its first argument, by the transpose of that map.

    A linear map is its own derivative, so forward mode calls ``fun`` on the tangent. The
    transpose cannot depend on the values of ``x``: it reads ``x_shape`` and parameters only.

    Args:
        fun: a primitive that is linear in its first argument.
        transpose: ``transpose(g, ...)``, which returns the contribution to that argument.

    Raises:
        TypeError: the declaration does not fit the function; the message says how.

    >>> import numpy
    >>> from literate_ad import grad, primitive
    >>> from literate_ad.extend import linear
    >>> @primitive
    ... def total(x, factor):
    ...     return numpy.sum(x) * factor
    >>> linear(total, lambda g, x_shape, factor: numpy.full(x_shape, factor * g))
    >>> grad(total)(numpy.ones(2), 5.0)
    array([5., 5.])
    """
    arguments = arguments_of("linear", fun, 1)
    reads = Reads("linear", fun, transpose, ["x_shape", *arguments.others])

    def reverse(nums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        only_first("reverse", fun, nums)
        x = args[0]
        values = arguments.bind(x.ndim, tuple(args[1:]), kwargs)
        values["x_shape"] = x.shape
        return cast_back(reads.rule, reads.pick(values), x, number(ans))

    def forward(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        only_first("forward", fun, nums)
        arguments.bind(args[0].ndim, tuple(args[1:]), kwargs)  # refuses options
        return broadcast(number(fun(tangents[0], *args[1:], **kwargs)), number(ans))

    declare("linear", fun, reverse, forward)
    give_recorder(fun, reverse, frozenset())


def cast_back(rule: Rule, residual: Any, x: Any, ans: Any) -> tuple[Rule, Any]:
    """The rule, and after it a cast to the dtype of ``x`` if the answer has another."""
    return (rule, residual) if x.dtype == ans.dtype else (rule_then_cast, (rule, residual, x.dtype))


def rule_then_cast(g: Any, residual: tuple[Rule, Any, Any]) -> Any:
    """A rule whose answer had another dtype than its argument."""
    rule, rest, dtype = residual
    return cast(rule(g, rest), dtype)


def only_first(mode: str, fun: Any, nums: Sequence[int]) -> None:
    """An error for a traced argument that the declaration says nothing about."""
    if tuple(nums) != (0,):
        beyond = tuple(num for num in nums if num)
        raise NotImplementedError(missing_rule(mode, "differentiable", fun, beyond))


# --- docs/en/articles/16-joining-indexing.md#src-joint
def joint(fun: Any, reverse: Any, forward: Any) -> None:
    """Declares a function of any number of arrays.

    ``reverse(argnums, ans, args, kwargs)`` gives a rule and its residual; the rule gives a
    contribution to each of ``argnums``, or to the only one.
    ``forward(argnums, tangents, ans, args, kwargs)`` gives the tangent.
    """
    declare("joint", fun, reverse, forward)
    give_recorder(fun, reverse, frozenset())


# --- docs/en/articles/18-products.md#src-multilinear
def multilinear(fun: Any, *transposes: Rule) -> None:
    """Declares a function that is linear in each of its first arguments, by their transposes.

    The transpose for one argument reads the other arguments and the shape of its own. In
    forward mode the tangent takes the place of its argument.

    Args:
        fun: a primitive that is linear in each of its first arguments.
        transposes: for each of them ``transpose(g, ...)``, which returns its contribution.

    Raises:
        TypeError: the declaration does not fit the function; the message says how.

    >>> import numpy
    >>> from literate_ad import deriv, grad, primitive
    >>> from literate_ad.extend import multilinear
    >>> @primitive
    ... def inner(x, y):
    ...     return numpy.sum(x * y)
    >>> multilinear(inner, lambda g, y: g * y, lambda g, x: g * x)
    >>> grad(inner, 1)(numpy.array([2.0, 3.0]), numpy.ones(2))
    array([2., 3.])
    """
    arguments = arguments_of("multilinear", fun, len(transposes))
    known = [*arguments.by_name(arguments.arrays), *arguments.shape_names]
    reads = [Reads("multilinear", fun, each, [*known, *arguments.others]) for each in transposes]
    count = len(transposes)
    read = {name for each in reads for name in each.names}
    defaults = {name: value for name, value in arguments.others.items() if name in read}

    def reverse(nums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        values = {
            **defaults,
            **arguments.by_name(args[:count]),
            **arguments.shapes_by_name(args[:count]),
        }
        if kwargs or len(args) > count:
            values |= arguments.bind(0, tuple(args[count:]), kwargs)
        pairs = [(reads[num], args[num]) for num in nums]
        ans = number(ans)
        return together([cast_back(r.rule, r.pick(values), arg, ans) for r, arg in pairs])

    def forward(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        arguments.bind(0, tuple(args[count:]), kwargs)  # refuses options
        terms = [fun(*args[:num], t, *args[num + 1 :], **kwargs) for num, t in zip(nums, tangents)]
        return sum_outgrads([broadcast(number(term), number(ans)) for term in terms])

    declare("multilinear", fun, reverse, forward)
    give_recorder(fun, reverse, frozenset())
