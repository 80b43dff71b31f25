"""The index of names: complete, true to the line, and of use without a mouse or a script."""

import ast
import re
import symtable
from pathlib import Path

import numpy as np
import pytest
from browser import LOOKED_AT, ROOT, Reader
from bs4 import BeautifulSoup, Tag
from small_book import block, make_book

import literate_ad.numpy as anp
from literate_book.lookup.names import NameEntry, all_names
from literate_book.lookup.rules import Primitive, read_primitives
from literate_book.render.listings import module_of
from literate_book.weave.crossrefs import load_crossrefs
from literate_book.weave.tangle import tangle

WEB = load_crossrefs(ROOT)
ENTRIES = {entry.full: entry for entry in all_names(WEB, ROOT)}
FOUND = {each.name: each for each in read_primitives(WEB, ROOT)}
LINES = {file: text.splitlines() for file, text in WEB.texts.items()}


def bound(file: str) -> set[str]:
    """The names that a module binds and can be imported from it, as Python's own tables say.

    A variable of a loop is bound too, and is no name of the module.
    """
    text = WEB.texts[file]
    loops = [each for each in ast.parse(text).body if isinstance(each, ast.For)]
    passing = {
        each.id
        for loop in loops
        for each in ast.walk(loop)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    table = symtable.symtable(text, file, "exec")
    return {
        each.get_name()
        for each in table.get_symbols()
        if (each.is_assigned() or each.is_namespace())
        and not each.is_imported()
        and not each.get_name().startswith("_")
    } - passing


@pytest.mark.parametrize("file", sorted(WEB.modules))
def test_every_public_name_of_a_module_has_an_entry_and_no_other(file: str) -> None:
    found = [entry for entry in ENTRIES.values() if entry.home == module_of(file)]
    assert {entry.name for entry in found if not entry.primitive} == bound(file)


def starts(entry: NameEntry) -> str:
    """The line of the module that an entry names."""
    return LINES[entry.block.file][entry.line - 1]


def test_every_entry_names_the_line_that_defines_it_and_the_page_that_prints_it() -> None:
    for entry in ENTRIES.values():
        assert entry.block.first_line <= entry.line <= entry.block.last_line
        assert entry.explained[0] == entry.block.fence.article
        if not entry.primitive:
            name = re.escape(entry.name)
            wanted = rf"\s*(def|class) {name}\b|.*\b{name}\b[^=]*="
            assert re.match(wanted, starts(entry)), (entry.full, starts(entry))
        for name, place, line in entry.parts:
            text = LINES[place.file][line - 1]
            assert re.search(rf"\b{re.escape(name)}\b", text), (entry.full, name, text)


def test_every_function_that_numpy_has_is_accounted_for() -> None:
    for name, value in vars(anp).items():
        of_numpy = hasattr(np, name) and not name.startswith("_")
        plain = isinstance(value, type | type(np)) or not callable(value)
        assert (name in FOUND) == (of_numpy and not plain), name


@pytest.mark.parametrize("primitive", FOUND.values(), ids=lambda each: each.name)
def test_a_declared_name_leads_to_the_line_that_declares_it(primitive: Primitive) -> None:
    entry = ENTRIES.get(f"numpy.{primitive.name}")
    assert (entry is None) == (primitive.state == "missing")
    if entry:
        tree = ast.parse(WEB.texts[entry.block.file])
        around = next(node for node in tree.body if (node.end_lineno or 0) >= entry.line)
        text = starts(entry) if primitive.state == "constant" else ast.unparse(around)
        assert re.search(rf"\b{re.escape(primitive.own_name)}\b", text)


def test_uses_and_explanations_of_a_small_book(tmp_path: Path) -> None:
    root = make_book(
        tmp_path,
        a="# A\n\n" + block("one", "def one():\n    return 1\n") + "\n`one` is printed here.\n",
        b="# B\n\n"
        + block(
            "two", "from literate_ad.core import one\n\n\ndef two():\n    return one()\n", "x.py"
        )
        + "\nBehind `core.one()` there is a number.\n",
        c="# C\n\n```python\nfrom literate_ad.x import two\n\ntwo()\n```\n\n"
        "See [the block](b.md#src-two).\n",
    )
    tangle(root)
    found = {each.full: each for each in all_names(load_crossrefs(root), root)}
    places = {
        name: (each.line, each.users, short(each.articles), short(each.explained))
        for name, each in found.items()
    }
    assert places == {
        "core.one": (4, [("src-two", "two")], "", "ab"),
        "x.two": (7, [], "c", "bc"),
    }


def short(paths: list[str]) -> str:
    """The articles of the small book by their letters."""
    return "".join(Path(path).stem for path in paths)


def test_a_name_with_two_homes_is_the_one_that_the_article_prints() -> None:
    core, operators = ENTRIES["core.make_vjp"], ENTRIES["differential_operators.make_vjp"]
    assert "docs/en/articles/03-grad.md" in core.explained
    assert "docs/en/articles/03-grad.md" not in operators.explained


def test_the_page_shows_every_entry_once_with_a_link_to_its_line(
    pages: dict[str, BeautifulSoup],
) -> None:
    terms = pages["reference/names.html"].select("dl > dt")
    assert sorted(str(term.select("[id]")[0]["id"]) for term in terms) == sorted(ENTRIES)
    lines = {
        f"../{name}#{line['id']}": line.get_text().rstrip("\n")
        for name, page in pages.items()
        for line in page.select("figure.source pre [id]")
    }
    for term in terms:
        entry = ENTRIES[str(term.select("[id]")[0]["id"])]
        place = term.find_next_sibling("dd")
        assert isinstance(place, Tag)
        assert lines[str(place.select("a")[0]["href"])] == starts(entry), entry.full


def test_letters_lead_to_their_names_in_order(pages: dict[str, BeautifulSoup]) -> None:
    page = pages["reference/names.html"]
    bars = page.select("p.letters")
    assert len(bars) == 2
    for bar in bars:
        names = []
        for link in bar.select("a"):
            head = page.find(id=str(link["href"])[1:])
            assert isinstance(head, Tag)
            group = head.find_next_sibling("dl")
            assert isinstance(group, Tag)
            terms = [term.get_text() for term in group.select("dt")]
            assert {term[0].upper() for term in terms} == {link.get_text()}
            names += terms
        assert names == sorted(names, key=str.lower)


def test_no_name_of_the_tools_has_an_entry() -> None:
    assert {entry.block.file.split("/")[0] for entry in ENTRIES.values()} == {"literate_ad"}


@LOOKED_AT
def test_the_page_of_names_works_by_keyboard_without_a_script(reader: Reader) -> None:
    size = {"width": 360, "height": 800}
    page = reader("reference/names.html", java_script_enabled=False, viewport=size)
    letter = page.locator(".letters a", has_text="B").first
    letter.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#own-B")
    place = page.locator("#own-B + dl a").first
    place.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#src-**")
