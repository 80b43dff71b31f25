"""What a block of the package must be: one check after the other, each naming its place."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from literate_book.source.articles import Article, Fence
from literate_book.source.code import DEFINITION, defined_names, nested, parse
from literate_book.source.errors import BookError, BookErrors

MODULE = re.compile(r"(?P<package>\w+)(?:/[A-Za-z_][A-Za-z0-9_]*)+\.py")
MARKER = re.compile(r"# --- (?P<article>.+)#(?P<id>[\w:.-]+)")
KNOWN = ("file", "after", "place")


@dataclass(frozen=True)
class Binding:
    """A name that a block binds at its top level, with its place in the article."""

    name: str
    line: int
    col: int


@dataclass(frozen=True)
class Block:
    """A block of the package, and what assembling needs of its code.

    The syntax tree is not kept: thousands of trees slow the garbage collector down.
    """

    fence: Fence
    bindings: tuple[Binding, ...]
    begins_with_definition: bool
    ends_in_definition: bool

    @property
    def file(self) -> str:
        """The module the block belongs to."""
        return self.fence.attrs["file"]

    @property
    def after(self) -> str:
        """The id of the block that it follows; empty for book order."""
        return self.fence.attrs.get("after", "").partition("#")[2]

    @property
    def is_top(self) -> bool:
        """Whether it holds imports, which go right behind the first block of the module."""
        return "place" in self.fence.attrs


def read_block(fence: Fence) -> Block:
    """Parse the code of a block; raises ``BookErrors`` if that fails."""
    tree = parse(fence)
    bindings = tuple(
        Binding(name, fence.body_line + node.lineno - 1, fence.col + node.col_offset)
        for name, node in defined_names(tree.body)
    )
    return Block(
        fence,
        bindings,
        begins_with_definition(tree, fence.body),
        ends_in_definition(tree, fence.body),
    )


def begins_with_definition(tree: ast.Module, body: str) -> bool:
    """Whether a function or class begins the block, with at most a comment on top of it."""
    node = tree.body[0] if tree.body else None
    if not isinstance(node, DEFINITION):
        return False
    line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return "" not in body.split("\n")[: line - 1]


def ends_in_definition(tree: ast.Module, body: str) -> bool:
    """Whether the last line of the block is the last line of a function or class."""
    statements = tree.body
    if not statements or statements[-1].end_lineno != body.count("\n"):
        return False
    while statements and not isinstance(statements[-1], DEFINITION):
        statements = nested(statements[-1])
    return bool(statements)


def read_blocks(articles: Iterable[Article], package: str) -> tuple[list[Block], list[BookError]]:
    """All blocks of the package in book order, and every complaint about a single one."""
    blocks: list[Block] = []
    errors: list[BookError] = []
    for fence in (fence for article in articles for fence in article.fences):
        errors += attribute_problems(fence, package)
        if fence.is_source:
            errors += body_problems(fence)
            try:
                blocks.append(read_block(fence))
            except BookErrors as found:
                errors += found.errors
    return blocks, errors


def attribute_problems(fence: Fence, package: str) -> Iterator[BookError]:
    """Complaints about the opening line of a fence."""
    attrs = fence.attrs
    if not fence.is_source:
        if fence.id.startswith("src-"):
            message = f'a src- id is for blocks of the package: add file="{package}/..."'
            yield fence.error(message, f"#{fence.id}")
        return
    if fence.lang != "python":
        yield fence.error("a block of the package is python: ```python", fence.lang or "{")
    if not fence.id.startswith("src-"):
        message = "a block of the package has an id that begins with src-: {#src-name ...}"
        yield fence.error(message, f"#{fence.id}" if fence.id else "{")
    for key in attrs.keys() - set(KNOWN):
        yield fence.error(f"unknown attribute {key}: use {', '.join(KNOWN)}", f"{key}=")
    module = MODULE.fullmatch(attrs["file"])
    if not module or module["package"] != package:
        message = f"is no module of the package: write a path such as {package}/core.py"
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
    for index, line in enumerate(lines):
        message = ""
        if index in (0, len(lines) - 1) and not line.strip():
            message = "a block of the package begins and ends with code: delete the blank line"
        elif MARKER.fullmatch(line):
            message = "this line reads like the marker of a block: write it differently"
        if message:
            yield BookError(fence.article, fence.body_line + index, fence.col, message)


def duplicate_ids(articles: Iterable[Article]) -> Iterator[BookError]:
    """A complaint about every id that an earlier fence of the book bears."""
    first: dict[str, Fence] = {}
    for fence in (fence for article in articles for fence in article.fences if fence.id):
        other = first.setdefault(fence.id, fence)
        if other is not fence:
            message = f"#{fence.id} is the id of {other.article}:{other.line}: choose another"
            yield fence.error(message, f"#{fence.id}")


def duplicate_names(blocks: Iterable[Block]) -> Iterator[BookError]:
    """A complaint about every name that an earlier block of the same module defines."""
    first: dict[tuple[str, str], tuple[Fence, int]] = {}
    for block in blocks:
        fence = block.fence
        for bound in block.bindings:
            other, line = first.setdefault((block.file, bound.name), (fence, bound.line))
            if other is not fence and bound.name != "_":
                message = (
                    f"{bound.name} is defined here and at {other.article}:{line} "
                    f"(#{other.id}), both in {block.file}: rename one or join the blocks"
                )
                yield BookError(fence.article, bound.line, bound.col, message)
