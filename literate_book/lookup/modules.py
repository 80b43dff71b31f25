"""The modules of the package: a page for each, and a map of who imports whom."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from xml.etree.ElementTree import Element, fromstring, tostring

from literate_book.lookup.pages import (
    GeneratedPage,
    article_link,
    first_sentence,
    module_link,
    number_links,
    prose,
    rows,
)
from literate_book.render.graphs import draw_graph
from literate_book.render.listings import (
    Here,
    add,
    add_articles,
    add_link,
    coloured,
    module_name,
    module_page,
    numbered,
    span_of,
)
from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import Crossrefs, module_file


@dataclass(frozen=True)
class ModuleFacts:
    """A module: its text, its blocks from top to bottom, and the modules that it imports.

    ``imports`` has True for those that are imported while the module is being loaded; ``articles``
    print its blocks.
    """

    name: str
    file: str
    text: str
    places: Sequence[Placement]
    imports: Mapping[str, bool]
    articles: Sequence[str]

    @property
    def sentence(self) -> str:
        """The first sentence of its docstring."""
        return first_sentence(ast.get_docstring(ast.parse(self.text)) or "")


def imports_of(
    node: ast.AST, files: Collection[str], at_once: bool = True
) -> Iterator[tuple[str, bool]]:
    """The files that a module imports, each with whether it does so while it is being loaded."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names=names):
                yield from ((module_file(each.name, files), at_once) for each in names)
            case ast.ImportFrom(module=str(home), names=names):
                for each in names:
                    inner = module_file(f"{home}.{each.name}", files)
                    yield inner or module_file(home, files), at_once
            case ast.FunctionDef() | ast.If():
                yield from imports_of(child, files, False)
            case _:
                yield from imports_of(child, files, at_once)


def read_modules(web: Crossrefs) -> dict[str, ModuleFacts]:
    """Every module of the package by its name, sorted."""
    modules = {}
    for file, text in web.texts.items():
        imports: dict[str, bool] = {}
        for other, at_once in imports_of(ast.parse(text), web.modules):
            if other:
                name = module_name(web, other)
                imports[name] = imports.get(name, False) or at_once
        name = module_name(web, file)
        places = web.modules[file]
        printed = {place.fence.article for place in places}
        articles = [path for path in web.articles if path in printed]
        modules[name] = ModuleFacts(name, file, text, places, imports, articles)
    return dict(sorted(modules.items()))


def importers(modules: Mapping[str, ModuleFacts], name: str) -> list[str]:
    """The modules that import the one called ``name``."""
    return [each.name for each in modules.values() if name in each.imports]


def reached(modules: Mapping[str, ModuleFacts], name: str, besides: str = "") -> set[str]:
    """Where imports lead from a module, without its own import of ``besides``."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        here = waiting.pop()
        for other, at_once in modules[here].imports.items():
            if at_once and other not in found and (here, other) != (name, besides):
                found.add(other)
                waiting.append(other)
    return found


def arrows(modules: Mapping[str, ModuleFacts]) -> Iterator[tuple[str, str]]:
    """The imports, without those that a chain of other imports stands for."""
    for name, module in modules.items():
        for other, at_once in module.imports.items():
            if not at_once or other not in reached(modules, name, other):
                yield name, other


# The page of a module


def module_source(here: Here, modules: Mapping[str, ModuleFacts], module: ModuleFacts) -> str:
    """The facts about a module, then all its lines."""
    facts = [
        ("File", f"[`{module.file}`]({file_link(here, module)}), {size_of(module)}"),
        ("Printed in", ", ".join(article_link(here, path) for path in module.articles)),
    ]
    groups = {
        "Imports": [other for other, at_once in module.imports.items() if at_once],
        "Imports later": [other for other, at_once in module.imports.items() if not at_once],
        "Imported by": importers(modules, module.name),
    }
    for said, others in groups.items():
        if others:
            files = [modules[other].file for other in sorted(others)]
            facts.append((said, ", ".join(module_link(here, file) for file in files)))
    listing = tostring(module_listing(here, module), "unicode", short_empty_elements=False)
    return f"{prose(module.sentence)}\n\n{rows(facts)}\n\n{listing}\n"


def size_of(module: ModuleFacts) -> str:
    """How long a module is, in words."""
    lines, blocks = module.text.count("\n"), len(module.places)
    return f"{lines} line{'s'[: lines != 1]} in {blocks} block{'s'[: blocks != 1]}"


def file_link(here: Here, module: ModuleFacts) -> str:
    """The link to the file itself."""
    return here.href(f"{here.web.docs}/source/{module.file}")


def module_listing(here: Here, module: ModuleFacts) -> Element:
    """Every line of a module, block by block."""
    figure = Element("figure", {"class": "listing module", "id": "module"})
    add(add(add(figure, "figcaption"), "a", href=file_link(here, module)), "code", module.file)
    add(
        figure, "button", class_="copy", type="button", aria_label=f"Copy {module.file}",
        title="Copy", data_clipboard_text=module.text,
    )  # fmt: skip
    box = add(figure, "div", class_="highlight")
    lines = [f'<span class="c1">{escape(line)}</span>' for line in module.text.split("\n")]
    begins = [0, *(place.first_line - 2 for place in module.places[1:])]
    for begin, end, place in zip(begins, [*begins[1:], -1], module.places):
        span = {"data_first": str(place.first_line), "data_last": str(place.last_line)}
        section = add(box, "section", class_="block", id=place.fence.id, **span)
        add_head(here, section, place)
        # Above a block stands its marker, below it are blank lines.
        above, below = lines[begin : place.first_line - 1], lines[place.last_line : end]
        block = [*above, *coloured(place.fence), *below]
        section.append(fromstring(numbered(block, begin + 1, "line", len(lines))))
    return figure


def add_head(here: Here, section: Element, place: Placement) -> None:
    """The line above a block: where it is explained, and which articles use it."""
    head = add(section, "header")
    add_link(here, add(head, "h2"), place, "")
    add(head, "span", span_of(place), class_="lines")
    if users := here.web.users.get(place.fence.id):
        add_articles(here, add(head, "span", "Used in: ", class_="users"), users)


# The map

LEGEND = (
    "An arrow leads from a module to one that it imports. It is left out where other arrows lead "
    "to the same module. A broken arrow stands for an import inside a function or under a "
    "condition. Every name is a link. A folder with a drawing of its own is one box in the others, "
    "and a module with a broken frame belongs to another drawing. A number behind *printed in* "
    "leads to an article."
)
LARGE = 6  # modules in a sub-package, from which on it has a drawing of its own


def folders(names: Collection[str]) -> dict[str, list[str]]:
    """The modules by drawing: each large sub-package has one, and "" is that of all others."""
    homes = [name.rpartition(".")[0] for name in names]
    large = [name for name in names if homes.count(name) >= LARGE]
    found: dict[str, list[str]] = {"": []}
    for name in names:
        around = [each for each in large if name.startswith(f"{each}.")]
        found.setdefault(max(around, key=len, default=""), []).append(name)
    return found


def flow_chart(
    modules: Mapping[str, ModuleFacts], groups: Mapping[str, Sequence[str]], folder: str
) -> tuple[list[str], str]:
    """The modules to draw, and their Mermaid text, in which they are called ``m0``, ``m1`` ..."""
    members = groups[folder]
    others = [each for each in groups if each and not f"{folder}.".startswith(f"{each}.")]

    def shown(name: str) -> str:
        """The box of a module: one stands for all of a folder that is drawn elsewhere."""
        return next((each for each in others if name.startswith(f"{each}.")), name)

    pairs: dict[tuple[str, str], bool] = {}
    for one, other in arrows(modules):
        pair = shown(one), shown(other)
        if pair[0] in members and pair[0] != pair[1]:
            pairs[pair] = pairs.get(pair, False) or modules[one].imports[other]
    drawn = {*members, *(other for _, other in pairs)}
    names = sorted(drawn, key=lambda name: (-len(reached(modules, name)), name))
    number = {name: f"m{index}" for index, name in enumerate(names)}
    text = ["graph TB"]
    for name in names:
        look = "" if name in members else ":::other"
        text.append(f'    {number[name]}["{name.removeprefix(f"{folder}.")}"]{look}')
    for (one, other), at_once in sorted(pairs.items()):
        text.append(f"    {number[one]} {'-->' if at_once else '-.->'} {number[other]}")
    return names, "\n".join(text)


def map_source(here: Here, modules: Mapping[str, ModuleFacts]) -> str:
    """A drawing and a list for the package, and for each large folder of it."""
    parts, groups = [LEGEND], folders(list(modules))
    for folder, members in groups.items():
        said = f"{here.web.config.package}.{folder}".removesuffix(".")
        name = f"map-{folder or 'package'}".replace(".", "-")
        names, text = flow_chart(modules, groups, folder)
        parts.append(f"## `{said}` {{#{name}}}")
        hrefs = (here.href(module_page(here.web, modules[each].file)) for each in names)
        links = {f"m{index}": f'<a href="{href}">' for index, href in enumerate(hrefs)}
        svg = draw_graph(text, f"{name}-svg", f"Who imports whom: {said}", links)
        parts.append(
            f'<figure class="drawing map"><div class="scroll" tabindex="0" role="group" '
            f'aria-label="{said}">{svg}</div></figure>'
        )
        parts.append(rows(map_row(here, modules[each]) for each in members))
    return "\n\n".join(parts) + "\n"


def map_row(here: Here, module: ModuleFacts) -> tuple[str, str]:
    """What a module is, how long, and which articles print it."""
    facts = f"{size_of(module)}, printed in {number_links(here, module.articles)}"
    return module_link(here, module.file), f"{prose(module.sentence)} *{facts}*"


def module_pages(web: Crossrefs) -> Iterator[GeneratedPage]:
    """The map, and a page for every module. The search finds code in the articles instead."""
    modules = read_modules(web)
    here = Here(web, f"{web.docs}/source/index.md")
    text = map_source(here, modules)
    yield GeneratedPage(here.path, "Modules", text, 0.5, in_nav=True)
    for module in modules.values():
        here = Here(web, module_page(web, module.file))
        dotted = module.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        yield GeneratedPage(here.path, f"`{dotted}`", module_source(here, modules, module))
