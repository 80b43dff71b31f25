"""The audit: nothing in an article is untested by accident."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.blockprocessors import CodeBlockProcessor

from literate_book.check.ablation import Ablation
from literate_book.check.checkers import Calls, Snapshot, Value
from literate_book.check.checks import Check, error_at
from literate_book.check.documents import answers, article_checks, kind_of
from literate_book.check.examples import Program, Prompt
from literate_book.check.source_tables import Correspondence, SourceTable
from literate_book.source.articles import Article, Fence, line_and_column, read_book
from literate_book.source.directives import find_questions, find_values, prose
from literate_book.source.errors import BookError, BookErrors
from literate_book.source.tables import Span, find_spans, stray_digits


def audit(root: Path) -> list[BookError]:
    """Every complaint about the articles of a book, in book order."""
    try:
        articles = read_book(root)
    except BookErrors as problems:
        return problems.errors
    return [error for article in articles for error in audit_article(article)]


def audit_article(article: Article) -> list[BookError]:
    """Every complaint about one article, from top to bottom."""
    errors = [*fence_problems(article), *indented_code(article), *outside_code(article)]
    errors += unread_braces(article)
    try:
        checks = article_checks(article)
    except BookErrors as problems:
        errors += problems.errors
    else:
        errors += [*question_problems(article, checks), *constant_problems(checks)]
        errors += digit_problems(article, checks)
        known = {error.line for error in errors}
        errors += [error for error in uncollected(article, checks) if error.line not in known]
    return sorted(errors, key=lambda error: (error.line, error.col))


ALIASES = {"py", "py3", "python3", "pycon", "ipython", "ipython3", "doctest", "python-repl"}


def fence_problems(article: Article) -> Iterator[BookError]:
    """Complaints about fences that nothing tests."""
    has_output = False
    for fence in article.fences:
        kind = kind_of(fence)
        if kind == "not-run" and not fence.attrs.get("reason", "").strip():
            yield fence.error('say why this is not run: {.not-run reason="..."}', ".not-run")
        elif not kind:
            yield fence.error(f"nothing tests this fence: {advice(fence)}")
        elif answers(fence) and not has_output:
            message = "no plain python fence stands before this output: put it behind the one"
            yield fence.error(f"{message} it is of", ".output")
        has_output = kind == "example" and not fence.is_session


def advice(fence: Fence) -> str:
    """How to make a fence tested."""
    if fence.lang.lower() in ALIASES:
        return f"write ```python instead of ```{fence.lang}"
    if fence.lang == "mermaid":
        return 'give it the run it draws: ```mermaid {graph="graph(f, 3.0)"}'
    words = "" if fence.lang else "give it a language; "
    return f'{words}an output is ```text {{.output}}, anything else {{.not-run reason="..."}}'


def question_problems(article: Article, checks: list[Check]) -> Iterator[BookError]:
    """Complaints about self-tests whose answer shows nothing that a run could contradict."""
    for question in find_questions(article):
        inside = [check for check in checks if question.start < check.start < question.end]
        if not any(map(shows_outcome, inside)):
            message = "the answer to this question shows no outcome: give an example that has one"
            yield error_at(article, question.start, message)


def shows_outcome(check: Check) -> bool:
    """Whether a check runs code of the page and compares what came of it."""
    match check:
        case Prompt(example=example):
            return bool(example.want)
        case Program(output=output):
            return output is not None
    return isinstance(check, Ablation)


def constant_problems(checks: list[Check]) -> Iterator[BookError]:
    """Complaints about expressions that are true whatever the engine does."""
    for check in checks:
        match check:
            case Value(span=span):
                at, expression = span.start, span.attrs["value"]
            case Snapshot(directive=directive) | Calls(directive=directive):
                at, expression = directive.expression_start, directive.expression
            case _:
                continue
        with suppress(ValueError, TypeError, SyntaxError):
            ast.literal_eval(f"({expression}\n)")
            yield check.error(at, "this value is written, not computed: write what gives it")


class FindCode(CodeBlockProcessor):
    """Python-Markdown's reader of indented code, which also remembers where it read some."""

    found: list[str]

    def run(self, parent: Any, blocks: list[str]) -> None:
        """Read one block."""
        self.found.append(blocks[0].strip().split("\n")[0].strip())
        super().run(parent, blocks)


def indented_code(article: Article) -> Iterator[BookError]:
    """Complaints about code that is indented instead of fenced."""
    md = Markdown(extensions=["tables", "admonition", "attr_list", "footnotes", "pymdownx.details"])
    finder = FindCode(md.parser)
    finder.found = []
    md.parser.blockprocessors.register(finder, "code", 80)
    text, place = prose(article), 0
    md.convert(text)
    for line in finder.found:
        pattern = re.compile(rf"^ +(?P<code>{re.escape(line)}) *$", re.M)
        if match := pattern.search(text, place):
            place = match.end()
            message = "this is indented code, which nothing tests: fence it, or indent it less"
            yield error_at(article, match.start("code"), message)


TICKS = r"(?<![\\`])`+", "this backtick opens no code: write \\` for the character itself"
RAW = r"(?i)<(?:pre|code|samp)\b", "code in HTML is tested by nothing: use a fence"


def outside_code(article: Article) -> Iterator[BookError]:
    """Complaints about backticks without a partner, and about code that is written in HTML."""
    text = prose(article)
    hidden = [span.outer for span in find_spans(text, 0, len(text))]
    for pattern, message in (TICKS, RAW):
        for match in re.finditer(pattern, text):
            if not any(start <= match.start() < end for start, end in hidden):
                yield error_at(article, match.start(), message)


def unread_braces(article: Article) -> Iterator[BookError]:
    """Complaints about values whose braces Markdown takes for text: it reads ``*`` pairs first."""
    md = Markdown(extensions=["attr_list"])
    for span in find_values(article):
        page = unescape(md.convert(article.text[slice(*span.outer)]))
        if f'value="{span.attrs["value"]}"' not in page:
            message = "Markdown does not read these braces: avoid pairs of * or _, and < and \\"
            yield error_at(article, span.end, f"{message}, in the expression")


def digit_problems(article: Article, checks: Iterable[Check]) -> Iterator[BookError]:
    """Complaints about digits beside the checked places of tables and lists."""
    for check in checks:
        for start, end, spans in checked_texts(check):
            for place in stray_digits(article.text, start, end, spans):
                message = "this number is checked by nothing: put it in backticks, or in words"
                yield error_at(article, place, message)
        if isinstance(check, Calls):
            for number, item in enumerate(check.items, 1):
                if item.number != number:
                    yield error_at(article, item.start, f"this is item {number}: number it so")


def checked_texts(check: Check) -> Iterator[tuple[int, int, tuple[Span, ...]]]:
    """The texts of a checked table or list, with the spans in which digits may stand."""
    if isinstance(check, Calls):
        for item in check.items:
            yield item.body, item.end, item.spans
    elif isinstance(check, Snapshot | SourceTable | Correspondence):
        for cell in check.table.header.cells:
            yield cell.start, cell.end, ()
        for row in check.table.rows:
            for cell in row.cells:
                yield cell.start, cell.end, cell.spans


def uncollected(article: Article, checks: Iterable[Check]) -> Iterator[BookError]:
    """Complaints about places that ask for a check, by a plain look at the lines, and get none."""
    collected = Counter(place for check in checks for place in places_of(check))
    for (kind, line), count in (Counter(asked_for(article.text)) - collected).items():
        message = f"this looks like a check ({kind}) and is none: mend how it is written"
        yield from [BookError(article.path, line, 1, message)] * count


def places_of(check: Check) -> Iterator[tuple[str, int]]:
    """What a check is and in which line a plain look would find it."""
    last = check.span.end if isinstance(check, Value) else check.start
    yield check.kind, line_and_column(check.article.text, last)[0]
    if isinstance(check, Program) and check.output:
        yield "output", check.output.line


LOOKS = (
    (".not-run", ""),
    ("file=", "block"),
    ("quote=", "quote"),
    (".ablation", "ablation"),
    (".excerpt", "excerpt"),
    (".output", "output"),
    ("graph=", "graph"),
    ("python", "example"),
)
VALUE = r"\{:? *(?:[^} ]+ +)*value="


def asked_for(text: str) -> Iterator[tuple[str, int]]:
    """The kinds and lines of all that looks like a check, found without any parser of ours."""
    ticks, kind = "", ""
    lines = [line.strip() for line in text.split("\n")]
    for number, (content, below) in enumerate(pairwise([*lines, ""]), 1):
        if ticks:
            if content == ticks:
                ticks = ""
            elif kind == "session" and re.match(r">>> *[^ #]", content):
                yield "example", number
        elif match := re.match(r"(`{3,}|~{3,})(.*)", content):
            ticks = match[1]
            kind = next((kind for mark, kind in LOOKS if mark in match[2]), "")
            if kind == "example" and below.startswith(">>>"):
                kind = "session"
            elif kind:
                yield kind, number
        else:
            for name in re.findall(r"<!-- *([\w-]+)", re.sub(r"(`+).*?\1", "", content)):
                yield name, number
            for _ in re.findall(VALUE, re.sub(r"``.*?``", "", content)):
                yield "value", number
