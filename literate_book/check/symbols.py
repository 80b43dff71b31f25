"""What the names in an article stand for in the engine, and which of them use which."""

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
MISSING = object()


@lru_cache(maxsize=256)
def parse_module(module: ModuleType) -> ast.Module:
    """The parsed source of a module."""
    return ast.parse(inspect.getsource(module))


@dataclass(frozen=True)
class Symbol:
    """A name of the engine: ``core.make_vjp``, ``tracer.Box``, ``core.make_vjp.vjp``.

    ``value`` is the object, or ``MISSING`` for a function that exists only while another runs, and
    ``owner`` what it is an attribute of. ``tree`` is its source, or None where it has none of its
    own; ``scope`` holds what the names in the source mean.
    """

    name: str
    owner: Any
    value: Any
    tree: ast.AST | None
    scope: Mapping[str, Any]

    @property
    def last(self) -> str:
        """The part of the name behind the last dot."""
        return self.name.rpartition(".")[2]

    @cached_property
    def texts(self) -> set[str]:
        """The names that the symbol's source refers to, as they are written there."""
        nodes = ast.walk(self.tree) if self.tree else ()
        return {ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)}

    @cached_property
    def objects(self) -> set[int]:
        """The identities of the objects behind those names."""
        return {id(look_up(text, self.scope)) for text in self.texts} - {id(MISSING)}


def look_up(text: str, scope: Mapping[str, Any]) -> Any:
    """The object behind a dotted name, looked up through modules and classes only."""
    first, *rest = text.split(".")
    value = scope.get(first, MISSING)
    for part in rest:
        value = attribute(value, part)
    return value


def resolve(package: str, name: str) -> Symbol | None:
    """The symbol that ``name`` stands for below the package, or None."""
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    module, path = find_module(package, name.split("."))
    owner: Any = None
    value: Any = module
    for part in path:
        owner = value
        value = attribute(owner, part)
    tree = find_definition(parse_module(module), path)
    if value is MISSING and tree is None:
        return None
    scope: Mapping[str, Any] = vars(module)
    if tree is None:
        tree, scope = find_code(value)
    return Symbol(name, owner, value, tree, scope)


def attribute(owner: Any, name: str) -> Any:
    """An attribute of a module or a class; ``MISSING`` when it has none, or is neither."""
    if isinstance(owner, ModuleType):
        return vars(owner).get(name, MISSING)
    return getattr(owner, name, MISSING) if isinstance(owner, type) else MISSING


def find_module(package: str, parts: list[str]) -> tuple[ModuleType, list[str]]:
    """The module that the longest possible beginning of a dotted name stands for, and the rest."""
    module = importlib.import_module(package)
    for index, part in enumerate(parts):
        path = f"{module.__name__}.{part}"
        if not hasattr(module, "__path__") or importlib.util.find_spec(path) is None:
            return module, parts[index:]
        module = importlib.import_module(path)
    return module, []


def find_definition(tree: ast.AST, path: list[str]) -> ast.AST | None:
    """The definition of a function or class, by the names it is nested in."""
    for name in path:
        inside = (node for node in own_nodes(tree) if isinstance(node, DEFINITIONS))
        found = next((node for node in inside if node.name == name), None)
        if found is None:
            return None
        tree = found
    return tree


def own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes below ``tree`` that are not inside a definition below it."""
    for child in ast.iter_child_nodes(tree):
        yield child
        if not isinstance(child, DEFINITIONS):
            yield from own_nodes(child)


def find_code(value: Any) -> tuple[ast.AST | None, Mapping[str, Any]]:
    """The source of a function that another one made, and what the names in it mean."""
    code = getattr(value, "__code__", None)
    module = sys.modules.get(getattr(value, "__globals__", {}).get("__name__", ""))
    if code is None or module is None:
        return None, {}
    for node in ast.walk(parse_module(module)):
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            first = min([node, *getattr(node, "decorator_list", [])], key=lambda each: each.lineno)
            if first.lineno == code.co_firstlineno:
                return node, {**vars(module), **inspect.getclosurevars(value).nonlocals}
    return None, {}


def uses(caller: Symbol, called: Symbol) -> bool:
    """Whether the source of ``caller`` refers to ``called``.

    A method counts by its name, since source does not say what object it is called on.
    """
    if called.value is MISSING:
        return called.name == f"{caller.name}.{called.last}" and called.last in caller.texts
    if id(called.value) in caller.objects:
        return True
    is_method = isinstance(called.owner, type)
    return is_method and any(text.endswith(f".{called.last}") for text in caller.texts)
