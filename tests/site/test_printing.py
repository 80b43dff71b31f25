"""The book on paper: one page of all pages, and what Chromium makes of it."""

import re
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, LOOKED_AT, chromium
from bs4 import BeautifulSoup
from pypdf import PdfReader
from small_book import make_site_book
from test_site import SCRIPT

from literate_book.__main__ import main
from literate_book.publish import printing
from literate_book.publish.edition import Edition
from literate_book.publish.site import build
from literate_book.source.articles import read_book
from literate_book.source.config import book_root
from literate_book.weave.tangle import tangle

LONG = "long = " + " + ".join(f"number_{number}" for number in range(24))
FIRST = f"""\
# Sums

Here $x^2$.

To [the other page](second.md#two-parts), or [to its end](second.md).

```python {{#src-sums file="literate_ad/small.py"}}
def area(radius):
    \"\"\"What lies inside.\"\"\"
    return 3 * radius**2


# {LONG}
```

| a | b | c | d | e | f | g | h |
|---|---|---|---|---|---|---|---|
| {" | ".join(f"`module.submodule.function_{each}`" for each in "abcdefgh")} |

??? question "Is there an answer?"

    It was folded.
"""
SECOND = """\
# A second page

## Two parts

```mermaid
graph LR
    a["one"] --> b["two"]
```

Back to [the block](index.md#src-sums).
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small book, built."""
    texts = {"index.md": FIRST, "second.md": SECOND, "experiments/small.py": SCRIPT}
    root = make_site_book(tmp_path_factory.mktemp("book"), texts)
    tangle(root)
    assert build(root, root / "site") == 0
    return root


@pytest.fixture(scope="module")
def printed(book: Path) -> PdfReader:
    """The small book on paper."""
    page = book / "site" / "edition.html"
    page.write_text(Edition(book, book / "site").html())
    printing.to_pdf(page, book / "small.pdf")
    return PdfReader(book / "small.pdf")


def edition(root: Path, built: Path) -> BeautifulSoup:
    """The one page of a book."""
    return BeautifulSoup(Edition(root, built).html(), "html.parser")


def check_names(soup: BeautifulSoup) -> None:
    """Every name is given once, and whatever refers to one finds it."""
    names = [str(each["id"]) for each in soup.select("[id]")]
    assert len(names) == len(set(names)), {each for each in names if names.count(each) > 1}
    wanted = {str(each["href"])[1:] for each in soup.select('a[href^="#"]')}
    wanted |= {each for tag in soup.select("[aria-labelledby]") for each in of(tag)}
    values = [str(value) for tag in soup.find_all(True) for value in tag.attrs.values()]
    wanted |= {each for value in values for each in re.findall(r"url\(#([^)]+)\)", value)}
    assert wanted
    assert wanted <= set(names)


def of(tag: Any) -> list[str]:
    """The names of what a thing is called by."""
    return str(tag["aria-labelledby"]).split()


def test_the_whole_book_becomes_one_page(site: Path) -> None:
    root = book_root()
    soup = edition(root, site)
    check_names(soup)
    assert not soup.select("script, button, iframe")
    assert not soup.select("details:not([open])")
    titles = [each.get_text() for each in soup.select(".contents > ol > li > a")]
    assert len(titles) == len(soup.select("section.chapter"))
    figures = {str(each["id"]): each for each in soup.select("figure[id]")}
    for article in read_book(root):
        for fence in article.fences:
            if fence.is_source:
                key = article.path.removeprefix("docs/en/").removesuffix(".md")
                code = figures[f"{key}:{fence.id}"].pre
                assert code is not None
                assert code.get_text() == fence.body


def test_links_lead_to_where_they_led(book: Path) -> None:
    soup = edition(book, book / "site")
    check_names(soup)
    links = {each.get_text(): each["href"] for each in soup.select("section a[href]")}
    assert links["the other page"] == "#second:two-parts"
    assert links["to its end"] == "#second"
    assert links["the block"] == "#index:src-sums"
    order = [each["id"] for each in soup.select("section.chapter")]
    assert order == ["index", "second", "experiments/small"]
    assert not soup.select("a[download]")


@LOOKED_AT
def test_the_outline_is_that_of_the_book(printed: PdfReader) -> None:
    def titles(entries: Any) -> list[Any]:
        return [
            titles(each) if isinstance(each, list) else str(each.title).strip() for each in entries
        ]

    assert [each for each in titles(printed.outline) if isinstance(each, str)] == [
        "Contents",
        "Sums",
        "A second page",
        "Small",
    ]
    assert ["Two parts"] in titles(printed.outline)
    assert printed.metadata is not None
    assert printed.metadata.title == "Literate AD"
    assert printed.root_object["/MarkInfo"]["/Marked"]


@LOOKED_AT
def test_nothing_of_a_block_or_a_table_is_cut_off(printed: PdfReader) -> None:
    text = "".join("".join(page.extract_text() for page in printed.pages).split())
    assert "".join(LONG.split()) in text
    for each in "abcdefgh":
        assert f"module.submodule.function_{each}" in text
    assert "Itwasfolded." in text
    assert "allcheckspassed" in text
    assert "Copy" not in text


@LOOKED_AT
def test_every_page_but_the_first_has_its_number_and_the_title(printed: PdfReader) -> None:
    first, *others = [page.extract_text().split("\n") for page in printed.pages]
    assert first.count("Literate AD") == 1
    assert "1" not in first
    for number, lines in enumerate(others, 2):
        assert str(number) in lines
        assert "Literate AD" in lines


@LOOKED_AT
def test_links_of_the_print_lead_to_pages_of_it(printed: PdfReader) -> None:
    annotations = [each.get_object() for page in printed.pages for each in page.get("/Annots", ())]
    inside = [each for each in annotations if "/Dest" in each]
    assert len(inside) > 5
    assert {str(each["/Dest"]) for each in inside} <= {
        str(each) for each in printed.named_destinations
    }


@LOOKED_AT
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_printed_from_a_browser_is_black_on_white(book: Path, scheme: Any) -> None:
    with chromium() as browser:
        page = browser.new_page(color_scheme=scheme)
        page.goto((book / "site" / "second.html").as_uri())
        page.emulate_media(media="print")
        style = "(of, name) => getComputedStyle(document.querySelector(of))[name]"
        shown = page.evaluate(
            f"[['body', 'backgroundColor'], ['h1', 'color']].map(each => ({style})(...each))"
        )
        hidden = [".md-header", ".md-sidebar", ".md-footer", ".series", ".headerlink"]
        displays = page.evaluate(f"names => names.map(each => ({style})(each, 'display'))", hidden)
        page.set_viewport_size({"width": 660, "height": 900})
        beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        page.close()
    assert shown == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert displays == ["none"] * len(hidden)
    assert beyond <= 0


def test_without_a_browser_the_way_to_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(printing, "BROWSERS", ("no-such-browser",))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(printing, "print_book", lambda *_: printing.to_pdf(tmp_path, tmp_path))
    assert main(["print"]) == 1
    assert "apt-get install chromium" in capsys.readouterr().err


@LOOKED_AT
def test_a_book_is_printed_from_its_articles(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert CHROMIUM
    target = book / "whole.pdf"
    assert printing.print_book(book, target) == 0
    assert len(PdfReader(target).pages) >= 5
    told = capsys.readouterr().out
    assert "building the site" in told
    assert re.search(r"whole.pdf: [\d.]+ MB, in \d+ s", told)
    (book / "literate_ad/small.py").write_text("x = 1\n")
    target.unlink()
    assert printing.print_book(book, target) == 1
    assert not target.exists()
    tangle(book, discard=True)
