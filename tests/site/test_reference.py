"""The reference: every public name, none that does not exist, and every example has run."""

import ast
import dataclasses
import doctest
import importlib
import inspect
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

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
from literate_book.lookup.rules import Engine, Primitive, read_primitives, read_settings
from literate_book.lookup.site import LookupSite
from literate_book.weave.crossrefs import load_crossrefs
from literate_book.weave.tangle import tangle

WEB = load_crossrefs(ROOT)
REFERENCE = Reference(WEB, all_names(WEB, ROOT))
HOMES = sorted(REFERENCE.modules)
PRIMITIVES = read_primitives(WEB, ROOT)
RULES = [each for each in PRIMITIVES.values() if each.session]
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


@pytest.mark.parametrize("home", [home for home in HOMES if home != "numpy"])
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
    if raw in numpy_wrapper.notrace_functions:
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
    assert heads == ["package", "extend", "numpy.numpy_vjps", "numpy", "internals"]
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
    assert len(examples) > 100
    assert not [(name, told) for text, name in examples.items() if (told := complaints(text))]
    wrong = next(text for text, name in examples.items() if name == TABLE)
    assert "Expected" in complaints(re.sub(r"\d\.\d*", "99.0", wrong.rstrip()))


def slope(fun: Any, args: list[Any], place: int, step: float = 1e-5) -> Any:
    """The derivative with respect to each number of one argument, by differences."""
    value = np.asarray(args[place], dtype=float)
    found = np.zeros(value.shape)
    for index in np.ndindex(*value.shape):
        ends = []
        for sign in (1, -1):
            moved = value.copy()
            moved[index] += sign * step
            ends.append(fun(*args[:place], moved[()], *args[place + 1 :]))
        found[index] = float(ends[0] - ends[1]) / (2 * step)
    return found


@pytest.mark.parametrize("primitive", RULES, ids=lambda each: each.name)
def test_a_derivative_shown_agrees_with_a_difference(primitive: Primitive) -> None:
    answer = eval(primitive.session[-1], {"np": np, "array": np.array})
    call = primitive.session[-2].removeprefix(">>> grad")
    lines = [line.removeprefix(">>> ") for line in primitive.session[2:-2]]
    names: dict[str, Any] = {"np": np}
    exec("\n".join(lines), names)
    tree = ast.parse(f"grad{call}", mode="eval").body
    assert isinstance(tree, ast.Call)
    assert isinstance(tree.func, ast.Call)
    fun = eval(ast.unparse(tree.func.args[0]), names)
    args = [eval(ast.unparse(each), names) for each in tree.args]
    answers = answer if type(answer) is tuple else (answer,)
    for place, one in enumerate(answers):
        other = slope(fun, args, place)
        np.testing.assert_allclose(one, other, atol=2e-6)
        assert np.any(other != 0) or primitive.own_name in SELECTING


# Of two arguments these pass one on, so one derivative in the example is zero.
SELECTING = {"maximum", "minimum", "fmax", "fmin", "remainder", "stack", "concatenate"}


def is_rule(part: Tag) -> bool:
    """Whether an element is the listing of a rule."""
    return "rule" in part.get("class", [])


def test_a_rule_is_shown_by_the_code_that_declares_it(pages: Pages) -> None:
    for primitive in RULES:
        section = part(pages[TABLE], f"numpy.{primitive.own_name}")
        texts = [box.get_text() for each in section if is_rule(each) for box in each.select("pre")]
        assert texts or primitive.state == "composed", primitive.name
        if primitive.state == "rule":
            assert any(re.search(rf"\b{primitive.own_name}\b", text) for text in texts)
        for text in texts:
            ast.parse(text)
            for line in filter(None, text.split("\n")):
                assert any(line in source for source in WEB.texts.values()), line


def test_arguments_with_derivatives_are_named(pages: Pages) -> None:
    def said(own_name: str) -> str:
        return part(pages[TABLE], f"numpy.{own_name}")[0].get_text()

    assert said("sin") == "Reverse and forward rule for argument 0 (x)."
    assert said("where") == "Reverse and forward rule for argument 1 (x) and argument 2 (y)."


def test_an_example_uses_the_name_that_it_is_for() -> None:
    sessions = {each.name: each.session[-2] for each in RULES}
    assert sessions["abs"] == ">>> grad(np.abs)(0.7)"
    assert sessions["arccosh"] == ">>> grad(np.arccosh)(1.7)"
    assert sessions["power"] == ">>> grad(np.power, (0, 1))(0.7, 1.3)"


def test_an_example_can_be_copied(pages: Pages) -> None:
    for each in part(pages["reference/literate_ad.html"], "differential_operators.grad"):
        if ">>>" in each.get_text():
            copied = str(each.select("button")[0]["data-clipboard-text"])
            assert "from literate_ad import grad" in copied
            assert ">>>" not in copied


@pytest.mark.parametrize("setting", ["reverse", "forward", "wrappers", "constants"])
def test_a_name_that_the_engine_has_not_is_a_clear_complaint(setting: str) -> None:
    settings = read_settings(ROOT)
    assert settings
    wrong = dataclasses.replace(settings, **{setting: "core.elsewhere"})
    with pytest.raises(SystemExit, match=r"docs/rules.toml: the package has no core.elsewhere"):
        Engine(ROOT, wrong)


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
