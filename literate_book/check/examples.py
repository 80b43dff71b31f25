"""Examples: code that an article shows and runs, and the output it shows."""

import ast
import doctest
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from literate_book.check.checks import (
    Book,
    Check,
    Finding,
    Namespace,
    compile_at,
    disagreement,
    first_difference,
    line_in,
    printed,
)
from literate_book.source.articles import Article, Fence
from literate_book.source.errors import BookError

PROMPT = re.compile(r"^ *>>>", re.M)


def compare_output(
    check: Check, fence: Fence, first: int, lines: list[str], actual: str
) -> Iterator[Finding]:
    """The finding when ``lines``, from body line ``first`` of ``fence`` on, are not ``actual``."""
    shown = [line.rstrip() for line in lines]
    wanted = [line.rstrip() for line in actual.splitlines()]
    if shown == wanted:
        return
    starts = fence.line_starts
    index = min(first + first_difference(shown, wanted), len(starts) - 1)
    text = fence.indented("".join(f"{line}\n" for line in wanted))
    message = disagreement("output", "\n".join(shown), "\n".join(wanted))
    at = starts[index] + len(fence.indent)
    yield Finding(at, message, starts[first], starts[first + len(lines)], text)


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
        source, lineno = self.example.source, self.example.lineno
        line = self.fence.body_line + lineno
        code = compile_at(book, self, source, "single", line)
        try:
            with printed() as out:
                exec(code, namespace)
            actual = out.getvalue()
        except Exception as problem:
            if self.example.exc_msg is None:
                line = line_in(self, problem, code.co_filename, line)
                message = f"this raised {type(problem).__name__}: {problem}"
                raise BookError(self.article.path, line, self.fence.col, message) from problem
            actual = shown_exception(problem, self.example.want)
        lines = self.example.want.splitlines()
        blank = [line.rstrip() or "<BLANKLINE>" for line in actual.splitlines()]
        yield from compare_output(
            self, self.fence, lineno + source.count("\n"), lines, "\n".join(blank)
        )


def shown_exception(problem: Exception, want: str) -> str:
    """An exception as the prompt shows it; the middle of the traceback is the article's."""
    shown = want.splitlines()
    last = "".join(traceback.format_exception_only(problem)).rstrip("\n").splitlines()
    middle = [line for line in shown[1:] if line.startswith(" ")] or ["    ..."]
    return "\n".join([shown[0], *middle, *last])


def session_checks(article: Article, fence: Fence) -> Iterator[Prompt]:
    """The statements of a session; refuses lines that are neither statement nor output."""
    try:
        examples = doctest.DocTestParser().get_examples(fence.body)
    except ValueError as problem:
        number = re.search(r"line (\d+)", str(problem))
        line = fence.body_line + (int(number[1]) - 1 if number else 0)
        raise BookError(article.path, line, fence.col, f"not a session: {problem}") from None
    if not examples:
        raise fence.error("this session runs nothing: write a statement behind >>>")
    starts, covered = fence.line_starts, set[int]()
    for example in examples:
        end = example.lineno + example.source.count("\n") + example.want.count("\n")
        covered.update(range(example.lineno, end))
        yield Prompt(article, starts[example.lineno], starts[end], fence, example)
    refuse_unheeded(article, fence, examples, covered)


def refuse_unheeded(
    article: Article, fence: Fence, examples: list[doctest.Example], covered: set[int]
) -> None:
    """Complain about lines of a session that nothing would check, and about options."""
    for example in examples:
        if example.options:
            message = "outputs are compared exactly, without doctest options: delete this one"
            raise BookError(article.path, fence.body_line + example.lineno, fence.col, message)
    for number, line in enumerate(fence.body.splitlines()):
        if number not in covered and line.strip() and not line.strip().startswith(">>>"):
            message = (
                "this line is neither a statement nor the output of one: put >>> before it, "
                "or <BLANKLINE> where an output goes on after a blank line"
            )
            raise BookError(article.path, fence.body_line + number, fence.col, message)


@dataclass(frozen=True)
class Program(Check):
    """A plain block of statements, and the output fence behind it, if there is one."""

    kind: ClassVar[str] = "example"
    fence: Fence
    output: Fence | None

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        code = compile_at(book, self, self.fence.body, "exec", self.fence.body_line)
        try:
            with printed() as out:
                exec(code, namespace)
        except Exception as problem:
            line = line_in(self, problem, code.co_filename, self.fence.body_line)
            message = f"this raised {type(problem).__name__}: {problem}"
            raise BookError(self.article.path, line, self.fence.col, message) from problem
        actual, output = out.getvalue(), self.output
        if not ast.parse(self.fence.body).body:
            yield Finding(self.start, "this program runs nothing: write a statement")
        elif output and (actual + output.body).strip():
            yield from compare_output(self, output, 0, output.body.splitlines(), actual)
        elif output:
            message = "nothing is printed, so there is nothing to show: delete this output"
            yield Finding(output.start, message)
        elif actual:
            message = "this prints what the article does not show: add ```text {.output} with"
            yield Finding(self.start, f"{message}\n{actual}".rstrip("\n"))
