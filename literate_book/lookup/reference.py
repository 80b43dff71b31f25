"""The reference: every public name of the engine, from what its module says of it."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import griffe

from literate_book.check.symbols import find_definition
from literate_book.lookup.modules import PACKAGE
from literate_book.lookup.names import Entry, dotted
from literate_book.lookup.pages import (
    Leaf,
    add_articles,
    add_blocks,
    add_heading,
    add_listing,
    add_section,
)
from literate_book.render.listings import add, add_text, in_colours
from literate_book.weave.crossrefs import Crossrefs, title

FOLDER = "docs/en/reference"


@dataclass
class Api:
    """All that the pages of the reference are made from."""

    web: Crossrefs
    modules: Mapping[str, griffe.Module]
    files: Mapping[str, str]
    entries: Mapping[str, Entry]

    def public(self, home: str) -> list[Entry]:
        """The names of the engine that a module offers: its own, and those it has from others."""
        found = []
        for name, member in self.modules[home].members.items():
            path = f"{home}.{name}".lstrip(".")
            if isinstance(member, griffe.Alias):
                path = member.target_path.removeprefix(f"{PACKAGE}.")
            entry = self.entries.get(path)
            if entry and self.offers(home, name) and self.offers(entry.home, entry.name):
                found.append(entry)
        return found

    def offers(self, home: str, name: str) -> bool:
        """Whether a module means others to use a name: ``__all__`` says so, where there is one."""
        names = self.modules[home].exports
        return names is None or name in names

    def page_of(self, entry: Entry) -> str:
        """The page that describes a name: that of the module which its users import it from."""
        faces = (home for home in FACES if home in self.modules and entry in self.public(home))
        return page_path(next(faces, entry.home))

    def member(self, entry: Entry) -> griffe.Object:
        """What a module says of a name that it defines."""
        found = self.modules[entry.home].members[entry.name]
        assert isinstance(found, griffe.Object)
        return found

    def href(self, leaf: Leaf, entry: Entry) -> str:
        """The address of the description of a name."""
        return leaf.href(self.page_of(entry), entry.full)


# Modules from which names are imported that others define.
FACES = ("", "extend")


def read_api(web: Crossrefs, files: Mapping[str, str], entries: Iterable[Entry]) -> Api:
    """Read the modules of the engine as texts: none is imported, so a broken one does no harm."""
    modules = {}
    for file, text in files.items():
        home = dotted(file)
        name = f"{PACKAGE}.{home}" if home else PACKAGE
        modules[home] = griffe.visit(name, Path(file), text, docstring_parser=GOOGLE)
    return Api(web, modules, files, {each.full: each for each in entries if not each.primitive})


GOOGLE = griffe.Parser.google


def page_path(home: str) -> str:
    """Where the page of a module would have its Markdown."""
    return f"{FOLDER}/{home or PACKAGE}.md"


def module_page(api: Api, home: str) -> Leaf:
    """The page of one module: its own names, then what it has from others."""
    leaf = Leaf(api.web, page_path(home), f"{PACKAGE}.{home}" if home else PACKAGE)
    add_doc(api, leaf, leaf.body, api.modules[home])
    offered = api.public(home)
    described = [each for each in offered if api.page_of(each) == leaf.path]
    for entry in described:
        add_member(api, leaf, entry)
    elsewhere = [each for each in offered if each not in described]
    if elsewhere:
        section = add_section(leaf, "elsewhere", "On other pages")
        section[0].set("data-search-exclude", "true")
        add_short(api, leaf, section, elsewhere)
    return leaf


def add_short(api: Api, leaf: Leaf, parent: Element, entries: Iterable[Entry]) -> None:
    """Names with what they are for, each leading to its description."""
    rows = add(parent, "dl", class_="rows")
    for entry in entries:
        add(add(add(rows, "dt"), "a", href=api.href(leaf, entry)), "code", entry.name)
        add_words(api, leaf, add(rows, "dd"), first_sentence(api.member(entry)))


def first_sentence(member: griffe.Object | griffe.Alias) -> str:
    """What a docstring begins with."""
    if not member.docstring:
        return ""
    text = " ".join(member.docstring.value.split("\n\n")[0].split())
    return re.split(r"(?<=[.:]) (?=[A-Z])", text)[0]


def add_member(api: Api, leaf: Leaf, entry: Entry) -> None:
    """One name: how it is called, what it says of itself, where it stands, who uses it."""
    member = api.member(entry)
    section = add(leaf.body, "section", class_="api")
    add_heading(leaf, section, 2, entry.full, [entry.name])
    add_signature(section, signature(api, member))
    add_doc(api, leaf, section, member)
    if isinstance(member, griffe.Class):
        add_methods(api, leaf, section, member, entry)
    add_places(leaf, section, entry)


def add_signature(parent: Element, text: str) -> None:
    """A signature in colours."""
    box = add(parent, "div", class_="highlight signature")
    box.append(ET.fromstring(f"<pre><code>{in_colours(text, 'python')}</code></pre>"))


WIDE = 72


def signature(api: Api, member: griffe.Object) -> str:
    """How a name is called, or what it holds; a long one has a line for each parameter."""
    if isinstance(member, griffe.Attribute):
        value = f": {member.annotation}" if member.annotation else ""
        text = f"{member.name}{value} = {member.value}"
        return text if len(text) <= WIDE * 2 else f"{text[: WIDE * 2]}…"
    if isinstance(member, griffe.Class):
        parameters = [p for p in member.parameters if p.name != "self"]
        return broken(member.name, [shown(each) for each in parameters], "")
    assert isinstance(member, griffe.Function)
    makers = [each for each in decorators(member) if each in OPERATORS]
    if makers:
        return operator_signature(api, member.name, *OPERATORS[makers[0]])
    star = [each for each in member.parameters if each.kind is griffe.ParameterKind.keyword_only]
    texts = [shown(each) for each in member.parameters if each.name not in ("self", "cls")]
    has_rest = any(text.startswith("*") and not text.startswith("**") for text in texts)
    if star and not has_rest:
        texts.insert(texts.index(shown(star[0])), "*")
    return broken(member.name, texts, f" -> {member.returns}" if member.returns else "")


def shown(parameter: griffe.Parameter) -> str:
    """A parameter as it is written."""
    kinds = griffe.ParameterKind
    stars: dict[Any, str] = {kinds.var_positional: "*", kinds.var_keyword: "**"}
    star = stars.get(parameter.kind, "")
    text = star + parameter.name
    if parameter.annotation is not None:
        text += f": {parameter.annotation}"
    if parameter.default is not None and not star:
        text += f" = {parameter.default}" if parameter.annotation else f"={parameter.default}"
    return text


def broken(name: str, parameters: list[str], returns: str) -> str:
    """A call in one line, or in a line for each parameter."""
    text = f"{name}({', '.join(parameters)}){returns}"
    if len(text) <= WIDE or not parameters:
        return text
    return "\n".join([f"{name}(", *(f"    {each}," for each in parameters), f"){returns}"])


# A decorator that puts another function in a function's place, and where that one is written.
OPERATORS = {
    "unary_to_nary": ("literate_ad/wrap_util.py", ["unary_to_nary", "nary_operator"]),
}


def decorators(member: griffe.Function) -> list[str]:
    """The names of the decorators of a function."""
    return [str(each.value) for each in member.decorators]


def operator_signature(api: Api, name: str, file: str, path: list[str]) -> str:
    """How the function that a decorator made is called."""
    made = find_definition(ast.parse(api.files[file]), path)
    assert isinstance(made, ast.FunctionDef)
    arguments = [*made.args.args]
    gap = len(arguments) - len(made.args.defaults)
    texts = [ast.unparse(each) for each in arguments]
    for index, default in enumerate(made.args.defaults, gap):
        texts[index] += f" = {ast.unparse(default)}"
    return broken(name, texts, f" -> {ast.unparse(made.returns)}" if made.returns else "")


def add_doc(api: Api, leaf: Leaf, parent: Element, member: griffe.Object) -> None:
    """What a docstring says: words, lists of attributes and of errors, examples."""
    if not member.docstring:
        return
    for part in member.docstring.parsed:
        if part.kind is griffe.DocstringSectionKind.text:
            for paragraph in str(part.value).split("\n\n"):
                add_paragraph(api, leaf, parent, paragraph)
        else:
            add(parent, "p", HEADS[part.kind], class_="head")
            rows = add(parent, "dl", class_="rows")
            for row in part.value:
                name = getattr(row, "name", None) or str(row.annotation)
                add(add(rows, "dt"), "code", name)
                add_words(api, leaf, add(rows, "dd"), row.description)


HEADS = {
    griffe.DocstringSectionKind.attributes: "Attributes",
    griffe.DocstringSectionKind.parameters: "Parameters",
    griffe.DocstringSectionKind.returns: "Returns",
    griffe.DocstringSectionKind.raises: "Raises",
}


def add_paragraph(api: Api, leaf: Leaf, parent: Element, text: str) -> None:
    """One paragraph of a docstring: an example, code, or words."""
    if text.startswith(">>>"):
        add_listing(leaf, parent, text)
    elif text.startswith("    "):
        add(add(parent, "pre"), "code", "\n".join(line[4:] for line in text.split("\n")))
    else:
        add_words(api, leaf, add(parent, "p"), re.sub(r"::$", ":", text))


def add_words(api: Api, leaf: Leaf, parent: Element, text: str) -> None:
    """Words with ``names`` in them; a name that has an entry leads there."""
    for index, piece in enumerate(re.split(r"``(.+?)``", " ".join(text.split()))):
        if index % 2 == 0:
            add_text(parent, piece)
            continue
        entry = entry_for(api, leaf, piece)
        holder = parent
        if entry:
            holder = add(parent, "a", href=api.href(leaf, entry))
        add(holder, "code", piece)


def entry_for(api: Api, leaf: Leaf, said: str) -> Entry | None:
    """The one entry of the engine that a docstring means; this page's own before others."""
    found = [
        each for each in api.entries.values() if said in (each.name, each.full) and not each.is_tool
    ]
    here = [each for each in found if api.page_of(each) == leaf.path]
    return next((row[0] for row in (here, found) if len(row) == 1), None)


def add_methods(api: Api, leaf: Leaf, parent: Element, member: griffe.Class, entry: Entry) -> None:
    """The public methods and properties that a class defines."""
    lines = {name: (place, line) for name, place, line in entry.parts}
    found = member.members.items()
    named = [each for name, each in found if name in lines and isinstance(each, griffe.Object)]
    if not named:
        return
    add(parent, "p", "Members", class_="head")
    rows = add(parent, "dl", class_="rows")
    for each in named:
        place, line = lines[each.name]
        link = add(add(rows, "dt"), "a", href=leaf.to_line(place, line))
        add(link, "code", short_call(each))
        add_words(api, leaf, add(rows, "dd"), first_sentence(each))


def short_call(member: griffe.Object) -> str:
    """How a method is called, by the names of its parameters; a property by its name."""
    if not isinstance(member, griffe.Function):
        return member.name
    names = [each.name for each in member.parameters if each.name not in ("self", "cls")]
    return f"{member.name}({', '.join(names)})"


def add_places(leaf: Leaf, parent: Element, entry: Entry) -> None:
    """Lead to the article that prints a name, and to all that use it."""
    foot = add(parent, "ul", class_="neighbours")
    item = add(foot, "li", "Declared in " if entry.primitive else "Printed in ")
    article = leaf.web.articles[entry.block.fence.article]
    there = leaf.to_line(entry.block, entry.line)
    add(item, "a", title(article), href=there)
    if entry.users:
        add_blocks(leaf, add(foot, "li", "Used by "), entry.users)
    if entry.articles:
        add_articles(leaf, add(foot, "li", "Used in article "), entry.articles)
