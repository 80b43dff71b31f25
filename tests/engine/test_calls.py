"""Every declared function, in every legal way to write its call; its contributions; its program."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as onp
import pytest
from test_rules import BINARY, UNARY, draw, normal, pair_of
from test_settled import recorded

import literate_ad.numpy as np
from literate_ad import core, grad, make_jvp, make_vjp
from literate_ad.core import JVPNode, VJPNode
from literate_ad.numpy.arguments import Arguments
from literate_ad.tracer import new_box, trace_numbers

pytestmark = pytest.mark.filterwarnings("ignore:Output seems independent")

MASK = onp.array([[True, False, True], [False, True, True]])


@dataclass
class Call:
    """One call of a NumPy function: its arrays, then its other arguments by name, in order."""

    name: str
    arrays: tuple[Any, ...]
    others: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.name}({len(self.arrays)} arrays, {self.others})"


A, B = normal(2, 3), normal(2, 3, seed=1)
REDUCTIONS: list[dict[str, Any]] = [
    {}, {"axis": None}, {"axis": 0}, {"axis": -1}, {"axis": (1,)}, {"axis": (0, -1)},
    {"axis": 1, "keepdims": True}, {"keepdims": True},
]  # fmt: skip
CALLS = [
    *[Call(name, (draw(interval, (2, 3)),), {}) for name, interval in UNARY.items()],
    *[Call(name, pair_of(name, ((2, 3), (3,))), {}) for name in BINARY],
    *[Call(f, (A,), others) for f in ("sum", "mean", "max", "min") for others in REDUCTIONS],
    *[Call("cumsum", (A,), others) for others in ({}, {"axis": 0}, {"axis": -1})],
    Call("reshape", (A,), {"shape": (3, 2)}),
    Call("reshape", (A,), {"shape": -1, "order": "F"}),
    Call("ravel", (A,), {}), Call("ravel", (A,), {"order": "F"}),
    Call("transpose", (A,), {}), Call("transpose", (A,), {"axes": (1, 0)}),
    Call("transpose", (A,), {"axes": [-1, 0]}),
    Call("swapaxes", (A,), {"axis1": 0, "axis2": -1}),
    Call("moveaxis", (A,), {"source": 0, "destination": -1}),
    Call("squeeze", (A[None],), {}), Call("squeeze", (A[None],), {"axis": 0}),
    Call("squeeze", (A[:, None],), {"axis": (-2,)}),
    Call("expand_dims", (A,), {"axis": 1}), Call("expand_dims", (A,), {"axis": (0, -1)}),
    Call("broadcast_to", (A,), {"shape": (4, 2, 3)}),
    Call("matmul", (A, B.T), {}), Call("dot", (A, B.T), {}), Call("dot", (A, B[0]), {}),
]  # fmt: skip
OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "power": operator.pow, "remainder": operator.mod,
    "matmul": operator.matmul, "negative": operator.neg, "positive": operator.pos,
    "absolute": abs,
}  # fmt: skip


def ways(call: Call) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every way to write the call, as a function of its arrays."""
    ours, theirs = getattr(np, call.name), getattr(onp, call.name)
    values = list(call.others.values())
    yield "keywords", lambda *xs: ours(*xs, **call.others)
    yield "plain NumPy", lambda *xs: theirs(*xs, **call.others)
    if call.name in OPERATORS:
        yield "operator", OPERATORS[call.name]
    if isinstance(theirs, onp.ufunc):
        return
    names = Arguments(ours, len(call.arrays)) if hasattr(ours, "fun") else None
    in_order = names is not None and names.by_place[: len(values)] == list(call.others)
    if in_order:
        yield "positional", lambda *xs: ours(*xs, *values)
        if len(values) > 1:
            yield "mixed", lambda *xs: ours(*xs, values[0], **dict(list(call.others.items())[1:]))
    if names is not None and call.name not in ("reshape", "squeeze"):
        yield (
            "all by keyword",
            lambda *xs: ours(**dict(zip(names.arrays, xs, strict=True)), **call.others),
        )
    if call.name not in ("expand_dims", "broadcast_to", "moveaxis", "matmul"):
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


def test_the_calls_cover_what_is_declared() -> None:
    declared = {f.__name__ for f in core.primitive_vjps if getattr(np, f.__name__, None) is f}
    assert declared - {call.name for call in CALLS} == {"where"}


# ---- contributions: of the shape and dtype of what they belong to, in both modes


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
    arrays = cast_to(call, kinds)
    fun = getattr(np, call.name)
    number, boxes = next(trace_numbers), []
    for x in arrays:
        boxes.append(new_box(x, number, Held.new_root()))
    Held.wrong.clear()
    end = fun(*boxes, **call.others)
    core.backward_pass(onp.ones(end.shape, end.dtype), end._node)
    assert Held.wrong == []
    number = next(trace_numbers)
    duals = [new_box(x, number, JVPNode.new_root(onp.ones_like(x))) for x in arrays]
    pushed = fun(*duals, **call.others)
    assert (onp.shape(pushed._node.g), pushed._node.g.dtype) == (pushed.shape, pushed.dtype)
    for i, x in enumerate(arrays):  # one traced, the others plain: the fast recorders
        mixed = [*arrays[:i], new_box(x, next(trace_numbers), VJPNode.new_root()), *arrays[i + 1 :]]
        node = fun(*mixed, **call.others)._node
        (part,) = node.vjp(onp.ones(end.shape, end.dtype))
        assert (onp.shape(part), part.dtype) == (x.shape, x.dtype)
    both = [new_box(x, number + 9, VJPNode.new_root()) for x in arrays]
    parts = fun(*both, **call.others)._node.vjp(onp.ones(end.shape, end.dtype))
    assert [(onp.shape(p), p.dtype) for p in parts] == [(x.shape, x.dtype) for x in arrays]


# ---- programs


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_every_function_and_its_gradient_replay_at_other_inputs(call: Call) -> None:
    def value(x: Any) -> Any:
        return getattr(np, call.name)(x, *call.arrays[1:], **call.others)

    def gradient(x: Any) -> Any:
        return grad(lambda x: np.sum(value(x) ** 2))(x)

    first, second = call.arrays[0], call.arrays[0][..., ::-1] * 0.99
    for fun in (value, gradient):
        onp.testing.assert_allclose(recorded(fun, first)(second), fun(second), rtol=1e-12)
