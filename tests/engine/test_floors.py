"""The engine's modules stand on floors: an import goes down, and none is hidden in a function."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import literate_ad

ROOT = Path(literate_ad.__file__).parent
# From the ground up; a module may import from its own floor, in no circle.
FLOORS = [
    ["util"], ["tracer"], ["core"], ["numpy.numpy_boxes"], ["numpy.numpy_wrapper"],
    ["numpy.numpy_vspaces", "numpy.arguments", "numpy.recorder", "numpy.forms", "numpy.rules"],
    ["numpy.numpy_vjps"], ["numpy.methods", "numpy.linalg", "numpy.fft"], ["numpy.assignment"],
    ["numpy"], ["builtins", "wrap_util"], ["differential_operators", "extend"], [""],
]  # fmt: skip


@cache
def modules() -> dict[str, ast.Module]:
    """The engine's modules by their names below ``literate_ad``; packages by their own."""
    found = {}
    for path in ROOT.rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found[name.removesuffix("__init__").strip(".")] = ast.parse(path.read_text())
    return found


def imports(tree: ast.Module) -> set[str]:
    """The engine's modules that a module imports, wherever in it the import stands."""
    known, names = modules(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            parts = {each for each in inside if each.partition(".")[2] in known}
            names |= parts or {str(node.module)}
    return {each.partition(".")[2] for each in names if each.split(".")[0] == "literate_ad"}


def floor_of(module: str) -> int:
    """The number of the floor on which a module stands."""
    for number, floor in enumerate(FLOORS):
        if any(module == name or (name and module.startswith(f"{name}.rules")) for name in floor):
            return number
        if "numpy.rules" in floor and module.startswith("numpy.rules"):
            return number
    raise AssertionError(f"literate_ad.{module} stands on no floor: add it to FLOORS")


def test_no_import_goes_up() -> None:
    upwards = [
        f"{module} imports {other}"
        for module, tree in modules().items()
        for other in imports(tree)
        if floor_of(other) > floor_of(module)
    ]
    assert upwards == []


def test_imports_have_no_circle() -> None:
    graph = {module: imports(tree) - {module} for module, tree in modules().items()}
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError, with the circle
    assert len(order) == len(modules()) >= 25


def test_no_import_is_hidden_in_a_function() -> None:
    hidden = [
        f"{module}:{inner.lineno}"
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert hidden == []
