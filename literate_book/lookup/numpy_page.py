"""The page of ``literate_ad.numpy``: for each function of NumPy what became of it, and by what."""

import ast
from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.etree.ElementTree import Element

from literate_book.lookup.declarations import Declaration, Primitive
from literate_book.lookup.modules import PACKAGE
from literate_book.lookup.names import BODIES, NUMPY, Entry, block_at
from literate_book.lookup.pages import (
    Leaf,
    add_heading,
    add_listing,
    add_section,
)
from literate_book.lookup.reference import Api, add_doc, add_places, page_path
from literate_book.render.listings import add, add_text
from literate_book.weave.assemble import Placement

STATES = {
    "rule": ("With a rule", "A traced argument is differentiated by the rule that is shown."),
    "composed": ("Made of others", "These need no rule: they call functions that have one."),
    "constant": (
        "Constants",
        "Of a traced argument these take the value, and answer with a constant: their derivative "
        "is zero almost everywhere, or has no meaning.",
    ),
    "missing": (
        "Without a rule",
        "With plain arguments these are NumPy's. A traced argument they refuse, and the error says "
        "how to give them a rule.",
    ),
}


def numpy_page(api: Api, entries: Iterable[Entry], found: Iterable[Primitive]) -> Leaf:
    """The page, from what was seen while the engine was imported."""
    leaf = Leaf(api.web, page_path(NUMPY), f"{PACKAGE}.{NUMPY}")
    add_doc(api, leaf, leaf.body, api.modules[NUMPY])
    places = {each.name: each for each in entries if each.primitive}
    ranked = sorted(found, key=lambda each: (list(STATES).index(each.state), each.name))
    for state, members in groupby(ranked, lambda each: each.state):
        heading, told = STATES[state]
        section = add_section(leaf, state, heading)
        add(section, "p", told)
        if state in ("rule", "composed"):
            for row in grouped(members):
                add_function(api, leaf, section, row, places)
        else:
            add_names(leaf, section, list(members), places)
    return leaf


def grouped(members: Iterable[Primitive]) -> list[list[Primitive]]:
    """Functions with several names once, by their own name; the other names behind it."""
    rows: dict[str, list[Primitive]] = {}
    for each in sorted(members, key=lambda each: (each.own_name, each.name != each.own_name)):
        rows.setdefault(each.own_name, []).append(each)
    return list(rows.values())


def add_function(
    api: Api, leaf: Leaf, parent: Element, row: list[Primitive], places: dict[str, Entry]
) -> None:
    """One function: which arguments have a derivative, the rule, and whether it is right."""
    first, entry = row[0], places[row[0].name]
    section = add(parent, "section", class_="api")
    names = [each.name for each in row]
    add_heading(leaf, section, 3, f"{NUMPY}.{first.name}", names)
    for other in row[1:]:
        add(section, "span", id=f"{NUMPY}.{other.name}")
    if first.state == "rule":
        add(section, "p", f"{covers(first)}.")
    for place, code in rule_texts(api, first):
        add_listing(leaf, section, code, place)
    add_listing(leaf, section, "\n".join(first.session))
    quotient = add(section, "p", "Differences instead of a rule: ", class_="quotient")
    add(quotient, "code", first.difference)
    add_places(leaf, section, entry)


def covers(primitive: Primitive) -> str:
    """The arguments that have a derivative, in words."""
    reverse, forward = (
        " and ".join(argument(primitive, number) for number in numbers)
        for numbers in (primitive.reverse, primitive.forward)
    )
    if reverse == forward:
        return f"Reverse and forward rule for {reverse}"
    return f"Reverse rule for {reverse or 'no argument'}; forward rule for {forward or 'none'}"


def argument(primitive: Primitive, number: int) -> str:
    """An argument by its number, and by its name where it has one."""
    named = number < len(primitive.parameters)
    return f"argument {number}" + (f" ({primitive.parameters[number]})" if named else "")


def rule_texts(api: Api, primitive: Primitive) -> Iterator[tuple[Placement, str]]:
    """The code that says what a function's derivative is, block by block."""
    wanted: dict[str, tuple[Placement, dict[int, str]]] = {}
    for each in primitive.declarations:
        if each.call in BODIES and primitive.state == "rule":
            continue
        for line, text in statements(api, each):
            place = block_at(api.web, each.file, line)
            wanted.setdefault(place.fence.id, (place, {}))[1][line] = text
    for place, lines in wanted.values():
        texts = [text for _, text in sorted(lines.items())]
        yield place, ("\n\n\n" if len(texts) > 1 else "").join(texts)


def statements(api: Api, declaration: Declaration) -> Iterator[tuple[int, str]]:
    """The statement in a line of a module, and the functions of the module that it leads to."""
    text = api.files[declaration.file]
    tree = ast.parse(text)
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    pending = [each for each in tree.body if holds(each, declaration.line)]
    seen: set[ast.AST] = set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        yield first, "\n".join(text.split("\n")[first - 1 : node.end_lineno])
        named = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        pending += [functions[name] for name in sorted(named & functions.keys())]


def holds(node: ast.stmt, line: int) -> bool:
    """Whether a statement covers a line."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def add_names(
    leaf: Leaf, parent: Element, members: list[Primitive], places: dict[str, Entry]
) -> None:
    """Many names in one paragraph; one that a line of the engine names leads there."""
    row = add(parent, "p", class_="many")
    for index, each in enumerate(members):
        add_text(row, " " if index else "")
        entry = places.get(each.name)
        holder = row
        if entry:
            holder = add(row, "a", href=leaf.to_line(entry.block, entry.line))
        add(holder, "code", each.name, id=f"{NUMPY}.{each.name}")
