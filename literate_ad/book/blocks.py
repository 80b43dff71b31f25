"""What a source block must be: one check after the other, each naming its place."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from literate_ad.book.articles import Article, Fence
from literate_ad.book.errors import BookError

MODULE = re.compile(r"literate_ad(?:/[A-Za-z_][A-Za-z0-9_]*)+\.py")
MARKER = re.compile(r"# --- (?P<article>.+)#(?P<id>[\w:.-]+)")
KNOWN = ("file", "after", "place")


@dataclass(frozen=True)
class Block:
    """A source block with its parsed code."""

    fence: Fence
    tree: ast.Module

    @property
    def file(self) -> str:
        """The module the block belongs to."""
        return self.fence.attrs["file"]

    @property
    def after(self) -> str:
        """The id of the block it wants to follow; empty when book order will do."""
        return self.fence.attrs.get("after", "").partition("#")[2]

    @property
    def is_top(self) -> bool:
        """Whether it holds imports, which go right behind the first block of the module."""
        return "place" in self.fence.attrs


def read_blocks(articles: Iterable[Article]) -> tuple[list[Block], list[BookError]]:
    """All source blocks in book order, and every complaint about a single one."""
    blocks: list[Block] = []
    errors: list[BookError] = []
    for article in articles:
        for fence in article.fences:
            problems = list(attribute_problems(fence))
            if fence.is_source:
                problems += body_problems(fence)
                tree = parse_body(fence)
                if isinstance(tree, BookError):
                    problems.append(tree)
                else:
                    blocks.append(Block(fence, tree))
            errors += problems
    return blocks, errors


def attribute_problems(fence: Fence) -> Iterator[BookError]:
    """Complaints about the opening line of a fence."""
    attrs = fence.attrs
    if not fence.is_source:
        if fence.id.startswith("src-"):
            message = 'a src- id is for blocks of the package: add file="literate_ad/..."'
            yield fence.error(message, f"#{fence.id}")
        return
    if fence.lang != "python":
        yield fence.error("a block of the package is python: ```python", fence.lang or "{")
    if not fence.id.startswith("src-"):
        message = "a block of the package has an id that begins with src-: {#src-name ...}"
        yield fence.error(message, f"#{fence.id}" if fence.id else "{")
    for key in attrs.keys() - set(KNOWN):
        yield fence.error(f"unknown attribute {key}: use {', '.join(KNOWN)}", f"{key}=")
    if not MODULE.fullmatch(attrs["file"]):
        message = "is no module of the package: write a path such as literate_ad/core.py"
        yield fence.error(f'"{attrs["file"]}" {message}', "file=")
    if attrs.get("place", "top") != "top":
        yield fence.error('the one place is place="top"', "place=")
    if "after" in attrs and not attrs["after"].startswith("#"):
        yield fence.error('name the block by its id: after="#src-name"', "after=")
    if "after" in attrs and "place" in attrs:
        yield fence.error("after and place contradict each other: keep one", "place=")


def body_problems(fence: Fence) -> Iterator[BookError]:
    """Complaints about lines that the assembled module could not hold."""
    lines = fence.body.split("\n")[:-1]
    if not fence.body.strip():
        yield fence.error("this block is empty: write its code, or take it out")
        return
    for index in (0, len(lines) - 1):
        if not lines[index].strip():
            message = "a block of the package begins and ends with code: delete the blank line"
            yield BookError(fence.article, fence.body_line + index, fence.col, message)
    for index, line in enumerate(lines):
        if MARKER.fullmatch(line):
            message = "this line reads like the marker of a block: write it differently"
            yield BookError(fence.article, fence.body_line + index, fence.col, message)


def parse_body(fence: Fence) -> ast.Module | BookError:
    """The parsed code of a block, or why it does not parse alone."""
    line, col, reason = 1, 1, "it is nested too deeply"
    try:
        return ast.parse(fence.body, fence.article)
    except SyntaxError as problem:
        line, col, reason = problem.lineno or 1, problem.offset or 1, problem.msg
    except (RecursionError, MemoryError, ValueError):
        pass
    message = f"this block does not parse: {reason}. Each block is complete statements"
    place = min(fence.body_line + line - 1, fence.end_line)
    return BookError(fence.article, place, fence.col + max(col, 1) - 1, message)


def duplicate_ids(articles: Iterable[Article]) -> Iterator[BookError]:
    """A complaint about every id that an earlier fence of the book bears."""
    first: dict[str, Fence] = {}
    for article in articles:
        for fence in article.fences:
            other = first.setdefault(fence.id, fence) if fence.id else fence
            if other is not fence:
                message = f"#{fence.id} is the id of {other.article}:{other.line}: choose another"
                yield fence.error(message, f"#{fence.id}")


def duplicate_names(blocks: Iterable[Block]) -> Iterator[BookError]:
    """A complaint about every name that an earlier block of the same module defines."""
    first: dict[tuple[str, str], tuple[Block, int]] = {}
    for block in blocks:
        for name, node in defined_names(block.tree.body):
            line = block.fence.body_line + node.lineno - 1
            other, place = first.setdefault((block.file, name), (block, line))
            if other is not block and name != "_":
                message = (
                    f"{name} is defined here and at {other.fence.article}:{place} "
                    f"(#{other.fence.id}), both in {block.file}: rename one or join the blocks"
                )
                col = block.fence.col + node.col_offset
                yield BookError(block.fence.article, line, col, message)


def defined_names(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    """The names that functions, classes and assignments bind at the top level."""
    pending = body[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
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
