# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/02-reverse-question.md#src-core-imports
"""Reverse and forward mode over recorded runs: nodes, rules, passes and vector spaces."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count, takewhile
from typing import Any

import numpy as np

from literate_ad.tracer import Node, getval, inherited, isbox, trace


# --- docs/en/articles/02-reverse-question.md#src-vspace-class
class VSpace:
    """A set of values that can be added and scaled: what cotangents of one value live in.

    A subclass says how to make, add and measure its members; ``register`` says whose space it is.
    What it leaves out raises ``NotImplementedError`` when it is asked for.

    >>> from literate_ad.extend import vspace
    >>> space = vspace((1.0, 2.0))
    >>> space.size, float(space.inner_prod((1.0, 2.0), (3.0, 4.0)))
    (2, 11.0)
    """

    mappings: dict[type, Callable[[Any], VSpace]] = {}

    @property
    def iscomplex(self) -> bool:
        return False

    @property
    def size(self) -> int:
        """How many numbers a member holds."""
        raise self.missing("size")

    def zeros(self) -> Any:
        raise self.missing("zeros")

    def ones(self) -> Any:
        raise self.missing("ones")

    def standard_basis(self) -> Iterator[Any]:
        raise self.missing("standard_basis")

    def randn(self) -> Any:
        raise self.missing("randn")

    def cotangent(self, g: Any) -> Any:
        """``g`` as a member of this space, or an error that names both shapes."""
        raise self.missing("cotangent")

    def fit(self, g: Any) -> Any:
        """The member of this space that the cotangent ``g`` of a wider one projects to."""
        raise self.missing("fit")

    def scatter(self, pieces: list[tuple[Any, Any]]) -> Any:
        """The sum of ``pieces``, (index, cotangent) pairs, each put at its index of a zero."""
        raise self.missing("scatter")

    def scatter_into(self, whole: Any, pieces: list[tuple[Any, Any]]) -> Any:
        raise self.missing("scatter_into")

    def add(self, x: Any, y: Any) -> Any:
        return x + y

    def scalar_mul(self, x: Any, a: Any) -> Any:
        return x * a

    def inner_prod(self, x: Any, y: Any) -> Any:
        raise self.missing("inner_prod")

    def covector(self, x: Any) -> Any:
        """The cotangent whose product with any ``v`` is the inner product of ``x`` and ``v``."""
        return x

    def missing(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {name}: define it in the class")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), tuple(sorted(self.__dict__.items()))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in self.__dict__.items())})"

    @classmethod
    def register(
        cls, value_type: type, vspace_maker: Callable[[Any], VSpace] | None = None
    ) -> None:
        VSpace.mappings[value_type] = vspace_maker or cls


# --- docs/en/articles/02-reverse-question.md#src-vspace
def vspace(value: Any) -> VSpace:
    """The vector space that ``value`` (traced or not) is a member of.

    The space of an array knows its shape, and its dtype: that of the value, or ``float`` for
    integers. The space of a list, tuple or dict has those of its items.

    Args:
        value: a number, an array, or a list, tuple or dict of them.

    Returns:
        A ``VSpace``; two values of one shape and dtype have equal spaces.

    Raises:
        TypeError: values of that type have no space.

    >>> import literate_ad.numpy as np
    >>> from literate_ad.extend import vspace
    >>> vspace(np.zeros((2, 3)))
    ArrayVSpace(shape=(2, 3), dtype=float64)
    """
    maker = VSpace.mappings.get(type(value))
    if maker is None:
        if isbox(value):
            return vspace(value._value)
        maker = inherited(VSpace.mappings, type(value))
    if maker is None:
        raise TypeError(
            f"values of type {type(value).__name__} have no vector space, "
            f"so none of them can have a cotangent"
        )
    return maker(value)


# --- docs/en/articles/02-reverse-question.md#src-jvp-node
class JVPNode(Node):
    """A recorded operation in forward mode: nothing but the tangent ``g`` of its value.

    Raises:
        NotImplementedError: the operation has no forward rule for an argument that is traced.

    >>> from literate_ad.extend import JVPNode
    >>> from literate_ad.tracer import trace
    >>> value, node = trace(JVPNode.new_root(1.0), lambda x: x * x, 3.0)
    >>> float(node.g)
    6.0
    """

    __slots__ = ("g",)

    def __init__(self, g: Any) -> None:
        self.g = g

    def initialize_root(self, g: Any) -> None:
        self.g = g

    @classmethod
    def from_call(
        cls,
        value: Any,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        parent_argnums: tuple[int, ...],
        parents: tuple[Any, ...],
    ) -> JVPNode:
        """The node of any primitive call, through the registry of forward rules."""
        push_forward = primitive_jvps.get(fun)
        if push_forward is None:
            raise NotImplementedError(missing_rule("forward", "defjvp", fun, parent_argnums))
        return cls(
            push_forward(parent_argnums, [parent.g for parent in parents], value, args, kwargs)
        )


# --- docs/en/articles/02-reverse-question.md#src-make-jvp
def make_jvp(fun: Callable[[Any], Any], x: Any) -> Callable[[Any], tuple[Any, Any]]:
    """The forward-mode twin of ``make_vjp``: a function of a tangent of ``x``.

    It runs ``fun`` at every call and returns the value and the value's tangent. A tangent has the
    shape of what it belongs to, and takes on its dtype.

    Raises:
        TypeError: ``x`` is of a type that cannot be traced, or the tangent is no real number.
        ValueError: the tangent has another shape than ``x``.

    >>> from literate_ad.core import make_jvp
    >>> value, tangent = make_jvp(lambda x: x * x, 3.0)(1.0)
    >>> float(value), float(tangent)
    (9.0, 6.0)
    """
    input_space = vspace(x)

    def jvp(tangent: Any) -> tuple[Any, Any]:
        start = JVPNode.new_root(input_space.cotangent(tangent))
        value, end_node = trace(start, fun, x)
        if end_node is None:
            return value, vspace(value).zeros()
        return value, vspace(value).fit(end_node.g)

    return jvp


# --- docs/en/articles/03-grad.md#src-make-vjp
def make_vjp(fun: Callable[[Any], Any], x: Any) -> tuple[Pullback, Any]:
    """Runs ``fun(x)`` once, and returns its pullback and its value.

    The pullback takes a cotangent of the value and gives the cotangent of ``x``. It can
    be called as often as wanted; the graph stays as it was recorded.

    Raises:
        TypeError: ``x`` is of a type that cannot be traced.

    >>> from literate_ad.core import make_vjp
    >>> pullback, value = make_vjp(lambda x: x * x, 3.0)
    >>> float(value), float(pullback(1.0)), float(pullback(10.0))
    (9.0, 6.0, 60.0)
    """
    value, end_node = trace(VJPNode.new_root(), fun, x)
    return Pullback(end_node, value, x), value


# --- docs/en/articles/03-grad.md#src-pullback
class Pullback:
    """The linear map from cotangents of a function's value to cotangents of its input.

    A cotangent has the shape of what it belongs to, and takes on its dtype.

    Raises:
        TypeError: the cotangent holds what the value cannot: complex numbers, or none at all.
        ValueError: the cotangent has another shape, or another structure, than the value.

    >>> import literate_ad.numpy as np
    >>> from literate_ad.core import make_vjp
    >>> pullback, value = make_vjp(lambda x: x**2, np.array([1.0, 2.0]))
    >>> pullback(np.array([1.0, 10.0]))
    array([ 2., 40.])
    """

    __slots__ = ("end_node", "value_space", "input_space", "__weakref__")

    def __init__(self, end_node: VJPNode | None, value: Any, x: Any) -> None:
        self.end_node = end_node
        self.value_space = vspace(value) if end_node is not None else None
        self.input_space = vspace(x)

    def __call__(self, g: Any) -> Any:
        if self.end_node is None or self.value_space is None:
            return self.input_space.zeros()
        g = self.value_space.cotangent(g)
        return self.input_space.fit(backward_pass(g, self.end_node))


# --- docs/en/articles/03-grad.md#src-vjp-node
next_index = count().__next__


class VJPNode(Node):
    """A recorded operation, ready to send a cotangent back to what it was computed from.

    Attributes:
        index: a number that only grows, so whatever a node was computed from has a smaller one.
        origin: the node of the traced argument, or a tuple of nodes if there were several.
        rule: ``rule(g, residual)``, the pullback: one cotangent for a lone origin, else a sequence.
        residual: what the forward run kept for the rule.

    Raises:
        NotImplementedError: the operation has no reverse rule for an argument that is traced.

    >>> from literate_ad.extend import VJPNode
    >>> from literate_ad.tracer import trace
    >>> value, node = trace(VJPNode.new_root(), lambda x: x * x, 3.0)
    >>> [float(g) for g in node.vjp(1.0)]
    [3.0, 3.0]
    """

    __slots__ = ("index", "origin", "rule", "residual")

    def __init__(self, origin: Any, rule: Any, residual: Any) -> None:
        self.index = next_index()
        self.origin = origin
        self.rule = rule
        self.residual = residual

    def initialize_root(self) -> None:
        self.index = next_index()
        self.origin, self.rule, self.residual = (), None, None

    @property
    def parents(self) -> tuple[VJPNode, ...]:
        """The nodes of the traced arguments, in order; one node may stand in several places."""
        return self.origin if type(self.origin) is tuple else (self.origin,)

    @classmethod
    def from_call(
        cls,
        value: Any,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        parent_argnums: tuple[int, ...],
        parents: tuple[Any, ...],
    ) -> VJPNode:
        """The node of any primitive call, through the registry of reverse rules."""
        make_rule = primitive_vjps.get(fun)
        if make_rule is None:
            raise NotImplementedError(missing_rule("reverse", "defvjp", fun, parent_argnums))
        rule, residual = make_rule(parent_argnums, value, args, kwargs)
        return cls(parents if len(parents) > 1 else parents[0], rule, residual)

    def vjp(self, g: Any) -> tuple[Any, ...]:
        """The cotangents of the parents, for the cotangent ``g`` of this operation's value."""
        if self.rule is None:
            return ()
        payments = self.rule(g, self.residual)
        return tuple(payments) if type(self.origin) is tuple else (payments,)


# --- docs/en/articles/05-reverse-pass.md#src-backward-pass
def backward_pass(g: Any, end_node: VJPNode) -> Any:
    """The cotangent of the trace's input, for the cotangent ``g`` of the end node's value.

    Nodes are opened from the newest to the oldest. Parents are older than their
    children, so a node is opened after everyone who owes it has paid.

    >>> from literate_ad.core import VJPNode, backward_pass
    >>> from literate_ad.tracer import trace
    >>> value, end_node = trace(VJPNode.new_root(), lambda x: x * x, 3.0)
    >>> float(backward_pass(1.0, end_node))
    6.0
    """
    held: dict[VJPNode, Any] = {}  # what each waiting node has been paid so far
    owned: set[VJPNode] = set()  # nodes whose payments were added up in an object of this pass
    queue: list[tuple[int, VJPNode]] = []  # waiting nodes, the newest first
    node = end_node
    while node.rule is not None:
        origin, payments = node.origin, node.rule(g, node.residual)
        if type(origin) is not tuple:
            if (not queue or origin.index > -queue[0][0]) and type(payments) is not SparseObject:
                node, g = origin, payments  # nobody else can owe it anything: step straight on
                continue
            origin, payments = (origin,), (payments,)
        for parent, payment in zip(origin, payments):
            if parent in held:
                held[parent] = accumulate(held[parent], payment, parent, owned)
            else:
                held[parent] = payment
                heappush(queue, (-parent.index, parent))
        node = heappop(queue)[1]
        g = held.pop(node)
        if type(g) is SparseObject:
            g = g.dense()
    return g


# --- docs/en/articles/05-reverse-pass.md#src-accumulate
def accumulate(before: Any, payment: Any, node: Any, owned: set[Any]) -> Any:
    """``before + payment``, in place where the pass made ``before`` itself: ``node`` is owned.

    The first payment may be an array that others hold too (an addition hands the same
    cotangent to both its arguments), so the first sum is a new array.
    """
    if type(before) is type(payment) is np.float64:
        return before + payment
    if type(payment) is SparseObject:
        return payment.added_to(before, node, owned)
    if type(before) is SparseObject:
        before = before.dense()
        owned.add(node)  # nobody else has seen this array
    if node in owned:
        if type(before) is type(payment) is np.ndarray and payment.dtype == before.dtype:
            before += payment
            return before
        owned.discard(node)  # the sum below may be no array
    total = vspace(before).add(before, payment) if is_container(before) else before + payment
    if type(total) is np.ndarray:
        owned.add(node)
    return total


def is_container(value: Any) -> bool:
    """Whether ``+`` would join two such values instead of adding them."""
    return isinstance(getval(value), (list, tuple, dict))


# --- docs/en/articles/05-reverse-pass.md#src-sum-outgrads
def add_outgrads(before: Any, payment: Any) -> Any:
    """The sum of two cotangents of one value; ``before`` may be None for none yet.

    >>> from literate_ad.core import add_outgrads
    >>> add_outgrads(None, 2.0), add_outgrads(1.0, 2.0)
    (2.0, 3.0)
    """
    if before is None:
        return payment
    return accumulate(before, payment, None, set())


def sum_outgrads(contributions: Sequence[Any]) -> Any:
    """The sum of all cotangents (or tangents) in a non-empty sequence.

    They are of one shape, or containers of one structure. None of them is changed.

    >>> from literate_ad.core import sum_outgrads
    >>> sum_outgrads([(1.0, 10.0), (2.0, 20.0)]) == (3.0, 30.0)
    True
    """
    total, *others = contributions
    owned: set[Any] = set()
    for contribution in others:
        total = accumulate(total, contribution, None, owned)
    return total


# --- docs/en/articles/05-reverse-pass.md#src-sparse-object
class SparseObject:
    """A cotangent that is zero except in a few places: pieces to be put into a zero of ``vs``.

    Indexing returns one. Pieces are collected and written once, so that reading a long
    array element by element costs its length once, not once an element.

    >>> import literate_ad.numpy as np
    >>> from literate_ad.extend import SparseObject, vspace
    >>> SparseObject(vspace(np.zeros(3)), [(0, 1.0), (2, 5.0), (2, 5.0)]).dense()
    array([ 1.,  0., 10.])
    """

    __slots__ = ("vs", "pieces")

    def __init__(self, vs: VSpace, pieces: list[tuple[Any, Any]]) -> None:
        self.vs = vs
        self.pieces = pieces  # (index, cotangent) pairs

    def dense(self) -> Any:
        """The cotangent in full."""
        return self.vs.scatter(self.pieces)

    def added_to(self, before: Any, node: Any, owned: set[Any]) -> Any:
        """``accumulate`` for a payment of this kind."""
        if type(before) is SparseObject:
            if node in owned:
                before.pieces.extend(self.pieces)
                return before
            owned.add(node)
            return SparseObject(self.vs, before.pieces + self.pieces)
        if node in owned and not any(isbox(g) for _, g in self.pieces):
            return self.vs.scatter_into(before, self.pieces)
        return accumulate(before, self.dense(), node, owned)


# --- docs/en/articles/05-reverse-pass.md#src-freed-in-a-loop
class Dying(threading.local):
    """The parents of the nodes that this thread is freeing; None while it frees none."""

    parents: list[Any] | None = None


class FreedInALoop:
    """A node whose ancestors are freed one after the other, however many there are.

    >>> from literate_ad.core import FreedInALoop, VJPNode
    >>> class Freed(FreedInALoop, VJPNode):
    ...     __slots__ = ()
    >>> node = Freed.new_root()
    >>> for _ in range(100_000):
    ...     node = Freed(node, None, None)
    >>> del node
    """

    __slots__ = ()
    origin: Any

    def __del__(self, dying: Dying = Dying()) -> None:  # noqa: B008, one object for all calls
        waiting = dying.parents
        if waiting is not None:
            waiting.append(self.origin)
            return
        dying.parents = waiting = [self.origin]
        self.origin = ()
        try:
            while waiting:
                waiting.pop()
        finally:
            dying.parents = None


if sys.version_info >= (3, 13):
    VJPNode.__del__ = FreedInALoop.__del__

# --- docs/en/articles/06-numpy-primitives.md#src-rule-registries
# For each primitive: (argnums, ans, args, kwargs) -> (rule, residual)
primitive_vjps: dict[Callable[..., Any], Callable[..., tuple[Any, Any]]] = {}

# For each primitive: (argnums, tangents, ans, args, kwargs) -> tangent of ans
primitive_jvps: dict[Callable[..., Any], Callable[..., Any]] = {}


def apply_closure(g: Any, vjp: Callable[[Any], Any]) -> Any:
    """The rule of a node with one parent whose residual is a pullback, ready made."""
    return vjp(g)


def apply_closures(g: Any, vjps: Sequence[Callable[[Any], Any]]) -> list[Any]:
    """The same for several parents: one pullback each."""
    return [vjp(g) for vjp in vjps]


def apply_joint_closure(g: Any, kept: tuple[Any, Any, int]) -> tuple[Any, ...]:
    """The same for several parents with one pullback in common."""
    vjp, fun, count = kept
    payments = tuple(vjp(g))
    if len(payments) != count:
        raise ValueError(
            f"the reverse rule of {fun.__name__} returned {len(payments)} cotangents for {count} "
            f"arguments: return one for each of argnums"
        )
    return payments


# --- docs/en/articles/06-numpy-primitives.md#src-defvjp
def defvjp(fun: Callable[..., Any], *makers: Any, argnums: Sequence[int] | None = None) -> None:
    """Declares the reverse rule of the primitive ``fun``, a maker for each differentiable argument.

    A maker is staged: ``maker(ans, *args, **kwargs)`` runs once, while the call is being
    recorded; the pullback ``g -> cotangent`` that it returns runs once for every query.
    ``None`` as a maker says that the derivative with respect to that argument is zero.

    Args:
        fun: a function made by ``primitive``.
        makers: ``maker(ans, *args, **kwargs)`` for each argument, or ``None``.
        argnums: the positions of the arguments that the makers are for; by default the first
            ones.

    Raises:
        TypeError: ``fun`` is no primitive, or one of NumPy that has its rules already.

    >>> from literate_ad import grad, primitive
    >>> from literate_ad.extend import defvjp
    >>> @primitive
    ... def scaled(x, factor):
    ...     return factor * x
    >>> defvjp(scaled, lambda ans, x, factor: lambda g: factor * g, None)
    >>> float(grad(scaled)(3.0, 2.0))
    2.0
    """
    by_argnum = dict(zip(range(len(makers)) if argnums is None else argnums, makers))

    def make_rule(nums: tuple[int, ...], ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        vjps = []
        for num in nums:
            if num not in by_argnum:
                raise NotImplementedError(missing_rule("reverse", "defvjp", fun, (num,)))
            maker = by_argnum[num] or zero_pullback(num)
            vjps.append(maker(ans, *args, **kwargs))
        return (apply_closure, vjps[0]) if len(vjps) == 1 else (apply_closures, vjps)

    register_rule(primitive_vjps, fun, make_rule)


def zero_pullback(argnum: int) -> Callable[..., Any]:
    """The maker for an argument that nothing depends on: zeros of the argument's shape."""

    def maker(ans: Any, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return lambda g: vspace(args[argnum]).zeros()

    return maker


# --- docs/en/articles/06-numpy-primitives.md#src-defvjp-argnums
def defvjp_argnums(fun: Callable[..., Any], maker: Callable[..., Any]) -> None:
    """One maker for all arguments: ``maker(argnums, ans, args, kwargs)`` gives a pullback.

    The pullback returns one cotangent for each of ``argnums``.

    Args:
        fun: a function made by ``primitive``.
        maker: returns the pullback; ``args`` and ``kwargs`` are those of the call.

    >>> from literate_ad import grad, primitive
    >>> from literate_ad.extend import defvjp_argnums
    >>> @primitive
    ... def total(*numbers):
    ...     return sum(numbers)
    >>> defvjp_argnums(total, lambda nums, ans, args, kwargs: lambda g: [g for _ in nums])
    >>> float(grad(lambda x: total(x, x, 1.0))(3.0))
    2.0
    """

    def make_rule(nums: tuple[int, ...], ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        vjp = maker(nums, ans, args, kwargs)
        if len(nums) == 1:
            return apply_closure, lambda g: next(iter(vjp(g)))
        return apply_joint_closure, (vjp, fun, len(nums))

    register_rule(primitive_vjps, fun, make_rule)


def defvjp_argnum(fun: Callable[..., Any], maker: Callable[..., Any]) -> None:
    """One maker for any argument: ``maker(argnum, ans, args, kwargs)`` gives a pullback.

    Args:
        fun: a function made by ``primitive``.
        maker: returns the pullback for one position; it runs once for each traced argument.

    >>> from literate_ad import grad, primitive
    >>> from literate_ad.extend import defvjp_argnum
    >>> @primitive
    ... def product(x, y):
    ...     return x * y
    >>> defvjp_argnum(product, lambda num, ans, args, kwargs: lambda g: g * args[1 - num])
    >>> float(grad(product, 1)(3.0, 5.0))
    3.0
    """

    def make_rule(nums: tuple[int, ...], ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        vjps = [maker(num, ans, args, kwargs) for num in nums]
        return (apply_closure, vjps[0]) if len(vjps) == 1 else (apply_closures, vjps)

    register_rule(primitive_vjps, fun, make_rule)


# --- docs/en/articles/06-numpy-primitives.md#src-defjvp
def defjvp(fun: Callable[..., Any], *jvps: Any, argnums: Sequence[int] | None = None) -> None:
    """Declares the forward rule of ``fun``: ``jvp(g, ans, *args, **kwargs)`` for each argument.

    ``"same"`` says that ``fun`` is linear in that argument, so the tangent goes through ``fun``
    itself; ``None`` says that the derivative is zero.

    Args:
        fun: a function made by ``primitive``.
        jvps: the rule for each argument: it takes a tangent ``g`` and returns that of the
            answer.
        argnums: the positions of the arguments that the rules are for; by default the first
            ones.

    Raises:
        TypeError: ``fun`` is no primitive, or one of NumPy that has its rules already.

    >>> from literate_ad import deriv, primitive
    >>> from literate_ad.extend import defjvp
    >>> @primitive
    ... def scaled(x, factor):
    ...     return factor * x
    >>> defjvp(scaled, "same", lambda g, ans, x, factor: g * x)
    >>> float(deriv(scaled)(3.0, 2.0)), float(deriv(scaled, 1)(3.0, 2.0))
    (2.0, 3.0)
    """
    by_argnum = dict(zip(range(len(jvps)) if argnums is None else argnums, jvps))

    def push_forward(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        terms = []
        for num, g in zip(nums, tangents):
            if num not in by_argnum:
                raise NotImplementedError(missing_rule("forward", "defjvp", fun, (num,)))
            jvp = by_argnum[num]
            if jvp == "same":
                terms.append(fun(*args[:num], g, *args[num + 1 :], **kwargs))
            elif jvp is not None:
                terms.append(jvp(g, ans, *args, **kwargs))
        return sum_outgrads(terms) if terms else vspace(ans).zeros()

    register_rule(primitive_jvps, fun, push_forward)


# --- docs/en/articles/06-numpy-primitives.md#src-defjvp-argnums
def defjvp_argnums(fun: Callable[..., Any], maker: Callable[..., Any]) -> None:
    """One forward rule for all arguments: ``maker(argnums, tangents, ans, args, kwargs)``.

    Args:
        fun: a function made by ``primitive``.
        maker: takes the tangents of all traced arguments and returns the tangent of the answer.

    >>> from literate_ad import deriv, primitive
    >>> from literate_ad.extend import defjvp_argnums
    >>> @primitive
    ... def total(*numbers):
    ...     return sum(numbers)
    >>> defjvp_argnums(total, lambda nums, tangents, ans, args, kwargs: sum(tangents))
    >>> float(deriv(lambda x: total(x, x, 1.0))(3.0))
    2.0
    """
    register_rule(primitive_jvps, fun, maker)


def defjvp_argnum(fun: Callable[..., Any], maker: Callable[..., Any]) -> None:
    """One forward rule for any single argument: ``maker(argnum, g, ans, args, kwargs)``.

    Args:
        fun: a function made by ``primitive``.
        maker: takes the tangent ``g`` of one argument; the results for all of them are added.

    >>> from literate_ad import deriv, primitive
    >>> from literate_ad.extend import defjvp_argnum
    >>> @primitive
    ... def product(x, y):
    ...     return x * y
    >>> defjvp_argnum(product, lambda num, g, ans, args, kwargs: g * args[1 - num])
    >>> float(deriv(product, 1)(3.0, 5.0))
    3.0
    """

    def push_forward(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        return sum_outgrads([maker(n, g, ans, args, kwargs) for n, g in zip(nums, tangents)])

    register_rule(primitive_jvps, fun, push_forward)


def def_linear(fun: Callable[..., Any]) -> None:
    """Says that ``fun`` is linear in each argument: forward mode needs to know no more.

    Args:
        fun: a function made by ``primitive``.

    >>> from literate_ad import deriv, primitive
    >>> from literate_ad.extend import def_linear
    >>> @primitive
    ... def product(x, y):
    ...     return x * y
    >>> def_linear(product)
    >>> float(deriv(product)(3.0, 5.0))
    5.0
    """
    defjvp_argnum(
        fun, lambda num, g, ans, args, kwargs: fun(*args[:num], g, *args[num + 1 :], **kwargs)
    )


# --- docs/en/articles/06-numpy-primitives.md#src-missing-rule
def missing_rule(mode: str, how: str, fun: Callable[..., Any], argnums: tuple[int, ...]) -> str:
    """The words of the error for a primitive that cannot be differentiated."""
    import inspect

    name = getattr(fun, "__name__", repr(fun))
    try:
        parameters = inspect.signature(fun).parameters.values()
        names = [p.name for p in takewhile(lambda p: p.kind is not p.VAR_POSITIONAL, parameters)]
    except ValueError:
        names = []
    which = " and ".join(
        f"argument {num}" + (f" ({names[num]!r})" if num < len(names) else "") for num in argnums
    )
    return (
        f"{name} has no {mode} rule for {which}. "
        f"Give it one with literate_ad.extend.{how}({name}, ...), "
        f"or write the function in terms of others that have rules"
    )


# --- docs/en/articles/06-numpy-primitives.md#src-register-rule
def register_rule(
    registry: dict[Any, Any], fun: Callable[..., Any], rule: Callable[..., Any]
) -> None:
    """Files a rule under its primitive."""
    if not hasattr(fun, "fun"):
        name = getattr(fun, "__name__", repr(fun))
        raise TypeError(
            f"{name} is not a primitive, so its rule would never be asked: "
            f"decorate it with @primitive"
        )
    if getattr(fun, "declared", False):
        raise TypeError(
            f"{fun.__name__} has its rules already: "
            f"wrap it in a @primitive of your own to give it others"
        )
    registry[fun] = rule
