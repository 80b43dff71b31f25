"""The reference: every public name, none that does not exist, and every example has run."""

import ast
import doctest
import importlib
import inspect
import re
import shutil
from pathlib import Path
from types import ModuleType

import griffe
import numpy as np
import pytest
from browser import ROOT
from bs4 import BeautifulSoup, Tag

import literate_ad
import literate_ad.numpy as anp
from literate_ad.core import primitive_jvps, primitive_vjps
from literate_ad.numpy import numpy_wrapper
from literate_book.lookup.names import NameEntry, all_names
from literate_book.lookup.reference import Reference
from literate_book.lookup.rules import Engine, read_primitives
from literate_book.lookup.site import LookupSite
from literate_book.weave.crossrefs import load_crossrefs
from literate_book.weave.tangle import tangle

WEB = load_crossrefs(ROOT)
REFERENCE = Reference(WEB, all_names(WEB, ROOT))
HOMES = sorted(REFERENCE.modules)
PRIMITIVES = read_primitives(WEB, ROOT)
TABLE = "reference/numpy.html"
Pages = dict[str, BeautifulSoup]


@pytest.fixture(scope="module")
def reference(pages: Pages) -> Pages:
    """The pages that the reference is made of."""
    written = {f"reference/{name}.html" for name in ("names", "questions", "glossary")}
    return {
        name: page
        for name, page in pages.items()
        if name.startswith("reference/") and name not in written
    }


def module(home: str) -> ModuleType:
    """A module of the engine, by its name below the package."""
    return importlib.import_module(f"literate_ad.{home}".rstrip("."))


def address(entry: NameEntry) -> str:
    """The page that describes a name."""
    return REFERENCE.page_of(entry).removeprefix("docs/en/").replace(".md", ".html")


def described() -> dict[str, NameEntry]:
    """Every name that has a description."""
    return {entry.full: entry for home in HOMES for entry in REFERENCE.public(home)}


def part(page: BeautifulSoup, id_: str) -> list[Tag]:
    """What stands below a heading, up to the next one."""
    head = page.find(id=id_)
    assert isinstance(head, Tag), id_
    found = []
    for each in head.find_next_siblings():
        if each.name in ("h2", "h3"):
            break
        found.append(each)
    return found


# Filled with NumPy's functions when they are imported, which no source shows.
NAMESPACES = {"numpy", "numpy.fft", "numpy.linalg"}


@pytest.mark.parametrize("home", [home for home in HOMES if home not in NAMESPACES])
def test_a_module_offers_what_can_be_imported_from_it(home: str) -> None:
    names = getattr(module(home), "__all__", None)
    offered = {entry.name for entry in REFERENCE.public(home)}
    if names is not None:
        assert offered == set(names)
        return
    for name, value in vars(module(home)).items():
        own = getattr(value, "__module__", "") == module(home).__name__
        if own and getattr(value, "__name__", "") == name and not name.startswith("_"):
            assert name in offered, name
    assert all(hasattr(module(home), name) for name in offered)


def test_every_name_is_described_once_and_nothing_else_is(reference: Pages) -> None:
    shown = [
        (name, str(head["id"]))
        for name, page in reference.items()
        for head in page.select("article h2[id]")
        if name not in (TABLE, "reference/index.html") and head["id"] != "elsewhere"
    ]
    assert sorted(shown) == sorted((address(entry), full) for full, entry in described().items())


def test_no_description_is_of_a_tool(reference: Pages) -> None:
    assert not [name for name in reference if "book" in name]
    assert not [entry for entry in described().values() if "literate_book" in entry.block.file]


def test_every_function_of_numpy_stands_in_its_section(pages: Pages) -> None:
    state, shown = "", {}
    for each in pages[TABLE].select("article [id]"):
        if each.name == "h2":
            state = str(each["id"])
        elif str(each["id"]).startswith("numpy."):
            shown[str(each["id"]).removeprefix("numpy.")] = state
    wanted = {name: state_of(name) for name in vars(anp) if is_function_of_numpy(name)}
    assert shown == wanted
    assert set(wanted.values()) == {"rule", "composed", "constant", "missing"}


def is_function_of_numpy(name: str) -> bool:
    """Whether a name of ours is a function that NumPy has too."""
    value = getattr(anp, name)
    plain = isinstance(value, type | ModuleType) or not callable(value)
    return hasattr(np, name) and not plain and not name.startswith("_")


def state_of(name: str) -> str:
    """What became of a function of NumPy, in the engine that runs here."""
    fun, raw = getattr(anp, name), getattr(np, name)
    if raw in [*numpy_wrapper.notrace_functions, *numpy_wrapper.constant_functions]:
        return "constant"
    if fun in primitive_vjps or fun in primitive_jvps:
        return "rule"
    return "missing" if hasattr(fun, "fun") else "composed"


@pytest.mark.parametrize("name", literate_ad.__all__)
def test_the_signature_is_that_of_the_call(name: str, pages: Pages) -> None:
    entry = next(entry for entry in REFERENCE.public("") if entry.name == name)
    (box,) = (
        found
        for each in part(pages["reference/literate_ad.html"], entry.full)
        if "signature" in each.get("class", []) and (found := each.select_one("pre"))
    )
    tree = ast.parse(f"def {box.get_text().strip()}: ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    fun = getattr(literate_ad, name)
    found = inspect.signature(fun, follow_wrapped=name == "primitive").parameters.values()
    assert [each.arg for each in tree.args.args] == [e.name for e in found if e.kind is kind]


USERS = [entry for home in REFERENCE.faces for entry in REFERENCE.public(home)]
KINDS = griffe.DocstringSectionKind


@pytest.mark.parametrize("entry", USERS, ids=lambda entry: entry.full)
def test_what_users_import_documents_its_parameters_its_results_and_an_example(
    entry: NameEntry,
) -> None:
    member = REFERENCE.member(entry)
    assert member.docstring
    assert ">>> " in member.docstring.value
    if not isinstance(member, griffe.Function):
        return
    said = {part.kind: part.value for part in member.docstring.parsed}
    home = entry.home if entry.home != "" else "literate_ad"
    fun = getattr(module(home), entry.name)
    wrapped = "unary_to_nary" not in [str(each.value) for each in member.decorators]
    names = list(inspect.signature(fun, follow_wrapped=wrapped).parameters)
    told = [each.name for each in said[KINDS.parameters]]
    assert told == [name for name in names if not name.startswith("operator_")]
    assert KINDS.returns in said or str(member.returns) == "None"


def test_parameters_and_results_are_on_the_page(pages: Pages) -> None:
    section = part(pages["reference/literate_ad.html"], "differential_operators.grad")
    heads = [each.get_text() for each in section if "head" in each.get("class", [])]
    assert heads == ["Parameters", "Returns", "Raises"]
    first = next(each for each in section if each.name == "dl")
    assert [term.get_text() for term in first.select("dt")] == ["fun", "argnum"]
    assert any("that returns the gradient" in each.get_text() for each in section)
    assert "tuple of positions" in first.get_text()


def test_everything_has_a_docstring() -> None:
    for entry in described().values():
        member = REFERENCE.member(entry)
        assert member.is_attribute or member.docstring, entry.full


def test_functions_come_before_modules_and_internals_are_apart(pages: Pages) -> None:
    page = pages["reference/index.html"]
    heads = [str(head["id"]) for head in page.select("article h2")]
    assert heads == ["package", "extend", "numpy", "internals"]
    first = next(each for each in part(page, "package") if each.name == "dl")
    names = [term.get_text() for term in first.select("dt")]
    assert sorted(names) == sorted(literate_ad.__all__)
    internal = next(each for each in part(page, "internals") if each.name == "dl")
    modules = {term.get_text() for term in internal.select("dt")}
    assert "literate_ad.core" in modules
    assert not modules & {"literate_ad", "literate_ad.extend"}


def test_names_in_words_lead_to_their_descriptions(reference: Pages) -> None:
    links = reference["reference/literate_ad.html"].select("article a[href*='#']")
    assert "extend.html#core.defvjp" in [link["href"] for link in links]
    for link in links:
        name, _, anchor = str(link["href"]).partition("#")
        if "/" not in name and not link.get("class"):
            page = reference[f"reference/{name}" if name else "reference/literate_ad.html"]
            assert page.find(id=anchor), link


def sessions(page: BeautifulSoup) -> list[str]:
    """The examples on a page."""
    found = [box.get_text() for box in page.select("figure.listing pre")]
    return [text for text in found if text.startswith(">>> ")]


def complaints(text: str) -> str:
    """What is wrong with an example that is run where nothing has been imported."""
    test = doctest.DocTestParser().get_doctest(text, {}, "example", None, 0)
    assert test.examples
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return "".join(said)


def test_every_example_shown_runs_as_it_stands(reference: Pages) -> None:
    examples = {text: name for name, page in reference.items() for text in sessions(page)}
    assert len(examples) > 60
    assert not [(name, told) for text, name in examples.items() if (told := complaints(text))]
    wrong = next(text for text in examples if re.search(r"\n\d\.\d*", text))
    assert "Expected" in complaints(re.sub(r"\n\d\.\d*", "\n99.0", wrong.rstrip()))


def test_a_rule_is_linked_to_the_line_that_declares_it(pages: Pages) -> None:
    links = pages[TABLE].select("table a")
    rules = {each.own_name: each for each in PRIMITIVES if each.state == "rule"}
    assert len(links) == len(rules)
    for primitive, link in zip([rules[name] for name in sorted(rules)], links, strict=True):
        page, _, line = str(link["href"]).removeprefix("../").partition("#")
        shown = pages[page].find(id=line)
        assert isinstance(shown, Tag)
        text = WEB.texts[primitive.file].split("\n")[primitive.line - 1]
        assert shown.get_text().rstrip("\n") == text, primitive.name


def test_arguments_with_derivatives_are_named(pages: Pages) -> None:
    def said(name: str) -> list[str]:
        row = next(row for row in pages[TABLE].select("tbody tr") if row.find(id=f"numpy.{name}"))
        return [cell.get_text() for cell in row.select("td")][:3]

    assert said("sin") == ["sin", "x", "x"]
    assert said("where") == ["where", "x, y", "x, y"]
    assert said("abs") == ["absolute, abs", "x", "x"]
    for row in pages[TABLE].select("tbody tr"):
        assert any(cell.get_text() for cell in row.select("td")[1:3]), row


def test_an_example_can_be_copied(pages: Pages) -> None:
    for each in part(pages["reference/literate_ad.html"], "differential_operators.grad"):
        if ">>>" in each.get_text():
            copied = str(each.select("button")[0]["data-clipboard-text"])
            assert "from literate_ad import grad" in copied
            assert ">>>" not in copied


@pytest.mark.parametrize("setting", ["reverse", "forward", "wrappers", "constants"])
def test_a_name_that_the_engine_has_not_is_a_clear_complaint(setting: str) -> None:
    wrong = ["core.elsewhere"] if setting == "constants" else "core.elsewhere"
    with pytest.raises(SystemExit, match=r"book.rules\]: the package has no core.elsewhere"):
        Engine(ROOT, WEB.config.rules | {setting: wrong})


def test_another_book_has_its_pages_and_no_table_of_numpy(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tests/book/data/brick", tmp_path, dirs_exist_ok=True)
    tangle(tmp_path)
    pages = {path: page.source for path, page in LookupSite(tmp_path).paths.items()}
    assert set(pages) == {
        *("reference/index.md", "reference/names.md", "reference/brick.md"),
        *("reference/wall.md", "source/index.md", "source/brick.md", "source/wall.md"),
    }
    assert "[`bricks`](wall.md#wall.bricks)" in pages["reference/brick.md"]
    assert "weight(rows: int, length: int, brick: float = 2.5)" in pages["reference/wall.md"]
    assert not [path for path, text in pages.items() if "literate_ad" in text or "NumPy" in text]
