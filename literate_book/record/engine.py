"""What the tools know of the engine's insides: the one table to mend when the engine changes.

The recorders use the names on the left of this table. ``missing`` says which names on the right
the engine has no more; a test calls it.
"""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from types import CodeType, FrameType
from typing import Any

from literate_ad.core import JVPNode, SparseObject, VJPNode, accumulate, backward_pass
from literate_ad.tracer import (
    Box,
    Node,
    beginnings,
    getval,
    isbox,
    new_box,
    running,
    trace,
    trace_numbers,
)

__all__ = [
    "Box", "JVPNode", "Node", "SparseObject", "VJPNode", "accumulate", "backward_pass",
    "beginnings", "getval", "isbox", "new_box", "running", "trace", "trace_numbers",
]  # fmt: skip
PACKAGE = "literate_ad"

# Attributes: of boxes, of nodes of the reverse and of the forward mode, of sparse cotangents.
ATTRIBUTES = {
    Box: {"value": "_value", "trace": "_trace", "node": "_node"},
    VJPNode: {"parents": "parents", "rule": "rule"},
    JVPNode: {"tangent": "g"},
    SparseObject: {"dense": "dense"},
}
value_of, trace_of, node_of = (attrgetter(name) for name in ATTRIBUTES[Box].values())
parents_of, tangent_of = attrgetter("parents"), attrgetter(ATTRIBUTES[JVPNode]["tangent"])
RULE, DENSE = ATTRIBUTES[VJPNode]["rule"], ATTRIBUTES[SparseObject]["dense"]


@dataclass(frozen=True)
class Variables:
    """The local variables of a function of the engine, by the tools' names for them."""

    function: str
    names: dict[str, str]

    @cached_property
    def code(self) -> CodeType:
        return code_of(self.function)

    def read(self, frame: FrameType, name: str) -> Any:
        """The variable that the tools call ``name``."""
        known = frame.f_globals | frame.f_locals
        return known[self.names[name]]

    def read_all(self, frame: FrameType, name: str) -> list[Any]:
        """Several variables; one with a star stands for its items."""
        known, values = frame.f_locals, list[Any]()
        for variable in self.names[name].split():
            values += known[variable[1:]] if variable[0] == "*" else [known[variable]]
        return values


PASS = Variables(
    "core:pull_back",
    {
        "cotangent": "g",
        "end node": "end_node",
        "node": "node",
        "parent": "parent",
        "contribution": "contribution",
        "pending": "pending",
        "queue": "queue",
        "owned": "owned",
    },
)
SUM = Variables("core:accumulate", {"before": "before"})
TRACE = Variables("tracer:trace", {"box": "start_box", "end": "end"})

# The functions that make a node, each with the operation, its arguments and its value.
GENERAL = {"fun": "fun", "args": "*args", "value": "value", "parents": "parents"}
PAIR = {"fun": "f", "args": "x y", "value": "ans"}
MAKERS = (
    Variables("core:VJPNode.from_call", GENERAL),
    Variables("core:JVPNode.from_call", GENERAL),
    Variables("numpy.recorder:binary_recorder.traced", PAIR),
    Variables("numpy.recorder:binary_recorder.right", PAIR),
    Variables("numpy.recorder:binary_recorder.both", PAIR),
    Variables("numpy.recorder:record_one", PAIR | {"args": "*args"}),
    Variables("numpy.recorder:record_both", PAIR),
    Variables("numpy.recorder:one_array_recorder.traced", PAIR | {"args": "x *args"}),
    Variables("numpy.recorder:several_arrays_recorder.traced", PAIR | {"args": "*args"}),
    Variables("numpy.numpy_wrapper:unary.f", PAIR | {"args": "x"}),
    Variables(
        "numpy.rules.indexing:getitem", {"fun": "getitem", "args": "x index", "value": "ans"}
    ),
)

VARIABLES = (PASS, SUM, TRACE, *MAKERS)

# Modules whose functions carry out an operation: a node comes from the line that called them.
CARRIERS = {
    f"{PACKAGE}.{name}"
    for name in (
        "tracer",
        "builtins",
        "numpy.recorder",
        "numpy.numpy_boxes",
        "numpy.numpy_wrapper",
        "numpy.methods",
    )
}
# Functions that pass on what others ask for: a step happens in the line that called them.
BETWEEN = (
    "tracer:Node.new_root",
    "tracer:Node.from_call",
    "tracer:new_box",
    "core:VJPNode.from_call",
    "core:JVPNode.from_call",
    "numpy.numpy_boxes:box_float",
    "numpy.numpy_boxes:box_array",
)
# What the reverse pass calls to queue a node, and to take one out of the pending cotangents.
QUEUE, POP = "heappush", "pop"


def code_of(place: str) -> CodeType:
    """The code of ``module:function``, ``module:Class.method`` or ``module:function.inner``."""
    module, _, names = place.partition(":")
    found: Any = import_module(f"{PACKAGE}.{module}")
    for name in names.split("."):
        if isinstance(found, CodeType):
            inner = (each for each in found.co_consts if isinstance(each, CodeType))
            found = next(each for each in inner if each.co_name == name)
        else:
            found = inspect.unwrap(getattr(found, name))
            found = getattr(found, "__func__", found)
            found = getattr(found, "__code__", found)
    assert isinstance(found, CodeType)
    return found


def missing() -> Iterator[str]:
    """What the table names and the engine does not have, with what to do."""
    mend = "any more: mend record/engine.py"
    for function in (*BETWEEN, *(each.function for each in VARIABLES)):
        try:
            code_of(function)
        except (ImportError, AttributeError, StopIteration):
            yield f"the engine has no function {function.replace(':', '.')} {mend}"
            return
    for each in VARIABLES:
        code, function = each.code, each.function.replace(":", ".")
        known = {*code.co_varnames, *code.co_cellvars, *code.co_freevars, *code.co_names}
        for name in " ".join(each.names.values()).replace("*", "").split():
            if name not in known:
                yield f"the engine has no local variable `{name}` in {function} {mend}"
    for owner, attributes in ATTRIBUTES.items():
        for name in attributes.values():
            if not hasattr(owner, name):
                yield f"the engine's {owner.__name__} has no attribute `{name}` {mend}"
    for module in CARRIERS:
        if find_spec(module) is None:
            yield f"the engine has no module {module} {mend}"
    for name in (QUEUE, POP):
        if name not in PASS.code.co_names:
            yield f"core.pull_back does not call `{name}` {mend}"
