"""Checks of values, snapshots, call sequences and graphs against a run of the engine."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from itertools import pairwise
from typing import Any, ClassVar

from literate_book.check.checks import (
    Book,
    Check,
    Finding,
    Namespace,
    compare_lines,
    disagreement,
    evaluate,
    first_difference,
    shown,
)
from literate_book.check.symbols import resolve
from literate_book.record.matching import Drawing, subject
from literate_book.source.articles import Fence
from literate_book.source.directives import Directive
from literate_book.source.tables import Cell, Item, Row, Span, Table


@dataclass(frozen=True)
class Value(Check):
    """A value in prose, or in any cell: `` `6.0`{: value="vjp(1.0)"} ``."""

    kind: ClassVar[str] = "value"
    span: Span

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        expression, span = self.span.attrs["value"], self.span
        actual = shown(evaluate(book, self, expression, span.start, namespace))
        if not actual.strip():
            yield Finding(span.start, f"{expression} gives an empty text, which shows nothing")
            return
        what = f"the value of {expression}"
        yield from compare_spans(self.article.text, [span], [actual], span.start, what)


def plain_spans(cell: Cell | Item) -> list[Span]:
    """The code spans of a cell or an item that carry no check of their own."""
    return [span for span in cell.spans if "value" not in span.attrs]


@dataclass(frozen=True)
class Snapshot(Check):
    """A table whose rows an expression gives."""

    kind: ClassVar[str] = "snapshot"
    directive: Directive
    table: Table

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        given, rows = given_rows(self, self.directive, book, namespace), self.table.rows
        for number, (row, values) in enumerate(zip(rows, given, strict=False), 1):
            yield from self.compare_row(row, by_column(self, values, row), number)
        for row in rows[len(given) :]:
            message = f"the engine gives only {len(given)} rows: delete this one"
            yield Finding(row.start, message)
        for values in given[len(rows) :]:
            cells = by_column(self, values, self.table.header)
            line = " | ".join("…" if value is None else f"`{shown(value)}`" for value in cells)
            yield Finding(self.table.end, f"the engine gives one more row: write | {line} |")
        if self.directive.of:
            yield from unknown_subjects(self, book, namespace)

    def compare_row(self, row: Row, values: Sequence[Any], number: int) -> Iterator[Finding]:
        """The findings of one row."""
        if len(row.cells) != len(values):
            message = f"this row has {len(row.cells)} cells, but the table {len(values)} columns"
            yield Finding(row.start, message)
            return
        if all(value is None or not shown(value) for value in values):
            yield Finding(row.start, "nothing in this row is checked: give a cell a value")
        for header, cell, value in zip(self.table.headers, row.cells, values, strict=True):
            what, spans = f"row {number}, column “{header}”", plain_spans(cell)
            if value is None and spans:
                message = f"{what} holds a value that nothing checks: take away its backticks"
                yield Finding(spans[0].start, message)
            elif value is not None:
                yield from self.compare_cell(cell, shown(value), what)

    def compare_cell(self, cell: Cell, value: str, what: str) -> Iterator[Finding]:
        """The findings of one cell; several spans stand for one value cut at its commas."""
        spans = plain_spans(cell)
        parts = value.split(", ") if len(spans) > 1 else [value]
        if ", ".join(span.text for span in spans) != value:
            yield from compare_spans(self.article.text, spans, parts, cell.start, what)


def by_column(check: Snapshot, values: Any, row: Row) -> list[Any]:
    """The values of one row, one for each column of the table; None stands for prose."""
    headers, expression = check.table.headers, check.directive.expression
    if isinstance(values, Mapping):
        if not values.keys().isdisjoint(headers):
            return [values.get(header) for header in headers]
        message = f"no column of this table is one of {', '.join(map(str, values))}"
        raise check.error(check.table.header.start, f"{message}: rename a header")
    if isinstance(values, str) or not isinstance(values, Sequence):
        message = f"`{expression}` gives {shown(values)} as a row, which is no list of cells"
    elif len(values) != len(headers):
        message = f"`{expression}` gives {len(values)} cells for {len(headers)} columns"
    else:
        return list(values)
    raise check.error(row.start, message)


def compare_spans(
    text: str, spans: Sequence[Span], actual: Sequence[str], at: int, what: str
) -> Iterator[Finding]:
    """One finding for each code span that is not the text it should be."""
    if len(spans) == len(actual):
        for span, value in zip(spans, actual, strict=True):
            if span.text != value:
                message = disagreement(what, span.text, value)
                new = None if "`" in value else value  # what holds backticks is the author's
                yield Finding(span.start, message, span.start, span.end, new)
        return
    message = disagreement(what, ", ".join(span.text for span in spans), ", ".join(actual))
    between = [text[a.outer[1] : b.outer[0]] for a, b in pairwise(spans)]
    if not spans or any(gap.strip(" ,") for gap in between) or "`" in "".join(actual):
        yield Finding(at, f"{message} (write each part in backticks)")
        return
    together = ", ".join(f"`{value}`" for value in actual)
    yield Finding(at, message, spans[0].outer[0], spans[-1].outer[1], together)


def given_rows(check: Check, directive: Directive, book: Book, namespace: Namespace) -> list[Any]:
    """The rows that the expression of a comment gives."""
    expression, at = directive.expression, directive.expression_start
    rows = evaluate(book, check, expression, at, namespace)
    if not isinstance(rows, Iterable):
        raise check.error(at, f"`{expression}` gives {shown(rows)}, not a list of rows")
    return list(rows)


@dataclass(frozen=True)
class Calls(Check):
    """An ordered list of the engine's calls, each with the values it shows."""

    kind: ClassVar[str] = "calls"
    directive: Directive
    items: tuple[Item, ...]

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        given = given_rows(self, self.directive, book, namespace)
        records = [call_record(self, each) for each in given]
        listed = [spans[0].text if (spans := plain_spans(item)) else "" for item in self.items]
        called = [record[0] for record in records]
        for _, a, b, c, d in SequenceMatcher(None, listed, called, autojunk=False).get_opcodes():
            both = min(b - a, d - c)
            for item, record in zip(self.items[a : a + both], records[c : c + both], strict=True):
                yield from self.compare_item(book, item, record, set(called))
            for item, name in zip(self.items[a + both : b], listed[a + both : b], strict=True):
                words = unknown_call(book, name, set(called)) or f"`{name}` is not called here"
                yield Finding(item.start, f"{words}: delete this item")
            if missing := records[c + both : d]:
                here = b < len(self.items)
                at = self.items[b].start if here else self.items[-1].end
                place = "before this item" if here else "behind this item"
                lines = (", ".join(f"`{part}`" for part in record) for record in missing)
                items = [f"{number}. {line}" for number, line in enumerate(lines, b + 1)]
                message = "\n".join([f"the engine calls more, list it {place}:", *items])
                yield Finding(at, message)

    def compare_item(
        self, book: Book, item: Item, record: tuple[str, ...], called: set[str]
    ) -> Iterator[Finding]:
        """The findings of one item that stands where it should."""
        spans = plain_spans(item)
        what = f"call {item.number}"
        if spans and (unknown := unknown_call(book, spans[0].text, called)):
            what = f"{what}: {unknown}"
        yield from compare_spans(self.article.text, spans, record, item.body, what)


def call_record(check: Calls, call: Any) -> tuple[str, ...]:
    """The parts of one call, as an item lists them: its name, then the values shown."""
    if isinstance(call, str):
        return (call,)
    if isinstance(call, Sequence) and call:
        return tuple(map(shown, call))
    message = f"`{check.directive.expression}` gives {shown(call)} as a call, not a name"
    raise check.error(check.directive.expression_start, message)


def unknown_call(book: Book, name: str, called: set[str]) -> str:
    """The words for a listed name that the run never calls; empty for one that it does."""
    if name in called:
        return ""
    close = get_close_matches(name, called, 1)
    hint = f" (did you mean `{close[0]}`?)" if close else ""
    if resolve(book.config.package, name) is None:
        return f"`{name}` is no function of the engine{hint}"
    return f"this run never calls `{name}`{hint}"


@dataclass(frozen=True)
class Graph(Check):
    """A Mermaid diagram that a recorder draws of a real run."""

    kind: ClassVar[str] = "graph"
    fence: Fence

    def drawn(self, book: Book, namespace: Namespace) -> Any:
        """What the recorder draws."""
        return evaluate(book, self, self.fence.attrs["graph"], self.fence.start, namespace)

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        expression, drawn = self.fence.attrs["graph"], str(self.drawn(book, namespace))
        lines, actual = self.fence.body.splitlines(), drawn.splitlines()
        if not drawn.strip():
            yield Finding(self.start, f"{expression} gives an empty text, which draws nothing")
            return
        index = first_difference(lines, actual)
        pair = ("".join(each[index : index + 1]) for each in (lines, actual))
        yield from compare_lines(self.fence, lines, actual, disagreement("graph", *pair))


def unknown_subjects(check: Snapshot, book: Book, namespace: Namespace) -> Iterator[Finding]:
    """The rows that name no node of the graph which their table says it tells of."""
    of, at = check.directive.of, check.directive.start
    drawing = evaluate(book, check, of, at, namespace)
    if not isinstance(drawing, Drawing):
        raise check.error(at, f"`{of}` draws no run: name a graph that a recorder draws")
    names = [node.name for node in drawing.nodes]
    for row in check.table.rows:
        first = next((span.text for cell in row.cells for span in cell.spans), "")
        if subject(first) not in names:
            known = f"known are {', '.join(names)}"
            message = f"the first code of this row names no node of `{of}`: {known}"
            yield Finding(row.start, message)
