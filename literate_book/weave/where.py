"""From the package to the article and back: for a name, a block, a file or a line of one."""

import ast
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from literate_book.source.articles import read_book, read_text
from literate_book.source.code import defined_names, parse
from literate_book.source.config import load_config
from literate_book.weave.assemble import Assembly, Placement, SourceLine, assemble


class NotFound(Exception):  # noqa: N818 (says what happened, not that something is wrong)
    """Nothing in the book has this name or line."""


def where(root: Path, query: str) -> list[str]:
    """All places of a query such as ``core.backward_pass`` or ``core.py:41``."""
    assembly = assemble(read_book(root), load_config(root))
    places = find(assembly, root, query)
    stale = [
        f"{file} on the disk is out of step with its articles: its lines may differ"
        for file in sorted({each.block.file for each in places})
        if not (root / file).is_file() or read_text(root, file) != assembly.files[file]
    ]
    return [*map(str, places), *stale]


def find(assembly: Assembly, root: Path, query: str) -> list[SourceLine]:
    """The places for a line, a file, a block or a name, whichever the query looks like."""
    file, colon, number = query.rpartition(":")
    if colon and number.isascii() and number.isdigit():
        return [at_line(assembly, relative(root, file), int(number))]
    if "/" in query or query.endswith((".md", ".py")):
        return [
            SourceLine(each, each.first_line) for each in blocks_of(assembly, relative(root, query))
        ]
    if block := assembly.by_id.get(query.removeprefix("#")):
        return [SourceLine(block, block.first_line)]
    return with_name(assembly, query)


def relative(root: Path, file: str) -> str:
    """A file as the book names it, whether it is given from here or from the root."""
    for path in (Path.cwd() / file, root / file):
        if path.exists() and path.resolve().is_relative_to(root.resolve()):
            return path.resolve().relative_to(root.resolve()).as_posix()
    return file


def blocks_of(assembly: Assembly, file: str) -> list[Placement]:
    """The blocks of an article or a module, in the order of the file."""
    found = [each for each in assembly.placements if file in (each.file, each.fence.article)]
    if not found:
        files = {name for each in assembly.placements for name in (each.file, each.fence.article)}
        raise NotFound(f"{file} holds no block of the package{hint(file, files)}")
    in_module = found[0].file == file
    return sorted(found, key=lambda each: each.first_line if in_module else each.fence.line)


def at_line(assembly: Assembly, file: str, line: int) -> SourceLine:
    """The place of one line of an article or a module."""
    starts = []
    for each in blocks_of(assembly, file):
        module_line = line if each.file == file else each.module_line(line)
        if each.first_line - 1 <= module_line <= each.last_line:
            return SourceLine(each, module_line)
        starts.append(each.first_line if each.file == file else each.fence.body_line)
    nearest = min(starts, key=lambda start: abs(start - line))
    raise NotFound(f"{file}:{line} lies outside of the blocks; the nearest begins at {nearest}")


def with_name(assembly: Assembly, name: str) -> list[SourceLine]:
    """The places that define a name, given in full or from the right."""
    known = [
        SourceLine(each, line, full)
        for each in assembly.placements
        for full, line in names_in(each)
    ]
    places = [each for each in known if f".{each.name}".endswith(f".{name}")]
    if not places:
        parts = [each.name.split(".") for each in known]
        endings = {".".join(each[n:]) for each in parts for n in range(len(each))}
        raise NotFound(f"no block defines {name}{hint(name, endings | assembly.by_id.keys())}")
    return places


def names_in(block: Placement) -> Iterator[tuple[str, int]]:
    """The full names that a block defines, methods too, with their module lines."""
    module = block.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    pending: list[tuple[str, list[ast.stmt]]] = [(module, parse(block.fence).body)]
    while pending:
        prefix, body = pending.pop()
        for name, node in defined_names(body):
            yield f"{prefix}.{name}", block.first_line + node.lineno - 1
            if isinstance(node, ast.ClassDef):
                pending.append((f"{prefix}.{name}", node.body))


def hint(name: str, known: set[str]) -> str:
    """The names that look like the one that was not found."""
    close = get_close_matches(name, known, n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""
