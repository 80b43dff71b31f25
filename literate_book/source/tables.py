"""Code spans, tables and lists of an article, with the exact place of every piece.

Markdown's own parsers keep no columns, and a check must name the cell it complains about. These
readers follow Python-Markdown's rules, and a test holds them to that.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from markdown.extensions.attr_list import get_attrs_and_remainder

from literate_book.source.articles import line_end

SPAN = re.compile(
    r"(?<![\\`])(?P<ticks>`+)(?!`)(?P<code>(?:(?!\n[ ]*\n).)+?)(?<!`)(?P=ticks)(?!`)", re.S
)


@dataclass(frozen=True)
class Span:
    """One code span: ``start`` and ``end`` enclose the text, ``outer`` the ticks and braces too."""

    start: int
    end: int
    text: str
    outer: tuple[int, int]
    attrs: Mapping[str, str]


def find_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """The code spans between two offsets, each with the attributes in braces behind it."""
    for match in SPAN.finditer(text, start, end):
        code = match["code"]
        left = match.start("code") + len(code) - len(code.lstrip(" "))
        inner = code.strip(" ")
        attrs, outer_end = read_braces(text, match.end())
        yield Span(left, left + len(inner), inner, (match.start(), outer_end), attrs)


def read_braces(text: str, offset: int) -> tuple[dict[str, str], int]:
    """The attributes in the braces at ``offset``, if there are any, and where they end."""
    opening = re.compile(r"\{:?[ ]*").match(text, offset)
    if opening is None:
        return {}, offset
    end = line_end(text, offset)
    pairs, remainder = get_attrs_and_remainder(text[opening.end() : end])
    if not remainder.startswith("}"):
        return {}, offset
    return {key: value or "" for key, value in pairs}, end - len(remainder) + 1


@dataclass(frozen=True)
class Cell:
    """One cell of a table, without the blanks around its text."""

    start: int
    end: int
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    start: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """A table: ``headers`` are the texts of its first line, ``rows`` the lines below the dashes."""

    header: Row
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    end: int


def read_table(text: str, offset: int) -> Table | None:
    """The table whose first line starts at ``offset``, or None where no table stands there."""
    lines = list(paragraph_lines(text, offset))
    if len(lines) < 2:
        return None
    header, dashes = (split_row(text, *line) for line in lines[:2])
    rules = [text[cell.start : cell.end] for cell in dashes.cells]
    if len(rules) != len(header.cells) or not all(re.fullmatch(r":?-+:?", rule) for rule in rules):
        return None
    headers = tuple(text[cell.start : cell.end] for cell in header.cells)
    rows = tuple(split_row(text, *line) for line in lines[2:])
    return Table(header, headers, rows, lines[-1][1])


def paragraph_lines(text: str, offset: int) -> Iterator[tuple[int, int]]:
    """The start and end of each line from ``offset`` on, up to a blank one."""
    while offset < len(text):
        end = line_end(text, offset)
        if not text[offset:end].strip():
            return
        yield offset, end
        offset = end + 1


def split_row(text: str, start: int, end: int) -> Row:
    """The cells between the bars of one line; not those inside code or behind a backslash."""
    line_start, end = start, start + len(text[start:end].rstrip(" "))
    spans = list(find_spans(text, start, end))
    bars = [
        match.start()
        for match in re.compile(r"(?<!\\)\|").finditer(text, start, end)
        if not any(a <= match.start() < b for a, b in (span.outer for span in spans))
    ]
    start += len(text[start:end]) - len(text[start:end].lstrip(" "))
    edges = [start - 1, *(bar for bar in bars if start < bar < end - 1), end]
    if text.startswith("|", start):
        edges[0] = start
    if bars and bars[-1] == end - 1:
        edges[-1] = end - 1
    return Row(line_start, tuple(cell(text, a + 1, b, spans) for a, b in pairwise(edges)))


def cell(text: str, start: int, end: int, spans: list[Span]) -> Cell:
    """The cell between two bars, with those of the line's ``spans`` that lie in it."""
    inner = text[start:end]
    left = start + len(inner) - len(inner.lstrip(" "))
    right = max(left, start + len(inner.rstrip(" ")))
    return Cell(left, right, tuple(span for span in spans if start <= span.start < end))


@dataclass(frozen=True)
class Item:
    """One item of an ordered list: ``start`` is the place of its number, ``body`` of its text."""

    start: int
    body: int
    end: int
    number: int
    spans: tuple[Span, ...]


ITEM = re.compile(r"(?P<indent> *)(?P<number>\d+)\.[ ]+(?=\S)")


def item(text: str, start: int, end: int) -> Item:
    """The item that stands between two offsets."""
    match = ITEM.match(text, start)
    assert match is not None
    body = match.end()
    end = body + len(text[body:end].rstrip())
    return Item(
        match.start("number"), body, end, int(match["number"]), tuple(find_spans(text, body, end))
    )


def read_list(text: str, offset: int) -> tuple[Item, ...]:
    """The items of the ordered list whose first line starts at ``offset``, if there is one.

    An item goes on over the lines below it until the next number, or until a blank line with
    nothing indented behind it.
    """
    first = ITEM.match(text, offset)
    if first is None:
        return ()
    starts, end = [], offset
    indent, blank, place = len(first["indent"]), False, offset
    for line in text[offset:].splitlines(keepends=True):
        match = ITEM.match(line)
        if match and len(match["indent"]) == indent:
            starts.append(place)
        elif blank and line.strip() and not line.startswith(" " * (indent + 1)):
            break
        blank = not line.strip()
        place += len(line)
        end = end if blank else place
    return tuple(item(text, a, b) for a, b in pairwise([*starts, end]))


LINK_TARGET = re.compile(r"\]\([^)\n]*\)")


def stray_digits(text: str, start: int, end: int, spans: tuple[Span, ...]) -> Iterator[int]:
    """The offsets of digits that stand in no code span and in no link's address."""
    hidden = [span.outer for span in spans]
    hidden += [match.span() for match in LINK_TARGET.finditer(text, start, end)]
    for match in re.compile(r"\d[\d.,]*").finditer(text, start, end):
        if not any(a <= match.start() < b for a, b in hidden):
            yield match.start()
