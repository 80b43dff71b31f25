"""The names of the package: where each is defined, used and explained; and the page of them."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from literate_book.lookup.pages import (
    GeneratedPage,
    line_link,
    number_links,
    reference_path,
    user_links,
)
from literate_book.lookup.rules import Primitive, read_primitives
from literate_book.render.listings import Here, module_of
from literate_book.source.articles import Article
from literate_book.source.code import defined_names, parse
from literate_book.source.directives import prose
from literate_book.source.errors import BookError, BookErrors
from literate_book.source.tables import find_spans
from literate_book.weave import crossrefs
from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import LINK, Crossrefs, Name, fence_names, read_scopes, used
from literate_book.weave.where import names_in


@dataclass
class NameEntry:
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
        return f"{self.home}.{self.name}".lstrip(".")


def all_names(web: Crossrefs, root: Path) -> list[NameEntry]:
    """The entries of the whole book, sorted by name."""
    entries = [*defined_entries(web), *declared_entries(web, root)]
    add_uses(web, entries)
    add_explanations(web, entries)
    return sorted(entries, key=lambda each: (each.name.lower(), each.full))


def defined_entries(web: Crossrefs) -> Iterator[NameEntry]:
    """An entry for each public name that a block defines."""
    for place in web.places.values():
        home, entries = module_of(place.file), dict[str, NameEntry]()
        prefix = f"{web.config.package}.{home}".removesuffix(".")
        for full, line in sorted(names_in(place), key=lambda found: found[0].count(".")):
            name, _, part = full.removeprefix(f"{prefix}.").partition(".")
            if name.startswith("_") or part.startswith("_"):
                continue
            if not part:
                entries[name] = NameEntry(name, home, place, line)
            elif "." not in part:
                entries[name].parts.append((part, place, line))
        yield from entries.values()


def declared_entries(web: Crossrefs, root: Path) -> Iterator[NameEntry]:
    """An entry for each function that a line of the package declares a rule or a constant for."""
    for each in read_primitives(web, root):
        if each.file:
            block, home = block_at(web, each.file, each.line), web.config.rules["module"]
            yield NameEntry(each.name, home, block, each.line, primitive=each)


def block_at(web: Crossrefs, file: str, line: int) -> Placement:
    """The block that holds a line of a module. Raises ``BookErrors`` for a line in none."""
    if block := web.block_at(file, line):
        return block
    message = f"no article prints this line: run {web.config.command}"
    raise BookErrors([BookError(file, line, 1, message)])


class Lookup:
    """Finds the entry of a name that code reads, through the modules that only hand it on."""

    def __init__(self, web: Crossrefs, entries: Sequence[NameEntry]) -> None:
        self.homes: set[Name] = {
            (place.file, name)
            for place in web.places.values()
            for name in crossrefs.defined(place.fence)
        }
        self.scopes = read_scopes(self.homes, web.modules)
        self.known = {(each.home, each.name): each for each in entries}
        self.rules = next((each.home for each in entries if each.primitive), "")

    def entry(self, name: Name) -> NameEntry | None:
        """The entry of a name. What a module has and no block defines may be a wrapped function."""
        name = crossrefs.home_of(name, self.homes, self.scopes)
        home = module_of(name[0])
        if name not in self.homes and self.rules and home.startswith(f"{self.rules}."):
            home = self.rules
        return self.known.get((home, name[1]))


def add_uses(web: Crossrefs, entries: Sequence[NameEntry]) -> None:
    """Add to the entries the blocks and the articles whose code reads their names."""
    lookup = Lookup(web, entries)
    for file, row in web.modules.items():
        for place in row:
            for user, name in uses(place, lookup.scopes[file]):
                entry = lookup.entry(name)
                found = (place.fence.id, user)
                if entry and found not in entry.users and not is_own(entry, place, user):
                    entry.users.append(found)
    for article in web.articles.values():
        for name in read_by_examples(article, lookup.scopes):
            entry = lookup.entry(name)
            if entry and article.path not in entry.articles:
                entry.articles.append(article.path)


def is_own(entry: NameEntry, place: Placement, user: str) -> bool:
    """Whether a use is the definition itself, or the statement that declares the name."""
    return place.fence.id == entry.block.fence.id and user in ("", entry.name)


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


# ``core.make_vjp``, ``grad(f)(x)``, ``np.sin``
MENTION = re.compile(r"([A-Za-z_][\w.]*)(?:\(.*\))?", re.DOTALL)


def add_explanations(web: Crossrefs, entries: Sequence[NameEntry]) -> None:
    """Add the articles that print a name, or mention it in code type, or link to its block."""
    ways, blocks = defaultdict[str, list[NameEntry]](list), defaultdict[str, list[NameEntry]](list)
    for entry in entries:
        entry.explained.append(entry.block.fence.article)
        blocks[entry.block.fence.id].append(entry)
        parts = entry.full.split(".")
        for start in range(len(parts)):
            ways[".".join(parts[start:])].append(entry)
    aliases = re.compile(rf"^(?:np|anp|numpy)\.(?=\w+$)|^{web.config.package}\.")
    for article in web.articles.values():
        text = prose(article)
        found = [entry for id_ in LINK.findall(article.text) for entry in blocks.get(id_, ())]
        for span in find_spans(text, 0, len(text)):
            if match := MENTION.fullmatch(span.text):
                found += meant(aliases.sub("", match[1]), article.path, ways)
        for entry in found:
            if article.path not in entry.explained:
                entry.explained.append(article.path)


def meant(said: str, path: str, ways: Mapping[str, list[NameEntry]]) -> list[NameEntry]:
    """The one entry that a dotted name means in an article, in a list; or an empty list.

    Of several with the same short name it is the one that the article prints.
    """
    while said not in ways and "." in said:
        said = said.rpartition(".")[0]  # a method, or an attribute
    found = ways.get(said, [])
    printed = [each for each in found if each.block.fence.article == path]
    return next((row for row in (found, printed) if len(row) == 1), [])


# The page

INTRODUCTION = (
    "Where a name is defined, explained and used. A number is that of an article; the first behind "
    "*explained* is the one that prints the name. A name in code type is what uses it."
)


def names_page(web: Crossrefs, entries: Sequence[NameEntry]) -> GeneratedPage:
    """The page, from the entries in their order. The search finds names in the reference."""
    here = Here(web, reference_path(web, "names"))
    parts = [INTRODUCTION]
    own = [each for each in entries if not each.primitive]
    parts += alphabet(here, own, "own", f"Names of `{web.config.package}`")
    if declared := [each for each in entries if each.primitive]:
        module = f"{web.config.package}.{declared[0].home}"
        parts += alphabet(here, declared, "rules", f"Functions of `{module}` with a declaration")
    return GeneratedPage(here.path, "Names", "\n\n".join(parts) + "\n", in_nav=True)


def alphabet(here: Here, entries: Sequence[NameEntry], part: str, said: str) -> Iterator[str]:
    """A heading, a line of letters, then the entries under each."""
    yield f"## {said} {{#{part}}}"
    letters = groupby(entries, lambda each: each.name[0].upper())
    groups = [(letter, list(members)) for letter, members in letters]
    bar = " ".join(f"[{letter}](#{part}-{letter})" for letter, _ in groups)
    yield f"{bar}\n{{.letters}}"
    for letter, members in groups:
        yield f"### {letter} {{#{part}-{letter} .letter}}"
        yield from (entry_text(here, each) for each in members)


def entry_text(here: Here, entry: NameEntry) -> str:
    """A name and its places."""
    module = entry.block.file.removeprefix(f"{here.web.config.package}/")
    defined = line_link(here, f"`{module}` {entry.line}", entry.block, entry.line)
    lines = [f"`{entry.name}`{{#{entry.full}}}", defined]
    lines.append(f"*explained* {number_links(here, entry.explained)}")
    used_in = [number_links(here, entry.articles), user_links(here, entry.users)]
    if any(used_in):
        lines.append(f"*used* {'; '.join(filter(None, used_in))}")
    if entry.parts:
        parts = [
            line_link(here, f"`{name}` {line}", place, line) for name, place, line in entry.parts
        ]
        lines.append(f"*holds* {', '.join(parts)}")
    return "\n:   ".join(lines)
