"""Finds what stands outside the fences: comments that ask for a check, values, questions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from literate_book.source.articles import Article, line_end
from literate_book.source.tables import Span, find_spans

KNOWN = ("snapshot", "calls", "source-table", "correspondence", "stepper")


def prose(article: Article) -> str:
    """The article's text with every fence blanked, so that all offsets stay what they were."""
    pieces, place = [], 0
    for fence in article.fences:
        shown = article.text[fence.start : fence.end]
        pieces += [article.text[place : fence.start], re.sub(r"[^\n]", " ", shown)]
        place = fence.end
    return "".join([*pieces, article.text[place:]])


@dataclass(frozen=True)
class Directive:
    """A comment like ``<!-- snapshot: rows() -->`` on a line of its own.

    ``of`` is the graph that a table says it tells of.
    """

    start: int
    end: int
    name: str
    expression: str
    expression_start: int
    of: str = ""


COMMENT = re.compile(r"^(?P<indent> *)<!--(?P<inside>.*?)-->[ ]*$\n?", re.M | re.S)
OF = r"""(?:\s+of=(?P<mark>["'])(?P<of>.*?)(?P=mark))?"""
INSIDE = re.compile(rf"\s*(?P<name>[\w-]+)\s*(?::\s*(?P<expression>.*?){OF})?\s*", re.S)


def find_directives(article: Article) -> Iterator[Directive]:
    """Every comment that stands on lines of its own, known to us or not."""
    for match in COMMENT.finditer(prose(article)):
        start, inside = match.end("indent"), match["inside"]
        parts = INSIDE.fullmatch(inside)
        if parts is None:
            yield Directive(start, match.end(), inside.strip(), "", start)
            continue
        place = match.start("inside") + max(parts.start("expression"), 0)
        expression, of = parts["expression"] or "", parts["of"] or ""
        yield Directive(start, match.end(), parts["name"], expression, place, of)


def find_values(article: Article) -> Iterator[Span]:
    """The code spans that carry ``{: value="EXPR"}``, wherever they stand."""
    text = prose(article)
    return (span for span in find_spans(text, 0, len(text)) if "value" in span.attrs)


@dataclass(frozen=True)
class Question:
    """A self-test: the place of its ``???``, and where its answer ends."""

    start: int
    end: int


QUESTION = re.compile(r"^(?P<indent> *)\?\?\?\+? +question\b", re.M)


def find_questions(article: Article) -> Iterator[Question]:
    """Every ``??? question`` with all that is indented below it, or blank."""
    for match in QUESTION.finditer(prose(article)):
        deeper = re.compile(rf"\n(?:{match['indent']} .*|[ ]*$)", re.M)
        end = line_end(article.text, match.end())
        while line := deeper.match(article.text, end):
            end = line.end()
        yield Question(match.end("indent"), end)
