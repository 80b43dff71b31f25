"""The page of NumPy's functions: which have a rule, for which arguments, and where it stands."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from literate_book.lookup.names import NameEntry
from literate_book.lookup.pages import GeneratedPage, line_link, prose, reference_path
from literate_book.lookup.rules import Primitive
from literate_book.render.listings import Here, module_of
from literate_book.weave.crossrefs import Crossrefs, module_file

STATES = {
    "rule": (
        "With a rule",
        "A traced argument is differentiated by the function's own rule.\n\n"
        "| Function | Reverse rule for | Forward rule for | Declared in |\n"
        "| --- | --- | --- | --- |",
    ),
    "composed": ("Made of others", "These need no rule: they call functions that have one."),
    "constant": (
        "Constants",
        "Of a traced argument these take the value, and return a constant: their derivative is "
        "zero almost everywhere, or has no meaning.",
    ),
    "missing": (
        "Without a rule",
        "With plain arguments these are NumPy's. For a traced argument they raise an error that "
        "says how to give them a rule.",
    ),
}


def rules_page(
    web: Crossrefs, module: str, entries: Sequence[NameEntry], found: Sequence[Primitive]
) -> GeneratedPage:
    """The page of all functions; ``module`` offers them."""
    here = Here(web, reference_path(web, module))
    places = {each.name: each for each in entries if each.primitive}
    dotted = f"{web.config.package}.{module}"
    text = web.texts[module_file(dotted, web.texts)]
    parts = [prose(ast.get_docstring(ast.parse(text)) or "")]
    for state, (heading, told) in STATES.items():
        members = [each for each in found if each.state == state]
        parts.append(f"## {heading} {{#{state}}}")
        if state == "rule":
            members.sort(key=lambda each: (each.own_name, each.name != each.own_name))
            rows = groupby(members, lambda each: each.own_name)
            parts.append(
                "\n".join([told, *(row_text(here, module, places, row) for _, row in rows)])
            )
        else:
            names = [name_text(here, module, each, places.get(each.name)) for each in members]
            parts += [told, f"{' '.join(names)}\n{{.many}}"]
    return GeneratedPage(here.path, f"`{dotted}`", "\n\n".join(parts) + "\n", 20, in_nav=True)


def row_text(
    here: Here, module: str, places: Mapping[str, NameEntry], row: Iterable[Primitive]
) -> str:
    """The row of a function with a rule, under all of its names."""
    names = list(row)
    first = names[0]
    block, line = places[first.name].block, first.line
    ids = "".join(f'<span id="{module}.{each.name}"></span>' for each in names[1:])
    said = ", ".join(f"<code>{each.name}</code>" for each in names)
    cells = (
        f'<h3 id="{module}.{first.name}">{said}</h3>{ids}',  # the search finds headings first
        ", ".join(f"`{name}`" for name in first.reverse),
        ", ".join(f"`{name}`" for name in first.forward),
        line_link(here, f"`{module_of(first.file)}` {line}", block, line),
    )
    return f"| {' | '.join(cells)} |"


def name_text(here: Here, module: str, primitive: Primitive, entry: NameEntry | None) -> str:
    """A name without a description, linked to the line that declares it, if one does."""
    said = f"`{primitive.name}`{{#{module}.{primitive.name}}}"
    return line_link(here, said, entry.block, entry.line) if entry else said
