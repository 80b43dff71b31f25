"""The page of a module: what it is for, who imports it, and all its lines, block by block."""

from collections.abc import Iterable, Mapping
from html import escape
from xml.etree.ElementTree import Element, fromstring

from literate_book.lookup.modules import FOLDER, Module, importers, module_page
from literate_book.render.listings import (
    Here,
    add,
    add_articles,
    add_link,
    add_text,
    coloured,
    numbered,
    span_of,
)
from literate_book.weave.assemble import Placement


def module_body(here: Here, modules: Mapping[str, Module], name: str) -> Element:
    """All of the page but its title."""
    module = modules[name]
    body = Element("div", {"class": "module-page"})
    add_sentence(add(body, "p"), module.sentence)
    facts = add(body, "dl", class_="module-facts")
    add_file(here, fact(facts, "File"), module)
    add_articles(here, fact(facts, "Printed in"), articles_of(here, module))
    groups = {
        "Imports": [other for other, at_once in module.imports.items() if at_once],
        "Imports later": [other for other, at_once in module.imports.items() if not at_once],
        "Imported by": importers(modules, name),
    }
    for said, others in groups.items():
        if others:
            add_modules(here, fact(facts, said), modules, others)
    body.append(module_listing(here, module))
    return body


def fact(facts: Element, said: str) -> Element:
    """Room for what is to be said under a name."""
    row = add(facts, "div")
    add(row, "dt", said)
    return add(row, "dd")


def articles_of(here: Here, module: Module) -> list[str]:
    """The articles that print blocks of a module, in book order."""
    printed = {place.fence.article for place in module.places}
    return [path for path in here.web.articles if path in printed]


def add_sentence(parent: Element, sentence: str) -> None:
    """A sentence of a docstring, in which double backticks stand around code."""
    for index, piece in enumerate(sentence.split("``")):
        if index % 2:
            add(parent, "code", piece)
        else:
            add_text(parent, piece)


def add_modules(
    here: Here, parent: Element, modules: Mapping[str, Module], names: Iterable[str]
) -> None:
    """Link to the pages of modules by their names."""
    for index, name in enumerate(sorted(names)):
        add_text(parent, ", " if index else "")
        link = add(parent, "a", href=here.href(module_page(here.web.docs, modules[name].file)))
        add(link, "code", name)


def add_file(here: Here, parent: Element, module: Module) -> None:
    """Link to the file itself, and say how long it is."""
    link = add(parent, "a", href=here.href(f"{here.web.docs}/{FOLDER}/{module.file}"))
    add(link, "code", module.file)
    lines, blocks = module.text.count("\n"), len(module.places)
    add_text(parent, f", {counted(lines, 'line')} in {counted(blocks, 'block')}")


def counted(number: int, what: str) -> str:
    """A number of things in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def module_listing(here: Here, module: Module) -> Element:
    """Every line of a module, block by block."""
    figure = Element("figure", {"class": "listing module", "id": "module"})
    href = here.href(f"{here.web.docs}/{FOLDER}/{module.file}")
    add(add(add(figure, "figcaption"), "a", href=href), "code", module.file)
    label = f"Copy {module.file}"
    add(
        figure, "button", class_="copy", type="button", aria_label=label, title="Copy",
        data_clipboard_text=module.text,
    )  # fmt: skip
    box = add(figure, "div", class_="highlight")
    lines = [f'<span class="c1">{escape(line)}</span>' for line in module.text.split("\n")]
    begins = [0, *(place.first_line - 2 for place in module.places[1:])]
    for begin, end, place in zip(begins, [*begins[1:], -1], module.places):
        span = {"data_first": str(place.first_line), "data_last": str(place.last_line)}
        section = add(box, "section", class_="block", id=place.fence.id, **span)
        add_head(here, section, place)
        # Above a block stands the name of the article that it is from, below it are blank lines.
        above, below = lines[begin : place.first_line - 1], lines[place.last_line : end]
        block = [*above, *coloured(place.fence), *below]
        section.append(fromstring(numbered(block, begin + 1, "line", len(lines))))
    return figure


def add_head(here: Here, section: Element, place: Placement) -> None:
    """Say above a block where it is explained, and who uses it."""
    head = add(section, "header")
    add_link(here, add(head, "h2"), place, "")
    add(head, "span", span_of(place), class_="lines")
    if users := here.web.users.get(place.fence.id):
        add_articles(here, add(head, "span", "Used in: ", class_="users"), users)
