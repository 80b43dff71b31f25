"""Matches the tables of a page with the graph of the same run, and their rows with its nodes."""

import ast
import re
from collections.abc import Iterable
from typing import Any

from literate_book.source.articles import Fence


class Drawing(str):
    """A graph as Mermaid text, and the nodes that it draws."""

    nodes: list[Any]


# How many arguments say which run it is; None stands for all of them.
RECORDERS = {"graph": None, "forward_objects": 2, "reverse_history": 2}


def run_of(expression: str) -> tuple[str, ...]:
    """The function and the inputs of the run that a recorder watches; () for other expressions."""
    try:
        call = ast.parse(f"({expression}\n)", mode="eval").body
    except SyntaxError:
        return ()
    if not isinstance(call, ast.Call):
        return ()
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
    if name not in RECORDERS:
        return ()
    return tuple(ast.unparse(each) for each in call.args[: RECORDERS[name]])


def draws_run(fence: Fence) -> bool:
    """Whether a fence is a graph that a recorder draws."""
    return fence.lang == "mermaid" and bool(run_of(fence.attrs.get("graph", "")))


def drawn_run(fences: Iterable[Fence], expression: str) -> Fence | None:
    """The first graph that draws the run of an expression."""
    wanted, graphs = run_of(expression), filter(draws_run, fences)
    return next((each for each in graphs if run_of(each.attrs["graph"]) == wanted), None)


SUBJECT = re.compile(r"(?:(?:argument|node|box|arguments of) )?(\w+)")


def subject(cell: str) -> str:
    """The node that the first code of a row names: ``box x`` is about ``x``."""
    match = SUBJECT.fullmatch(cell)
    return match[1] if match else ""
