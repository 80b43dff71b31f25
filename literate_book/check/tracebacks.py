"""Puts the article line beside every line of the package in what pytest prints."""

import re
import traceback
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

LINE = re.compile(
    r'^ *File "(?P<native>[^"]+)", line (?P<number>\d+)'
    r"|^(?P<plain>[^\s:]+\.py):(?P<line>\d+)(?=:)",
    re.M,
)


def place_of(book: Book, file: str, line: int) -> str:
    """`` [docs/04-tracer.md:62 #src-new-box]`` for a line of a block; empty for other lines."""
    try:
        path = Path(file).absolute().resolve().relative_to(book.root)
        place = book.assembly.locate(path.as_posix(), line)
    except (ValueError, BookErrors):
        return ""
    return f" [{place.in_article}]" if place else ""


def annotate(book: Book, text: str) -> str:
    """A printed traceback, with the article's place behind each line of the package."""

    def with_place(match: re.Match[str]) -> str:
        file, line = match["native"] or match["plain"], match["number"] or match["line"]
        return match[0] + place_of(book, file, int(line))

    return LINE.sub(with_place, text)


def annotate_repr(book: Book, longrepr: Any) -> Any:
    """The same for what pytest keeps of a failure until it prints it."""
    if isinstance(longrepr, str):
        return annotate(book, longrepr)
    chain = getattr(longrepr, "chain", None) or [(getattr(longrepr, "reprtraceback", None),)]
    for printed, *_ in chain:
        for entry in printed.reprentries if printed else ():
            if isinstance(entry, ReprEntry) and entry.reprfileloc:
                at = entry.reprfileloc
                at.message += place_of(book, at.path, at.lineno)
            elif isinstance(entry, ReprEntryNative):
                entry.lines = [annotate(book, line) for line in entry.lines]
    return longrepr


def failure_repr(book: Book, problem: BookError | BookErrors) -> ExceptionChainRepr:
    """What pytest prints for a check that failed: the complaints, and the traceback behind one."""
    errors = problem.errors if isinstance(problem, BookErrors) else [problem]
    lines = [f"{error}\n" for error in errors]
    for error in errors:
        if error.__cause__ is not None:
            lines += ["\n", *traceback.format_exception(article_part(book, error.__cause__))]
    first = errors[0]
    crash = ReprFileLocation(first.article, first.line, f"{first.col}: {first.message}")
    whole = ReprTraceback([ReprEntryNative(lines)], None, "native")
    return ExceptionChainRepr([(whole, crash, None)])


def article_part(book: Book, cause: BaseException) -> BaseException:
    """The exception without the frames of the tools, which lie above those of the article."""
    articles, frame = str(book.root / book.config.articles), cause.__traceback__
    while frame is not None and not frame.tb_frame.f_code.co_filename.startswith(articles):
        frame = frame.tb_next
    return cause.with_traceback(frame) if frame else cause
