"""Every check in every article can fail: change what it shows, and it complains at that line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from literate_book.check.ablation import Ablation, SourceBlock
from literate_book.check.checkers import Calls, Graph, Snapshot, Value
from literate_book.check.checks import Book, Check
from literate_book.check.documents import article_checks
from literate_book.check.examples import Program, Prompt
from literate_book.check.experiments import Excerpt, Shown
from literate_book.check.running import Runner, check_text
from literate_book.check.source_tables import Correspondence, SourceTable
from literate_book.check.steppers import Steps
from literate_book.source.articles import Fence, parse_article
from literate_book.source.errors import BookError, BookErrors
from literate_book.source.tables import Span

ROOT = Path(__file__).parents[1]
ARTICLES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/en/**/*.md"))
KINDS = "docs/en/articles/kinds.md"
Edit = tuple[int, int, str]


def tweaked(text: str) -> str:
    """The text with its last digit changed, or its last letter where it has no digit."""
    places = [i for i, c in enumerate(text) if c.isdigit()]
    places = places or [i for i, c in enumerate(text) if c.isalpha()]
    if not places:
        return f"{text}x"
    place, old = places[-1], text[places[-1]]
    new = str((int(old) + 1) % 10) if old.isdigit() else ("y" if old != "y" else "z")
    return text[:place] + new + text[place + 1 :]


def span_edit(span: Span) -> Edit:
    return span.start, span.end, tweaked(span.text)


def line_edit(check: Check, fence: Fence, number: int) -> Edit:
    """Change a body line of a fence, counted from 0."""
    start = fence.body_offset
    for _ in range(number):
        start = check.article.text.index("\n", start) + 1
    end = check.article.text.index("\n", start)
    return start, end, tweaked(check.article.text[start:end])


def edits_of(check: Check) -> Iterator[Edit]:
    """The changes to try on one check."""
    match check:
        case Value():
            yield span_edit(check.span)
        case Prompt() if check.example.want:
            last = (
                check.example.lineno + (check.example.source + check.example.want).count("\n") - 1
            )
            yield line_edit(check, check.fence, last)
        case Program() if check.output and check.output.body:
            yield line_edit(check, check.output, check.output.body.count("\n") - 1)
        case Snapshot():
            for number, row in enumerate(check.table.rows):
                spans = [s for cell in row.cells for s in cell.spans if "value" not in s.attrs]
                yield span_edit(spans[number % len(spans)])
        case Calls():
            for item in check.items:
                yield span_edit(item.spans[-1])
        case Steps():
            start = check.directive.expression_start
            yield start, start + len(check.directive.expression), "no_such_run()"
        case Graph():
            yield line_edit(check, check.fence, 1)
            yield line_edit(check, check.fence, check.fence.body.count("\n") - 2)
        case SourceTable():
            for row in check.table.rows:
                for cell in row.cells:
                    if cell.spans:
                        yield span_edit(cell.spans[-1])
        case Correspondence():
            for row in check.table.rows:
                for cell in row.cells[1:]:
                    if cell.spans and "value" not in cell.spans[-1].attrs:
                        yield span_edit(cell.spans[-1])
        case Ablation():
            expect = check.fence.attrs["expect"]
            start = check.article.text.index(expect, check.start)
            yield start, start + len(expect), tweaked(expect)
        case SourceBlock():
            lines = [n for n, line in enumerate(check.fence.body.splitlines()) if line.strip()]
            for number in {lines[0], lines[len(lines) // 2], lines[-1]}:
                _, end, _ = line_edit(check, check.fence, number)
                yield end, end, "  # changed"
        case Shown() | Excerpt():
            yield line_edit(check, check.fence, 0)


def complaints(runner: Runner, check: Check, namespace: dict[str, Any]) -> list[BookError]:
    try:
        runner.run(check, namespace)
    except BookErrors as problems:
        return problems.errors
    return []


def mutate(runner: Runner, path: str, text: str) -> dict[str, int]:
    """Try every change on every check, in the order of the page; count the changes by kind.

    Code of examples runs once, with the changed output behind it, so that the examples below
    find what they would find on the page.
    """
    namespace: dict[str, Any] = {}
    tried: dict[str, int] = {}
    for index, check in enumerate(article_checks(parse_article(path, text))):
        edits = list(edits_of(check))
        if not edits or not isinstance(check, Prompt | Program):
            assert complaints(runner, check, namespace) == []
        for start, end, new in edits:
            line = text.count("\n", 0, start) + 1
            mutant = article_checks(parse_article(path, text[:start] + new + text[end:]))[index]
            errors = complaints(runner, mutant, namespace)
            assert {(e.article, e.line) for e in errors} == {(path, line)}, (line, new, errors)
            tried[check.kind] = tried.get(check.kind, 0) + 1
    return tried


@pytest.mark.parametrize("path", ARTICLES)
def test_every_change_in_an_article_is_noticed_at_its_line(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    runner = Runner(Book(ROOT))
    mutate(runner, path, text)
    assert check_text(runner, path, text) == []


def test_every_kind_of_change_is_noticed_at_its_line(kinds_book: Path) -> None:
    text = (kinds_book / KINDS).read_text(encoding="utf-8")
    runner = Runner(Book(kinds_book))
    kinds = {
        "ablation", "block", "calls", "correspondence", "example", "excerpt", "graph", "output",
        "snapshot", "source-table", "value",
    }  # fmt: skip
    assert mutate(runner, KINDS, text).keys() == kinds
    assert check_text(runner, KINDS, text) == []
