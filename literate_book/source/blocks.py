"""What a source block must be: one check after the other, each naming its place."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from literate_book.source.articles import Article, Fence
from literate_book.source.code import Code, read_code
from literate_book.source.errors import BookError, BookErrors

MODULE = re.compile(r"(?P<package>\w+)(?:/[A-Za-z_][A-Za-z0-9_]*)+\.py")
MARKER = re.compile(r"# --- (?P<article>.+)#(?P<id>[\w:.-]+)")
KNOWN = ("file", "after", "place")


@dataclass(frozen=True)
class Block:
    """A source block, and what the assembler must know of its code."""

    fence: Fence
    code: Code

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


def read_blocks(articles: Iterable[Article], package: str) -> tuple[list[Block], list[BookError]]:
    """All source blocks in book order, and every complaint about a single one."""
    blocks: list[Block] = []
    errors: list[BookError] = []
    for article in articles:
        for fence in article.fences:
            problems = list(attribute_problems(fence, package))
            if fence.is_source:
                problems += body_problems(fence)
                try:
                    blocks.append(Block(fence, read_code(fence)))
                except BookErrors as found:
                    problems += found.errors
            errors += problems
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
    for index in (0, len(lines) - 1):
        if not lines[index].strip():
            message = "a block of the package begins and ends with code: delete the blank line"
            yield BookError(fence.article, fence.body_line + index, fence.col, message)
    for index, line in enumerate(lines):
        if MARKER.fullmatch(line):
            message = "this line reads like the marker of a block: write it differently"
            yield BookError(fence.article, fence.body_line + index, fence.col, message)


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
        for name, line, col in block.code.names:
            other, place = first.setdefault((block.file, name), (block, line))
            if other is not block and name != "_":
                message = (
                    f"{name} is defined here and at {other.fence.article}:{place} "
                    f"(#{other.fence.id}), both in {block.file}: rename one or join the blocks"
                )
                yield BookError(block.fence.article, line, col, message)
