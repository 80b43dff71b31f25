"""The page of the table of rules: for each wrapped function what became of it, and by what code."""

import ast
from collections.abc import Iterator, Sequence
from itertools import groupby

from literate_book.lookup.names import NameEntry, block_at
from literate_book.lookup.pages import (
    GeneratedPage,
    line_link,
    places_text,
    prose,
    reference_path,
)
from literate_book.lookup.rules import Primitive
from literate_book.render.listings import Here
from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import Crossrefs, module_file

STATES = {
    "rule": ("With a rule", "A traced argument is differentiated by the rule that is shown."),
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
    """The page of all functions; ``module`` hands them on."""
    here = Here(web, reference_path(web, module))
    places = {each.name: each for each in entries if each.primitive}
    dotted = f"{web.config.package}.{module}"
    text = web.texts[module_file(dotted, web.texts)]
    parts = [prose(ast.get_docstring(ast.parse(text)) or "")]
    ranked = sorted(found, key=lambda each: (list(STATES).index(each.state), each.name))
    for state, group in groupby(ranked, lambda each: each.state):
        heading, told = STATES[state]
        parts += [f"## {heading} {{#{state}}}", told]
        if state in ("rule", "composed"):
            for row in by_own_name(list(group)):
                parts += function_text(here, row, places[row[0].name])
        else:
            names = [name_text(here, module, each, places.get(each.name)) for each in group]
            parts.append(f"{' '.join(names)}\n{{.many}}")
    return GeneratedPage(here.path, f"`{dotted}`", "\n\n".join(parts) + "\n", 2, in_nav=True)


def by_own_name(members: Sequence[Primitive]) -> list[list[Primitive]]:
    """Functions with several names once, by their own name; the other names behind it."""
    rows: dict[str, list[Primitive]] = {}
    for each in sorted(members, key=lambda each: (each.own_name, each.name != each.own_name)):
        rows.setdefault(each.own_name, []).append(each)
    return list(rows.values())


def function_text(here: Here, row: list[Primitive], entry: NameEntry) -> Iterator[str]:
    """One function: which arguments have a derivative, the rule, an example, and who uses it."""
    first, home = row[0], entry.home
    names = ", ".join(f"`{each.name}`" for each in row)
    yield f"### {names} {{#{home}.{first.name} .function}}"
    ids = "".join(f'<span id="{home}.{other.name}"></span>' for other in row[1:])
    yield (f"{covers(first)}." if first.state == "rule" else "") + ids
    for block, line, code in rule_texts(here.web, first):
        yield f"From {line_link(here, f'`{block.file}`', block, line)}:\n{{.from}}"
        yield f"````python {{.rule}}\n{code}\n````"
    yield "```python\n{}\n```".format("\n".join(first.session))
    yield places_text(here, entry.users, entry.articles)


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
    return f"argument {number}" + (f" (`{primitive.parameters[number]}`)" if named else "")


def rule_texts(web: Crossrefs, primitive: Primitive) -> Iterator[tuple[Placement, int, str]]:
    """The code that says what a function's derivative is: block, first line and text."""
    found: dict[str, dict[int, str]] = {}
    for each in primitive.declarations:
        for line, text in statements(web.texts[each.file], each.line):
            found.setdefault(block_at(web, each.file, line).fence.id, {})[line] = text
    for id_, lines in found.items():
        texts = [text for _, text in sorted(lines.items())]
        yield web.places[id_], min(lines), ("\n\n\n" if len(texts) > 1 else "").join(texts)


def statements(text: str, line: int) -> Iterator[tuple[int, str]]:
    """The statement in a line of a module, and the functions of the module that it leads to."""
    tree = ast.parse(text)
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    pending = [each for each in tree.body if each.lineno <= line <= (each.end_lineno or 0)]
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


def name_text(here: Here, home: str, primitive: Primitive, entry: NameEntry | None) -> str:
    """A name without a description, linked to the line that names it, if one does."""
    said = f"`{primitive.name}`{{#{home}.{primitive.name}}}"
    return line_link(here, said, entry.block, entry.line) if entry else said
