"""Every declared function, in every legal way to write its call; its contributions; its program."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as onp
import pytest
from calls import Call, every_call
from derivatives import check_first_order, check_second_order
from test_rules import draw
from test_settled import recorded

import literate_ad.numpy as np
from literate_ad import core, grad, make_jvp, make_vjp
from literate_ad.core import JVPNode, VJPNode
from literate_ad.numpy.arguments import Arguments
from literate_ad.tracer import new_box, trace_numbers

pytestmark = pytest.mark.filterwarnings("ignore:Output seems independent")

CALLS = every_call()
OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "power": operator.pow, "remainder": operator.mod,
    "matmul": operator.matmul, "negative": operator.neg, "positive": operator.pos,
    "absolute": abs,
}  # fmt: skip


def ways(call: Call) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every way to write the call, as a function of its arrays."""
    yield "keywords", call
    for way, fun in other_ways(call):
        if way not in call.without:
            yield way, fun


def other_ways(call: Call) -> Iterator[tuple[str, Callable[..., Any]]]:
    ours, theirs, values = call.fun, call.numpy_fun, list(call.others.values())
    yield "plain NumPy", lambda *xs: call.of(theirs, *xs)
    if call.name in OPERATORS:
        yield "operator", OPERATORS[call.name]
    if isinstance(theirs, onp.ufunc) or call.made:
        return
    names = Arguments(ours, len(call.arrays)) if hasattr(ours, "fun") else None
    if names is not None and names.by_place[: len(values)] == list(call.others):
        yield "positional", lambda *xs: ours(*xs, *values)
        if len(values) > 1:
            yield "mixed", lambda *xs: ours(*xs, values[0], **dict(list(call.others.items())[1:]))
    if names is not None and call.name not in ("reshape", "squeeze"):
        yield (
            "all by keyword",
            lambda *xs: ours(**dict(zip(names.arrays, xs, strict=True)), **call.others),
        )
    if hasattr(onp.ndarray, call.name):
        yield "method", lambda *xs: method(xs, call)


def method(xs: tuple[Any, ...], call: Call) -> Any:
    """``x.sum(axis=0)``; a method takes shapes and axes by position."""
    by_position = call.name in ("reshape", "transpose", "swapaxes")
    others = dict(call.others)
    first = [others.pop(name) for name in list(others) if by_position and name != "order"]
    return getattr(xs[0], call.name)(*xs[1:], *first, **others)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_every_way_to_write_a_call_gives_the_same_derivatives(call: Call) -> None:
    argnums = tuple(range(len(call.arrays)))
    (_, plain), *others = ways(call)
    pullback, value = make_vjp(plain, argnums)(*call.arrays)
    g = onp.asarray(draw((-1, 1), onp.shape(value), seed=5))
    tangent = make_jvp(plain, argnums)(*call.arrays)(call.arrays)[1]
    for way, fun in others:
        other, other_value = make_vjp(fun, argnums)(*call.arrays)
        onp.testing.assert_array_equal(other_value, value, err_msg=way)
        for a, b in zip(other(g), pullback(g), strict=True):
            onp.testing.assert_array_equal(a, b, err_msg=way)
        forward = make_jvp(fun, argnums)(*call.arrays)(call.arrays)[1]
        onp.testing.assert_array_equal(forward, tangent, err_msg=way)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_both_modes_agree_with_central_differences_to_second_order(call: Call) -> None:
    check_first_order(call, call.arrays, call.tolerance)
    check_second_order(call, call.arrays, call.tolerance)


def test_the_calls_cover_what_is_declared() -> None:
    declared = {f.__name__ for f in core.primitive_vjps if getattr(np, f.__name__, None) is f}
    assert len(declared) > 50
    assert declared - {call.name for call in CALLS} == set()


# ---- contributions: of the shape and dtype of what they belong to, in both modes


def dense(part: Any) -> Any:
    """A contribution in full; that of an indexing is its pieces."""
    return part.dense() if isinstance(part, core.SparseObject) else part


class Held(VJPNode):
    """The engine's node; each contribution is compared with the argument that it belongs to."""

    __slots__ = ("belongs",)
    wrong: list[str] = []

    @classmethod
    def from_call(cls, value, fun, args, kwargs, parent_argnums, parents):  # type: ignore[no-untyped-def]
        node = super().from_call(value, fun, args, kwargs, parent_argnums, parents)
        inner, belongs = node.rule, [args[num] for num in parent_argnums]

        def held(g: Any, residual: Any) -> Any:
            result = inner(g, residual)
            for arg, part in zip(belongs, result if len(belongs) > 1 else [result], strict=True):
                part = dense(part)
                if (onp.shape(part), onp.result_type(part)) != (arg.shape, arg.dtype):
                    cls.wrong.append(f"{fun.__name__}: {part!r} for {arg!r}")
            return result

        node.rule = held
        return node


KINDS = ["f2", "f4", "f8", "g"]


def cast_to(call: Call, kinds: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(onp.asarray(x, kind) for x, kind in zip(call.arrays, kinds, strict=False))


@pytest.mark.parametrize("call", CALLS, ids=str)
@pytest.mark.parametrize("kinds", [("f4", "f4"), ("f4", "f8"), ("f8", "f4"), ("g", "f4")], ids=str)
def test_contributions_and_tangents_have_the_shape_and_dtype_they_belong_to(
    call: Call, kinds: tuple[str, ...]
) -> None:
    if "longdouble" in call.without:
        kinds = tuple(kind.replace("g", "f8") for kind in kinds)
    arrays = cast_to(call, kinds)
    number, boxes = next(trace_numbers), []
    for x in arrays:
        boxes.append(new_box(x, number, Held.new_root()))
    Held.wrong.clear()
    end = call(*boxes)
    core.backward_pass(onp.ones(end.shape, end.dtype), end._node)
    assert Held.wrong == []
    number = next(trace_numbers)
    duals = [new_box(x, number, JVPNode.new_root(onp.ones_like(x))) for x in arrays]
    pushed = call(*duals)
    assert (onp.shape(pushed._node.g), pushed._node.g.dtype) == (pushed.shape, pushed.dtype)
    if "one node" in call.without:
        return
    for i, x in enumerate(arrays):  # one traced, the others plain: the fast recorders
        mixed = [*arrays[:i], new_box(x, next(trace_numbers), VJPNode.new_root()), *arrays[i + 1 :]]
        part = core.backward_pass(onp.ones(end.shape, end.dtype), call(*mixed)._node)
        assert (onp.shape(part), part.dtype) == (x.shape, x.dtype)
    both = [new_box(x, number + 9, VJPNode.new_root()) for x in arrays]
    node = call(*both)._node
    if [*node.parents] != [box._node for box in both]:
        return  # a composition: its nodes were held above
    parts = [dense(part) for part in node.vjp(onp.ones(end.shape, end.dtype))]
    assert [(onp.shape(p), p.dtype) for p in parts] == [(x.shape, x.dtype) for x in arrays]


# ---- programs


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_every_function_and_its_gradient_replay_at_other_inputs(call: Call) -> None:
    def value(x: Any) -> Any:
        return call(x, *call.arrays[1:])

    def gradient(x: Any) -> Any:
        return grad(lambda x: np.sum(value(x) ** 2))(x)

    first, second = call.arrays[0], onp.flip(call.arrays[0]) * 0.99
    for fun in (value, gradient):
        onp.testing.assert_allclose(recorded(fun, first)(second), fun(second), rtol=1e-12)
