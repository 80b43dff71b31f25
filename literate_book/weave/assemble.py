"""Articles in, modules out: the order of the blocks, and a map of their lines."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from literate_book.source.articles import Article, Fence
from literate_book.source.blocks import Block, duplicate_ids, duplicate_names, read_blocks
from literate_book.source.config import Config
from literate_book.source.errors import BookError, refuse_if

ASSEMBLED = "# Assembled from the articles in "


@dataclass(frozen=True)
class Placement:
    """Where one block stands in its module: the line map, block by block."""

    fence: Fence
    file: str
    first_line: int
    last_line: int

    def article_line(self, line: int) -> int:
        """The article line for a module line; the marker maps to the opening fence."""
        return self.fence.body_line + line - self.first_line

    def module_line(self, line: int) -> int:
        """The module line for an article line; the opening fence maps to the marker."""
        return self.first_line + line - self.fence.body_line


@dataclass(frozen=True)
class SourceLine:
    """A line of a block, which stands in an article and in a module."""

    block: Placement
    module_line: int
    name: str = ""

    @property
    def line(self) -> int:
        """The line of the article."""
        return self.block.article_line(self.module_line)

    @property
    def in_article(self) -> str:
        """The place in the article: ``articles/04-tracer.md:62 #src-new-box``."""
        return f"{self.block.fence.article}:{self.line} #{self.block.fence.id}"

    def __str__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"{self.block.file}:{self.module_line}{name}\n    {self.in_article}"


@dataclass(frozen=True)
class Assembly:
    """The package as the articles give it: text of every module, place of every block."""

    files: dict[str, str]
    placements: list[Placement]

    @cached_property
    def by_id(self) -> dict[str, Placement]:
        """The placement of every block."""
        return {each.fence.id: each for each in self.placements}

    @cached_property
    def by_file(self) -> dict[str, list[Placement]]:
        """The placements of every module, from top to bottom."""
        files: dict[str, list[Placement]] = {}
        for each in self.placements:
            files.setdefault(each.file, []).append(each)
        return files

    def locate(self, file: str, line: int) -> SourceLine | None:
        """The line of a module as a line of its block; None between blocks."""
        blocks = self.by_file.get(file, [])
        index = bisect_right(blocks, line, key=lambda each: each.first_line - 1) - 1
        if index < 0 or line > blocks[index].last_line:
            return None
        return SourceLine(blocks[index], line)


def header(config: Config) -> str:
    """The first line of every module, which says that it is not written by hand."""
    return f'{ASSEMBLED}{config.articles}; edit those, then run "{config.command}".\n'


def assemble(articles: Iterable[Article], config: Config) -> Assembly:
    """Assemble the package; raises ``BookErrors`` with every complaint, in book order."""
    articles = list(articles)
    blocks, errors = read_blocks(articles, config.package)
    errors += duplicate_ids(articles)
    errors += duplicate_names(blocks)
    errors += anchor_problems(blocks, articles)
    rank = {article.path: index for index, article in enumerate(articles)}
    refuse_if(sorted(errors, key=lambda each: (rank[each.article], each.line, each.col)))
    modules: dict[str, list[Block]] = {}
    for block in blocks:
        modules.setdefault(block.file, []).append(block)
    files: dict[str, str] = {}
    placements: list[Placement] = []
    for file, members in modules.items():
        files[file] = header(config) + render(ordered(members), placements)
    return Assembly(files, placements)


def anchor_problems(blocks: list[Block], articles: list[Article]) -> Iterator[BookError]:
    """Complaints about ``after``: unknown blocks, blocks of other modules, circles."""
    named = {fence.id for article in articles for fence in article.fences if fence.is_source}
    known = {block.fence.id: block for block in blocks if block.fence.id}
    settled: set[str] = set()
    for block in blocks:
        anchor = known.get(block.after)
        if block.after and block.after not in named:
            message = f"no block of the book has the id #{block.after}: name one that exists"
            yield block.fence.error(message, "after=")
        elif anchor and anchor.file != block.file:
            message = f"#{block.after} is a block of {anchor.file}: name one of {block.file}"
            yield block.fence.error(message, "after=")
        trail: dict[str, Block] = {}
        step: Block | None = block
        while step and step.fence.id not in settled and step.fence.id not in trail:
            trail[step.fence.id] = step
            step = known.get(step.after)
        if step and step.fence.id in trail:
            ids = list(trail)
            circle = [*ids[ids.index(step.fence.id) :], step.fence.id]
            message = f"after runs in a circle: #{' -> #'.join(circle)}: take one away"
            yield step.fence.error(message, "after=")
        settled |= trail.keys()


def ordered(blocks: list[Block]) -> list[Block]:
    """The blocks of one module: book order, but for ``after`` and ``place="top"``."""
    free = [block for block in blocks if not block.after]
    first = next((block for block in free if not block.is_top), free[0])
    followers: dict[str, list[Block]] = {}
    for block in sorted(blocks, key=lambda block: not block.is_top):
        anchor = first.fence.id if block.is_top and block is not first else block.after
        followers.setdefault(anchor, []).append(block)
    pending = followers[""][::-1]
    result: list[Block] = []
    while pending:
        result.append(pending.pop())
        pending += followers.get(result[-1].fence.id, [])[::-1]
    return result


def render(blocks: list[Block], placements: list[Placement]) -> str:
    """The text of one module below its header; the places of its blocks go to ``placements``."""
    parts, line = ["\n"], 2
    for index, block in enumerate(blocks):
        fence = block.fence
        gap = blank_lines(blocks[index - 1], block) if index else 0
        parts += ["\n" * gap, f"# --- {fence.article}#{fence.id}\n", fence.body]
        first = line + gap + 2
        line = first + fence.body.count("\n") - 1
        placements.append(Placement(fence, block.file, first, line))
    return "".join(parts)


def blank_lines(above: Block, below: Block) -> int:
    """As many blank lines as ``ruff format`` wants between two blocks."""
    return 2 if above.ends_in_definition or below.begins_with_definition else 1
