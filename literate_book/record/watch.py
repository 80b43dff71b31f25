"""Watches a run of the book's package by Python's profiler: which functions call which, and where.

Nothing here depends on what the package does.
"""

import gc
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from literate_book.source.config import book_root, load_config
from literate_book.source.errors import BookErrors

Watcher = Callable[[FrameType, str, Any], None]
# Python 3.12 runs these in the frame of the function around them (PEP 709), Python 3.11 does not.
INLINED = {"<listcomp>", "<setcomp>", "<dictcomp>"}
INTERNAL = {*INLINED, "<genexpr>"}


@dataclass(frozen=True)
class Location:
    """A line of a file (0: no line), and the bytes of it that hold an expression (0, 0: several
    lines, or not known).
    """

    file: str
    line: int
    start: int = 0
    end: int = 0


def package() -> str:
    """The package of the book in the current folder or above; outside of a book, the engine that
    the recorders know.
    """
    return package_of(os.getcwd())


@lru_cache
def package_of(folder: str) -> str:
    try:
        return load_config(book_root(Path(folder))).package
    except BookErrors:
        from literate_book.record.engine import PACKAGE

        return PACKAGE


def is_package(frame: FrameType) -> bool:
    """Whether a frame runs code of the package, lambdas and comprehensions included."""
    return f"{frame.f_globals.get('__name__', '')}.".startswith(f"{package()}.")


def name_of(frame: FrameType) -> str:
    """``core.make_vjp`` for a frame of that function; empty for frames of other packages."""
    code = frame.f_code
    generated = code.co_filename == "<string>"  # by a decorator such as dataclass
    unnamed = not code.co_flags & inspect.CO_NEWLOCALS or code.co_name.startswith("<")
    finalizer = code.co_name == "__del__"  # no line of the run calls it
    if generated or unnamed or finalizer or not is_package(frame):
        return ""
    module = str(frame.f_globals["__name__"]).removeprefix(f"{package()}.")
    return f"{module}.{code.co_qualname.replace('<locals>.', '')}"


def watched(thunk: Callable[[], Any], watcher: Watcher) -> Any:
    """The result of ``thunk()``; ``watcher`` receives every event of the profiler meanwhile."""
    before, collecting = sys.getprofile(), gc.isenabled()
    gc.disable()  # what the collector calls is no part of the run
    sys.setprofile(watcher)
    try:
        return thunk()
    finally:
        sys.setprofile(before)
        if collecting:
            gc.enable()


def calls(
    thunk: Callable[[], Any],
    show: Mapping[str, str],
    also: Iterable[Any],
    without: Iterable[str],
    text: Callable[[Any], str],
) -> list[tuple[str, ...]]:
    """The calls of the package's functions in ``thunk()``; ``text`` writes the values."""
    log = CallLog(show, {fun.__code__: fun.__name__ for fun in also}, tuple(without), text)
    watched(thunk, log.watch)
    return [tuple(record) for record in log.records]


class CallLog:
    """Records calls as they happen; ``skipped`` is the frame of a call that is left out."""

    def __init__(self, show: Any, also: Any, without: tuple[str, ...], text: Any) -> None:
        self.show, self.also, self.without, self.text = show, also, without, text
        self.records: list[list[str]] = []
        self.running: dict[FrameType, tuple[list[str], int]] = {}
        self.generators: set[FrameType] = set()
        self.skipped: FrameType | None = None

    def watch(self, frame: FrameType, event: str, arg: Any) -> None:
        """Record one event of the profiler."""
        if event == "call" and self.skipped is None:
            name = self.also.get(frame.f_code) or name_of(frame)
            if any(f"{name}.".startswith(f"{each}.") for each in self.without):
                self.skipped = frame
            elif name:
                self.note(frame, name)
        elif event == "return" and frame is self.skipped:
            self.skipped = None
        elif event == "return" and frame in self.running:
            record, place = self.running.pop(frame)
            record[place] = self.text(arg)

    def note(self, frame: FrameType, name: str) -> None:
        """Record a call, with the values wanted of it; a generator is called once."""
        if frame in self.generators:
            return
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            self.generators.add(frame)
        wanted = self.show.get(name, "").split()
        record = [name, *(self.text(frame.f_locals.get(each)) for each in wanted)]
        self.records.append(record)
        if "return" in wanted:
            self.running[frame] = record, 1 + wanted.index("return")


def edges(thunk: Callable[[], Any]) -> set[tuple[str, str]]:
    """The pairs (caller, called) of the package's functions that call each other in ``thunk()``.

    What a comprehension calls is called by the function around it, and what a decorator of NumPy's
    calls by the function that it decorates for.
    """
    pairs: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, arg: Any) -> None:
        caller = frame.f_back
        while caller and (caller.f_code.co_name in INTERNAL or is_numpys(caller)):
            caller = caller.f_back
        if event == "call" and caller:
            pairs.add((name_of(caller), name_of(frame)))

    watched(thunk, watch)
    return {pair for pair in pairs if all(pair)}


def is_numpys(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("numpy.")


def line_of(frame: FrameType) -> Location:
    """The line of the package's file that a frame has come to."""
    name = str(frame.f_globals["__name__"]).replace(".", "/")
    return Location(f"{name}/__init__.py" if is_init(frame) else f"{name}.py", frame.f_lineno)


def is_init(frame: FrameType) -> bool:
    return "__path__" in frame.f_globals


def callers(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame and those that led to it, from the inside out; without the function around a
    comprehension, which stands at the same expression.
    """
    while frame:
        yield frame
        inlined = frame.f_code.co_name in INLINED
        frame = frame.f_back
        if inlined and frame:
            frame = frame.f_back


def program_of(frame: FrameType | None) -> FrameType | None:
    """The nearest frame outside of the package."""
    return next((each for each in callers(frame) if not is_package(each)), None)


def program_line(frame: FrameType | None) -> Location:
    """The line outside of the package that led to ``frame``."""
    outside = program_of(frame)
    return Location(outside.f_code.co_filename, outside.f_lineno) if outside else Location("", 0)


def expression_of(frame: FrameType, place: Location) -> Location:
    """``place`` with the bytes of the expression that a frame has come to."""
    positions = frame.f_code.co_positions()
    line, last, start, end = next(islice(positions, frame.f_lasti // 2, None))
    same = line == last == place.line
    return Location(place.file, place.line, start or 0, end or 0) if same else place


def head_of(fun: Callable[..., Any]) -> Location:
    """The line that names the parameters of ``fun``, or of the function that it wraps."""
    code = getattr(inspect.unwrap(fun), "__code__", None)
    return Location(code.co_filename, code.co_firstlineno) if code else Location("", 0)
