"""The reference: every public name, none that does not exist, and every example has run."""

import ast
import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from browser import ROOT
from bs4 import BeautifulSoup, Tag

import literate_ad
import literate_ad.numpy as anp
from literate_ad.core import primitive_jvps, primitive_vjps
from literate_ad.numpy import numpy_wrapper
from literate_book.lookup.declarations import Primitive, primitives
from literate_book.lookup.names import Entry
from literate_book.lookup.names_section import NUMPY, NamesSection
from literate_book.lookup.pages import Leaf
from literate_book.lookup.showing import difference, example, session

SECTION = NamesSection(ROOT)
API = SECTION.api
HOMES = sorted(API.modules)
PAGES = {path: leaf for path, leaf in SECTION.pages.items() if not path.endswith("names.md")}


def module(home: str) -> ModuleType:
    """A module of the engine, by its name below the package."""
    return importlib.import_module(f"literate_ad.{home}".rstrip("."))


def described() -> Iterator[tuple[str, Entry]]:
    """Every description: the page that it stands on, and the name."""
    for home in HOMES:
        yield from ((API.page_of(entry), entry) for entry in API.public(home))


def ids(leaf: Leaf) -> list[str]:
    """The names that a page describes."""
    return [each.get("id", "") for each in leaf.body.iter() if "." in each.get("id", "")]


@pytest.mark.parametrize("home", [home for home in HOMES if home != NUMPY])
def test_a_module_offers_what_can_be_imported_from_it(home: str) -> None:
    names = getattr(module(home), "__all__", None)
    offered = {entry.name for entry in API.public(home)}
    if names is not None:
        assert offered == set(names)
        return
    for name, value in vars(module(home)).items():
        own = getattr(value, "__module__", "") == module(home).__name__
        if own and getattr(value, "__name__", "") == name and not name.startswith("_"):
            assert name in offered, name
    assert all(hasattr(module(home), name) for name in offered)


def test_every_name_is_described_on_one_page() -> None:
    written = [id_ for leaf in PAGES.values() for id_ in ids(leaf) if f"numpy.{id_}" != id_]
    written = [id_ for id_ in written if not re.fullmatch(r"numpy\.\w+", id_)]
    assert len(written) == len(set(written))
    assert set(written) == {entry.full for _, entry in described() if "." in entry.full}


def test_no_page_describes_what_does_not_exist() -> None:
    for leaf in PAGES.values():
        for id_ in ids(leaf):
            home, _, name = id_.rpartition(".")
            assert hasattr(module(home), name), id_


def test_every_name_of_numpy_stands_in_its_section() -> None:
    page = PAGES["reference/numpy.md"].body
    shown = {
        str(each.get("id")).removeprefix("numpy."): section[0].get("id")
        for section in page.iterfind("section")
        for each in section.iter()
        if str(each.get("id")).startswith("numpy.")
    }
    wanted = {name: state(name) for name in vars(anp) if is_function_of_numpy(name)}
    assert shown == wanted
    assert set(wanted.values()) == {"rule", "composed", "constant", "missing"}


def is_function_of_numpy(name: str) -> bool:
    """Whether a name of ours is a function that NumPy has too."""
    value = getattr(anp, name)
    plain = isinstance(value, type | ModuleType) or not callable(value)
    return hasattr(np, name) and not plain and not name.startswith("_")


def state(name: str) -> str:
    """What became of a function of NumPy, asked of the engine that runs here."""
    fun, raw = getattr(anp, name), getattr(np, name)
    if raw in numpy_wrapper.notrace_functions:
        return "constant"
    if fun in primitive_vjps or fun in primitive_jvps:
        return "rule"
    return "missing" if hasattr(fun, "fun") else "composed"


@pytest.mark.parametrize("name", literate_ad.__all__)
def test_the_signature_is_that_of_the_call(name: str) -> None:
    fun = getattr(literate_ad, name)
    entry = next(entry for entry in API.public("") if entry.name == name)
    text = signature_on(PAGES["reference/literate_ad.md"], entry.full)
    tree = ast.parse(f"def {text}: ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    shown = [each.arg for each in tree.args.args]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = inspect.signature(fun, follow_wrapped=name == "primitive").parameters.values()
    assert shown == [each.name for each in parameters if each.kind is kind]


def signature_on(leaf: Leaf, full: str) -> str:
    """The signature in a description."""
    section = next(each for each in leaf.body.iterfind("section") if each[0].get("id") == full)
    box = next(each for each in section.iterfind("div") if "signature" in each.get("class", ""))
    return "".join(box.itertext())


def test_everything_says_what_it_is() -> None:
    for _, entry in described():
        member = API.member(entry)
        assert member.is_attribute or member.docstring, entry.full


WITH_EXAMPLES = ["", "extend", "tracer", "util", "numpy.numpy_vjps"]


@pytest.mark.parametrize("home", WITH_EXAMPLES)
def test_what_others_import_has_an_example(home: str) -> None:
    for entry in API.public(home):
        member = API.member(entry)
        assert member.is_attribute or ">>> " in member.docstring.value, entry.full  # type: ignore[union-attr]


def sessions(leaf: Leaf) -> list[str]:
    """The examples on a page."""
    found = []
    for figure in leaf.body.iter("figure"):
        if "source" not in figure.get("class", ""):
            found += ["".join(box.itertext()) for box in figure.iterfind("div")]
    return found


def complaints(text: str) -> str:
    """What is wrong with an example that is run where nothing has been imported."""
    test = doctest.DocTestParser().get_doctest(text, {}, "example", None, 0)
    assert test.examples
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("path", PAGES)
def test_every_example_shown_runs_as_it_stands(path: str) -> None:
    assert not [told for text in sessions(PAGES[path]) if (told := complaints(text))]


def test_an_example_with_another_answer_is_told() -> None:
    text = sessions(PAGES["reference/numpy.md"])[0]
    assert not complaints(text)
    assert "Expected" in complaints(re.sub(r"\d\.\d*", "99.0", text.rstrip()))


RULES = [each for each in primitives(None).values() if each.session]


@pytest.mark.parametrize("primitive", RULES, ids=lambda each: each.name)
def test_a_derivative_shown_agrees_with_the_difference_shown(primitive: Primitive) -> None:
    answer = eval(primitive.session[-1], {"np": np, "array": np.array})
    slopes = ast.literal_eval(primitive.difference)
    pairs = zip(answer, slopes, strict=True) if type(answer) is tuple else [(answer, slopes)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, atol=2e-6)
        assert np.any(np.asarray(other) != 0) or primitive.own_name in SELECTING


# Of two arguments these pass one on, so one derivative in the example is zero.
SELECTING = {"maximum", "minimum", "fmax", "fmin", "remainder", "stack", "concatenate"}


def test_a_wrong_rule_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anp, "sin", anp.cos)
    *_, answer = session("np.sin", "0.7")
    assert eval(answer, {"np": np}) != pytest.approx(float(difference("np.sin", "0.7")))


def test_an_example_uses_the_name_that_it_is_for() -> None:
    assert example("abs", "absolute", 1) == ("np.abs", "0.7")
    assert example("acosh", "arccosh", 1) == ("np.acosh", "1.7")
    assert example("power", "power", 2) == ("np.power", "0.7", "1.3")


@pytest.mark.parametrize("primitive", RULES, ids=lambda each: each.name)
def test_a_rule_is_shown_by_the_code_that_declares_it(primitive: Primitive) -> None:
    section = section_of(primitive.own_name)
    texts = [
        "".join("".join(box.itertext()) for box in figure.iterfind("div"))
        for figure in section.iter("figure")
        if "source" in figure.get("class", "")
    ]
    assert texts
    assert any(re.search(rf"\b{primitive.own_name}\b", text) for text in texts)
    for text in texts:
        ast.parse(text)
        for line in filter(None, text.split("\n")):
            assert any(line in source for source in API.files.values()), line


def section_of(own_name: str) -> Any:
    """The description of a function of NumPy."""
    body = PAGES["reference/numpy.md"].body
    return next(
        each
        for each in body.iter("section")
        if each.get("class") == "api" and each[0].get("id") == f"numpy.{own_name}"
    )


def test_arguments_with_derivatives_are_named() -> None:
    def said(own_name: str) -> str:
        return "".join(section_of(own_name)[1].itertext())

    assert said("sin") == "Reverse and forward rule for argument 0 (x)."
    assert said("where") == "Reverse and forward rule for argument 1 (x) and argument 2 (y)."


def test_the_pages_are_in_the_site(pages: dict[str, BeautifulSoup]) -> None:
    for path, leaf in PAGES.items():
        page = pages[path.replace(".md", ".html")]
        contents = {str(a["href"]) for a in page.select(".md-nav--secondary a[href^='#']")}
        for _, id_, _ in leaf.headings:
            assert page.find(id=id_), id_
            assert f"#{id_}" in contents, id_


def test_an_example_can_be_copied(pages: dict[str, BeautifulSoup]) -> None:
    section = pages["reference/literate_ad.html"].find(id="differential_operators.grad")
    assert isinstance(section, Tag)
    button = section.find_next("button")
    assert isinstance(button, Tag)
    assert "from literate_ad import grad" in str(button["data-clipboard-text"])
    assert ">>>" not in str(button["data-clipboard-text"])
