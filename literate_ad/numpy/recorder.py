# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/03-grad.md#src-recorder-imports
"""The one place that records an operation: mode, residual, shape and dtype are decided here.

A declaration makes two functions of its rules. ``reverse(argnums, ans, args, kwargs)`` gives
the rule and the residual of a node, ``forward(argnums, tangents, ans, args, kwargs)`` the
tangent of the answer. The factories below make the recorders of a primitive of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Complex, Real
from typing import Any

import numpy as np
from numpy import float64

from literate_ad.core import (
    JVPNode,
    VJPNode,
    defined,
    masked,
    masked_rules,
)
from literate_ad.numpy.numpy_boxes import ArrayBox
from literate_ad.numpy.numpy_wrapper import as_array, convertible, holds_box
from literate_ad.numpy.rules.broadcasting import broadcast, unbroadcast
from literate_ad.tracer import (
    box_types,
    find_top_boxed_args,
    isbox,
    new_box,
    record,
    subvals,
    traced_by_position,
)

Rule = Callable[..., Any]
Place = int | slice  # of the residual in (x, y, ans, None)


# --- docs/en/articles/03-grad.md#src-binary-recorder
def binary_recorder(
    f: Any, operate: Any, rule_x: Rule, place_x: Place, rule_y: Rule, place_y: Place
) -> Callable[[Any, Any], Any]:
    """``f(x, y)`` for operands of which at least one is traced, recorded on the newest trace."""

    def traced(x: Any, y: Any) -> Any:
        try:
            if type(y) is ArrayBox:
                if type(x) is not ArrayBox or x._trace < y._trace:
                    return right(x, y)
                if x._trace == y._trace:
                    return both(x, y)
            node, a = x._node, x._value  # the left operand alone
            ans = operate(a, y)
            residual = (a, y, ans, None)[place_x]
            if type(node) is VJPNode and (type(ans) is float64 or matches(a, ans)):
                return ArrayBox(ans, x._trace, VJPNode(node, rule_x, residual))
            return record_one(f, (x, y), x, rule_x, residual, ans)
        except TypeError:  # an operand may be a list that holds traced values
            arrays = as_array(x), as_array(y)
            if arrays[0] is x and arrays[1] is y:
                raise
            return traced(*arrays)

    def right(x: Any, y: Any) -> Any:
        node, b = y._node, y._value
        ans = operate(x, b)
        residual = (x, b, ans, None)[place_y]
        if type(node) is VJPNode and (type(ans) is float64 or matches(b, ans)):
            return ArrayBox(ans, y._trace, VJPNode(node, rule_y, residual))
        return record_one(f, (x, y), y, rule_y, residual, ans)

    def both(x: Any, y: Any) -> Any:
        node, a, b = x._node, x._value, y._value
        ans = operate(a, b)
        values = (a, b, ans, None)
        residual = (rule_x, values[place_x], rule_y, values[place_y])
        if type(node) is VJPNode and (
            type(ans) is float64 or (matches(a, ans) and matches(b, ans))
        ):
            return ArrayBox(ans, x._trace, VJPNode((node, y._node), both_rules, residual))
        return record_both(f, x, y, residual, ans)

    return traced


# --- docs/en/articles/03-grad.md#src-both-rules
def both_rules(g: Any, residual: tuple[Rule, Any, Rule, Any]) -> tuple[Any, Any]:
    """The rule of a node with two parents: one contribution for each."""
    rule_x, residual_x, rule_y, residual_y = residual
    return rule_x(g, residual_x), rule_y(g, residual_y)


# --- docs/en/articles/03-grad.md#src-alike
def matches(operand: Any, ans: Any) -> bool:
    """Whether the operation neither broadcast its operand nor changed its dtype."""
    return (
        type(ans) is type(operand) is np.ndarray
        and operand.shape == ans.shape
        and operand.dtype == ans.dtype
    )


# --- docs/en/articles/03-grad.md#src-record-lone
def record_one(f: Any, args: Any, box: Any, rule: Rule, residual: Any, ans: Any) -> Any:
    """Records ``ans = f(*args)``, in whatever mode, for one traced operand: ``box``."""
    node = box._node
    if type(node) is JVPNode and type(ans) is float64:
        tangent = rule(node.g, residual)
        if tangent == tangent:
            return ArrayBox(ans, box._trace, JVPNode(tangent))
    if not hasattr(ans, "dtype"):
        operands = [number(arg) for arg in args]
        if any(arg is NotImplemented for arg in operands):
            return NotImplemented  # an operand is of a class of its own: it may answer
        return f(*operands)
    if type(node) is VJPNode:
        node = VJPNode(node, *reduced(rule, residual, box._value, ans))
    elif type(node) is JVPNode:
        node = JVPNode(pushed(rule, node.g, residual, ans))
    else:
        return record(f, args, {}, ans)
    return new_box(ans, box._trace, node)


# --- docs/en/articles/03-grad.md#src-record-pair
def record_both(f: Any, x: Any, y: Any, residual: tuple[Rule, Any, Rule, Any], ans: Any) -> Any:
    """The same for two traced operands."""
    node_x, node_y = x._node, y._node
    rule_x, residual_x, rule_y, residual_y = residual
    if type(node_x) is VJPNode:
        left = reduced(rule_x, residual_x, x._value, ans)
        right = reduced(rule_y, residual_y, y._value, ans)
        node: Any = VJPNode((node_x, node_y), both_rules, (*left, *right))
    elif type(node_x) is JVPNode:
        if type(ans) is float64:
            tangent = rule_x(node_x.g, residual_x) + rule_y(node_y.g, residual_y)
            if tangent == tangent:
                return ArrayBox(ans, x._trace, JVPNode(tangent))
        tangent_x = pushed(rule_x, node_x.g, residual_x, ans)
        node = JVPNode(tangent_x + pushed(rule_y, node_y.g, residual_y, ans))
    else:
        return record(f, (x, y), {}, ans)
    return new_box(ans, x._trace, node)


def number(x: Any) -> Any:
    """A Python number as NumPy's; NotImplemented for what is neither a number nor an array."""
    if hasattr(x, "dtype"):
        return x
    if isinstance(x, Real):
        return float64(x)
    return np.complex128(x) if isinstance(x, Complex) else NotImplemented


# --- docs/en/articles/07-broadcasting.md#src-edge
def reduced(rule: Rule, residual: Any, operand: Any, ans: Any) -> tuple[Rule, Any]:
    """What a node stores for an operand: its rule, or more after broadcasting or a cast."""
    if operand.shape == ans.shape and operand.dtype == ans.dtype:
        return rule, residual
    if ans.dtype.kind == "O":
        raise TypeError("a traced value met an object array: use arrays of numbers")
    return rule_then_unbroadcast, (rule, residual, operand.shape, operand.dtype)


def rule_then_unbroadcast(g: Any, residual: tuple[Any, ...]) -> Any:
    """A rule, and then the sum over the copies and the cast to the dtype of its operand."""
    rule, rest, shape, dtype = residual
    return unbroadcast(rule(g, rest), shape, dtype)


def masked_then_unbroadcast(g: Any, residual: tuple[Any, ...]) -> Any:
    """``rule_then_unbroadcast`` with a cotangent of 0 kept at 0."""
    rule, rest, shape, dtype = residual
    return unbroadcast(masked(rule)(g, rest), shape, dtype)


masked_rules[rule_then_unbroadcast] = masked_then_unbroadcast

# --- docs/en/articles/15-shapes.md#src-general-recorders
# Options of reductions that are put into operations of their own.
OPTIONS = {"where", "initial", "dtype", "out"}


def one_array_recorder(f: Any, reverse: Any) -> Callable[..., Any]:
    """The recorder of a function of one array and parameters."""
    quick = f.quick

    def traced(x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs and f.with_options and not OPTIONS.isdisjoint(kwargs):
            return f.with_options(x, args, kwargs)
        node, value = x._node, x._value
        if type(value) is ArrayBox:
            ans = f(value, *args, **kwargs)
        else:
            ans = quick(value, *args, **kwargs)
        if type(node) is VJPNode and ans.dtype.kind in "fc":
            rule, residual = reverse((0,), ans, (value, *args), kwargs)
            return ArrayBox(ans, x._trace, VJPNode(node, rule, residual))
        return record(f, (x, *args), kwargs, ans)

    return traced


def several_arrays_recorder(f: Any, reverse: Any, constant: frozenset[int]) -> Callable[..., Any]:
    """The recorder of a function of several arrays; those in ``constant`` have no derivative."""
    quick = f.quick

    def traced(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs:
            args, kwargs = traced_by_position(f.fun, args, kwargs)
        newest, nested = -1, False
        for arg in args:
            if type(arg) is ArrayBox:
                nested = nested or newest >= 0 or type(arg._value) is ArrayBox
                if arg._trace > newest:
                    newest, node = arg._trace, arg._node
            elif type(arg) in box_types or (type(arg) in convertible and holds_box(arg)):
                return f(*[as_array(arg) for arg in args], **kwargs)  # lists of traced values
        if type(node) is not VJPNode:
            return record_differentiable(f, args, kwargs, constant)
        values, argnums, parents = [], [], []
        for place, arg in enumerate(args):
            if type(arg) is ArrayBox and arg._trace == newest:
                if place not in constant:
                    argnums.append(place)
                    parents.append(arg._node)
                arg = arg._value
            values.append(arg)
        ans = (f if nested else quick)(*values, **kwargs)
        if not argnums or ans.dtype.kind not in "fc":
            return ans
        rule, residual = reverse(argnums, ans, values, kwargs)
        parent = parents[0] if len(parents) == 1 else tuple(parents)
        return ArrayBox(ans, newest, VJPNode(parent, rule, residual))

    return traced


def record_differentiable(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], constant: frozenset[int]
) -> Any:
    """``record`` for a function some of whose arguments have no derivative."""
    boxes, newest, node_type = find_top_boxed_args(args)
    if node_type is not None and node_type.of_this_run:
        args = subvals(args, [(place, box._value) for place, box in boxes if place in constant])
        if not any(isbox(arg) and arg._trace == newest for arg in args):
            return f(*args, **kwargs)
    return record(f, args, kwargs)


def several_rules(g: Any, residual: Sequence[tuple[Rule, Any]]) -> list[Any]:
    """The rule of a node with several parents: one contribution for each."""
    return [rule(g, rest) for rule, rest in residual]


def together(pairs: list[tuple[Rule, Any]]) -> tuple[Rule, Any]:
    """Rule and residual of a node whose parents have the rules and residuals of ``pairs``."""
    return pairs[0] if len(pairs) == 1 else (several_rules, pairs)


# --- docs/en/articles/13-own-primitives.md#src-masked-recorder-rules
def both_masked(g: Any, residual: tuple[Rule, Any, Rule, Any]) -> tuple[Any, Any]:
    """``both_rules`` with a cotangent of 0 kept at 0."""
    rule_x, residual_x, rule_y, residual_y = residual
    return masked(rule_x)(g, residual_x), masked(rule_y)(g, residual_y)


def several_masked(g: Any, residual: Sequence[tuple[Rule, Any]]) -> list[Any]:
    """``several_rules`` with a cotangent of 0 kept at 0."""
    return [masked(rule)(g, rest) for rule, rest in residual]


masked_rules[both_rules] = both_masked
masked_rules[several_rules] = several_masked


def pushed(rule: Rule, tangent: Any, residual: Any, ans: Any) -> Any:
    """The tangent that an elementwise rule gives, in the shape and dtype of the answer."""
    if type(tangent) is float64 and residual is None:
        return broadcast(rule(tangent, residual), ans)
    with np.errstate(invalid="ignore", over="ignore"):
        t = rule(tangent, residual)
        if residual is not None:
            t = defined(t, tangent)
    return broadcast(t, ans)


# --- docs/en/articles/15-shapes.md#src-comparison-recorder
def comparison_recorder(f: Any, compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison operator: a constant to a derivative, an operation to other node types."""

    def traced(x: Any, y: Any) -> Any:
        if type(y) is not ArrayBox and x._node.of_this_run:
            return compare(x._value, y)
        return record(f, (x, y), {})

    return traced
