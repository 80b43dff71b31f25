"""The search: what users type is answered by one of the first three pages, slips included."""

import json
from pathlib import Path
from typing import Any

import pytest
from browser import LOOKED_AT, Reader
from bs4 import BeautifulSoup

QUESTIONS = "reference/questions.html"
API = "reference/literate_ad.html"
TABLE = "reference/numpy.html"
EXTEND = "reference/extend.html"
ARTICLE = "articles/"

# What users type, and the address, or its beginning, that must be among the first three pages.
ASKED = {
    # setting out
    "install": QUESTIONS,
    "pip": QUESTIONS,
    "pip install": QUESTIONS,
    "autograd": QUESTIONS,
    "scipy": QUESTIONS,
    "minimize": QUESTIONS,
    "gradient descent": QUESTIONS,
    "optimizer": QUESTIONS,
    # what users meet
    "dict parameters": QUESTIONS,
    "list of parameters": QUESTIONS,
    "in-place assignment": QUESTIONS,
    "custom gradient": QUESTIONS,
    "nan": QUESTIONS,
    "float32": QUESTIONS,
    "dtype": QUESTIONS,
    "linalg": QUESTIONS,
    "norm": "articles/22-linear-algebra.html",
    "fft": QUESTIONS,
    "argnum": QUESTIONS,
    "second derivative": QUESTIONS,
    "directional derivative": QUESTIONS,
    "check gradient": QUESTIONS,
    # names
    "hessian": API,
    "grad": API,
    "jacobian": API,
    "value_and_grad": API,
    "make_jvp": API,
    "primitive": API,
    "defvjp": EXTEND,
    "VSpace": EXTEND,
    "backward_pass": "reference/core.html",
    "unbroadcast": "reference/numpy.rules.broadcasting.html",
    "sin": TABLE,
    "np.where": TABLE,
    "concatenate": TABLE,
    "einsum": TABLE,
    # ideas
    "reverse pass": ARTICLE,
    "broadcasting": ARTICLE,
    "cotangent": ARTICLE,
    "dynamic graph": ARTICLE,
    "topological order": ARTICLE,
    "dual numbers": ARTICLE,
    # the tools
    "weaving": "workshop/",
}
# Words with a slip, and the word that is meant.
SLIPS = {
    "jacobain": "jacobian",
    "hesian": "hessian",
    "gradeint": "gradient",
    "broadcsting": "broadcasting",
    "primitve": "primitive",
    "cotangant": "cotangent",
    "instal numpi": "instal numpy",
    "concatinate": "concatenate",
}

SEARCH = """async asked => {
    const box = document.querySelector("[data-md-component=search-query]");
    const meta = document.querySelector(".md-search-result__meta");
    const type = async (text, done) => {
        box.value = text;
        box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
        while (!done(meta.textContent)) await new Promise(next => setTimeout(next, 5));
    };
    const found = {};
    for (const text of asked) {
        await type("", said => said.includes("Type to"));
        await type(text, said => !said.includes("Type to"));
        const items = [...document.querySelectorAll(".md-search-result__item")];
        found[text] = items.map(item => item.querySelector("a").pathname.slice(1));
    }
    return found;
}"""


@pytest.fixture(scope="module")
def index(site: Path) -> list[dict[str, Any]]:
    """The entries of the index."""
    docs: list[dict[str, Any]] = json.loads(
        (site / "search" / "search_index.json").read_text(encoding="utf-8")
    )["docs"]
    return docs


def opened(reader: Reader) -> Any:
    """A page with its search open and ready."""
    page = reader("articles/03-grad.html")
    page.keyboard.press("/")
    page.get_by_text("Type to start searching").wait_for()
    return page


@LOOKED_AT
def test_what_users_type_is_answered_by_one_of_the_first_three_pages(reader: Reader) -> None:
    found = opened(reader).evaluate(SEARCH, list(ASKED))
    missed = {
        text: found[text][:3]
        for text, wanted in ASKED.items()
        if not any(page.startswith(wanted) for page in found[text][:3])
    }
    assert not missed


@LOOKED_AT
def test_a_word_with_a_slip_leads_to_the_word_that_is_meant(reader: Reader) -> None:
    page = opened(reader)
    box = page.locator("[data-md-component=search-query]")
    hint = page.locator(".search-hint")
    for typed, meant in SLIPS.items():
        box.fill("")
        box.press_sequentially(typed)
        hint.get_by_role("button", name=meant, exact=True).click()
        assert box.input_value() == meant
        page.locator(".md-search-result__item").first.wait_for()
        assert hint.is_hidden()
    for good in ("jacobian", "jacob", "value_and_grad", "sin", "zzzzzzzz"):
        box.fill("")
        box.press_sequentially(good)
        page.wait_for_timeout(100)
        assert hint.is_hidden(), good


@LOOKED_AT
def test_a_result_leads_to_its_place(reader: Reader) -> None:
    page = opened(reader)
    page.keyboard.type("value_and_grad")
    page.locator(".md-search-result__item a[href*='operators.value_and_grad']").first.click()
    page.wait_for_url("**/reference/literate_ad.html*#differential_operators.value_and_grad")
    assert page.locator("[id='differential_operators.value_and_grad']").is_visible()


def test_every_address_in_the_index_exists(
    index: list[dict[str, Any]], pages: dict[str, BeautifulSoup]
) -> None:
    ids = {name: {each["id"] for each in page.select("[id]")} for name, page in pages.items()}
    locations = [entry["location"] for entry in index]
    assert len(locations) == len({*locations})
    for location in locations:
        name, _, anchor = location.partition("#")
        assert not anchor or anchor in ids[name or "index.html"], location


def test_excerpts_are_words_and_code_without_the_signs_of_markdown(
    index: list[dict[str, Any]],
) -> None:
    for entry in index:
        text = BeautifulSoup(entry["text"], "html.parser")
        for code in text.select("code, pre"):
            code.decompose()
        assert "`" not in text.get_text() + entry["title"], entry["location"]
        assert "\N{PILCROW SIGN}" not in entry["title"]
        assert "Copied!" not in entry["text"]


def test_the_reference_weighs_more_than_articles_and_these_more_than_the_workshop(
    index: list[dict[str, Any]],
) -> None:
    boosts: dict[str, set[float]] = {}
    for entry in index:
        boosts.setdefault(entry["location"].partition("#")[0], set()).add(entry.get("boost", 1))
    assert all(len(each) == 1 for each in boosts.values())
    weight = {name: each.pop() for name, each in boosts.items()}
    articles = [each for name, each in weight.items() if name.startswith("articles/")]
    workshop = [each for name, each in weight.items() if name.startswith("workshop/")]
    assert articles
    assert workshop
    assert min(weight[QUESTIONS], weight[API], weight[TABLE], weight[EXTEND]) > max(articles)
    assert min(articles) > weight["source/index.html"] > max(workshop)
    assert not [name for name in weight if name.startswith("source/") and "index" not in name]
    assert "reference/names.html" not in weight


def test_pages_keep_no_mark_of_the_search(pages: dict[str, BeautifulSoup]) -> None:
    assert not [name for name, page in pages.items() if page.select("[data-search-exclude]")]


def test_code_of_the_engine_is_found_where_it_is_printed(index: list[dict[str, Any]]) -> None:
    found = [each["location"] for each in index if "heappop(" in each["text"]]
    assert any(location.startswith(ARTICLE) for location in found)
