"""Checks of the tables that name symbols: source tables and theory-to-source tables."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar

from literate_book.check.checks import Book, Check, Finding, Namespace, evaluate
from literate_book.check.symbols import FUNCTIONS, MISSING, Symbol, own_nodes, resolve, uses
from literate_book.record.watch import edges
from literate_book.source.directives import Directive
from literate_book.source.errors import BookError
from literate_book.source.tables import Cell, Row, Span, Table

COLUMNS = "symbol", "called by", "calls", "input and output", "role"
Edges = set[tuple[str, str]]


def unknown_symbol(package: str, name: str) -> str:
    """The message for a name that is nothing in the package."""
    owner_name, _, last = name.rpartition(".")
    owner = resolve(package, owner_name) if owner_name else None
    names = vars(owner.value) if owner and owner.value is not MISSING else ()
    close = get_close_matches(last, names, 1)
    hint = f"did you mean `{owner_name}.{close[0]}`?" if close else "write module.name"
    return f"`{name}` is nothing in {package}: {hint}"


def listed(names: Iterable[str]) -> str:
    """Names in one line of an error."""
    return ", ".join(f"`{name}`" for name in names) or "nothing"


@dataclass(frozen=True)
class SourceTable(Check):
    """A table of symbols: each must exist, and use or be used by what its row says."""

    kind: ClassVar[str] = "source-table"
    directive: Directive
    table: Table

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        run: Edges = set()
        if expression := self.directive.expression:
            at = self.directive.expression_start
            run = evaluate(book, self, f"edges({expression})", at, {**namespace, "edges": edges})
        for row in self.table.rows:
            yield from self.check_row(book.config.package, row, run)

    def check_row(self, package: str, row: Row, run: Edges) -> Iterator[Finding]:
        """The findings of one row."""
        if len(row.cells) != len(COLUMNS) or len(row.cells[0].spans) != 1:
            message = f"a row has {len(COLUMNS)} cells, and one `symbol` in the first"
            yield Finding(row.start, message)
            return
        cell, callers, called, values, role = row.cells
        symbol = resolve(package, cell.spans[0].text)
        if symbol is None:
            yield Finding(cell.spans[0].start, unknown_symbol(package, cell.spans[0].text))
            return
        yield from check_edges(package, callers, run, lambda other: (other, symbol))
        yield from check_edges(package, called, run, lambda other: (symbol, other))
        for span in values.spans:
            before = self.article.text[values.start : span.start]
            yield from check_value(symbol, span, "->" in before or "→" in before)
        for span in role.spans:
            message = "a role is prose, which nothing checks: take away the backticks"
            yield Finding(span.start, message)


def check_edges(
    package: str, cell: Cell, run: Edges, pair: Callable[[Symbol], tuple[Symbol, Symbol]]
) -> Iterator[Finding]:
    """One finding for each name in the cell that is no edge of the program."""
    for span in cell.spans:
        other = resolve(package, span.text)
        caller, called = pair(other or Symbol(span.text, None, MISSING, None, {}))
        if other is None and (called.tree or span.text not in caller.texts):
            yield Finding(span.start, unknown_symbol(package, span.text))
        elif other and not uses(caller, called) and (caller.name, called.name) not in run:
            words = f"`{caller.name}` does not use `{called.name}`"
            yield Finding(span.start, f"{words}, but {listed(sorted(caller.texts))}")


def check_value(symbol: Symbol, span: Span, is_output: bool) -> Iterator[Finding]:
    """Inputs are parameters; outputs, behind an arrow, are what a ``return`` says."""
    if is_output:
        given = returned(symbol)
        if not any(reads_as(node, span.text) for node in given):
            words = f"`{symbol.name}` does not return `{span.text}`"
            yield Finding(span.start, f"{words}, but {listed(map(ast.unparse, given))}")
        return
    known = parameters(symbol)
    for name in span.text.split(", "):
        if name not in known:
            words = f"`{symbol.name}` has no parameter `{name}`"
            yield Finding(span.start, f"{words}, but {listed(known)}")


def definition(symbol: Symbol) -> ast.AST | None:
    """The function whose parameters a symbol has: those of a class are its constructor's."""
    if isinstance(symbol.tree, ast.ClassDef):
        methods = {node.name: node for node in symbol.tree.body if isinstance(node, FUNCTIONS)}
        return methods.get("__init__", methods.get("__new__"))
    return symbol.tree


def parameters(symbol: Symbol) -> list[str]:
    """The parameters of a symbol, as an article names them."""
    tree = definition(symbol)
    if not isinstance(tree, (*FUNCTIONS, ast.Lambda)):
        return [*getattr(symbol.value, "__dataclass_fields__", ())]
    args = tree.args
    names = [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [f"*{args.vararg.arg}"] if args.vararg else []
    return names + ([f"**{args.kwarg.arg}"] if args.kwarg else [])


def returned(symbol: Symbol) -> list[ast.expr]:
    """What a symbol gives back, as its source says it: every returned expression, and the type."""
    tree = definition(symbol)
    if isinstance(symbol.tree, ast.ClassDef):
        return [ast.Name(symbol.tree.name)]
    if isinstance(tree, ast.Lambda):
        return [tree.body]
    if not isinstance(tree, FUNCTIONS):
        return []
    nodes = [node for node in own_nodes(tree) if isinstance(node, ast.Return | ast.Yield)]
    return [each for each in (tree.returns, *(node.value for node in nodes)) if each]


def reads_as(node: ast.expr, text: str) -> bool:
    """Whether an article may write an expression so: a call by its name, a tuple by its items."""
    if text == ast.unparse(node) or (isinstance(node, ast.Call) and text == ast.unparse(node.func)):
        return True
    if not isinstance(node, ast.Tuple):
        return False
    parts = text.removeprefix("(").removesuffix(")").split(", ")
    return len(parts) == len(node.elts) and all(map(reads_as, node.elts, parts))


@dataclass(frozen=True)
class Correspondence(Check):
    """A table of theory, names in the engine, and states: every name resolves.

    Spans with a ``value`` are checks of their own. In the first column other spans are notation.
    """

    kind: ClassVar[str] = "correspondence"
    directive: Directive
    table: Table

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding | BookError]:
        width = len(self.table.headers)
        for row in self.table.rows:
            if len(row.cells) != width:
                message = f"this row has {len(row.cells)} cells, the table {width}"
                yield Finding(row.start, message)
            if not any(cell.spans for cell in row.cells[1:]):
                yield Finding(row.start, "this row names nothing of the engine: name its part")
            for number, cell in enumerate(row.cells):
                for span in cell.spans:
                    if "value" not in span.attrs:
                        yield from self.check_span(book, namespace, number, span)

    def check_span(
        self, book: Book, namespace: Namespace, column: int, span: Span
    ) -> Iterator[Finding | BookError]:
        """The findings of one code span: notation, a symbol, or a state of the run."""
        digits = r"\d" if column == 0 else r"\b\d"  # the 1 of the name x1 is a part of it
        if column != 1 and re.search(digits, span.text):
            message = 'a number that is not computed is checked by nothing: add {: value="EXPR"}'
            yield Finding(span.start, message)
        elif column and resolve(book.config.package, span.text) is None:
            if column == 1:
                yield Finding(span.start, unknown_symbol(book.config.package, span.text))
                return
            try:
                evaluate(book, self, span.text, span.start, namespace)
            except BookError as problem:
                yield problem
