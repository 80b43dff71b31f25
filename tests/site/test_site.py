"""The built site, as its readers get it: strict, self-contained, true to the package."""

import ast
import json
import re
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from browser import CONFIG, ROOT, WRITTEN, address
from bs4 import BeautifulSoup
from small_book import make_site_book, write

from literate_book.check.experiments import LAST_LINE
from literate_book.publish.site import build
from literate_book.source.articles import read_book
from literate_book.source.config import load_config
from literate_book.weave.assemble import assemble
from literate_book.weave.tangle import tangle

EXPERIMENTS = sorted((ROOT / CONFIG.experiments).glob("*.py"))
ARTICLES = read_book(ROOT)


# What a browser fetches without being asked.
FETCHED = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "object": "data",
    "embed": "src",
    "use": "href",
    "image": "href",
}
FOREIGN = re.compile(r"^(?:https?:)?//", re.IGNORECASE)
URL = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s;]+)""")
# Hosts that the theme's script names for features which need a mark on the page to wake up.
ASLEEP = {
    "unpkg.com": ".mermaid",
    "api.github.com": '[data-md-component="source"]',
    "gitlab.com": '[data-md-component="source"]',
}


def fetched(soup: BeautifulSoup) -> Iterator[str]:
    """The addresses that a page fetches by itself."""
    for tag, attribute in FETCHED.items():
        yield from (str(each[attribute]) for each in soup.find_all(tag, attrs={attribute: True}))
    for each in soup.select("[srcset]"):
        yield from (part.split()[0] for part in str(each["srcset"]).split(","))
    for each in soup.select("[style]"):
        yield from URL.findall(str(each["style"]))
    for each in soup.find_all("style"):
        yield from URL.findall(each.get_text())
    for each in soup.find_all("script", src=False):
        yield from re.findall(r"""["'`]((?:https?:)?//[^"'`]+)""", each.get_text())


def test_no_page_fetches_anything_from_another_host(pages: dict[str, BeautifulSoup]) -> None:
    found = {
        (name, each)
        for name, soup in pages.items()
        for each in fetched(soup)
        if FOREIGN.match(each)
    }
    assert not found


def test_no_style_sheet_fetches_anything_from_another_host(site: Path) -> None:
    sheets = list(site.rglob("*.css"))
    found = {
        (sheet.name, each)
        for sheet in sheets
        for each in URL.findall(sheet.read_text())
        if FOREIGN.match(each)
    }
    assert sheets
    assert not found


def test_no_script_has_a_reason_to_call_another_host(
    site: Path, pages: dict[str, BeautifulSoup]
) -> None:
    text = "".join(path.read_text() for path in site.rglob("*.js"))
    hosts = set(re.findall(r"""["'`](?:https?:)?//([\w.-]+\.[a-z]{2,})""", text))
    assert hosts - {"www.w3.org"} <= ASLEEP.keys()
    for name, soup in pages.items():
        for selector in ASLEEP.values():
            assert not soup.select(selector), (name, selector)


def test_every_link_leads_somewhere(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    ids = {name: {each["id"] for each in soup.select("[id]")} for name, soup in pages.items()}
    broken = []
    for name, soup in pages.items():
        for link in soup.select("a[href]"):
            url, anchor = urldefrag(urljoin(f"/{name}", str(link["href"])))
            if urlsplit(url).scheme:
                continue
            target = unquote(url).lstrip("/") or "index.html"
            exists = (site / target).is_file()
            if not exists or (anchor and target in ids and unquote(anchor) not in ids[target]):
                broken.append((name, link["href"]))
    assert not broken


def test_every_id_is_given_once_on_a_page(pages: dict[str, BeautifulSoup]) -> None:
    for name, soup in pages.items():
        ids = [str(each["id"]) for each in soup.select("[id]")]
        assert len(ids) == len(set(ids)), (name, {each for each in ids if ids.count(each) > 1})


def test_buttons_to_copy_can_be_told_apart(pages: dict[str, BeautifulSoup]) -> None:
    for name, soup in pages.items():
        labels = [str(button["aria-label"]) for button in soup.select("article button.copy")]
        assert len(labels) == len(set(labels)), name
        listings = soup.select("figure.listing:not(.output)")
        assert len(labels) == len(listings), name


def test_what_is_copied_is_python(pages: dict[str, BeautifulSoup]) -> None:
    listings = "figure.listing:is(.source, .ablation, :has(.gp)) > button.copy"
    for name in WRITTEN:
        for button in pages[name].select(listings):
            assert ast.parse(str(button["data-clipboard-text"])), name


def test_every_block_shows_the_lines_that_its_module_has(pages: dict[str, BeautifulSoup]) -> None:
    placements = assemble(ARTICLES, load_config(ROOT)).placements
    assert placements
    for place in placements:
        module = (ROOT / place.file).read_text().splitlines()
        figure = pages[address(place.fence.article)].select_one(f"figure[id='{place.fence.id}']")
        assert figure is not None, place.fence.id
        shown = [
            (str(number["data-linenos"]).strip(), line.get_text())
            for line in figure.select("pre > code > span[id]")
            for number in line.select("[data-linenos]")
        ]
        numbers = range(place.first_line, place.last_line + 1)
        assert shown == [(str(number), f"{module[number - 1]}\n") for number in numbers]
        caption = figure.select_one("figcaption")
        assert caption is not None
        assert place.file in caption.get_text()


def test_every_experiment_has_run_to_its_end(pages: dict[str, BeautifulSoup]) -> None:
    assert EXPERIMENTS
    for script in EXPERIMENTS:
        soup = pages[f"experiments/{script.stem}.html"]
        shown = soup.select("figure.output pre")
        outputs = [each.get_text() for each in shown]
        assert outputs, script.name
        assert outputs[-1].strip().splitlines()[-1:] == [LAST_LINE], script.name


def test_the_experiments_can_be_downloaded(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    with zipfile.ZipFile(site / "assets" / "experiments.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    assert packed == {f"experiments/{each.name}": each.read_bytes() for each in EXPERIMENTS}
    for script in EXPERIMENTS:
        hrefs = [
            str(a["href"]) for a in pages[f"experiments/{script.stem}.html"].select("a[download]")
        ]
        assert hrefs == [script.name, "../assets/experiments.zip"]


def leads(soup: BeautifulSoup, name: str, link: str) -> str:
    """Where a link of the bar at the bottom leads; empty when it is not there."""
    found = soup.select_one(f"nav.series--bottom a{link}")
    return urljoin(name, str(found["href"])) if found else ""


def test_next_leads_through_the_whole_book_and_previous_back(
    pages: dict[str, BeautifulSoup],
) -> None:
    way = ["index.html"]
    while there := leads(pages[way[-1]], way[-1], "[rel=next]"):
        assert there not in way
        way.append(there)
    for before, name in pairwise(way[1:]):
        assert leads(pages[name], name, "[rel=prev]") == before
    book = [address(article.path) for article in ARTICLES]
    assert [name for name in way if name in book] == book
    assert set(WRITTEN) <= set(way)


def test_every_page_leads_to_the_overview(pages: dict[str, BeautifulSoup]) -> None:
    for name, soup in pages.items():
        if name not in ("index.html", "404.html"):
            assert leads(soup, name, ".series__overview") == "index.html", name


def test_the_way_through_the_book_is_shown_once(pages: dict[str, BeautifulSoup]) -> None:
    """An article ends with a line of links, for those who read its Markdown; a page has its bar."""
    for name, soup in pages.items():
        lines = [each.get_text() for each in soup.select("article > p")]
        assert not [line for line in lines if re.search(r"^Next: |^Previous: |^Overview", line)], (
            name
        )


def test_every_page_has_a_link_past_its_navigation(pages: dict[str, BeautifulSoup]) -> None:
    for name, soup in pages.items():
        (link,) = soup.select("a.md-skip")
        assert soup.select(f"article [id='{str(link['href']).removeprefix('#')}']"), name


LEFTOVER = re.compile(r"\{#|\{:|\$[^$]+\$|```|<!--|-->|fence\d+ofthebook|\]\(|\*\*|\x02")

NO_PROSE = ["pre", "code", "script", "style", "svg", "math"]


def test_no_page_shows_markdown_that_was_not_read(pages: dict[str, BeautifulSoup]) -> None:
    for name, soup in pages.items():
        texts = soup.select_one("article").find_all(string=True)
        prose = [str(text) for text in texts if not text.find_parent(NO_PROSE)]
        assert not LEFTOVER.findall("".join(prose)), name


def test_search_finds_every_page(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {address(article.path) for article in ARTICLES} <= found
    assert {f"experiments/{script.stem}.html" for script in EXPERIMENTS} <= found


SMALL = """\
# A small book

```python {#src-small file="literate_ad/small.py"}
x = 1
```
"""
SCRIPT = """\
# %% [markdown]
# # Small
#
# The slope of $x^2$ is $2x$, written `$2x$`.

# %%
assert 2 * 1.5 == 3
print("all checks passed")
"""


def small_site(root: Path, page: str = SMALL, script: str = SCRIPT) -> int:
    """Build a small book with the configuration of the real one; the status of the build."""
    make_site_book(root, {"index.md": SMALL, "experiments/small.py": script})
    tangle(root)
    write(root, "docs/en/index.md", page)
    return build(root, root / "site")


def test_the_build_refuses_a_link_to_no_block(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert small_site(tmp_path, f"{SMALL}\nSee [this](#src-gone).\n")
    assert "#src-gone" in capfd.readouterr().err


def test_the_build_refuses_a_bad_formula_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert small_site(tmp_path, f"{SMALL}\nSince $\\nope$.\n")
    told = capfd.readouterr().err
    assert "\ndocs/en/index.md:7:7: this formula cannot be shown: " in told
    assert "Traceback" not in told


def test_the_build_refuses_an_experiment_that_fails(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert small_site(tmp_path, script=f"{SCRIPT}assert 1 == 2\n")
    assert "AssertionError" in capfd.readouterr().err


def test_the_build_refuses_a_package_out_of_step(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert small_site(tmp_path, SMALL.replace("x = 1", "x = 2"))
    told = capfd.readouterr().err
    assert "+x = 2" in told
    assert "make book" in told
    assert not (tmp_path / "site").exists()
