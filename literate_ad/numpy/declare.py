# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/03-grad.md#src-declare-imports
"""One declaration a rule: from a line that reads like the mathematics to both modes, fast.

The parameters of a rule say what the forward run must keep for it. ``g`` is the cotangent
or tangent. ``x`` and ``y`` are the arguments, ``ans`` is the answer, and ``_`` is nothing::

    elementwise(anp.exp, lambda g, ans: g * ans)
    binary(anp.multiply, lambda g, y: g * y, lambda g, x: g * x, "mul")
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import numpy as np

from literate_ad.core import (
    JVPNode,
    VJPNode,
    defjvp,
    defvjp,
    primitive_jvps,
    primitive_vjps,
    sum_outgrads,
)
from literate_ad.numpy.numpy_boxes import ArrayBox
from literate_ad.numpy.numpy_wrapper import replace
from literate_ad.numpy.rules.broadcasting import broadcast, unbroadcast
from literate_ad.tracer import new_box, record

Rule = Callable[..., Any]
Kept = tuple[Rule, int | slice]


# --- docs/en/articles/03-grad.md#src-binary-recorder
def binary_recorder(f: Any, operate: Any, kept_x: Kept, kept_y: Kept) -> Callable[[Any, Any], Any]:
    """``f(x, y)`` for operands of which at least one is traced, recorded on the newest trace."""
    (rule_x, place_x), (rule_y, place_y) = kept_x, kept_y

    def traced(x: Any, y: Any) -> Any:
        if type(y) is ArrayBox:
            if type(x) is not ArrayBox or x._trace < y._trace:
                return right(x, y)
            if x._trace == y._trace:
                return both(x, y)
        node, a = x._node, x._value  # the left operand alone
        ans = operate(a, y)
        residual = (a, y, ans, None)[place_x]
        if type(node) is VJPNode and (type(ans) is float64 or alike(a, ans)):
            return ArrayBox(ans, x._trace, VJPNode(node, rule_x, residual))
        return record_lone(f, x, y, x, rule_x, residual, ans)

    def right(x: Any, y: Any) -> Any:
        node, b = y._node, y._value
        ans = operate(x, b)
        residual = (x, b, ans, None)[place_y]
        if type(node) is VJPNode and (type(ans) is float64 or alike(b, ans)):
            return ArrayBox(ans, y._trace, VJPNode(node, rule_y, residual))
        return record_lone(f, x, y, y, rule_y, residual, ans)

    def both(x: Any, y: Any) -> Any:
        node, a, b = x._node, x._value, y._value
        ans = operate(a, b)
        values = (a, b, ans, None)
        residual = (rule_x, values[place_x], rule_y, values[place_y])
        if type(node) is VJPNode and (type(ans) is float64 or (alike(a, ans) and alike(b, ans))):
            return ArrayBox(ans, x._trace, VJPNode((node, y._node), both_rules, residual))
        return record_pair(f, x, y, residual, ans)

    return traced


# --- docs/en/articles/03-grad.md#src-alike
float64 = np.float64


def alike(operand: Any, ans: Any) -> bool:
    """Whether the operation neither broadcast its operand nor changed its dtype."""
    return (
        type(ans) is type(operand) is np.ndarray
        and operand.shape == ans.shape
        and operand.dtype == ans.dtype
    )


# --- docs/en/articles/03-grad.md#src-record-lone
def record_lone(f: Any, x: Any, y: Any, box: Any, rule: Rule, residual: Any, ans: Any) -> Any:
    """Records ``ans = f(x, y)``, in whatever mode, for one traced operand: ``box``."""
    node = box._node
    if type(node) is JVPNode and type(ans) is float64:
        return ArrayBox(ans, box._trace, JVPNode(rule(node.g, residual)))
    if not hasattr(ans, "dtype"):
        return NotImplemented  # the other operand is of a class of its own: let it answer
    if type(node) is VJPNode:
        node = VJPNode(node, *edge(rule, residual, box._value, ans))
    elif type(node) is JVPNode:
        node = JVPNode(broadcast(rule(node.g, residual), ans))
    else:
        return record(f, (x, y), {}, ans)
    return new_box(ans, box._trace, node)


# --- docs/en/articles/03-grad.md#src-record-pair
def record_pair(f: Any, x: Any, y: Any, residual: tuple[Rule, Any, Rule, Any], ans: Any) -> Any:
    """The same for two traced operands."""
    node_x, node_y = x._node, y._node
    rule_x, kept_x, rule_y, kept_y = residual
    if type(node_x) is VJPNode:
        edges = *edge(rule_x, kept_x, x._value, ans), *edge(rule_y, kept_y, y._value, ans)
        node: Any = VJPNode((node_x, node_y), both_rules, edges)
    elif type(node_x) is JVPNode:
        tangent_x, tangent_y = rule_x(node_x.g, kept_x), rule_y(node_y.g, kept_y)
        node = JVPNode(broadcast(tangent_x, ans) + broadcast(tangent_y, ans))
    else:
        return record(f, (x, y), {}, ans)
    return new_box(ans, x._trace, node)


# --- docs/en/articles/03-grad.md#src-both-rules
def both_rules(g: Any, kept: tuple[Rule, Any, Rule, Any]) -> tuple[Any, Any]:
    """The rule of a node with two parents: one cotangent for each."""
    rule_x, kept_x, rule_y, kept_y = kept
    return rule_x(g, kept_x), rule_y(g, kept_y)


# --- docs/en/articles/06-numpy-primitives.md#src-kept
positions = {"x": 0, "y": 1, "ans": 2, "_": 3}


def kept(rule: Rule) -> Kept:
    """The rule as ``rule(g, residual)``, and where in ``(x, y, ans, None)`` its residual stands."""
    code = rule.__code__
    places = [positions[name] for name in code.co_varnames[1 : code.co_argcount]]
    if len(places) == 1:
        return rule, places[0]
    step = places[1] - places[0]
    return (lambda g, residual: rule(g, *residual)), slice(places[0], places[-1] + 1, step)


# --- docs/en/articles/06-numpy-primitives.md#src-elementwise
def elementwise(fun: Callable[..., Any], rule: Rule) -> None:
    """Declares ``d f(x) = f'(x) dx``: each number has its slope, so one rule serves both modes."""
    raw, plain_rule = fun.fun, on_plain_values(rule)
    keeps_ans = rule.__code__.co_varnames[1] == "ans"

    @wraps(raw)
    def f(x: Any, *args: Any, **kwargs: Any) -> Any:
        if type(x) is not ArrayBox:
            return raw(x, *args, **kwargs) if args or kwargs else raw(x)
        if args or kwargs:
            return record(f, (x, *args), kwargs)
        node, value = x._node, x._value
        if type(value) is ArrayBox:
            ans, pull = f(value), rule
        else:
            ans, pull = raw(value), plain_rule
        residual = ans if keeps_ans else value
        if type(node) is VJPNode:
            return ArrayBox(ans, x._trace, VJPNode(node, pull, residual))
        if type(node) is JVPNode:
            return ArrayBox(ans, x._trace, JVPNode(pull(node.g, residual)))
        return record(f, (x,), {}, ans)

    install(fun, f, [kept(rule)])


# --- docs/en/articles/06-numpy-primitives.md#src-on-plain-values
def on_plain_values(rule: Rule) -> Rule:
    """``rule`` for a residual without a box: what it calls by ``anp`` is NumPy's own function."""
    names = {**rule.__globals__, "anp": np}
    return FunctionType(rule.__code__, names, closure=rule.__closure__)


# --- docs/en/articles/06-numpy-primitives.md#src-binary
def binary(fun: Callable[..., Any], rule_x: Rule, rule_y: Rule, symbol: str = "") -> None:
    """Declares a function of two broadcast arguments, and the Python operator it stands behind."""
    raw = fun.fun

    @wraps(raw)
    def f(x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        if type(x) is not ArrayBox and type(y) is not ArrayBox:
            return raw(x, y, *args, **kwargs) if args or kwargs else raw(x, y)
        return record(f, (x, y, *args), kwargs) if args or kwargs else traced(x, y)

    traced = binary_recorder(f, getattr(operator, symbol, f), kept(rule_x), kept(rule_y))
    install(fun, f, [kept(rule_x), kept(rule_y)])
    if symbol:
        setattr(ArrayBox, f"__{symbol}__", traced)
        setattr(ArrayBox, f"__r{symbol}__", lambda x, y: traced(y, x))


# --- docs/en/articles/06-numpy-primitives.md#src-install
def install(fun: Any, special: Any, rules: list[tuple[Rule, Any]]) -> None:
    """Puts the specialised primitive in ``fun``'s place, and files its rules for other nodes."""

    def make_rule(nums: tuple[int, ...], ans: Any, args: Any, kwargs: Any) -> tuple[Rule, Any]:
        refuse_options(special, args[len(rules) :], kwargs)
        values = (args[0], args[-1], ans, None)
        edges = [edge(rules[n][0], values[rules[n][1]], args[n], ans) for n in nums]
        return edges[0] if len(edges) == 1 else (both_rules, (*edges[0], *edges[1]))

    def push_forward(nums: tuple[int, ...], tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        refuse_options(special, args[len(rules) :], kwargs)
        values = (args[0], args[-1], ans, None)
        terms = [rules[n][0](t, values[rules[n][1]]) for n, t in zip(nums, tangents)]
        return sum_outgrads([broadcast(term, ans) for term in terms])

    special.fun, special.declared = fun.fun, True
    primitive_vjps[special] = make_rule
    primitive_jvps[special] = push_forward
    replace(fun.fun, special)


def refuse_options(fun: Any, more: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """A ufunc's ``out``, ``where`` or ``dtype`` would change what its rule says."""
    if more or kwargs:
        options = " or ".join(kwargs) or "further arguments"
        raise NotImplementedError(
            f"{fun.__name__} of a traced value takes no {options}: "
            f"use where() or astype() on its operands or its result instead"
        )


# --- docs/en/articles/06-numpy-primitives.md#src-linear
def linear(fun: Callable[..., Any], transpose: Callable[..., Any]) -> None:
    """Declares a function linear in its first argument by the maker of its transpose."""
    defvjp(fun, transpose)
    defjvp(fun, "same")


# --- docs/en/articles/07-broadcasting.md#src-edge
def edge(rule: Rule, residual: Any, operand: Any, ans: Any) -> tuple[Rule, Any]:
    """What a node stores for an operand: its rule, or more after broadcasting or a cast."""
    if operand.shape == ans.shape and operand.dtype == ans.dtype:
        return rule, residual
    if ans.dtype.kind == "O":
        raise TypeError("a traced value met an object array: use arrays of numbers")
    return rule_then_unbroadcast, (rule, residual, operand.shape, operand.dtype)


def rule_then_unbroadcast(g: Any, kept: tuple[Any, ...]) -> Any:
    """A rule, and then the way back through the broadcasting or the cast of its operand."""
    rule, residual, shape, dtype = kept
    return unbroadcast(rule(g, residual), shape, dtype)
