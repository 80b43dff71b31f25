"""The search: names are found where they are defined, words where they are explained."""

import json
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import LOOKED_AT, ROOT, Reader
from bs4 import BeautifulSoup
from test_site import ARTICLES

from literate_book.lookup.declarations import primitives
from literate_book.lookup.search import weights_of, without_repeats
from literate_book.weave.crossrefs import load_crossrefs

WEB = load_crossrefs(ROOT)
PRIMITIVES = primitives(None)


@pytest.fixture(scope="module")
def index(site: Path) -> dict[str, dict[str, Any]]:
    """The entries of the index by their addresses."""
    docs = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    found = {entry["location"]: entry for entry in docs}
    assert len(found) == len(docs), "an address stands in the index twice"
    return found


def place_of(id_: str) -> str:
    """The address of a block."""
    page = Path(WEB.places[id_].fence.article).relative_to("docs/en").with_suffix(".html")
    return f"{page}#{id_}"


def test_every_block_is_found_with_what_it_says(index: dict[str, dict[str, Any]]) -> None:
    for id_, place in WEB.places.items():
        entry = index[place_of(id_)]
        if not place.file.startswith("literate_book/"):
            assert place.fence.body.strip() in unescape(entry["text"])
    assert index[place_of("src-backward-pass")]["title"] == "backward_pass"
    assert "# core\n" in index[place_of("src-backward-pass")]["text"]
    assert index[place_of("src-tangle-tangle")]["text"].startswith("<p>book.tangle: ")


def test_every_address_in_the_index_exists(
    index: dict[str, dict[str, Any]],
    pages: dict[str, BeautifulSoup],
) -> None:
    ids = {name: {each["id"] for each in page.select("[id]")} for name, page in pages.items()}
    for location in index:
        name, _, anchor = location.partition("#")
        assert not anchor or anchor in ids[name], location


def test_a_declared_name_is_found_at_its_line(
    index: dict[str, dict[str, Any]],
    pages: dict[str, BeautifulSoup],
) -> None:
    found = {
        name: location
        for location, entry in index.items()
        if "\nelementwise(anp." in entry["text"] and len(entry["text"].splitlines()) == 2
        for name in entry["title"].split(", ")
    }
    assert {"sin", "exp", "sqrt", "tanh"} <= found.keys()
    for name, location in found.items():
        page, _, anchor = location.partition("#")
        line = pages[page].find(id=anchor)
        assert line is not None
        own_name = PRIMITIVES[name].own_name
        assert line.get_text().startswith(f"elementwise(anp.{own_name},")


def test_a_block_is_not_searched_twice(index: dict[str, dict[str, Any]]) -> None:
    line = WEB.places["src-backward-pass"].fence.body.split("\n")[0]
    held = [location for location, entry in index.items() if line in unescape(entry["text"])]
    assert held == [place_of("src-backward-pass")]


def test_pages_keep_no_mark_of_the_search(pages: dict[str, BeautifulSoup]) -> None:
    assert not [name for name, page in pages.items() if page.select("[data-search-exclude]")]


def test_what_is_left_out_of_the_sections() -> None:
    kept = '<figure class="listing"><figure class="checked snapshot">'
    assert without_repeats(kept) == kept
    for name in ("listing source", "drawing", "checked stepper"):
        figure = f'<figure class="{name}" id="x">'
        marked = f'<figure data-search-exclude="true" class="{name}" id="x">'
        assert without_repeats(figure) == marked


def test_a_name_weighs_more_than_those_that_begin_with_it() -> None:
    weights = weights_of(["sinh", "sin", "cos", "since", "sinhc"])
    assert weights == {"sinhc": 2, "sinh": 4, "since": 2, "sin": 6, "cos": 2}
    chain = sorted(weights_of(["a", "ab", "abc", "abcd"]).items())
    assert all(one > other for (_, one), (_, other) in pairwise(chain))


def test_the_names_page_is_not_searched_and_the_reference_stands_behind(
    index: dict[str, dict[str, Any]],
) -> None:
    assert not [location for location in index if location.startswith("reference/names")]
    boosts = {
        entry.get("boost")
        for location, entry in index.items()
        if location.startswith("reference/core")
    }
    assert boosts == {0.5}


QUERIES = {
    "backward_pass": "#src-backward-pass",
    "unbroadcast": "#src-unbroadcast",
    "sin": "#src-circular-functions-",
    "grad": "#src-grad",
    "VSpace": "#src-vspace",
    "make_vjp": "#src-make-vjp",
    "core.accumulate": "#src-accumulate",
    "tangle": "#src-tangle-tangle",
}


@LOOKED_AT
@pytest.mark.parametrize("query", QUERIES)
def test_a_reader_who_types_a_name_lands_on_its_block(query: str, reader: Reader) -> None:
    page = reader("index.html")
    page.keyboard.press("/")
    page.keyboard.type(query)
    # The page itself comes first in each group, then what was found in it.
    link = page.locator(".md-search-result__item").first.locator("a[href*='#']").first
    link.wait_for()
    assert QUERIES[query] in str(link.get_attribute("href"))
    link.click()
    page.wait_for_url(f"**{QUERIES[query]}*")
    page.wait_for_timeout(300)
    anchor = page.evaluate("decodeURIComponent(location.hash.slice(1))")
    top = page.evaluate("id => document.getElementById(id).getBoundingClientRect().top", anchor)
    assert 0 <= top < page.evaluate("innerHeight")


@LOOKED_AT
@pytest.mark.parametrize("words", ["reverse pass", "broadcasting", "cotangent"])
def test_words_are_found_in_articles(words: str, reader: Reader) -> None:
    page = reader("index.html")
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.locator(".md-search-result__item").first.wait_for()
    hrefs = [
        str(link.get_attribute("href"))
        for link in page.locator(".md-search-result__item > a").all()[:3]
    ]
    assert any("/articles/" in href for href in hrefs)
    assert len(ARTICLES) > 5


def test_experiments_are_found_by_their_words_alone(index: dict[str, dict[str, Any]]) -> None:
    found = [entry for place, entry in index.items() if place.startswith("experiments/")]
    assert found
    assert not [entry["title"] for entry in found if "\N{PILCROW SIGN}" in entry["title"]]
    assert not [entry["text"] for entry in found if "Copied!" in entry["text"]]
