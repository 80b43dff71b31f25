"""Every public name of the book: where it is defined, where it is used, where it is explained."""

import ast
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from literate_book.lookup.declarations import Primitive, primitives
from literate_book.source.articles import Article
from literate_book.source.code import defined_names, parse
from literate_book.source.directives import prose
from literate_book.source.errors import BookError, BookErrors
from literate_book.source.tables import find_spans
from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import (
    LINK,
    Crossrefs,
    Name,
    defined,
    fence_names,
    home_of,
    read_scopes,
    used,
)
from literate_book.weave.where import names_in


@dataclass
class Entry:
    """A name and its places.

    ``parts`` are the public methods of a class, each with its place. ``users`` are blocks, by their
    ids, with the name of the function or class there that uses this one. ``articles`` and
    ``explained`` are paths.
    """

    name: str
    home: str
    block: Placement
    line: int
    parts: list[tuple[str, Placement, int]] = field(default_factory=list)
    primitive: Primitive | None = None
    users: list[tuple[str, str]] = field(default_factory=list)
    articles: list[str] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)

    @property
    def full(self) -> str:
        """The name below the package: ``core.backward_pass``."""
        return f"{self.home}.{self.name}" if self.home else self.name

    @property
    def is_tool(self) -> bool:
        """Whether the name belongs to the tools of the book."""
        return f"{self.home}.".startswith("book.")


def dotted(file: str) -> str:
    """The module in a file, below the package: ``numpy.rules.zero``; "" for the package itself."""
    _, _, path = file.removesuffix(".py").removesuffix("/__init__").partition("/")
    return path.replace("/", ".")


def is_public(name: str) -> bool:
    """Whether no part of a dotted name begins with an underscore."""
    return not any(part.startswith("_") for part in name.split("."))


def written(web: Crossrefs) -> Iterator[Entry]:
    """An entry for each public name that a block defines."""
    for place in web.places.values():
        home, classes = dotted(place.file), dict[str, Entry]()
        prefix = f"literate_ad.{home}." if home else "literate_ad."
        for full, line in sorted(names_in(place), key=lambda found: found[0].count(".")):
            name, _, part = full.removeprefix(prefix).partition(".")
            if not is_public(f"{name}.{part}" if part else name):
                continue
            if not part:
                classes[name] = Entry(name, home, place, line)
            elif "." not in part:
                classes[name].parts.append((part, place, line))
        yield from classes.values()


# The calls that give a function another body, and say nothing of its derivative.
BODIES = ("shorter", "replace")
NUMPY = "numpy"


def declared(web: Crossrefs, found: Mapping[str, Primitive]) -> Iterator[Entry]:
    """An entry for each name of NumPy that a line of a block says something about."""
    for primitive in found.values():
        lines = sorted(primitive.declarations, key=lambda each: each.call in BODIES)
        for each in lines[:1]:
            place = block_at(web, each.file, each.line)
            yield Entry(primitive.name, NUMPY, place, each.line, primitive=primitive)
        if primitive.state == "constant":
            place = web.places[CONSTANTS]
            line = line_of_word(place, primitive.own_name)
            yield Entry(primitive.name, NUMPY, place, line, primitive=primitive)


CONSTANTS = "src-notrace-functions"


def block_at(web: Crossrefs, file: str, line: int) -> Placement:
    """The block that holds a line of a module; a line in none is a complaint."""
    if block := web.block_at(file, line):
        return block
    message = 'no article prints this line: run "make book", so that the package follows them'
    raise BookErrors([BookError(file, line, 1, message)])


def line_of_word(place: Placement, word: str) -> int:
    """The module line of a block in which a word stands for the first time."""
    match = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", place.fence.body)
    assert match is not None, f"#{place.fence.id} does not name {word}"
    return place.first_line + place.fence.body.count("\n", 0, match.start())


def all_names(web: Crossrefs, root: Path) -> list[Entry]:
    """The entries of the whole book, sorted by name."""
    entries = list(written(web))
    if CONSTANTS in web.places:
        entries += declared(web, primitives(newest(root, web)))
    add_uses(web, entries)
    add_explanations(web, entries)
    return sorted(entries, key=lambda each: (each.name.lower(), each.full))


def newest(root: Path, web: Crossrefs) -> tuple[float, ...]:
    """How new the modules are on the disk."""
    return tuple((root / file).stat().st_mtime for file in web.modules)


def add_uses(web: Crossrefs, entries: list[Entry]) -> None:
    """Note the blocks and the articles whose code reads a name."""
    rows = web.modules.items()
    homes = {(file, name) for file, row in rows for place in row for name in defined(place.fence)}
    scopes = read_scopes(homes, web.modules)
    known = {(each.home, each.name): each for each in entries}
    for file, row in rows:
        for place in row:
            for user, name in uses(place, scopes[file]):
                entry = known.get(entry_key(home_of(name, homes, scopes), homes))
                found = (place.fence.id, user)
                if entry and found not in entry.users and not is_own(entry, place, user):
                    entry.users.append(found)
    for article in web.articles.values():
        for name in read_by_examples(article, scopes):
            entry = known.get(entry_key(home_of(name, homes, scopes), homes))
            if entry and article.path not in entry.articles:
                entry.articles.append(article.path)


def is_own(entry: Entry, place: Placement, user: str) -> bool:
    """Whether a use is the definition itself, or the statement that declares the name."""
    same_block = place.fence.id == entry.block.fence.id
    return same_block and user in ("", entry.name)


def uses(place: Placement, scope: Mapping[str, Name]) -> Iterator[tuple[str, Name]]:
    """The names that a block reads, each with the function or class that reads it, or ""."""
    for node in parse(place.fence).body:
        user = next((name for name, _ in defined_names([node])), "")
        yield from ((user, name) for name in used(ast.Module([node], []), scope))


def read_by_examples(article: Article, scopes: Mapping[str, dict[str, Name]]) -> Iterator[Name]:
    """The names that the examples of an article read."""
    examples: dict[str, Name] = {}
    for fence in article.fences:
        if not fence.is_source:
            yield from fence_names(fence, scopes, examples)


def entry_key(name: Name, homes: Container[Name]) -> tuple[str, str]:
    """Home and name of an entry. What the wrapper has and does not write is NumPy's."""
    home = dotted(name[0])
    return NUMPY if name not in homes and home == "numpy.numpy_wrapper" else home, name[1]


# ``core.make_vjp``, ``grad(f)(x)``, ``np.sin``
MENTION = re.compile(r"([A-Za-z_][\w.]*)(?:\(.*\))?", re.DOTALL)
PREFIXES = re.compile(r"^(?:np|anp|numpy)\.(?=\w+$)|^literate_ad\.")


def add_explanations(web: Crossrefs, entries: list[Entry]) -> None:
    """Note the articles that print a name, or speak of it: in code type, or by a link."""
    ways, blocks = defaultdict[str, list[Entry]](list), defaultdict[str, list[Entry]](list)
    for entry in entries:
        entry.explained.append(entry.block.fence.article)
        blocks[entry.block.fence.id].append(entry)
        for way in ways_to_say(entry):
            ways[way].append(entry)
    for article in web.articles.values():
        for entry in mentioned(article, ways, blocks):
            if article.path not in entry.explained:
                entry.explained.append(article.path)


def ways_to_say(entry: Entry) -> list[str]:
    """A name as prose may say it: in full, or from some point on."""
    parts = entry.full.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


def mentioned(
    article: Article, ways: Mapping[str, list[Entry]], blocks: Mapping[str, list[Entry]]
) -> Iterator[Entry]:
    """The entries that the prose of an article speaks of."""
    text = prose(article)
    tools = any(each.is_tool for fence in article.fences for each in blocks.get(fence.id, ()))
    for span in find_spans(text, 0, len(text)):
        if match := MENTION.fullmatch(span.text):
            yield from meant(PREFIXES.sub("", match[1]), article, ways, tools)
    for id_ in LINK.findall(article.text):
        yield from blocks.get(id_, ())


def meant(said: str, article: Article, ways: Mapping[str, list[Entry]], tools: bool) -> list[Entry]:
    """The one entry that a dotted name means in an article, in a list; or an empty list.

    Several bear the same short name. Then it is the one that the article prints, or the only one
    of the engine. A tool's name is common word elsewhere than in an article about tools.
    """
    while said not in ways and "." in said:
        said = said.rpartition(".")[0]  # a method, or an attribute
    found = [each for each in ways.get(said, []) if tools or "." in said or not each.is_tool]
    for chosen in (
        found,
        [each for each in found if each.block.fence.article == article.path],
        [each for each in found if not each.is_tool],
    ):
        if len(chosen) == 1:
            return chosen
    return []
