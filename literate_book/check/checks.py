"""What a check is, what it finds, and how the code of an article is run."""

import ast
import contextlib
import io
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar

from literate_book.source.articles import Article, Fence, line_and_column, read_book
from literate_book.source.config import load_config
from literate_book.source.errors import BookError
from literate_book.weave.assemble import Assembly, assemble

Namespace = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """A place where an article and the engine disagree.

    ``at`` is where to complain. ``text`` is what ``pytest --update-book`` writes between ``start``
    and ``end``; it is None where only a person can mend the article.
    """

    at: int
    message: str
    start: int = 0
    end: int = 0
    text: str | None = None


class Book:
    """The book a check belongs to: its folder, its configuration and its assembled package."""

    def __init__(self, root: Path) -> None:
        self.root, self.config = root, load_config(root)

    @cached_property
    def assembly(self) -> Assembly:
        """The package that the articles on disk make."""
        return assemble(read_book(self.root), self.config)


@dataclass(frozen=True)
class Check(ABC):
    """One statement of an article that can be true or false, between two offsets of its text."""

    kind: ClassVar[str]
    article: Article
    start: int
    end: int

    @abstractmethod
    def findings(self, book: Book, namespace: Namespace) -> Iterable[Finding | BookError]:
        """Everything in which the article is wrong."""

    def error(self, at: int, message: str) -> BookError:
        """A complaint about the place ``at`` of the article."""
        return error_at(self.article, at, message)


def error_at(article: Article, at: int, message: str) -> BookError:
    """A complaint about an offset of an article."""
    return BookError(article.path, *line_and_column(article.text, at), message)


def disagreement(what: str, shown: str, actual: str) -> str:
    """The message for a text that is not what the engine gives."""
    shown, actual = shown.strip("\n").rstrip(), actual.strip("\n").rstrip()
    if "\n" in shown + actual:
        shown, actual = (f"\n{text}" if text else " nothing" for text in (shown, actual))
        return f"{what}: the article says{shown}\nbut the engine says{actual}"
    shown, actual = (f"`{text.strip()}`" if text else "nothing" for text in (shown, actual))
    return f"{what}: the article says {shown}, the engine says {actual}"


def shown(value: Any) -> str:
    """A value as an article shows it: numbers of NumPy as plain numbers, in containers too."""
    if isinstance(value, (list, tuple)):
        items = ", ".join(map(shown_inside, value))
        tail = "," if type(value) is tuple and len(value) == 1 else ""
        return f"[{items}]" if isinstance(value, list) else f"({items}{tail})"
    if isinstance(value, dict):
        pairs = (f"{shown_inside(key)}: {shown_inside(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    return str(value)


def shown_inside(value: Any) -> str:
    """The same for a value in a container, where text keeps its quotation marks."""
    return repr(value) if isinstance(value, str) else shown(value)


def compile_at(book: Book, check: Check, source: str, mode: str, line: int) -> CodeType:
    """Compile text of an article, so that tracebacks show the article from ``line`` on."""
    path = str(book.root / check.article.path)
    tree: Any
    try:
        tree = ast.parse(source, mode=mode)  # with a file's name it would quote that file
    except SyntaxError as problem:
        place = (line + (problem.lineno or 1) - 1, problem.offset or 1)
        message = f"this is not Python: {problem.msg}"
        raise BookError(check.article.path, *place, message) from None
    ast.increment_lineno(tree, line - 1)
    code: CodeType = compile(tree, path, mode, dont_inherit=True)
    return code


def evaluate(book: Book, check: Check, expression: str, at: int, namespace: Namespace) -> Any:
    """The value of an expression that is written at the offset ``at`` of the article.

    Raises ``BookError`` at that place, caused by whatever the expression raised.
    """
    if not expression.partition("#")[0].strip():  # () would be the value of nothing
        raise check.error(at, "an expression is missing here: say what gives the value")
    line, _ = line_and_column(check.article.text, at)
    code = compile_at(book, check, f"({expression}\n)", "eval", line)
    try:
        return eval(code, namespace)
    except Exception as problem:
        message = f"`{expression}` raised {type(problem).__name__}: {problem}"
        raise check.error(at, message) from problem


@contextlib.contextmanager
def printed() -> Iterator[io.StringIO]:
    """Collects what is printed, and shows the values of lone expressions as the prompt does."""
    hook = sys.displayhook
    sys.displayhook = lambda value: None if value is None else print(repr(value))
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            yield out
    finally:
        sys.displayhook = hook


def first_difference(lines: list[str], others: list[str]) -> int:
    """The index of the first line in which two texts differ."""
    pairs = zip(lines, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def place_in(fence: Fence, index: int) -> int:
    """Where the text of a body line begins; behind the last line it is the closing one."""
    starts = fence.line_starts
    return starts[min(index, len(starts) - 1)] + len(fence.indent)


def compare_lines(
    fence: Fence, lines: list[str], actual: list[str], message: str, first: int = 0
) -> Iterator[Finding]:
    """The finding when ``lines``, from body line ``first`` of the fence on, are not ``actual``."""
    if lines != actual:
        at = place_in(fence, first + first_difference(lines, actual))
        text = fence.indented("".join(f"{line}\n" for line in actual))
        starts = fence.line_starts
        yield Finding(at, message, starts[first], starts[first + len(lines)], text)
