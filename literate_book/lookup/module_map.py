"""The map of modules: drawings of who imports whom, and tables of what each module is."""

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

from literate_book.lookup.module_pages import add_modules, add_sentence, articles_of
from literate_book.lookup.modules import Module, arrows, importers, module_page, reached
from literate_book.render.diagrams import to_svg
from literate_book.render.listings import Here, add, add_articles
from literate_book.weave.crossrefs import title

RULES = "numpy.rules"
PREFIX = re.compile(r"^(numpy\.rules|book)\.")
LEGEND = (
    "An arrow leads from a module to one that it imports. It is left out where a way of other "
    "arrows leads to the same module. A broken arrow stands for an import in a function or under a "
    "condition, which may happen later.",
    "Every name is a link. A module with a broken frame belongs to another drawing. In the drawing "
    "of the engine one name stands for all of the rules; in their own, and in those of the tools, "
    "the names are without the package that all of them are from.",
)


def groups(here: Here, modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """Groups that can be drawn: the engine, its rules, and what each article on tools begins."""
    found: dict[str, list[str]] = {"The engine": [], "The rules": []}
    tools: dict[str, list[str]] = {path: [] for path in here.web.articles}
    for name, module in modules.items():
        if name.startswith(f"{RULES}."):
            found["The rules"].append(name)
        elif name == "book" or name.startswith("book."):
            tools[articles_of(here, module)[0]].append(name)
        else:
            found["The engine"].append(name)
    found |= {title(here.web.articles[path]): names for path, names in tools.items()}
    return {said: names for said, names in found.items() if names}


LOOKS = '%%{init: {"flowchart": {"nodeSpacing": 12, "rankSpacing": 34, "padding": 7}}}%%'


def flow_chart(modules: Mapping[str, Module], members: Collection[str]) -> tuple[list[str], str]:
    """The modules to draw, and their Mermaid text, in which they are called ``m0``, ``m1`` ..."""
    pairs: dict[tuple[str, str], bool] = {}
    for one, other in arrows(modules):
        pair = stand_in(one, members), stand_in(other, members)
        if pair[0] in members and pair[0] != pair[1]:
            pairs[pair] = pairs.get(pair, False) or modules[one].imports[other]
    names = sorted({*members, *(other for _, other in pairs)}, key=importers_first(modules))
    number = {name: f"m{index}" for index, name in enumerate(names)}
    text = [LOOKS, "graph TD"]
    for name in names:
        look = "" if name in members else ":::other"
        text.append(f'    {number[name]}["{PREFIX.sub("", name)}"]{look}')
    for (one, other), at_once in sorted(pairs.items()):
        text.append(f"    {number[one]} {'-->' if at_once else '-.->'} {number[other]}")
    return names, "\n".join(text)


def importers_first(modules: Mapping[str, Module]) -> Callable[[str], tuple[int, str]]:
    """An order in which no module comes before one that imports it: the drawing keeps to it."""
    return lambda name: (-len(reached(modules, name, "")), name)


def stand_in(name: str, members: Collection[str]) -> str:
    """The node of a module: outside of their own drawing, one stands for all of the rules."""
    return RULES if name.startswith(f"{RULES}.") and name not in members else name


def draw_group(
    here: Here, modules: Mapping[str, Module], said: str, members: Collection[str], shelf: Path
) -> Element:
    """The drawing of a group, in which every node is a link to the page of its module."""
    names, text = flow_chart(modules, members)
    name = name_of(said)
    svg = fromstring(to_svg(text, f"{name}-svg", f"Who imports whom: {said}", shelf))
    for element in svg.iter():
        element.tag = element.tag.rpartition("}")[2]
    # Pictures have nothing inside that could be reached; this one has links.
    svg.set("role", "group")
    for parent in list(svg.iter()):
        for index, node in enumerate(parent):
            if match := NODE.search(node.get("id", "")):
                file = modules[names[int(match[1])]].file
                href = here.href(module_page(here.web.docs, file))
                parent[index] = link = Element("a", {"href": href})
                link.append(node)
    figure = Element("figure", {"class": "drawing map"})
    box = add(figure, "div", class_="scroll", tabindex="0", role="group", aria_label=said)
    box.append(svg)
    return figure


NODE = re.compile(r"-flowchart-m(\d+)-\d+$")


def name_of(said: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"\W+", "-", said.lower())


COLUMNS = "module", "what it is", "printed in", "lines", "blocks", "imports", "imported by"


def map_body(here: Here, modules: Mapping[str, Module], shelf: Path) -> Element:
    """All of the page but its title."""
    body = Element("div", {"class": "module-page"})
    for paragraph in LEGEND:
        add(body, "p", paragraph)
    for said, members in groups(here, modules).items():
        section = add(body, "section", id=name_of(said))
        add(section, "h2", said)
        section.append(draw_group(here, modules, said, members, shelf))
        box = add(section, "div", class_="table", tabindex="0", role="group", aria_label=said)
        table = add(box, "table", class_="data")
        head = add(add(table, "thead"), "tr")
        for column in COLUMNS:
            add(head, "th", column, class_="number" if column in COLUMNS[3:] else "words")
        rows = add(table, "tbody")
        for name in members:
            add_row(here, add(rows, "tr"), modules, name)
    return body


def add_row(here: Here, row: Element, modules: Mapping[str, Module], name: str) -> None:
    """One module of a table."""
    module = modules[name]
    add_modules(here, add(row, "td"), modules, [name])
    add_sentence(add(row, "td"), module.sentence)
    add_articles(here, add(row, "td"), articles_of(here, module))
    lines, blocks = module.text.count("\n"), len(module.places)
    for number in (lines, blocks, len(module.imports), len(importers(modules, name))):
        add(row, "td", str(number), class_="number")
