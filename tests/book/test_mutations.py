"""Every check of every article can fail: change what it shows, and it complains at that line."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import pytest

from literate_book.check.ablation import Ablation, SourceBlock
from literate_book.check.checkers import Calls, Graph, Snapshot, Value, plain_spans
from literate_book.check.checks import Book, Check
from literate_book.check.documents import article_checks
from literate_book.check.examples import Program, Prompt
from literate_book.check.experiments import Excerpt, Printed
from literate_book.check.quotes import Quote
from literate_book.check.running import Articles
from literate_book.check.source_tables import Correspondence, SourceTable
from literate_book.check.steppers import Steps
from literate_book.source.articles import Fence, parse_article
from literate_book.source.config import book_root, load_config
from literate_book.source.tables import Span

ROOT = book_root(Path(__file__).parent)
PATHS = sorted((ROOT / load_config(ROOT).articles).rglob("*.md"))
KINDS = "docs/en/articles/kinds.md"


@dataclass(frozen=True)
class Edit:
    """A change of one line of an article."""

    start: int
    end: int
    new: str


def tweaked(text: str) -> str:
    """The text with its last digit changed, or where it has none with a longer last word."""
    places = [i for i, c in enumerate(text) if c.isdigit()]
    if places:
        place = places[-1]
        return f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"
    place = max([i for i, c in enumerate(text) if c.isalpha()], default=len(text) - 1) + 1
    return f"{text[:place]}_{text[place:]}"


def span_edits(spans: Iterable[Span]) -> list[Edit]:
    return [Edit(span.start, span.end, tweaked(span.text)) for span in spans]


def line_edit(fence: Fence, number: int) -> Edit:
    """Change a body line of a fence, counted from 0, or from -1 for the last."""
    starts, lines = fence.line_starts[:-1], fence.body.splitlines()
    start = starts[number] + len(fence.indent)
    return Edit(start, start + len(lines[number]), tweaked(lines[number]))


def edits_of(check: Check) -> list[list[Edit]]:
    """The changes to try on one check; of those in one list, the check reports one at a time."""
    match check:
        case Value():
            return [span_edits([check.span])]
        case Prompt() if check.example.want:
            shown = check.example.source + check.example.want
            return [[line_edit(check.fence, check.example.lineno + shown.count("\n") - 1)]]
        case Program() if check.output and check.output.body:
            return [[line_edit(check.output, -1)]]
        case Snapshot() | Correspondence():
            first = 0 if isinstance(check, Snapshot) else 1
            rows = [row.cells[first:] for row in check.table.rows]
            return [span_edits(chain.from_iterable(map(plain_spans, row))) for row in rows]
        case Calls():
            return [span_edits(plain_spans(item)) for item in check.items]
        case Steps():
            at, expression = check.directive.expression_start, check.directive.expression
            lines = "\n" * expression.count("\n")
            return [[Edit(at, at + len(expression), f"no_such_run({lines})")]]
        case Graph():
            count = len(check.fence.body.splitlines())
            return [[line_edit(check.fence, number) for number in {1, count // 2, count - 2}]]
        case SourceTable():
            cells = [row.cells for row in check.table.rows]
            return [span_edits(span for cell in row for span in cell.spans) for row in cells]
        case Ablation() | Quote():
            name = "expect" if isinstance(check, Ablation) else "quote"
            text = check.fence.attrs[name]
            start = check.article.text.index(text, check.start)
            return [[Edit(start, start + len(text), tweaked(text))]]
        case SourceBlock():
            lines = [n for n, line in enumerate(check.fence.body.splitlines()) if line.strip()]
            ends = [
                line_edit(check.fence, n).end for n in {lines[0], lines[len(lines) // 2], lines[-1]}
            ]
            return [[Edit(end, end, "  # changed") for end in ends]]
        case Printed() | Excerpt():
            return [[line_edit(check.fence, 0)]]
    return []


def rounds_of(check: Check) -> list[list[Edit]]:
    """The same changes, so that all of those in one list are reported at once."""
    return [[edit for edit in each if edit] for each in zip_longest(*edits_of(check))]


class Mutation:
    """Tries every change on every check of an article, many changes in one text.

    The checks run in the order of the page and examples run once, with the changed output behind
    them, so that each check finds the names that it finds on the page.
    """

    def __init__(self, root: Path, path: str) -> None:
        self.articles, self.path = Articles(Book(root)), path
        self.text = (root / path).read_text(encoding="utf-8")
        self.namespace: dict[str, Any] = {}
        self.parses = 0
        self.tried: Counter[str] = Counter()

    def checks(self, edits: Iterable[Edit] = ()) -> list[Check]:
        """The checks of the article with some changes."""
        text = self.text
        for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
            text = f"{text[: edit.start]}{edit.new}{text[edit.end :]}"
        self.parses += 1
        return article_checks(parse_article(self.path, text))

    def unnoticed(self) -> Iterator[str]:
        """A line for every change that its check does not report at its line, and nowhere else."""
        checks = self.checks()
        tried = [rounds_of(check) for check in checks]
        texts = zip_longest(*tried, fillvalue=[])
        mutants = [self.checks(chain.from_iterable(edits)) for edits in texts]
        for index, (check, rounds) in enumerate(zip(checks, tried, strict=True)):
            is_example = isinstance(check, Prompt | Program)
            if not rounds or not is_example:
                yield from map(str, self.articles.complaints(check, self.namespace))
            if not rounds and not is_example:
                yield f"{self.place(check.start)}: nothing of this {check.kind} is changed"
            for edits, mutant in zip(rounds, mutants, strict=False):
                self.tried[check.kind] += len(edits)
                for edit in self.missed(index, mutant[index], edits):
                    yield f"{self.place(edit.start)}: {check.kind} as {edit.new!r} goes unnoticed"

    def missed(self, index: int, mutant: Check, edits: list[Edit]) -> list[Edit]:
        """The changes that a check misses; one by one when it reports other lines than theirs."""
        errors = self.articles.complaints(mutant, self.namespace)
        found = {f"{error.article}:{error.line}" for error in errors}
        if found == {self.place(edit.start) for edit in edits}:
            return []
        if len(edits) == 1:
            return edits
        alone = [(edit, self.checks([edit])[index]) for edit in edits]
        return [edit for edit, check in alone if self.missed(index, check, [edit])]

    def place(self, offset: int) -> str:
        """The article and the line of an offset."""
        return f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}"


@pytest.mark.parametrize("path", [path.relative_to(ROOT).as_posix() for path in PATHS])
def test_every_change_in_an_article_is_noticed_at_its_line(path: str) -> None:
    mutation = Mutation(ROOT, path)
    assert not (missed := [*mutation.unnoticed()]), "\n".join(["", *missed])
    print(path, mutation.parses, "parses", dict(mutation.tried))


def test_every_kind_of_change_is_noticed_at_its_line(kinds_book: Path) -> None:
    mutation = Mutation(kinds_book, KINDS)
    kinds = {
        "ablation", "block", "calls", "correspondence", "example", "excerpt", "graph", "output",
        "snapshot", "source-table", "value",
    }  # fmt: skip
    assert not (missed := [*mutation.unnoticed()]), "\n".join(["", *missed])
    assert mutation.tried.keys() == kinds
