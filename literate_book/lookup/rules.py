"""What the engine does with each of NumPy's functions, and the line of the package that says so.

``[tool.literate-book.rules]`` names the registries of the engine; a book without it has no table of
rules. The package is imported in a process of its own, because a process that serves pages while
they are written holds an older package: ``python -m literate_book.lookup.rules ROOT`` prints JSON.
"""

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from literate_book.source.config import load_config
from literate_book.source.errors import refusal
from literate_book.weave.crossrefs import Crossrefs

RULES = "[tool.literate-book.rules]"


@dataclass(frozen=True)
class Primitive:
    """A function of NumPy as the engine offers it, and the line that declares it, if one does.

    ``state`` is rule, composed, constant or missing; ``reverse`` and ``forward`` are the arguments
    that have a rule.
    """

    name: str
    own_name: str
    state: str
    reverse: list[str]
    forward: list[str]
    file: str = ""
    line: int = 0


def read_primitives(web: Crossrefs, root: Path) -> list[Primitive]:
    """Every wrapped function, sorted by name; none for a book without a table of rules."""
    if not web.config.rules:
        return []
    return primitives(root, tuple((root / file).stat().st_mtime_ns for file in web.modules))


@lru_cache(maxsize=1)
def primitives(root: Path, _changed: tuple[int, ...]) -> list[Primitive]:
    """The functions as another process finds them; made again when a module has changed."""
    path = os.pathsep.join([str(root), str(Path(__file__).parents[2])])
    command = [sys.executable, "-m", __name__, str(root)]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise refusal("pyproject.toml", f"{RULES}: no table can be made: the error stands above")
    return [Primitive(**each) for each in json.loads(done.stdout)]


# In the process that imports the package


class Engine:
    """The parts of a package that the table is made from."""

    def __init__(self, root: Path, settings: dict[str, Any]) -> None:
        self.root, self.package = root, load_config(root).package
        self.home = f"{self.package}.{settings['module']}"
        self.calls: dict[str, str] = settings["declarations"]
        self.lines = self.watched_import()
        self.reverse, self.forward = self.part(settings["reverse"]), self.part(settings["forward"])
        self.wrappers = self.part(settings["wrappers"])
        self.constants = {name: self.part(name) for name in settings["constants"]}

    def part(self, name: str) -> Any:
        """A value of a module."""
        module, _, attribute = f"{self.package}.{name}".rpartition(".")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError):
            sys.exit(f"{RULES}: the package has no {name}: write its new name there")

    def watched_import(self) -> dict[tuple[str, Any], tuple[str, int]]:
        """Imports the package; the line of a module behind each call that declares a function."""
        found: dict[tuple[str, Any], tuple[str, int]] = {}
        folder = f"{self.root / self.package}{os.sep}"

        def look(frame: FrameType, event: str, _: object) -> None:
            call, file = frame.f_code.co_name, frame.f_code.co_filename
            if event == "call" and call in self.calls and file.startswith(folder):
                fun = frame.f_locals[self.calls[call]]
                while frame.f_back and frame.f_code.co_name != "<module>":
                    frame = frame.f_back
                place = (self.file(frame.f_code.co_filename), frame.f_lineno)
                found.setdefault((call, getattr(fun, "fun", fun)), place)

        sys.setprofile(look)
        try:
            import_module(self.home)
        finally:
            sys.setprofile(None)
        return found

    def file(self, path: Any) -> str:
        """A file of the book, below its folder."""
        return Path(path).relative_to(self.root).as_posix()

    def constant(self, constants: str, name: str) -> tuple[str, int]:
        """The line of a list of constants that holds a name."""
        module, _, variable = f"{self.package}.{constants}".rpartition(".")
        path = str(import_module(module).__file__)
        text = Path(path).read_text(encoding="utf-8")
        start = text.index(f"\n{variable}:")
        found = re.compile(rf"(?<![\w.]){name}(?!\w)").search(text, start)
        return self.file(path), text.count("\n", 0, found.start() if found else start + 1) + 1

    def primitives(self) -> Iterator[Primitive]:
        """Every function that the package offers under NumPy's name."""
        numpy = import_module("numpy")
        raws = {id(made): raw for raw, made in self.wrappers.items()}
        for name, fun in sorted(vars(import_module(self.home)).items()):
            if (raw := raws.get(id(fun))) is not None and hasattr(numpy, name):
                yield self.primitive(name, fun, raw)

    def primitive(self, name: str, fun: Any, raw: Any) -> Primitive:
        """What becomes of a traced argument of one function."""
        own_name = getattr(raw, "__name__", name)
        for constants, functions in self.constants.items():
            if raw in functions:
                place = self.constant(constants, own_name)
                return Primitive(name, own_name, "constant", [], [], *place)
        declared = (self.lines.get((call, raw)) for call in self.calls)
        place = next(filter(None, declared), ("", 0))
        if fun not in self.reverse and fun not in self.forward:
            state = "missing" if hasattr(fun, "fun") else "composed"
            return Primitive(name, own_name, state, [], [], *place)
        names = parameters(raw) or parameters(fun)
        reverse = covered(self.reverse.get(fun), names) or []
        forward = covered(self.forward.get(fun), names)
        forward = reverse if forward is None else forward
        return Primitive(name, own_name, "rule", reverse, forward, *place)


def covered(rule: Any, names: list[str]) -> list[str] | None:
    """The arguments that a rule has a derivative for; None if its form does not say."""
    known = inspect.getclosurevars(rule).nonlocals if rule else {"reads": []}
    reads = known.get("pushes", known.get("reads"))
    numbers = enumerate(reads if isinstance(reads, list) else [reads])
    return None if reads is None else [names[number] for number, each in numbers if each]


def parameters(fun: Any) -> list[str]:
    """The names of the parameters that can be given by position, as far as they are known."""
    try:
        found = inspect.signature(fun).parameters.values()
    except ValueError:
        return []
    return [each.name for each in found if each.kind < each.KEYWORD_ONLY]


def print_table(root: Path) -> None:
    """Write the functions to the standard output."""
    try:
        found = list(Engine(root, load_config(root).rules).primitives())
    except KeyError as missing:
        sys.exit(f"{RULES} needs {missing}")
    json.dump([asdict(each) for each in found], sys.stdout)


if __name__ == "__main__":
    print_table(Path(sys.argv[1]).resolve())
