"""The modules of the package: what each is for, who imports whom, and where each has its page."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import Crossrefs, module_file

PACKAGE = "literate_ad"
FOLDER = "source"


def module_name(file: str) -> str:
    """``numpy.declare`` for ``literate_ad/numpy/declare.py``; the package keeps its own name."""
    path = file.removesuffix(".py").removesuffix("/__init__")
    return path.removeprefix(f"{PACKAGE}/").replace("/", ".")


def module_page(docs: str, file: str) -> str:
    """The page of a module, among the files of the docs."""
    return f"{docs}/{FOLDER}/{module_name(file)}.md"


@dataclass(frozen=True)
class Module:
    """A module: its text, its blocks from top to bottom, and the modules that it imports.

    ``True`` stands beside those that it imports at once, before anything else can happen.
    """

    file: str
    text: str
    places: Sequence[Placement]
    imports: Mapping[str, bool]

    @property
    def name(self) -> str:
        """The name that the book calls it by."""
        return module_name(self.file)

    @property
    def dotted(self) -> str:
        """The name that Python imports it by."""
        return PACKAGE if self.name == PACKAGE else f"{PACKAGE}.{self.name}"

    @property
    def sentence(self) -> str:
        """The first sentence of its docstring."""
        said = " ".join((ast.get_docstring(ast.parse(self.text)) or "").split())
        first = re.match(r".+?[.?!](?= |$)", said)
        return first[0] if first else said


def imports_of(
    node: ast.AST, files: Collection[str], at_once: bool = True
) -> Iterator[tuple[str, bool]]:
    """The files that a module imports, each with whether it does so while it is being loaded."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names=names):
                yield from ((module_file(each.name, files), at_once) for each in names)
            case ast.ImportFrom(module=str(home), names=names):
                for each in names:
                    inner = module_file(f"{home}.{each.name}", files)
                    yield inner or module_file(home, files), at_once
            case ast.FunctionDef() | ast.If():
                yield from imports_of(child, files, False)
            case _:
                yield from imports_of(child, files, at_once)


def read_modules(web: Crossrefs) -> dict[str, Module]:
    """Every module of the book by its name, in the order of the alphabet."""
    modules = {}
    for file in sorted(web.modules, key=module_name):
        imports: dict[str, bool] = {}
        for other, at_once in imports_of(ast.parse(web.texts[file]), web.modules):
            if other:
                name = module_name(other)
                imports[name] = imports.get(name, False) or at_once
        modules[module_name(file)] = Module(file, web.texts[file], web.modules[file], imports)
    return modules


def importers(modules: Mapping[str, Module], name: str) -> list[str]:
    """The modules that import the one called ``name``."""
    return [each.name for each in modules.values() if name in each.imports]


def reached(modules: Mapping[str, Module], name: str, besides: str) -> set[str]:
    """Where imports lead from a module, without its own import of ``besides``."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        here = waiting.pop()
        for other, at_once in modules[here].imports.items():
            if at_once and other not in found and (here, other) != (name, besides):
                found.add(other)
                waiting.append(other)
    return found


def arrows(modules: Mapping[str, Module]) -> Iterator[tuple[str, str]]:
    """The imports that no way of other imports stands for."""
    for name, module in modules.items():
        for other, at_once in module.imports.items():
            if not at_once or other not in reached(modules, name, other):
                yield name, other
