"""Quotations: an empty fence that shows a definition of a Python file, which so cannot go stale.

It names the file and the definition: ```` ```python {quote="package/module.py#Class.method"} ````.
"""

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from literate_book.source.articles import Fence
from literate_book.source.code import defined_names


def with_quotation(root: Path, fence: Fence) -> Fence:
    """The fence with the text that it quotes, and ``first-line`` among its attributes.

    Other fences stay as they are. Raises ``BookError`` where nothing has the name.
    """
    if "quote" not in fence.attrs:
        return fence
    path, _, name = fence.attrs["quote"].partition("#")
    if fence.body.strip():
        raise fence.error("a quotation is filled in by the build: leave the fence empty", "quote=")
    try:
        text = (root / path).read_text(encoding="utf-8")
        found = definition(ast.parse(text).body, name.split("."))
    except (OSError, SyntaxError) as problem:
        reason = getattr(problem, "strerror", "") or problem
        raise fence.error(f"{path} cannot be quoted: {reason}", "quote=") from None
    if found is None:
        message = f'{path} defines no {name!r}: write quote="folder/module.py#name"'
        raise fence.error(message, "quote=")
    decorators: Sequence[ast.expr] = getattr(found, "decorator_list", ())
    first = min([found.lineno, *(each.lineno for each in decorators)])
    lines = text.split("\n")[first - 1 : found.end_lineno]
    body = dedent("\n".join(lines)) + "\n"
    return replace(fence, body=body, attrs={**fence.attrs, "first-line": str(first)})


def definition(body: list[ast.stmt], names: Sequence[str]) -> ast.stmt | None:
    """The statement that defines a name, or a name inside of the classes before it."""
    for node in body:
        if names[0] in (name for name, _ in defined_names([node])):
            inside: list[ast.stmt] = getattr(node, "body", [])
            return definition(inside, names[1:]) if names[1:] else node
    return None
