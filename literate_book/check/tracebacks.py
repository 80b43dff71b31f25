"""Puts the article line beside every engine line in what pytest prints."""

import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _pytest._code.code import (
    ExceptionChainRepr,
    ReprEntry,
    ReprEntryNative,
    ReprFileLocation,
    ReprTraceback,
)

from literate_book.check.checks import Book
from literate_book.source.errors import BookError, BookErrors

NATIVE = re.compile(r'^ *File "(?P<file>[^"]+)", line (?P<line>\d+)', re.M)
PLAIN = re.compile(r"^(?P<file>[^\s:]+\.py):(?P<line>\d+)(?=:)", re.M)


class Places:
    """Knows the article line of every line of the package."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def find(self, file: str, line: int) -> str:
        """``docs/en/articles/04-tracer.md:62 #src-new-box``; empty for lines of no block."""
        try:
            path = Path(file).absolute().resolve().relative_to(self.book.root)
            place = self.book.assembly.locate(path.as_posix(), line)
        except (ValueError, BookErrors):
            return ""
        return place.in_article if place else ""

    def annotate(self, text: str) -> str:
        """A printed traceback, with the article's place behind each line of the package."""

        def with_place(match: re.Match[str]) -> str:
            place = self.find(match["file"], int(match["line"]))
            return f"{match[0]} [{place}]" if place else match[0]

        return PLAIN.sub(with_place, NATIVE.sub(with_place, text))

    def annotate_repr(self, longrepr: Any) -> Any:
        """The same for what pytest keeps of a failure until it prints it."""
        if isinstance(longrepr, str):
            return self.annotate(longrepr)
        chain = getattr(longrepr, "chain", None) or [(getattr(longrepr, "reprtraceback", None),)]
        for printed, *_ in chain:
            for entry in printed.reprentries if printed else ():
                if isinstance(entry, ReprEntry) and entry.reprfileloc:
                    place = self.find(entry.reprfileloc.path, entry.reprfileloc.lineno)
                    entry.reprfileloc.message += f" [{place}]" if place else ""
                elif isinstance(entry, ReprEntryNative):
                    entry.lines = [self.annotate(line) for line in entry.lines]
        return longrepr


def failure_repr(problem: BookError | BookErrors, root: Path) -> ExceptionChainRepr:
    """What pytest prints for a check that failed: the complaints, and the traceback behind one."""
    errors = problem.errors if isinstance(problem, BookErrors) else [problem]
    lines = [f"{error}\n" for error in errors]
    for error in errors:
        if error.__cause__ is not None:
            lines += ["\n", *traceback.format_exception(article_part(error.__cause__, root))]
    first = errors[0]
    crash = ReprFileLocation(first.article, first.line, f"{first.col}: {first.message}")
    shown = ReprTraceback([ReprEntryNative(lines)], None, "native")
    return ExceptionChainRepr([(shown, crash, None)])


def article_part(cause: BaseException, root: Path) -> BaseException:
    """The exception without the frames of the toolchain, which lie above those of the article."""
    frames = list(frames_of(cause))
    for frame in frames:
        if frame.tb_frame.f_code.co_filename.startswith(str(root / "docs")):
            return cause.with_traceback(frame)
    return cause


def frames_of(cause: BaseException) -> Iterator[Any]:
    """The frames of an exception, from the outermost in."""
    frame = cause.__traceback__
    while frame is not None:
        yield frame
        frame = frame.tb_next
