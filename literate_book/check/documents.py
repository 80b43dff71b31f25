"""Turns an article into checks, for Sybil to run and for the audit to count."""

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import zip_longest

from literate_book.check.ablation import Ablation, SourceBlock
from literate_book.check.checkers import Calls, Graph, Snapshot, Value
from literate_book.check.checks import Check, error_at
from literate_book.check.examples import Program, session_checks
from literate_book.check.experiments import Excerpt, Printed
from literate_book.check.quotes import Quote
from literate_book.check.source_tables import COLUMNS, Correspondence, SourceTable
from literate_book.check.steppers import Steps
from literate_book.record.matching import drawn_run
from literate_book.source.articles import Article, Fence
from literate_book.source.directives import KNOWN, Directive, find_directives, find_values
from literate_book.source.errors import BookError, refuse_if
from literate_book.source.tables import read_list, read_table


def kind_of(fence: Fence) -> str:
    """What is to be done with a fence; empty when nothing would test it."""
    if "not-run" in fence.classes:
        return "not-run"
    if fence.is_source:
        return "block"
    if "quote" in fence.attrs:
        return "quote"
    if "output" in fence.classes:
        return "output"
    if fence.lang == "mermaid":
        return "graph" if "graph" in fence.attrs else ""
    if fence.lang != "python":
        return ""
    return next((name for name in ("ablation", "excerpt") if name in fence.classes), "example")


def article_checks(article: Article) -> list[Check]:
    """Every check that an article asks for, from top to bottom.

    Raises ``BookErrors`` with a complaint about each one that is ill-formed.
    """
    checks: list[Check] = []
    errors: list[BookError] = []
    expression = ""
    for fence, following in zip_longest(article.fences, article.fences[1:]):
        try:
            for check in fence_checks(article, fence, following, expression):
                checks.append(check)
                expression = getattr(check, "expression", "") or expression
        except BookError as problem:
            errors.append(problem)
    for directive in find_directives(article):
        try:
            checks.append(directive_check(article, directive))
        except BookError as problem:
            errors.append(problem)
    checks += [Value(article, *span.outer, span) for span in find_values(article)]
    refuse_if(errors)
    return sorted(checks, key=lambda check: check.start)


def fence_checks(
    article: Article, fence: Fence, following: Fence | None, expression: str
) -> Iterator[Check]:
    """The checks of one fence. An ablation that says no ``run`` runs the last ``expression``."""
    kind, place = kind_of(fence), (article, fence.start, fence.end)
    if kind == "block":
        yield SourceBlock(*place, fence)
    elif kind == "quote":
        yield Quote(*place, fence)
    elif kind == "graph":
        yield Graph(*place, fence)
    elif kind == "excerpt":
        yield Excerpt(*place, required(fence, "of"))
    elif kind == "output" and "of" in fence.attrs:
        yield Printed(*place, fence)
    elif kind == "ablation":
        run = required(fence, "of", "expect").attrs.get("run", expression)
        yield Ablation(*place, fence, run or required(fence, "run").attrs["run"])
    elif kind == "example" and fence.is_session:
        yield from session_checks(article, fence)
    elif kind == "example":
        yield Program(*place, fence, following if following and answers(following) else None)


def required(fence: Fence, *names: str) -> Fence:
    """The fence, if it has these attributes."""
    for name in names:
        if not fence.attrs.get(name):
            raise fence.error(f'this needs {name}="..." in its braces', "{")
    return fence


def answers(fence: Fence) -> bool:
    """Whether a fence shows what the program before it prints."""
    return kind_of(fence) == "output" and "of" not in fence.attrs


def directive_check(article: Article, directive: Directive) -> Check:
    """The check that a comment asks for, of the table or list that follows it."""
    name, place = directive.name, (article, directive.start, directive.end, directive)
    if problem := directive_problem(article, directive):
        raise error_at(article, directive.start, problem)
    if name == "stepper":
        return Steps(*place)
    if name == "calls":
        if items := read_list(article.text, directive.end):
            return Calls(*place, items)
        message = "no numbered list follows: write it in the next line"
        raise error_at(article, directive.start, message)
    table = read_table(article.text, directive.end)
    if table is None or not table.rows:
        absent = "no table follows: write it in the next line"
        message = "the table has no rows: write at least one" if table else absent
        raise error_at(article, directive.start, message)
    if name == "source-table" and tuple(map(str.lower, table.headers)) != COLUMNS:
        message = f"the columns of a source table are | {' | '.join(COLUMNS)} |"
        raise error_at(article, table.header.start, message)
    if name == "snapshot":
        return Snapshot(*place, table)
    return SourceTable(*place, table) if name == "source-table" else Correspondence(*place, table)


def directive_problem(article: Article, directive: Directive) -> str:
    """What is wrong with a comment itself; empty when nothing is."""
    name = directive.name
    if name not in KNOWN:
        close = get_close_matches(name, KNOWN, 1)
        hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(KNOWN)}"
        return f"no check is called “{name}”: {hint}"
    if name in ("snapshot", "calls", "stepper") and not directive.expression:
        what = "is run" if name == "stepper" else "gives the rows"
        return f"say what {what}: <!-- {name}: EXPR -->"
    known = drawn_run(article.fences, directive.of) is not None and name == "snapshot"
    if directive.of and not known:
        return f'of="{directive.of}" is no graph of this page: give the expression of one'
    return ""
