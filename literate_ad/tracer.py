# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/04-tracer.md#src-tracer-imports
"""Boxes, nodes and traces: how a run of ordinary code leaves a graph behind."""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from itertools import count
from numbers import Integral
from typing import Any, TypeVar

from literate_ad.util import bind_positionally, subvals, toposort

__all__ = [
    "Box", "Node", "box_type_mappings", "box_types", "find_top_boxed_args", "getval", "isbox",
    "new_box", "notrace_primitive", "notrace_primitives", "primitive", "record",
    "register_notrace", "snapshot", "toposort", "trace", "trace_numbers",
]  # fmt: skip


# --- docs/en/articles/04-tracer.md#src-node
class Node:
    """One operation of a recorded run, seen from the trace that records it.

    A subclass decides what to remember. Its constructor receives the operation's
    ``value``, the primitive ``fun``, the unboxed ``args`` and ``kwargs``, and the
    positions (``parent_argnums``) and nodes (``parents``) of the traced arguments;
    ``initialize_root`` prepares the node of the trace's input.

    ``of_this_run`` is for node types whose record is used with this run's values alone, as a
    derivative's is: what does not change near these values is then a constant. A node type
    that keeps the default records comparisons, rounding and the like as operations.

    >>> from literate_ad.tracer import Node, trace
    >>> class Depth(Node):
    ...     def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
    ...         self.depth = 1 + max(parent.depth for parent in parents)
    ...     def initialize_root(self):
    ...         self.depth = 0
    >>> value, node = trace(Depth.new_root(), lambda x: x * x + x, 3.0)
    >>> node.depth
    2
    """

    __slots__ = ()
    of_this_run = False

    def __init__(
        self,
        value: Any,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        parent_argnums: tuple[int, ...],
        parents: tuple[Any, ...],
    ) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} does not say what it remembers: give it an __init__"
        )

    def initialize_root(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} cannot start a trace: give it an initialize_root"
        )

    @classmethod
    def new_root(cls, *args: Any, **kwargs: Any) -> Any:
        """The node of a trace's input: a bare instance, prepared by ``initialize_root``."""
        root = cls.__new__(cls)
        root.initialize_root(*args, **kwargs)
        return root

    @classmethod
    def from_call(cls, *call: Any) -> Any:
        """The node of one primitive call. The engine's own nodes are leaner and override this."""
        return cls(*call)

    @classmethod
    def takes_as_constant(cls, fun: Callable[..., Any], ans: Any) -> bool:
        """Whether the answer of ``fun`` is a constant to traces with nodes of this type."""
        if fun in notrace_primitives[cls]:
            return True
        return cls.of_this_run and (fun in locally_constant or is_discrete(ans))


# --- docs/en/articles/04-tracer.md#src-box
box_types: set[type] = set()
box_type_mappings: dict[type, Callable[[Any, int, Any], Any]] = {}


class Box:
    """A value on its way through a traced function: ``_value``, the number of its trace, its node.

    A box does not change, unless it is an array that is assigned to. ``Box.register(T)`` in a
    subclass makes it the box of values of type T.

    >>> from literate_ad import grad
    >>> from literate_ad.extend import Box
    >>> seen = []
    >>> float(grad(lambda x: seen.append(isinstance(x, Box)) or x * x)(3.0)), seen
    (6.0, [True])
    """

    __slots__ = ("_value", "_trace", "_node")

    def __init__(self, value: Any, trace: int, node: Any) -> None:
        self._value = value
        self._trace = trace
        self._node = node

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({getval(self)})"

    def snapshot(self) -> Any:
        """What the box holds: a box that can be written to holds something else later."""
        return self

    def __copy__(self) -> Box:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Box:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            f"{self!r} is being traced and cannot be pickled: "
            f"pass numbers between processes, not traced values"
        )

    @classmethod
    def register(
        cls, value_type: type, boxing: Callable[[Any, int, Any], Any] | None = None
    ) -> None:
        """Values of ``value_type`` are boxed by this class, or by ``boxing``, which may convert."""
        box_types.add(cls)
        box_type_mappings[value_type] = boxing or cls
        box_type_mappings[cls] = cls


# --- docs/en/articles/04-tracer.md#src-isbox
def isbox(x: object) -> bool:
    """Whether ``x`` is being traced.

    >>> from literate_ad.tracer import isbox
    >>> isbox(3.0)
    False
    """
    return type(x) in box_types


def snapshot(x: Any) -> Any:
    """What ``x`` holds now, if it is an array that can be written to; anything else as it is."""
    return x.snapshot() if isinstance(x, Box) else x


def getval(x: Any) -> Any:
    """The plain value under every box around ``x``, of however many traces.

    >>> from literate_ad import grad
    >>> from literate_ad.tracer import getval
    >>> float(grad(lambda x: x * getval(x))(3.0))
    3.0
    """
    while type(x) in box_types:
        x = x._value
    return x


# --- docs/en/articles/04-tracer.md#src-new-box
def new_box(value: Any, trace: int, node: Any) -> Any:
    """Boxes ``value`` for ``trace``, with the box class registered for its type or a base of it.

    Raises:
        TypeError: no box is registered for the type; the message names it.

    >>> import literate_ad.numpy
    >>> from literate_ad.tracer import new_box
    >>> new_box(3.0, 0, None)
    ArrayBox(3.0)
    """
    boxing = box_type_mappings.get(type(value)) or inherited(box_type_mappings, type(value))
    if boxing is None:
        raise TypeError(untraceable(value))
    return boxing(value, trace, node)


def inherited(mappings: dict[type, Any], value_type: type) -> Any:
    """What ``mappings`` has for a base of ``value_type``, or None."""
    known = [base for base in value_type.__mro__ if base in mappings]
    return mappings[known[0]] if known else None


def untraceable(value: Any) -> str:
    """The message for a value that has no derivative, with advice."""
    name = type(value).__name__
    advice = "pass a float or an array of floats, and constants in an argument of their own"
    shape = getattr(value, "shape", ())
    if isinstance(shape, tuple) and shape:
        name = f"{name} and dtype {value.dtype}"
    if isinstance(value, Integral):
        advice = f"a derivative needs a real number: pass {float(value)!r} instead of {value!r}"
    return f"cannot differentiate with respect to a value of type {name}: {advice}"


# --- docs/en/articles/04-tracer.md#src-trace
trace_numbers = count()
running: set[int] = set()  # the numbers of the traces that have begun and not ended


def is_tracing() -> bool:
    """Whether the caller was called by a traced function, in whatever thread others run."""
    frame: Any = sys._getframe(1)
    while frame and frame.f_code not in beginnings:
        frame = frame.f_back
    return frame is not None


def trace(start_node: Any, fun: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """Runs ``fun(x)`` with ``x`` boxed, and returns the answer and the node that made it.

    Numbers of traces only ever grow, so a trace begun inside another one is the newer
    of the two, in whatever thread it runs. If the answer does not depend on ``x`` there is
    no node: a warning says so and the second item is None.

    Raises:
        TypeError: ``x`` cannot be traced, or ``fun`` returned traced values in a plain container.

    >>> from literate_ad.core import VJPNode
    >>> from literate_ad.tracer import trace
    >>> value, node = trace(VJPNode.new_root(), lambda x: x * x, 3.0)
    >>> float(value), len(node.parents)
    (9.0, 2)
    """
    number = next(trace_numbers)
    start_box = new_box(x, number, start_node)
    running.add(number)
    try:
        end = fun(start_box)
    except ValueError as error:  # NumPy words its own error when an assignment was refused
        if isinstance(error.__cause__, LostDerivativeError):
            raise error.__cause__.with_traceback(error.__traceback__) from None
        raise
    finally:
        running.discard(number)
    while type(end) in box_types and end._trace > number:  # left by a trace that ended inside
        end = end._value
    if type(end) in box_types and end._trace == number:
        return end._value, end._node
    end = snapshot(end)
    refuse_loose_boxes(fun, end, number)
    warnings.warn("Output seems independent of input.", stacklevel=levels_to_caller())
    return end, None


beginnings = {trace.__code__}  # the code that runs traced functions


def levels_to_caller() -> int:
    """How many frames lie between the caller of this function and the code outside the engine."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith("literate_ad"):
        frame, levels = frame.f_back, levels + 1
    return levels


class LostDerivativeError(TypeError):
    """A traced value was used in a way that would make a constant of it."""


# --- docs/en/articles/04-tracer.md#src-refuse-loose-boxes
def refuse_loose_boxes(fun: Callable[[Any], Any], end: Any, number: int) -> None:
    """A plain container around traced values would pass for a constant: refuse it."""
    if holds_box(end, number):
        raise TypeError(
            f"{getattr(fun, '__name__', 'the function')} returned traced values inside "
            f"a plain {type(end).__name__}: return one array, for example "
            f"literate_ad.numpy.array([...])"
        )


def holds_box(value: Any, number: int) -> bool:
    """Whether a box of the trace is ``value``, or lies in it, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(holds_box(item, number) for item in value)
    return type(value) in box_types and value._trace == number


# --- docs/en/articles/04-tracer.md#src-primitive
F = TypeVar("F", bound=Callable[..., Any])


def primitive(f_raw: F) -> F:
    """Makes ``f_raw`` one step of every trace: its inside is never traced, its rules say the rest.

    Called without traced arguments the new function is ``f_raw``. Give it rules
    with ``defvjp`` (reverse mode) and ``defjvp`` (forward mode).

    Args:
        f_raw: a function of plain arrays and numbers.

    Returns:
        A function of the same arguments that also takes traced values, and records its call for
        each trace. It needs rules, see ``defvjp`` and ``defjvp``.

    >>> import literate_ad.numpy as np
    >>> from literate_ad import grad, primitive
    >>> from literate_ad.extend import defvjp
    >>> @primitive
    ... def cube(x):
    ...     return x**3
    >>> defvjp(cube, lambda ans, x: lambda g: g * 3 * x**2)
    >>> float(grad(cube)(2.0))
    12.0
    """

    @wraps(f_raw)
    def f_wrapped(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if type(arg) in box_types:
                return traced(args, kwargs)
        if kwargs:
            for value in kwargs.values():
                if type(value) in box_types:
                    return traced(args, kwargs)
        return f_raw(*args, **kwargs)

    def record_by(recorder: Callable[..., Any]) -> None:
        nonlocal traced
        traced = recorder

    def traced(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args, kwargs = traced_by_position(f_raw, args, kwargs)
        return record(f_wrapped, tuple([snapshot(arg) for arg in args]), kwargs)

    f_wrapped.fun, f_wrapped.record_by = f_raw, record_by
    return f_wrapped


# --- docs/en/articles/04-tracer.md#src-traced-by-position
def traced_by_position(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same call without boxes among the keywords: rules know arguments by their number."""
    if not kwargs or not any(type(value) in box_types for value in kwargs.values()):
        return args, kwargs
    args, kwargs = bind_positionally(fun, args, kwargs)
    for name, value in kwargs.items():
        if type(value) in box_types:
            raise TypeError(
                f"{getattr(fun, '__name__', fun)}: a traced value cannot be passed as {name}, "
                f"a keyword-only argument"
            )
    return args, kwargs


# --- docs/en/articles/04-tracer.md#src-record
def record(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *known: Any
) -> Any:
    """Calls the primitive ``fun`` with at least one box among ``args`` and records the call.

    The newest trace's boxes are opened and ``fun`` is called again, so that an older
    trace records its own node first. ``known`` is the answer, if that call was made already.

    >>> import literate_ad.numpy as np
    >>> from literate_ad import grad
    >>> from literate_ad.tracer import record
    >>> float(grad(lambda x: record(np.multiply, (x, x), {}))(3.0))
    6.0
    """
    boxes, number, node_type = find_top_boxed_args(args)
    values = subvals(args, [(argnum, box._value) for argnum, box in boxes])
    ans = known[0] if known else fun(*values, **kwargs)
    if type(ans) in box_types and ans._trace >= number:  # through a list among the arguments
        raise LostDerivativeError(
            f"{getattr(fun, '__name__', fun)}: a list of traced values is no argument of its own: "
            f"make an array of it first, with literate_ad.numpy.array"
        )
    if node_type.takes_as_constant(fun, ans):
        return ans
    if not node_type.of_this_run and inherited(box_type_mappings, type(ans)) is None:
        return ans  # of a type that no box is for, such as text
    parents = tuple([box._node for _, box in boxes])
    argnums = tuple([argnum for argnum, _ in boxes])
    node = node_type.from_call(ans, fun, values, kwargs, argnums, parents)
    return new_box(ans, number, node)


# --- docs/en/articles/04-tracer.md#src-find-top-boxed-args
def find_top_boxed_args(args: tuple[Any, ...]) -> tuple[list[tuple[int, Any]], int, type | None]:
    """The newest trace's boxes among ``args`` with their positions, its number, its node type.

    >>> from literate_ad.tracer import find_top_boxed_args
    >>> find_top_boxed_args((1.0, 2.0))
    ([], -1, None)
    """
    boxes: list[tuple[int, Any]] = []
    newest, node_type = -1, None
    for argnum, arg in enumerate(args):
        if type(arg) in box_types:
            if arg._trace > newest:
                boxes, newest, node_type = [(argnum, arg)], arg._trace, type(arg._node)
            elif arg._trace == newest:
                boxes.append((argnum, arg))
    return boxes, newest, node_type


# --- docs/en/articles/04-tracer.md#src-notrace-primitive
def notrace_primitive(f_raw: F) -> F:
    """A function of the values alone: its answer is a constant to every trace.

    For functions whose derivative is zero or has no meaning: comparisons, ``argmax``, ``shape``.

    Args:
        f_raw: a function of plain arrays and numbers.

    Returns:
        A function of the same arguments that also takes traced values, and records nothing.

    >>> from literate_ad import grad
    >>> from literate_ad.extend import notrace_primitive
    >>> @notrace_primitive
    ... def whole(x):
    ...     return x // 1
    >>> float(grad(lambda x: x * whole(x))(3.5))
    3.0
    """

    @wraps(f_raw)
    def f_wrapped(*args: Any, **kwargs: Any) -> Any:
        args = tuple([getval(arg) for arg in args])
        return f_raw(*args, **{name: getval(value) for name, value in kwargs.items()})

    f_wrapped.fun = f_raw
    return f_wrapped


notrace_primitives: dict[type | None, set[Callable[..., Any]]] = defaultdict(set)
locally_constant: set[Callable[..., Any]] = set()  # constants to every node type ``of_this_run``


def register_notrace(trace_type: type, primitive_fun: Callable[..., Any]) -> None:
    """Traces whose nodes are of ``trace_type`` treat ``primitive_fun``'s answer as a constant.

    Args:
        trace_type: the class of the nodes: ``VJPNode``, ``JVPNode`` or one of your own.
        primitive_fun: the primitive that is a constant to them.

    >>> from literate_ad import grad, primitive
    >>> from literate_ad.extend import VJPNode, register_notrace
    >>> @primitive
    ... def twice(x):
    ...     return 2 * x
    >>> register_notrace(VJPNode, twice)
    >>> float(grad(lambda x: x * twice(x))(3.0))
    6.0
    """
    notrace_primitives[trace_type].add(primitive_fun)


# --- docs/en/articles/04-tracer.md#src-is-discrete
def is_discrete(ans: Any) -> bool:
    """Integers and truth values jump; wherever they have a derivative it is zero."""
    if type(ans) in box_types:
        return False
    if isinstance(ans, (tuple, list)):
        return len(ans) > 0 and all(is_discrete(item) for item in ans)
    dtype = getattr(ans, "dtype", None)
    return dtype.kind in "iub" if dtype is not None else isinstance(ans, int)
