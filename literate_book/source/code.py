"""The code of one block: its syntax tree, with errors at the line of the article, and its names."""

import ast
from collections.abc import Iterator

from literate_book.source.articles import Fence
from literate_book.source.errors import refusal

DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def parse(fence: Fence) -> ast.Module:
    """The tree of a block; the complaint names the line of the article."""
    line, col, reason = 1, 1, "it is nested too deeply"
    try:
        return ast.parse(fence.body, fence.article)
    except SyntaxError as problem:
        line, col, reason = problem.lineno or 1, problem.offset or 1, problem.msg
    except (RecursionError, MemoryError, ValueError):
        pass
    message = f"this block does not parse: {reason}. Each block is complete statements"
    line, col = min(fence.body_line + line - 1, fence.end_line), fence.col + max(col, 1) - 1
    raise refusal(fence.article, message, line, col)


def defined_names(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    """The names that functions, classes and assignments bind at the top level."""
    pending = body[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, DEFINITION):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            for each in (each for target in node.targets for each in ast.walk(target)):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    yield each.id, each
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node
        elif isinstance(node, ast.If | ast.Try | ast.With):
            pending += nested(node)[::-1]


def nested(node: ast.stmt) -> list[ast.stmt]:
    """The statements inside the branches of a compound statement, from top to bottom."""
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            found.append(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            found += child.body
    return found
