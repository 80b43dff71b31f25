"""The reference: every public name of the package, from what its module says of it.

griffe reads the modules as texts, so that a broken one does no harm, and their docstrings in
Google's style; here they become Markdown with links to the articles.
"""

import ast
import logging
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import griffe

from literate_book.lookup.names import NameEntry
from literate_book.lookup.pages import (
    FOLDER,
    GeneratedPage,
    article_link,
    display_name,
    first_sentence,
    line_link,
    places_text,
    prose,
    reference_path,
    rows,
)
from literate_book.render.listings import Here, module_of
from literate_book.weave.crossrefs import Crossrefs

WIDE = 144  # characters of a value that are shown
# A decorated function may document a parameter that its decorator adds.
OPTIONS: griffe.GoogleOptions = {"warn_unknown_params": False, "warn_missing_types": False}


class Reference:
    """All that the pages of the reference are made from."""

    def __init__(self, web: Crossrefs, entries: Sequence[NameEntry]) -> None:
        self.web = web
        self.entries = {each.full: each for each in entries if not each.primitive}
        self.modules = {
            module_of(file): visit(display_name(web, module_of(file)), text)
            for file, text in web.texts.items()
        }

    @cached_property
    def faces(self) -> list[str]:
        """The modules that hand on names of others, for users: the package itself comes first."""
        return [home for home in sorted(self.modules) if self.is_face(home)]

    def is_face(self, home: str) -> bool:
        """Whether a module has an ``__all__``, and defines none of its names itself.

        What a sub-package hands on is for its own modules.
        """
        module = self.modules[home]
        names = () if "." in home else module.exports or ()
        return bool(names) and all(module.members[str(name)].is_alias for name in names)

    def public(self, home: str) -> list[NameEntry]:
        """The names that a module offers, its own and those of others; functions come first."""
        found = []
        for name, member in self.modules[home].members.items():
            path = f"{home}.{name}".lstrip(".")
            if isinstance(member, griffe.Alias):
                path = member.target_path.removeprefix(f"{self.web.config.package}.")
            entry = self.entries.get(path)
            if entry and self.offers(home, name) and self.offers(entry.home, entry.name):
                found.append(entry)
        return sorted(found, key=lambda entry: not self.member(entry).is_function)

    def offers(self, home: str, name: str) -> bool:
        """Whether a module means others to use a name: ``__all__`` says so, where there is one."""
        names = self.modules[home].exports
        return names is None or name in names

    def member(self, entry: NameEntry) -> griffe.Object:
        """What a module says of a name that it defines."""
        found = self.modules[entry.home].members[entry.name]
        assert isinstance(found, griffe.Object)
        return found

    @cached_property
    def handed_on(self) -> dict[str, str]:
        """For each name that users import from another module than its own, that module."""
        pairs = [(each.full, home) for home in self.faces for each in self.public(home)]
        return dict(reversed(pairs))

    def page_of(self, entry: NameEntry) -> str:
        """The page that describes a name: that of the module which users import it from."""
        return self.path(self.handed_on.get(entry.full, entry.home))

    def path(self, home: str) -> str:
        """The page of a module."""
        return reference_path(self.web, home or self.web.config.package)

    def words(self, here: Here, text: str) -> str:
        """Words of a docstring; a name in double backticks leads to its description."""

        def link(said: str) -> str:
            found = [each for each in self.entries.values() if said in (each.name, each.full)]
            own = [each for each in found if self.page_of(each) == here.path]
            row = next((row for row in (own, found) if len(row) == 1), [])
            return here.href(self.page_of(row[0]), row[0].full) if row else ""

        return prose(text, link)


def visit(name: str, text: str) -> griffe.Module:
    """A module as griffe reads it."""
    return griffe.visit(
        name, Path(f"{name}.py"), text, docstring_parser=griffe.Parser.google,
        docstring_options=OPTIONS,
    )  # fmt: skip


def reference_pages(
    web: Crossrefs, entries: Sequence[NameEntry], table: str
) -> Iterator[GeneratedPage]:
    """The first page, then one for every module with public names; ``table`` has one elsewhere."""
    logging.getLogger("griffe").setLevel(logging.ERROR)
    reference = Reference(web, entries)
    yield first_page(reference, table)
    for home in reference.modules:
        if reference.public(home):
            is_face = home in reference.faces
            here = Here(web, reference.path(home))
            text = "\n\n".join(module_text(reference, here, home)) + "\n"
            title = f"`{display_name(web, home)}`"
            yield GeneratedPage(here.path, title, text, 3 if is_face else 0.7, in_nav=is_face)


def first_page(reference: Reference, table: str) -> GeneratedPage:
    """The page that leads to all others: functions for users, then the modules, internals apart."""
    web, modules = reference.web, reference.modules
    here = Here(web, f"{web.docs}/{FOLDER}/index.md")
    parts = []
    for home in [*reference.faces, *filter(None, [table])]:
        link = here.href(reference.path(home))
        parts.append(f"## [`{display_name(web, home)}`]({link}) {{#{home or 'package'}}}")
        parts.append(reference.words(here, doc_of(modules[home])))
        parts.append(short_rows(reference, here, reference.public(home)))
    parts.append(f"## {'Internals' if reference.faces else 'Modules'} {{#internals}}")
    others = [home for home in modules if home not in reference.faces and reference.public(home)]
    parts.append(
        rows(
            (
                f"[`{display_name(web, home)}`]({here.href(reference.path(home))})",
                reference.words(here, first_sentence(doc_of(modules[home]))),
            )
            for home in others
        )
    )
    return GeneratedPage(here.path, "API reference", "\n\n".join(parts) + "\n", 2, in_nav=True)


def doc_of(member: griffe.Object | griffe.Alias) -> str:
    """The docstring of a member, or nothing."""
    return member.docstring.value if member.docstring else ""


def short_rows(reference: Reference, here: Here, entries: Sequence[NameEntry]) -> str:
    """Names with what they are for, each leading to its description."""
    return rows(
        (
            f"[`{each.name}`]({here.href(reference.page_of(each), each.full)})",
            reference.words(here, first_sentence(doc_of(reference.member(each)))),
        )
        for each in entries
    )


def module_text(reference: Reference, here: Here, home: str) -> Iterator[str]:
    """The names of one module: its own, then links to those that another page describes."""
    yield from doc_text(reference, here, reference.modules[home])
    offered = reference.public(home)
    described = [each for each in offered if reference.page_of(each) == here.path]
    for entry in described:
        yield from member_text(reference, here, entry)
    if elsewhere := [each for each in offered if each not in described]:
        yield "## On other pages {#elsewhere}"
        yield short_rows(reference, here, elsewhere)


def member_text(reference: Reference, here: Here, entry: NameEntry) -> Iterator[str]:
    """One name: how it is called, what its docstring says, where it is printed, who uses it."""
    member = reference.member(entry)
    yield f"## `{entry.name}` {{#{entry.full}}}"
    yield f"```python {{.signature}}\n{signature(reference, member)}\n```"
    yield from doc_text(reference, here, member)
    if isinstance(member, griffe.Class) and (methods := list(method_rows(reference, here, entry))):
        yield "Members\n{.head}"
        yield rows(methods)
    printed = article_link(here, entry.block.fence.article)
    link = line_link(here, f"line {entry.line}", entry.block, entry.line)
    yield f"Printed in {printed}, {link} of `{entry.block.file}`.\n{{.places}}"
    yield places_text(here, entry.users, entry.articles)


def signature(reference: Reference, member: griffe.Object) -> str:
    """How a name is called, or what it holds."""
    if isinstance(member, griffe.Attribute):
        value = f": {member.annotation}" if member.annotation else ""
        text = f"{member.name}{value} = {member.value}"
        return text if len(text) <= WIDE else f"{text[:WIDE]}…"
    assert isinstance(member, griffe.Function | griffe.Class)
    if isinstance(member, griffe.Function):
        made = [made_by(reference, str(each.value)) for each in member.decorators]
        text = next(filter(None, made), member).signature(name=member.name)
    else:
        text = member.signature()
    text = re.sub(r": Any = ", "=", text)  # an annotation that says nothing
    return re.sub(r"(:| ->) Any\b(?=[,)]|$)", "", text)


def made_by(reference: Reference, decorator: str) -> griffe.Function | None:
    """The function that a decorator of the package puts in a function's place, with parameters."""
    entry = next((each for each in reference.entries.values() if each.name == decorator), None)
    if entry is None:
        return None
    tree = ast.parse(reference.web.texts[entry.block.file])
    made = next(each for each in tree.body if getattr(each, "name", "") == decorator)
    inner = [
        each for each in ast.walk(made) if isinstance(each, ast.FunctionDef) and each.args.args
    ]
    inner = [each for each in inner if each is not made]
    if len(inner) != 1:
        return None
    found = visit("made", ast.unparse(inner[0])).members[inner[0].name]
    assert isinstance(found, griffe.Function)
    return found


def doc_text(reference: Reference, here: Here, member: griffe.Object) -> Iterator[str]:
    """A docstring as Markdown: words, examples, and lists of parameters, results and errors."""
    if not member.docstring:
        return
    for part in member.docstring.parsed:
        if part.kind is griffe.DocstringSectionKind.text:
            for paragraph in str(part.value).split("\n\n"):
                yield paragraph_text(reference, here, paragraph)
        else:
            yield f"{part.kind.value.capitalize()}\n{{.head}}"
            if part.kind is griffe.DocstringSectionKind.returns:
                yield " ".join(reference.words(here, returned(each)) for each in part.value)
                continue
            yield rows(
                (
                    f"`{getattr(each, 'name', each.annotation)}`",
                    reference.words(here, each.description),
                )
                for each in part.value
            )


def returned(item: griffe.DocstringReturn) -> str:
    """What a docstring says of a result: griffe takes words before a colon for its type."""
    said = str(item.annotation or "")
    return f"{said}: {item.description}" if " " in said else item.description


def paragraph_text(reference: Reference, here: Here, text: str) -> str:
    """One paragraph of a docstring: an example, code, or words."""
    if text.startswith(">>>"):
        return f"````python\n{text.rstrip()}\n````"
    if text.startswith("    "):
        return "````text\n{}\n````".format("\n".join(line[4:] for line in text.split("\n")))
    return reference.words(here, re.sub(r"::$", ":", text))


def method_rows(reference: Reference, here: Here, entry: NameEntry) -> Iterator[tuple[str, str]]:
    """The public methods and properties that a class defines."""
    members = reference.member(entry).members
    for name, place, line in entry.parts:
        member = members[name]
        call = name
        if isinstance(member, griffe.Function):
            names = [each.name for each in member.parameters if each.name not in ("self", "cls")]
            call = f"{name}({', '.join(names)})"
        told = reference.words(here, first_sentence(doc_of(member)))
        yield line_link(here, f"`{call}`", place, line), told
