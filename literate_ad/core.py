# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/02-reverse-question.md#src-core-imports
"""Reverse and forward mode over recorded runs: nodes, rules, passes and vector spaces."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from literate_ad.tracer import (
    Node,
    getval,
    inherited,
    is_discrete,
    isbox,
    primitive,
    trace,
    untraceable,
)


# --- docs/en/articles/08-vector-spaces.md#src-vspace-class
class VSpace:
    """A set of values that can be added and scaled: the cotangents of one value are its members.

    A subclass says how to make, add and measure its members; ``register`` says whose space it is.
    A method that it leaves out raises ``NotImplementedError``.

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

    def project(self, g: Any) -> Any:
        """``g`` in the dtype of this space; an error if its shape is another one."""
        raise self.missing("project")

    def own(self, g: Any) -> Any:
        """``project(g)``, in an object that nothing else shares."""
        return self.project(g)

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


# --- docs/en/articles/08-vector-spaces.md#src-vspace
def vspace(value: Any) -> VSpace:
    """The vector space that ``value`` (traced or not) is a member of.

    The space of an array has its shape and its dtype: that of the value, or ``float`` for
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
    of_this_run = True

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
    """``make_vjp`` for forward mode: a function of a tangent of ``x``.

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
    x = x if type(x) is float else real_input(x)
    input_space = vspace(x)

    def jvp(tangent: Any) -> tuple[Any, Any]:
        start = JVPNode.new_root(input_space.cotangent(tangent))
        value, end_node = trace(start, fun, x)
        if end_node is None:
            return value, vspace(value).zeros()
        return value, vspace(value).own(end_node.g)

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
    x = x if type(x) is float else real_input(x)
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
        return self.input_space.own(backward_pass(g, self.end_node))


# --- docs/en/articles/03-grad.md#src-vjp-node
next_index = count().__next__


class VJPNode(Node):
    """A recorded operation in reverse mode: its rule gives the contributions to its arguments.

    Attributes:
        index: a number that only grows, so whatever a node was computed from has a smaller one.
        parent: the node of the traced argument, or a tuple of nodes if there were several.
        rule: ``rule(g, residual)``, the pullback: a contribution to the one parent, or a sequence.
        residual: what the rule reads of the forward run.

    Raises:
        NotImplementedError: the operation has no reverse rule for an argument that is traced.

    >>> from literate_ad.extend import VJPNode
    >>> from literate_ad.tracer import trace
    >>> value, node = trace(VJPNode.new_root(), lambda x: x * x, 3.0)
    >>> [float(g) for g in node.vjp(1.0)]
    [3.0, 3.0]
    """

    __slots__ = ("index", "parent", "rule", "residual")
    of_this_run = True

    def __init__(self, parent: Any, rule: Any, residual: Any) -> None:
        self.index = next_index()
        self.parent = parent
        self.rule = rule
        self.residual = residual

    def initialize_root(self) -> None:
        self.index = next_index()
        self.parent, self.rule, self.residual = (), None, None

    @property
    def parents(self) -> tuple[VJPNode, ...]:
        """The nodes of the traced arguments, in order; one node may stand in several places."""
        return self.parent if type(self.parent) is tuple else (self.parent,)

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
        contributions = self.rule(g, self.residual)
        return tuple(contributions) if type(self.parent) is tuple else (contributions,)


# --- docs/en/articles/04-tracer.md#src-refuse-integers
def real_input(x: Any) -> Any:
    """``x`` as the input of a derivative: an array of integers becomes one of floats.

    Raises:
        TypeError: a number, or an item of a container, is an integer.
    """
    if isinstance(x, (list, tuple, dict)):
        refuse_integers(x)
    elif is_discrete(x):
        if not getattr(x, "shape", ()):
            raise TypeError(untraceable(x))
        return x.astype(float)
    return x


def refuse_integers(x: Any) -> None:
    """An integer somewhere in a container would be a constant to the trace."""
    for item in x.values() if isinstance(x, dict) else x:
        if isinstance(item, (list, tuple, dict)):
            refuse_integers(item)
        elif is_discrete(item):
            raise TypeError(untraceable(item))


# --- docs/en/articles/05-reverse-pass.md#src-backward-pass
@np.errstate(invalid="ignore", over="ignore")  # a path not taken is no reason to warn
def backward_pass(g: Any, end_node: VJPNode) -> Any:
    """The cotangent of the trace's input, for the cotangent ``g`` of the end node's value.

    A pass that ends with a nan runs again, and then a cotangent of 0 stays 0 whatever
    the slope. A recorded pass, whose values are of one run, keeps both cases.

    >>> from literate_ad.core import VJPNode, backward_pass
    >>> from literate_ad.tracer import trace
    >>> value, end_node = trace(VJPNode.new_root(), lambda x: x * x, 3.0)
    >>> float(backward_pass(1.0, end_node))
    6.0
    """
    result = pull_back(g, end_node)
    if has_nan(result) or is_recorded(result):
        result = pull_back(g, end_node, strong_zero=True)
    return result


# --- docs/en/articles/05-reverse-pass.md#src-pull-back
def pull_back(g: Any, end_node: VJPNode, strong_zero: bool = False) -> Any:
    """Visits the nodes from the newest to the oldest and adds up their contributions.

    Parents are older than their children, so a node is visited after all of its children.
    """
    pending: dict[VJPNode, Any] = {}  # the sum of the contributions to each waiting node so far
    owned: set[VJPNode] = set()  # nodes whose contributions were added up in an array of this pass
    queue: list[tuple[int, VJPNode]] = []  # waiting nodes, the newest first
    node = end_node
    while node.rule is not None:
        rule = masked(node.rule) if strong_zero else node.rule
        parents, contributions = node.parent, rule(g, node.residual)
        if type(parents) is not tuple:
            if (not queue or parents.index > -queue[0][0]) and (
                type(contributions) is not SparseObject
            ):
                node, g = parents, contributions  # no other node can contribute to this parent
                continue
            parents, contributions = (parents,), (contributions,)
        for parent, contribution in zip(parents, contributions):
            if parent in pending:
                pending[parent] = accumulate(pending[parent], contribution, parent, owned)
            else:
                pending[parent] = contribution
                heappush(queue, (-parent.index, parent))
        node = heappop(queue)[1]
        g = pending.pop(node)
        if type(g) is SparseObject and node.rule not in takes_sparse:
            g = g.dense()
    return g


# --- docs/en/articles/05-reverse-pass.md#src-accumulate
def accumulate(before: Any, contribution: Any, node: Any, owned: set[Any]) -> Any:
    """``before + contribution``, in place where the pass made ``before`` itself: ``node`` is owned.

    Another object may share the array of the first contribution (an addition passes the same
    cotangent to both its arguments), so the first sum is a new array.
    """
    if type(before) is type(contribution) is np.float64:
        return before + contribution
    if type(contribution) is SparseObject:
        return contribution.added_to(before, node, owned)
    if type(before) is SparseObject:
        before = before.dense()
        owned.add(node)  # made here: no other object shares it
    if node in owned:
        if type(before) is type(contribution) is np.ndarray and contribution.dtype == before.dtype:
            before += contribution
            return before
        owned.discard(node)  # the sum below may be no array
    total = (
        vspace(before).add(before, contribution) if is_container(before) else before + contribution
    )
    if type(total) is np.ndarray:
        owned.add(node)
    return total


def is_container(value: Any) -> bool:
    """Whether ``+`` would join two such values instead of adding them."""
    return isinstance(getval(value), (list, tuple, dict))


# --- docs/en/articles/05-reverse-pass.md#src-sum-outgrads
def add_outgrads(before: Any, contribution: Any) -> Any:
    """The sum of two cotangents of one value; ``before`` may be None for none yet.

    >>> from literate_ad.core import add_outgrads
    >>> add_outgrads(None, 2.0), add_outgrads(1.0, 2.0)
    (2.0, 3.0)
    """
    if before is None:
        return contribution
    return accumulate(before, contribution, None, set())


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

    __slots__ = ("vs", "pieces", "whole")

    def __init__(self, vs: VSpace, pieces: list[tuple[Any, Any]], whole: Any = None) -> None:
        self.vs = vs
        self.pieces = pieces  # (index, cotangent) pairs
        self.whole = whole  # an array of the pass's own to add them to, or None for zeros

    def dense(self) -> Any:
        """The cotangent in full."""
        if self.whole is None:
            return self.vs.scatter(self.pieces)
        if any(isbox(g) for _, g in self.pieces):
            return self.whole + self.vs.scatter(self.pieces)
        pieces, self.pieces = self.pieces, []
        return self.vs.scatter_into(self.whole, pieces)

    def added_to(self, before: Any, node: Any, owned: set[Any]) -> Any:
        """``accumulate`` for a contribution of this kind."""
        if self.whole is not None:
            return accumulate(self.dense(), before, None, set())
        if type(before) is SparseObject:
            if node in owned:
                before.pieces.extend(self.pieces)
                return before
            owned.add(node)
            return SparseObject(self.vs, before.pieces + self.pieces, before.whole)
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
    parent: Any

    def __del__(self, dying: Dying = Dying()) -> None:  # noqa: B008, one object for all calls
        waiting = dying.parents
        if waiting is not None:
            waiting.append(self.parent)
            return
        dying.parents = waiting = [self.parent]
        self.parent = ()
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


# --- docs/en/articles/13-own-primitives.md#src-defvjp
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
        TypeError: ``fun`` is no primitive, or has its rules already; or the makers do not fit
            the arguments.

    >>> from literate_ad import grad, primitive
    >>> from literate_ad.extend import defvjp
    >>> @primitive
    ... def scaled(x, factor):
    ...     return factor * x
    >>> defvjp(scaled, lambda ans, x, factor: lambda g: factor * g, None)
    >>> float(grad(scaled)(3.0, 2.0))
    2.0
    """
    maker_of = by_argnum("defvjp", fun, makers, argnums)

    def make_rule(nums: tuple[int, ...], ans: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        staged = []
        for num in nums:
            if num not in maker_of:
                raise NotImplementedError(missing_rule("reverse", "defvjp", fun, (num,)))
            maker = maker_of[num] or zero_pullback(num)
            staged.append(Staged("defvjp", fun, maker(ans, *args, **kwargs), num, args[num]))
        return (apply_closure, staged[0]) if len(staged) == 1 else (apply_closures, staged)

    register_rule(primitive_vjps, "defvjp", fun, make_rule)


def zero_pullback(argnum: int) -> Callable[..., Any]:
    """The maker for an argument that nothing depends on: zeros of the argument's shape."""

    def maker(ans: Any, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return lambda g: vspace(args[argnum]).zeros()

    return maker


# --- docs/en/articles/13-own-primitives.md#src-defvjp-argnums
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
        staged = [Staged("defvjp_argnums", fun, vjp, num, args[num]) for num in nums]
        if len(nums) == 1:
            staged[0].pullback = lambda g: next(iter(vjp(g)))
            return apply_closure, staged[0]
        return apply_joint_closure, staged

    register_rule(primitive_vjps, "defvjp_argnums", fun, make_rule if callable(maker) else maker)


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
        staged = [
            Staged("defvjp_argnum", fun, maker(num, ans, args, kwargs), num, args[num])
            for num in nums
        ]
        return (apply_closure, staged[0]) if len(staged) == 1 else (apply_closures, staged)

    register_rule(primitive_vjps, "defvjp_argnum", fun, make_rule if callable(maker) else maker)


# --- docs/en/articles/13-own-primitives.md#src-staged
class Staged:
    """The residual of a rule given by a maker: its pullback, and what its contribution must be."""

    __slots__ = ("pullback", "space", "fun", "argnum", "place")

    def __init__(self, how: str, fun: Any, pullback: Any, argnum: int, arg: Any) -> None:
        if not callable(pullback):
            raise TypeError(
                f"{how}({fun.__name__}, ...): the maker for argument {argnum} returned "
                f"{type(pullback).__name__}, not a function. A maker is staged: "
                f"lambda ans, *args: lambda g: contribution"
            )
        self.pullback, self.space, self.fun, self.argnum = pullback, vspace(arg), fun, argnum
        self.place = place_outside()

    def checked(self, contribution: Any) -> Any:
        """The contribution in the dtype of its argument; an error if the shape is another one."""
        if type(contribution) is SparseObject:
            return contribution
        try:
            return self.space.project(contribution)
        except ValueError as error:
            file, line = self.place
            raise ValueError(
                f"the reverse rule of {self.fun.__name__} for argument {self.argnum}, "
                f"recorded at {file}:{line}, returned a wrong contribution: {error}"
            ) from error


def place_outside() -> tuple[str, int]:
    """The file and line, outside the engine, that the run has come to."""
    frame = sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith("literate_ad"):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def apply_closure(g: Any, staged: Staged) -> Any:
    """The rule of a node with one parent: the residual has the pullback."""
    return staged.checked(staged.pullback(g))


def apply_closures(g: Any, staged: Sequence[Staged]) -> list[Any]:
    """The same for several parents: one pullback each."""
    return [each.checked(each.pullback(g)) for each in staged]


def apply_joint_closure(g: Any, staged: Sequence[Staged]) -> list[Any]:
    """The same for several parents with one pullback in common."""
    contributions = tuple(staged[0].pullback(g))
    if len(contributions) != len(staged):
        raise ValueError(
            f"the reverse rule of {staged[0].fun.__name__} returned {len(contributions)} "
            f"cotangents for {len(staged)} arguments: return one for each of argnums"
        )
    return [each.checked(contribution) for each, contribution in zip(staged, contributions)]


# --- docs/en/articles/13-own-primitives.md#src-defjvp
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
        TypeError: ``fun`` is no primitive, or has its rules already; or the rules do not fit
            the arguments.

    >>> from literate_ad import deriv, primitive
    >>> from literate_ad.extend import defjvp
    >>> @primitive
    ... def scaled(x, factor):
    ...     return factor * x
    >>> defjvp(scaled, "same", lambda g, ans, x, factor: g * x)
    >>> float(deriv(scaled)(3.0, 2.0)), float(deriv(scaled, 1)(3.0, 2.0))
    (2.0, 3.0)
    """
    jvp_of = by_argnum("defjvp", fun, jvps, argnums)

    def push_forward(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        terms = []
        for num, g in zip(nums, tangents):
            if num not in jvp_of:
                raise NotImplementedError(missing_rule("forward", "defjvp", fun, (num,)))
            jvp = jvp_of[num]
            if jvp == "same":
                terms.append((fun(*args[:num], g, *args[num + 1 :], **kwargs), g))
            elif jvp is not None:
                terms.append((jvp(g, ans, *args, **kwargs), g))
        return sum_of_tangents(fun, terms, ans)

    register_rule(primitive_jvps, "defjvp", fun, push_forward)


def sum_of_tangents(fun: Any, pairs: list[tuple[Any, Any]], ans: Any) -> Any:
    """The tangent of ``ans``: the sum of the terms of all arguments, in its shape and dtype.

    ``pairs`` has each term with the tangent that it comes from: a tangent of zeros gives zeros.
    """
    space = vspace(ans)
    try:
        terms = [masked_whole(space.project(term), g) for term, g in pairs]
    except ValueError as error:
        raise ValueError(
            f"the forward rule of {fun.__name__} returned a wrong tangent: {error}"
        ) from error
    return sum_outgrads(terms) if terms else space.zeros()


# --- docs/en/articles/13-own-primitives.md#src-defjvp-argnums
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

    def push_forward(nums: Any, tangents: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        g = tangents[0] if len(tangents) == 1 else any_nonzero(*tangents)
        return sum_of_tangents(fun, [(maker(nums, tangents, ans, args, kwargs), g)], ans)

    register_rule(primitive_jvps, "defjvp_argnums", fun, push_forward if callable(maker) else maker)


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
        terms = [(maker(n, g, ans, args, kwargs), g) for n, g in zip(nums, tangents)]
        return sum_of_tangents(fun, terms, ans)

    register_rule(primitive_jvps, "defjvp_argnum", fun, push_forward if callable(maker) else maker)


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


# --- docs/en/articles/13-own-primitives.md#src-missing-rule
def missing_rule(mode: str, how: str, fun: Callable[..., Any], argnums: tuple[int, ...]) -> str:
    """The error message for a primitive without a rule for an argument that is traced."""
    name, names = getattr(fun, "__name__", repr(fun)), parameter_names(fun) or []
    which = " and ".join(
        f"argument {num}" + (f" ({names[num]!r})" if num < len(names) else "") for num in argnums
    )
    return (
        f"{name} has no {mode} rule for {which}. "
        f"Give it one with literate_ad.extend.{how}({name}, ...), "
        f"or write the function in terms of others that have rules"
    )


# --- docs/en/articles/13-own-primitives.md#src-register-rule
def register_rule(
    registry: dict[Any, Any], how: str, fun: Callable[..., Any], rule: Callable[..., Any]
) -> None:
    """Enters the rule of a primitive into one of the two registries.

    Raises:
        TypeError: ``fun`` is no primitive, or has its rules already.
    """
    name = getattr(fun, "__name__", repr(fun))
    if not hasattr(fun, "fun"):
        raise TypeError(
            f"{how}: {name} is not a primitive, so its rule would never be used: "
            f"decorate it with @primitive"
        )
    if not callable(rule):
        raise TypeError(f"{how}({name}, ...): a rule is a function, not {rule!r}")
    if getattr(fun, "declared", False):
        raise TypeError(
            f"{how}: {name} has its rules already: "
            f"wrap it in a @primitive of your own to give it others"
        )
    registry[fun] = rule


def by_argnum(how: str, fun: Callable[..., Any], rules: Any, argnums: Any) -> dict[int, Any]:
    """The rules by the number of their argument.

    Raises:
        TypeError: rules and arguments are not as many, or there is no such argument.
    """
    name = getattr(fun, "__name__", repr(fun))
    if not rules:
        raise TypeError(f"{how}({name}): give a rule for at least one argument")
    numbers = tuple(range(len(rules)) if argnums is None else argnums)
    if len(numbers) != len(rules) or len({*numbers}) != len(numbers):
        raise TypeError(
            f"{how}({name}, ...): {len(rules)} rules for the arguments {numbers}: "
            f"give one rule for each of argnums"
        )
    names = parameter_names(fun)
    if names is not None and not all(type(n) is int and 0 <= n < len(names) for n in numbers):
        raise TypeError(
            f"{how}({name}, ...): there is no argument {max(numbers)}: "
            f"{name} takes {', '.join(names) or 'none'}"
        )
    for rule in rules:
        if not (callable(rule) or rule is None or (rule == "same" and how == "defjvp")):
            raise TypeError(f"{how}({name}, ...): a rule is a function or None, not {rule!r}")
    return dict(zip(numbers, rules))


def parameter_names(fun: Callable[..., Any]) -> list[str] | None:
    """The names of the arguments that ``fun`` takes by position; None if they are not known."""
    try:
        parameters = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


# --- docs/en/articles/13-own-primitives.md#src-strong-zero
def has_nan(value: Any) -> bool:
    """Whether a number of ``value`` is nan: then the sum, which is cheap, is nan too."""
    if type(value) is np.float64:
        return bool(value != value)
    value = value if type(value) is np.ndarray else getval(value)
    if isinstance(value, (list, tuple, dict)):
        return any(has_nan(item) for item in (value.values() if type(value) is dict else value))
    total = np.add.reduce(value, axis=None) if hasattr(value, "dtype") else value
    return bool(total != total)


def is_recorded(value: Any) -> bool:
    """Whether a trace that outlives this run, such as a recorder of programs, sees ``value``."""
    if type(value) is np.ndarray or type(value) is np.float64:
        return False
    while isbox(value):
        if not getattr(value._node, "of_this_run", False):
            return True
        value = value._value
    if isinstance(value, (list, tuple, dict)):
        return any(map(is_recorded, value.values() if isinstance(value, dict) else value))
    return False


@primitive
def without_undefined(value: Any, contribution: Any, g: Any, elementwise: bool = True) -> Any:
    """``value``, and 0 where ``g`` is 0 and ``contribution`` is nan, as 0 times infinity is.

    The contribution of a rule that is not elementwise counts as undefined where it is nan,
    if all of ``g`` is 0: a linear map takes 0 to 0.
    """
    zero = g == 0 if elementwise else not np.any(g)
    return np.where(zero & (contribution != contribution), 0, value)[()]


@primitive
def any_nonzero(*tangents: Any) -> Any:
    """Whether one of several tangents is anything but zeros."""
    return np.bool_(any(map(np.any, tangents)))


def masked(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule that takes a cotangent of 0 to 0, whatever the slope."""
    known = masked_rules.get(rule)
    return known if known is not None else lambda g, residual: masked_whole(rule(g, residual), g)


def masked_whole(contribution: Any, g: Any) -> Any:
    """The same for the contributions of a rule that is not known to be elementwise."""
    if isinstance(contribution, (list, tuple)):
        return [masked_whole(each, g) for each in contribution]
    if not (hasattr(g, "dtype") and hasattr(contribution, "dtype")):
        return contribution
    return defined(contribution, g, False)


def defined(contribution: Any, g: Any, elementwise: bool = True) -> Any:
    """``contribution`` without its undefined numbers; unchanged where none can ever be."""
    never = not is_recorded(contribution) or (np.all(getval(g)) and not is_recorded(g))
    if never and not has_nan(contribution):
        return contribution
    return without_undefined(contribution, contribution, g, elementwise)


# The rules that take a cotangent as a SparseObject.
takes_sparse: set[Callable[..., Any]] = set()

# For each elementwise rule, and each made of several, the one that keeps zeros.
masked_rules: dict[Callable[..., Any], Callable[..., Any]] = {}


def elementwise_rule(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Marks ``rule`` as one that multiplies each number of ``g`` by a slope."""
    masked_rules[rule] = lambda g, residual: defined(rule(g, residual), g)
    return rule


# --- docs/en/articles/13-own-primitives.md#src-strong-zero-rules
defvjp(
    without_undefined,
    lambda ans, value, contribution, g, *how: lambda h: without_undefined(h, contribution, g, *how),
    None,
    None,
)
defjvp(
    without_undefined,
    lambda t, ans, value, contribution, g, *how: without_undefined(t, contribution, g, *how),
    None,
    None,
)
