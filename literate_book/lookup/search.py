"""What the search box finds: beside the sections of the pages every block, by the names in it."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from literate_book.lookup.modules import PACKAGE
from literate_book.lookup.names import Entry, dotted
from literate_book.source.articles import Fence
from literate_book.source.code import defined_names, parse
from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import Crossrefs

# What a section says besides its words: blocks have entries of their own, drawings say no more
# than their listings, and players repeat the list beside them. Notebooks have a mark at each
# heading, and a second copy of each cell.
REPEATED = re.compile(
    r'<figure(?= class="(?:listing source|drawing|checked stepper)")'
    r'|<a(?= class="anchor-link")|<div(?= class="zeroclipboard-container")'
)
# In two pieces: the theme takes the whole out of every page, even out of a listing of this line.
MARK = "data-search-exclude"


def without_repeats(html: str) -> str:
    """The page, with what the index need not hold marked for those who make it."""
    return REPEATED.sub(rf'\g<0> {MARK}="true"', html)


def add_to_index(index: Path, web: Crossrefs, entries: Iterable[Entry]) -> None:
    """Let the search find every name where it is defined or declared, and every block."""
    found = json.loads(index.read_text())
    added = [*blocks_found(web), *lines_found(entries)]
    weights = weights_of({name.lower() for each in added for name in each.names})
    found["docs"] += [each.entry(weights) for each in added]
    index.write_text(json.dumps(found, separators=(",", ":")))


@dataclass(frozen=True)
class Found:
    """Something for the search to find: where it leads, by which names, and what it shows.

    ``words`` stand for a block without a name.
    """

    location: str
    names: tuple[str, ...]
    words: str
    text: str

    def entry(self, weights: Mapping[str, int]) -> dict[str, object]:
        """The entry in the index."""
        title = ", ".join(self.names) or self.words
        entry: dict[str, object] = {"location": self.location, "title": title, "text": self.text}
        if self.names:
            entry["boost"] = max(weights[name.lower()] for name in self.names)
        return entry


def weights_of(names: Iterable[str]) -> dict[str, int]:
    """How much a name weighs against the words of headings, which weigh 1.

    What somebody types is taken for the beginning of a word. So a name must weigh more than the
    longer ones in which a word begins with it, or ``sin`` would be found behind ``sinh``, and
    ``grad`` behind ``value_and_grad``.
    """
    weights: dict[str, int] = {}
    for name in sorted(names, key=len, reverse=True):  # the longer ones stand before it
        longer = (weights[each] for each in weights if f"_{name}" in f"_{each}")
        weights[name] = 2 + max(longer, default=0)
    return weights


def blocks_found(web: Crossrefs) -> Iterator[Found]:
    """Each block of the package by the first names in it, and the others by their lines."""
    for id_, place in web.places.items():
        fence, module = place.fence, module_of(place)
        nodes = [pair for pair in defined_names(parse(fence).body) if pair[0][:2] != "__"]
        where, text = address(fence, id_), text_of(place)
        for line, members in groupby(nodes, lambda pair: pair[1].lineno):
            names, told = zip(*[(name, first_paragraph(node)) for name, node in members])
            yield Found(where, names, "", text or paragraph(f"{module}: {told[0]}"))
            where, text = address(fence, f"{id_}-{place.first_line + line - 1}"), ""
        if not nodes:
            yield Found(where, (), id_.removeprefix("src-").replace("-", " "), text)


def lines_found(entries: Iterable[Entry]) -> Iterator[Found]:
    """Each line that declares something about names of NumPy."""
    by_line: dict[tuple[str, int], list[Entry]] = {}
    for entry in entries:
        if entry.primitive:
            by_line.setdefault((entry.block.fence.id, entry.line), []).append(entry)
    for (id_, line), members in by_line.items():
        block = members[0].block
        code = block.fence.body.split("\n")[line - block.first_line].strip()
        names = tuple(each.name for each in members)
        yield Found(address(block.fence, f"{id_}-{line}"), names, "", listed(block, code))


def address(fence: Fence, anchor: str) -> str:
    """The address of a block or of one of its lines, below the site."""
    page = fence.article.removeprefix("docs/en/").removesuffix(".md")
    return f"{page}.html#{anchor}"


def module_of(place: Placement) -> str:
    """The module that a block belongs to. In a title it would weigh as much as a name."""
    return dotted(place.file) or PACKAGE


def text_of(place: Placement) -> str:
    """What the definitions of a block say first; of the engine, the code as well."""
    tree, module = parse(place.fence), module_of(place)
    told = [text for node in (tree, *tree.body) if (text := first_paragraph(node))]
    if module.startswith("book"):
        return paragraph(f"{module}: {' '.join(told)}")
    return "".join(map(paragraph, told)) + listed(place, place.fence.body.strip())


def paragraph(text: str) -> str:
    """Words as the index holds them."""
    return f"<p>{escape(text, quote=False)}</p>"


def listed(place: Placement, code: str) -> str:
    """Code as the index holds it, with its module above."""
    return f"<pre><code># {module_of(place)}\n{escape(code, quote=False)}</code></pre>"


def first_paragraph(node: ast.AST) -> str:
    """The beginning of the docstring of a module, a function or a class."""
    if not isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
        return ""
    return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
