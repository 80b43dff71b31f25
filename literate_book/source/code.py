"""The code of one block: does it parse, what does it define, how does it begin and end?

The parsed tree is let go at once. A book of a thousand articles kept as trees is a load that the
garbage collector walks over and over.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from literate_book.source.articles import Fence
from literate_book.source.errors import BookError, BookErrors

DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Code:
    """What the assembler must know of the code of a block.

    ``names`` are the names bound at the top level, with line and column in the article.
    """

    names: tuple[tuple[str, int, int], ...]
    begins_with_definition: bool
    ends_in_definition: bool


def read_code(fence: Fence) -> Code:
    """Parse the block alone; raises ``BookErrors`` if that fails."""
    tree = parse(fence)
    names = tuple(
        (name, fence.body_line + node.lineno - 1, fence.col + node.col_offset)
        for name, node in defined_names(tree.body)
    )
    begins = begins_with_definition(tree, fence.body)
    return Code(names, begins, ends_in_definition(tree, fence.body))


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
    raise BookErrors([BookError(fence.article, line, col, message)])


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


def begins_with_definition(tree: ast.Module, body: str) -> bool:
    """Whether a function or class begins the block, with at most a comment on top of it."""
    node = tree.body[0] if tree.body else None
    if not isinstance(node, DEFINITION):
        return False
    line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return "" not in body.split("\n")[: line - 1]


def ends_in_definition(tree: ast.Module, body: str) -> bool:
    """Whether the last line of the block is the last line of a function or class."""
    node = tree.body[-1] if tree.body else None
    if node is None or node.end_lineno != body.count("\n"):
        return False
    while not isinstance(node, DEFINITION):
        inner = nested(node)
        if not inner:
            return False
        node = inner[-1]
    return True
