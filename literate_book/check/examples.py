"""Examples: code that an article shows and runs, and the output it shows."""

import ast
import doctest
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import ClassVar

from literate_book.check.checks import (
    Book,
    Check,
    Finding,
    Namespace,
    compare_lines,
    compile_at,
    disagreement,
    printed,
)
from literate_book.source.articles import Article, Fence
from literate_book.source.errors import BookError


def run_code(check: "Prompt | Program", code: CodeType, names: Namespace) -> str:
    """What the code of an example prints; raises ``BookError`` at the line that raised."""
    try:
        with printed() as out:
            exec(code, names)
    except Exception as problem:
        frames = traceback.walk_tb(problem.__traceback__)
        own = [at for frame, at in frames if frame.f_code.co_filename == code.co_filename]
        message = f"this raised {type(problem).__name__}: {problem}"
        raise BookError(check.article.path, own[-1], check.fence.col, message) from problem
    return out.getvalue()


def compare_output(fence: Fence, first: int, lines: list[str], actual: str) -> Iterator[Finding]:
    """The finding when ``lines``, from body line ``first`` of ``fence`` on, are not ``actual``."""
    lines = [line.rstrip() for line in lines]
    wanted = [line.rstrip() for line in actual.splitlines()]
    message = disagreement("output", "\n".join(lines), "\n".join(wanted))
    yield from compare_lines(fence, lines, wanted, message, first)


@dataclass(frozen=True)
class Prompt(Check):
    """One statement behind ``>>>`` and the output below it."""

    kind: ClassVar[str] = "example"
    fence: Fence
    example: doctest.Example

    @property
    def expression(self) -> str:
        """The statement, if it is an expression; else empty."""
        try:
            ast.parse(self.example.source.strip(), mode="eval")
        except SyntaxError:
            return ""
        return self.example.source.strip()

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        example, line = self.example, self.fence.body_line + self.example.lineno
        code = compile_at(book, self, example.source, "single", line)
        try:
            actual = run_code(self, code, namespace)
        except BookError as problem:
            if example.exc_msg is None or problem.__cause__ is None:
                raise
            actual = shown_exception(problem.__cause__, example.want)
        actual = "\n".join(each.rstrip() or "<BLANKLINE>" for each in actual.splitlines())
        first = example.lineno + example.source.count("\n")
        yield from compare_output(self.fence, first, example.want.splitlines(), actual)


def shown_exception(problem: BaseException, want: str) -> str:
    """An exception as the prompt shows it; the middle of the traceback is the article's."""
    first, *rest = want.splitlines()
    last = "".join(traceback.format_exception_only(problem)).rstrip("\n")
    middle = [line for line in rest if line.startswith(" ")] or ["    ..."]
    return "\n".join([first, *middle, last])


def session_checks(article: Article, fence: Fence) -> Iterator[Prompt]:
    """The statements of a session; refuses lines that are neither statement nor output."""

    def refusal(index: int, message: str) -> BookError:
        return BookError(article.path, fence.body_line + index, fence.col, message)

    try:
        examples = doctest.DocTestParser().get_examples(fence.body)
    except ValueError as problem:
        number = re.search(r"line (\d+)", str(problem))
        raise refusal(int(number[1]) - 1 if number else 0, f"not a session: {problem}") from None
    if not examples:
        raise fence.error("this session runs nothing: write a statement behind >>>")
    starts, covered = fence.line_starts, set[int]()
    for example in examples:
        if example.options:
            message = "outputs are compared exactly, without doctest options: delete this one"
            raise refusal(example.lineno, message)
        end = example.lineno + example.source.count("\n") + example.want.count("\n")
        covered.update(range(example.lineno, end))
        yield Prompt(article, starts[example.lineno], starts[end], fence, example)
    for index, line in enumerate(fence.body.splitlines()):
        if index not in covered and line.strip() and not line.strip().startswith(">>>"):
            message = (
                "this line is neither a statement nor the output of one: put >>> before it, "
                "or <BLANKLINE> where an output goes on after a blank line"
            )
            raise refusal(index, message)


@dataclass(frozen=True)
class Program(Check):
    """A plain block of statements, and the output fence behind it, if there is one."""

    kind: ClassVar[str] = "example"
    fence: Fence
    output: Fence | None

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        fence, output = self.fence, self.output
        code = compile_at(book, self, fence.body, "exec", fence.body_line)
        actual = run_code(self, code, namespace)
        if not ast.parse(fence.body).body:
            yield Finding(self.start, "this program runs nothing: write a statement")
        elif output and (actual + output.body).strip():
            yield from compare_output(output, 0, output.body.splitlines(), actual)
        elif output:
            message = "nothing is printed, so there is nothing to show: delete this output"
            yield Finding(output.start, message)
        elif actual:
            message = "this prints what the article does not show: add ```text {.output} with"
            yield Finding(self.start, f"{message}\n{actual}".rstrip("\n"))
