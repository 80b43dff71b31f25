"""The table of rules: what became of each wrapped function, and the line that says so.

A book has this table when its configuration names, as ``rules``, a file of settings: where the
rules of its engine are, and how each function is tried. The package is imported in a process of
its own, because a process that shows pages while they are written has an older package in its
memory: ``python -m literate_book.lookup.rules ROOT`` prints the table as JSON.
"""

import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from literate_book.source.config import load_config
from literate_book.source.errors import BookError, BookErrors
from literate_book.weave.crossrefs import Crossrefs


@dataclass(frozen=True)
class RulesSettings:
    """What a book says about its engine, for the table; the file itself explains each setting."""

    module: str
    reverse: str
    forward: str
    wrappers: str
    constants: list[str]
    bodies: list[str]
    usual: list[str]
    declarations: dict[str, str]
    examples: dict[str, list[str]]


def read_settings(root: Path) -> RulesSettings | None:
    """The settings of a book; None for one that asks for no table of rules."""
    file = load_config(root).rules
    if not file:
        return None
    try:
        return RulesSettings(**tomllib.loads((root / file).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as problem:
        raise BookErrors([BookError(file, 1, 1, f"cannot be used: {problem}")]) from None


@dataclass(frozen=True)
class Declaration:
    """A line of a module, and the function that it calls to declare something."""

    file: str
    line: int
    call: str


@dataclass(frozen=True)
class Primitive:
    """A function of NumPy as the engine hands it on.

    ``state`` is rule, composed, constant or missing; ``reverse`` and ``forward`` are the numbers
    of the arguments that a rule covers; ``session`` is an example as it is seen at a prompt.
    """

    name: str
    own_name: str
    state: str
    parameters: tuple[str, ...]
    reverse: tuple[int, ...]
    forward: tuple[int, ...]
    declarations: tuple[Declaration, ...]
    session: tuple[str, ...]


def read_primitives(web: Crossrefs, root: Path) -> dict[str, Primitive]:
    """Every wrapped function by name; none for a book that asks for no table of rules."""
    if read_settings(root) is None:
        return {}
    return primitives(root, tuple((root / file).stat().st_mtime_ns for file in web.modules))


@lru_cache(maxsize=1)
def primitives(root: Path, stamp: tuple[int, ...]) -> dict[str, Primitive]:
    """The table as another process makes it; ``stamp`` says how new the package is."""
    tools = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(tools)])}
    command = [sys.executable, "-m", __name__, str(root)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        message = "the table of rules cannot be made: the error stands above"
        raise BookErrors([BookError(load_config(root).rules, 1, 1, message)])
    return {each["name"]: as_primitive(each) for each in json.loads(done.stdout)}


def as_primitive(found: dict[str, Any]) -> Primitive:
    """A primitive out of JSON."""
    values: dict[str, Any] = {
        key: tuple(each) if type(each) is list else each for key, each in found.items()
    }
    values["declarations"] = tuple(Declaration(**each) for each in found["declarations"])
    return Primitive(**values)


# In the process that imports the package


class Engine:
    """The parts of a package that the table is made from."""

    def __init__(self, root: Path, settings: RulesSettings) -> None:
        self.root, self.settings = root, settings
        self.package = load_config(root).package
        self.home = f"{self.package}.{settings.module}"
        self.declarations = self.watched_import()
        self.module = import_module(self.home)
        self.reverse, self.forward = self.part(settings.reverse), self.part(settings.forward)
        self.wrappers = self.part(settings.wrappers)
        self.constants = [raw for name in settings.constants for raw in self.part(name)]

    def part(self, name: str) -> Any:
        """A value of a module. For a missing one the process ends with a complaint."""
        module, _, attribute = f"{self.package}.{name}".rpartition(".")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError):
            file = load_config(self.root).rules
            sys.exit(f"{file}: the package has no {name}: write its new name there")

    def watched_import(self) -> dict[Any, list[Declaration]]:
        """Imports the package; for each function the lines of modules that declared something."""
        seen: dict[Any, dict[Declaration, None]] = defaultdict(dict)
        folder = f"{self.root / self.package}{os.sep}"

        def look(frame: FrameType, event: str, _: object) -> None:
            parameter = self.settings.declarations.get(frame.f_code.co_name)
            if event == "call" and parameter and frame.f_code.co_filename.startswith(folder):
                fun = frame.f_locals[parameter]
                seen[getattr(fun, "fun", fun)][self.declaration(frame)] = None

        sys.setprofile(look)
        try:
            import_module(self.home)
        finally:
            sys.setprofile(None)
        return {raw: list(found) for raw, found in seen.items()}

    def declaration(self, frame: FrameType) -> Declaration:
        """The line of a module that led to a call."""
        call = frame.f_code.co_name
        while frame.f_back is not None and frame.f_code.co_name != "<module>":
            call, frame = frame.f_code.co_name, frame.f_back
        file = Path(frame.f_code.co_filename)
        return Declaration(file.relative_to(self.root).as_posix(), frame.f_lineno, call)

    def constant(self, name: str) -> Declaration:
        """The line of a list of constants that holds a name."""
        for constants in self.settings.constants:
            module, _, variable = f"{self.package}.{constants}".rpartition(".")
            file = Path(str(import_module(module).__file__))
            text = file.read_text(encoding="utf-8")
            start = text.index(f"\n{variable}:")
            end = text.index("\n]", start)
            if found := re.compile(rf"(?<![\w.]){name}(?!\w)").search(text, start, end):
                line = text.count("\n", 0, found.start()) + 1
                return Declaration(file.relative_to(self.root).as_posix(), line, variable)
        raise LookupError(f"no list of constants names {name}")

    def state(self, fun: Any, raw: Any) -> str:
        """What becomes of a traced argument of a function."""
        if raw in self.constants:
            return "constant"
        if fun in self.reverse or fun in self.forward:
            return "rule"
        return "missing" if hasattr(fun, "fun") else "composed"

    def primitives(self) -> Iterator[Primitive]:
        """Every function that the package hands on under NumPy's name."""
        numpy = import_module("numpy")
        raws = {id(made): raw for raw, made in self.wrappers.items()}
        for name, fun in sorted(vars(self.module).items()):
            raw = raws.get(id(fun))
            if raw is None or not hasattr(numpy, name):
                continue
            own_name = getattr(raw, "__name__", name)
            state, declared = self.state(fun, raw), self.declarations.get(raw, [])
            if state == "constant":
                declared = [self.constant(own_name)]
            elif state == "rule":
                declared = [one for one in declared if one.call not in self.settings.bodies]
            reverse = covered(self.reverse.get(fun)) or ()
            forward = covered(self.forward.get(fun))
            forward = reverse if forward is None else forward
            shown: list[str] = []
            if state in ("rule", "composed"):
                shown = self.session(*self.example(name, own_name, max(len(reverse), 1)))
            yield Primitive(
                name, own_name, state, parameters(fun, raw), reverse, forward, tuple(declared),
                tuple(shown),
            )  # fmt: skip

    def example(self, name: str, own_name: str, count: int) -> list[str]:
        """The text of a function to differentiate, and of its arguments."""
        usual = [f"np.{own_name}", *self.settings.usual[:count]]
        function, *arguments = self.settings.examples.get(own_name, usual)
        return [function.replace(f"np.{own_name}", f"np.{name}"), *arguments]

    def session(self, function: str, *arguments: str) -> list[str]:
        """The derivative with respect to every argument, as it is seen at a prompt."""
        which = "" if len(arguments) == 1 else f", {tuple(range(len(arguments)))}"
        lines = [f"import {self.home} as np", f"from {self.package} import grad"]
        name = function
        if "lambda" in function:
            lines.append(f"fun = {function}")
            name = "fun"
        lines.append(f"grad({name}{which})({', '.join(arguments)})")
        names: dict[str, Any] = {}
        try:
            exec("\n".join(lines[:-1]), names)
            answer = repr(eval(lines[-1], names))
        except Exception as problem:
            told = f"{function} at {', '.join(arguments) or 'nothing'}: {problem}"
            file = load_config(self.root).rules
            sys.exit(f"{file}: an example does not run: {told}. Write another there")
        return [*(f">>> {line}" for line in lines), answer]


def covered(rule: Callable[..., Any] | None) -> tuple[int, ...] | None:
    """The arguments that a rule has a derivative for; None if its form does not say."""
    known = inspect.getclosurevars(rule).nonlocals if rule else {"reads": []}
    reads = known.get("pushes", known.get("reads"))
    numbers = enumerate(reads if isinstance(reads, list) else [reads])
    return None if reads is None else tuple(number for number, each in numbers if each)


def parameters(fun: Any, raw: Any) -> tuple[str, ...]:
    """The names of the parameters, as far as they can be given by position."""
    for each in (raw, fun):
        try:
            found = inspect.signature(each).parameters.values()
        except ValueError:
            continue
        return tuple(p.name for p in found if p.kind < p.KEYWORD_ONLY)
    return ()


def print_table(root: Path) -> None:
    """Write the table to the standard output."""
    settings = read_settings(root)
    found = Engine(root, settings).primitives() if settings else ()
    json.dump([asdict(each) for each in found], sys.stdout)


if __name__ == "__main__":
    print_table(Path(sys.argv[1]).resolve())
