"""What became of each name of NumPy: a rule, a constant, nothing yet; and the line that says so.

``python -m literate_book.lookup.declarations`` imports the engine under watch and prints it.
"""

import inspect
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from literate_book.lookup.showing import example, tried
from literate_book.source.errors import BookError, BookErrors

HERE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Declaration:
    """A line of a module, and the function that it calls to declare something."""

    file: str
    line: int
    call: str


@dataclass(frozen=True)
class Primitive:
    """A function of NumPy as the engine hands it on.

    ``state`` is "rule" for one with a derivative, "composed" for one written with such, "constant"
    for one that never has a derivative, and "missing" for one that nobody has given a rule yet.
    ``reverse`` and ``forward`` are the numbers of the arguments that a rule covers.
    """

    name: str
    own_name: str
    state: str
    parameters: tuple[str, ...]
    reverse: tuple[int, ...]
    forward: tuple[int, ...]
    declarations: tuple[Declaration, ...]
    session: tuple[str, ...]
    difference: str


# The functions that every declaration ends in, and their parameter that holds the primitive.
ENDS = {"register_rule": "fun", "replace": "raw"}


def watched_import() -> dict[Any, list[Declaration]]:
    """Imports the engine; for each raw function the lines of modules that declared something."""
    seen: dict[Any, dict[Declaration, None]] = defaultdict(dict)

    def look(frame: FrameType, event: str, _: object) -> None:
        parameter = ENDS.get(frame.f_code.co_name)
        if event == "call" and parameter and "literate_ad" in frame.f_code.co_filename:
            fun = frame.f_locals[parameter]
            seen[getattr(fun, "fun", fun)][declaration_of(frame)] = None

    sys.setprofile(look)
    try:
        import_module("literate_ad.numpy")
    finally:
        sys.setprofile(None)
    return {fun: list(found) for fun, found in seen.items()}


def declaration_of(frame: FrameType) -> Declaration:
    """The line of a module that led to a call."""
    call = frame.f_code.co_name
    while frame.f_back is not None and frame.f_code.co_name != "<module>":
        call, frame = frame.f_code.co_name, frame.f_back
    file = Path(frame.f_code.co_filename)
    return Declaration(file.relative_to(HERE).as_posix(), frame.f_lineno, call)


def found_primitives() -> Iterator[Primitive]:
    """Every function of NumPy that the engine hands on under NumPy's name."""
    seen = watched_import()
    anp, raw_numpy = import_module("literate_ad.numpy"), import_module("numpy")
    wrapper = import_module("literate_ad.numpy.numpy_wrapper")
    raws = {id(made): raw for raw, made in wrapper.wrappers.items()}
    for name in sorted(vars(anp)):
        fun, raw = getattr(anp, name), raws.get(id(getattr(anp, name)))
        if raw is None or not hasattr(raw_numpy, name):
            continue
        own_name = getattr(raw, "__name__", name)
        state = state_of(fun, raw, wrapper)
        reverse, forward = (covered(rules.get(fun)) for rules in registries())
        shown: tuple[tuple[str, ...], str] = ((), "")
        if state in ("rule", "composed"):
            shown = tried(example(name, own_name, len(reverse)))
        yield Primitive(
            name,
            own_name,
            state,
            parameters(fun, raw),
            reverse,
            forward,
            tuple(seen.get(raw, [])),
            *shown,
        )


def registries() -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The rules of both modes."""
    core = import_module("literate_ad.core")
    return core.primitive_vjps, core.primitive_jvps


def state_of(fun: Any, raw: Any, wrapper: ModuleType) -> str:
    """What the engine does with a traced argument of a function."""
    if raw in wrapper.notrace_functions:
        return "constant"
    if any(fun in rules for rules in registries()):
        return "rule"
    return "missing" if hasattr(fun, "fun") else "composed"


@lru_cache(maxsize=1)
def primitives(stamp: object) -> dict[str, Primitive]:
    """Every function of NumPy by name, from an engine that is imported for the purpose.

    A process that shows pages while they are written has an older engine in its memory. ``stamp``
    says how new the package is.
    """
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "literate_book.lookup.declarations"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        message = "the engine cannot be asked for its rules: what it said stands above"
        raise BookErrors([BookError("literate_ad/numpy/__init__.py", 1, 1, message)])
    return {each["name"]: read_primitive(each) for each in json.loads(done.stdout)}


def read_primitive(found: dict[str, Any]) -> Primitive:
    """A primitive out of what the other process wrote."""
    values: dict[str, Any] = {
        key: tuple(value) if type(value) is list else value for key, value in found.items()
    }
    values["declarations"] = tuple(Declaration(**each) for each in found["declarations"])
    return Primitive(**values)


def covered(rule: Callable[..., Any] | None) -> tuple[int, ...]:
    """The numbers of the arguments that a rule has a derivative for."""
    known = inspect.getclosurevars(rule).nonlocals if rule else {}
    if "by_argnum" in known:
        return tuple(num for num, maker in known["by_argnum"].items() if maker is not None)
    if "rules" in known:
        return tuple(range(len(known["rules"])))
    return (0, 1) if rule else ()


def parameters(fun: Any, raw: Any) -> tuple[str, ...]:
    """The names of the parameters, as far as they can be given by position."""
    for each in (raw, fun):
        try:
            found = inspect.signature(each).parameters.values()
        except ValueError:
            continue
        return tuple(str(p).split(":")[0].split("=")[0] for p in found if p.kind < p.KEYWORD_ONLY)
    return ()


if __name__ == "__main__":
    json.dump([asdict(each) for each in found_primitives()], sys.stdout)
