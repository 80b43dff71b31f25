"""The pages of modules, the map of who imports whom, and the drawer that shows a module."""

import json
import posixpath
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest
from browser import LOOKED_AT, Reader, address, chromium
from bs4 import BeautifulSoup, Tag
from markdown import markdown
from small_book import FOLDER, make_book

from literate_book.lookup import module_map
from literate_book.lookup.module_pages import module_body
from literate_book.lookup.modules import arrows, module_name, read_modules
from literate_book.render.listings import Here
from literate_book.render.markdown import BookExtension
from literate_book.source.config import book_root
from literate_book.weave.crossrefs import load_crossrefs

ROOT = book_root(Path(__file__))
WEB = load_crossrefs(ROOT)
MODULES = read_modules(WEB)
FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "literate_ad").rglob("*.py"))
Pages = dict[str, BeautifulSoup]


def only(soup: BeautifulSoup | Tag, selector: str) -> Tag:
    """The one element that a selector finds."""
    (found,) = soup.select(selector)
    return found


def page_of(pages: Pages, file: str) -> BeautifulSoup:
    """The page of a module."""
    return pages[f"source/{module_name(file)}.html"]


def test_names_of_modules_are_those_of_the_book() -> None:
    assert module_name("literate_ad/core.py") == "core"
    assert module_name("literate_ad/numpy/rules/zero.py") == "numpy.rules.zero"
    assert module_name("literate_ad/numpy/__init__.py") == "numpy"
    assert module_name("literate_book/__main__.py") == "book.__main__"
    assert module_name("literate_ad/__init__.py") == "literate_ad"


def test_every_module_has_a_page_and_no_page_is_left_over(pages: Pages) -> None:
    expected = {f"source/{module_name(file)}.html" for file in FILES}
    assert len(expected) == len(FILES)
    assert {name for name in pages if name.startswith("source/")} == {
        *expected,
        "source/index.html",
    }


def test_a_page_shows_every_line_of_the_file(pages: Pages) -> None:
    for file in FILES:
        lines = page_of(pages, file).select(".module pre > code > span[id]")
        text = (ROOT / file).read_text().split("\n")[:-1]
        assert [line.get_text() for line in lines] == [f"{each}\n" for each in text], file
        numbers = [str(only(line, "[data-linenos]")["data-linenos"]).strip() for line in lines]
        assert numbers == [str(number) for number in range(1, len(text) + 1)], file
        assert [line["id"] for line in lines] == [f"line-{number}" for number in numbers], file


def test_a_page_offers_the_file_and_a_copy_of_it(site: Path, pages: Pages) -> None:
    for file in FILES:
        text = (ROOT / file).read_text()
        assert (site / "source" / file).read_text() == text
        page = page_of(pages, file)
        assert only(page, ".module > .copy")["data-clipboard-text"] == text
        assert only(page, ".module > figcaption a")["href"] == file
        assert file in only(page, ".module-facts > div:first-child").get_text()


def test_code_on_a_page_is_not_taken_for_a_script_of_the_page(site: Path) -> None:
    """Some modules write scripts, and the policy of a page names each script that stands on it."""
    assert any("<script" in (ROOT / file).read_text() for file in FILES)
    pages = [(site / "source" / f"{module_name(file)}.html").read_text() for file in FILES]
    assert len({page.count("<script") for page in pages}) == 1


def test_every_block_leads_to_its_place_in_the_module_and_back(pages: Pages) -> None:
    assert WEB.places
    for id_, place in WEB.places.items():
        article = address(place.fence.article)
        there = f"source/{module_name(place.file)}.html"
        link = only(pages[article], f"figure[id='{id_}'] > figcaption a.whole")
        assert urljoin(article, str(link["href"])) == f"{there}#{id_}"
        block = only(pages[there], f"section[id='{id_}']")
        assert (block["data-first"], block["data-last"]) == (
            str(place.first_line),
            str(place.last_line),
        )
        back = [urljoin(there, str(a["href"])) for a in block.select("header a")]
        users = [address(path) for path in WEB.users.get(id_, [])]
        assert back == [f"{article}#{id_}", *users]
        shown = only(block, "pre").get_text()
        assert place.fence.body in shown
        assert shown.count("# --- ") == 1 + place.fence.body.count("# --- ")


def test_links_to_whole_modules_can_be_told_apart(pages: Pages) -> None:
    for name, soup in pages.items():
        labels = [str(link["aria-label"]) for link in soup.select("a.whole")]
        assert len(labels) == len(set(labels)), name
        assert all(label.startswith("whole module") for label in labels)


def test_a_page_names_its_neighbours(pages: Pages) -> None:
    for name, module in MODULES.items():
        said: dict[str, set[str]] = {}
        for row in page_of(pages, module.file).select(".module-facts > div"):
            said[only(row, "dt").get_text()] = {a.get_text() for a in row.select("a")}
        assert said.pop("File") == {module.file}
        printed = {place.fence.article for place in module.places}
        assert len(said.pop("Printed in")) == len(printed)
        imports = said.pop("Imports", set()) | said.pop("Imports later", set())
        assert imports == module.imports.keys()
        importers = {other for other, each in MODULES.items() if name in each.imports}
        assert said.pop("Imported by", set()) == importers
        assert not said


def test_blocks_stand_in_the_table_of_contents(pages: Pages) -> None:
    page = page_of(pages, "literate_ad/core.py")
    contents = [str(a["href"]) for a in page.select(".md-nav--secondary a.md-nav__link")]
    assert contents == [f"#{place.fence.id}" for place in MODULES["core"].places]


def test_code_of_modules_is_searched_in_the_articles_only(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    found = {entry["location"] for entry in index["docs"] if entry["location"].startswith("source")}
    assert {urldefrag(each).url for each in found} == {"source/index.html"}


WATCH = """
import builtins, importlib, json, sys
before, seen = builtins.__import__, []
def watching(name, globals=None, locals=None, fromlist=(), level=0):
    found = before(name, globals, locals, fromlist, level)
    assert level == 0 or not (globals or {}).get("__name__", "").startswith("literate_ad")
    inner = [f"{name}.{each}" for each in fromlist or () if f"{name}.{each}" in sys.modules]
    beside = [each for each in fromlist or () if f"{name}.{each}" not in sys.modules]
    homes = [*inner, *([name] if beside or not fromlist else [])]
    seen.extend(((globals or {}).get("__name__", ""), home) for home in homes)
    return found
builtins.__import__ = watching
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
print(json.dumps(seen))
"""


def dotted(file: str) -> str:
    """The name that Python imports a module by."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_imports_at_once_are_those_that_python_makes() -> None:
    """Asked of Python itself, while it loads every module of the package."""
    names = [dotted(file) for file in FILES]
    command = [sys.executable, "-B", "-c", WATCH, json.dumps(names)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seen = {(one, other) for one, other in json.loads(run.stdout) if {one, other} <= {*names}}
    told = {
        (dotted(module.file), dotted(MODULES[other].file))
        for module in MODULES.values()
        for other, at_once in module.imports.items()
        if at_once
    }
    assert told == seen


def test_imports_that_come_later_are_the_indented_ones() -> None:
    names = {dotted(file): file for file in FILES}
    told = {
        (module.file, dotted(MODULES[other].file))
        for module in MODULES.values()
        for other, at_once in module.imports.items()
        if not at_once
    }
    text = {file: (ROOT / file).read_text() for file in FILES}
    found = {
        (file, home)
        for file in FILES
        for home in re.findall(r"^ +(?:from|import) (literate_ad[\w.]*)", text[file], re.MULTILINE)
    }
    assert {home for _, home in found} <= names.keys()
    assert told == found
    assert told


def ways(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """All pairs with a way between them."""
    found = set(pairs)
    while True:
        longer = {(a, d) for a, b in found for c, d in pairs if b == c} - found
        if not longer:
            return found
        found |= longer


def test_arrows_are_imports_and_lead_wherever_imports_lead() -> None:
    imports = {(name, other) for name, module in MODULES.items() for other in module.imports}
    drawn = set(arrows(MODULES))
    assert drawn < imports
    assert ways(drawn) == ways(imports)
    at_once = {(one, other) for one, other in drawn if MODULES[one].imports[other]}
    for pair in at_once:
        assert pair not in ways(at_once - {pair}), pair


ARROW = re.compile(r"^(\S+) to (\S+)$")


def test_the_map_draws_every_arrow_and_no_other(pages: Pages) -> None:
    """The arrows as the drawings say them aloud, with the whole names of their modules."""
    drawn: set[tuple[str, str]] = set()
    for section in pages["source/index.html"].select("section"):
        names = {}
        for link in section.select("svg a"):
            page = posixpath.basename(str(link["href"])).removesuffix(".html")
            names["".join(text.get_text() for text in link.select("text"))] = page
        said = only(section, "svg > desc").get_text()
        for arrow in said.split("; ") if said else []:
            match = ARROW.match(arrow)
            assert match, arrow
            drawn.add((names[match[1]], names[match[2]]))
    rules = {name for name in MODULES if name.startswith("numpy.rules.")}
    folded = {
        ("numpy.rules" if a in rules else a, "numpy.rules" if b in rules else b)
        for a, b in arrows(MODULES)
        if not (a in rules and b in rules)
    }
    inside = {(a, b) for a, b in arrows(MODULES) if a in rules}
    assert drawn == folded | inside


def test_every_module_stands_in_one_table_and_in_a_drawing(pages: Pages) -> None:
    soup = pages["source/index.html"]
    rows = {}
    for row in soup.select("tbody tr"):
        cells = [cell.get_text() for cell in row.select("td")]
        assert cells[0] not in rows
        rows[cells[0]] = cells[1:]
    drawn = {str(link["href"]).removesuffix(".html") for link in soup.select("svg a")}
    assert rows.keys() == MODULES.keys() == drawn
    for name, module in MODULES.items():
        text = (ROOT / module.file).read_text()
        sentence, _, *numbers = rows[name]
        said = " ".join(text.split('"""')[1].split()).replace("``", "")
        assert sentence.endswith((".", "?"))
        assert said.startswith(sentence)
        importers = sum(name in each.imports for each in MODULES.values())
        blocks = text.count("\n# --- docs/")
        expected = [len(text.splitlines()), blocks, len(module.imports), importers]
        assert numbers == [str(number) for number in expected]


def test_a_drawing_of_the_map_can_be_read_and_reached(pages: Pages) -> None:
    drawings = pages["source/index.html"].select("figure.map svg")
    assert len(drawings) >= 5
    for svg in drawings:
        names = str(svg["aria-labelledby"]).split()
        title, desc = (only(svg, f"[id='{name}']") for name in names)
        assert title.get_text().startswith("Who imports whom: ")
        assert desc.get_text()
        # Inside of a picture nothing can be reached.
        assert svg["role"] == "group"
        assert len(svg.select("a[href] g.node")) == len(svg.select("g.node"))


A = '# A\n\n```python {#src-a file="literate_ad/a.py"}\n"""The ``a`` of *all*. More."""\n```\n'
B = (
    '# B\n\n```python {#src-b file="literate_ad/b.py"}\n"""B"""\n\nimport literate_ad.a\n```\n\n'
    '````python {#src-c file="literate_ad/b.py"}\ndef c():\n'
    '    from literate_ad import b\n\n    return """<!-- *a*\n\n```\n\n</pre>&amp;"""\n````\n'
)


def small(tmp_path: Path) -> tuple[Path, Here]:
    """A book of two modules, and its place for pages of modules."""
    root = make_book(tmp_path, a=A, b=B)
    web = load_crossrefs(root)
    return root, Here(web, f"{web.docs}/source/b.md")


def test_a_module_without_imports_has_no_line_about_them(tmp_path: Path) -> None:
    _, here = small(tmp_path)
    modules = read_modules(here.web)
    said = {
        name: [each.text for each in module_body(here, modules, name).iter("dt")]
        for name in modules
    }
    assert said["a"] == ["File", "Printed in", "Imported by"]
    assert said["b"] == ["File", "Printed in", "Imports", "Imports later", "Imported by"]


def test_a_sentence_is_the_first_and_code_in_it_is_code(tmp_path: Path) -> None:
    _, here = small(tmp_path)
    modules = read_modules(here.web)
    assert modules["a"].sentence == "The ``a`` of *all*."
    assert modules["b"].sentence == "B"
    first = next(module_body(here, modules, "a").iter("p"))
    assert ["".join(first.itertext()), first[0].tag, first[0].text] == [
        "The a of *all*.",
        "code",
        "a",
    ]


def test_code_that_looks_like_markdown_or_html_stays_code(tmp_path: Path) -> None:
    _, here = small(tmp_path)
    modules = read_modules(here.web)
    body = module_body(here, modules, "b")
    code = ["".join(pre.itertext()) for pre in body.iter("pre")]
    assert "".join(code) == here.web.texts["literate_ad/b.py"]


def test_an_article_links_to_the_place_in_the_docs(tmp_path: Path) -> None:
    root, _ = small(tmp_path)
    html = markdown(B, extensions=[BookExtension(root=str(root))])
    links = [str(a["href"]) for a in BeautifulSoup(html, "html.parser").select("a.whole")]
    there = posixpath.relpath(f"{load_crossrefs(root).docs}/source/b.md", FOLDER)
    assert links == [f"{there}#src-b", f"{there}#src-c"]


def test_a_drawing_names_a_module_that_belongs_elsewhere(tmp_path: Path) -> None:
    _, here = small(tmp_path)
    names, text = module_map.flow_chart(read_modules(here.web), ["b"])
    assert names == ["b", "a"]
    assert '    m0["b"]\n    m1["a"]:::other\n    m0 --> m1' in text


ARTICLE = "docs/en/articles/03-grad.md"
BLOCK = "src-make-vjp"
STATE = """dialog => ({
    open: dialog.open,
    marked: dialog.querySelectorAll(".block.marked").length,
    place: dialog.querySelector(".drawer__place").textContent,
    page: dialog.querySelector(".drawer__rest a").href.split("#")[1],
})"""


@pytest.fixture
def opened(reader: Reader) -> Reader:
    """Opens the page of an article in a browser."""
    return lambda path=ARTICLE, **settings: reader(address(path), **settings)


def drawer(shown: Any, block: str = BLOCK) -> Any:
    """The drawer that the link of a block opens."""
    shown.locator(f"#{block} a.whole").click()
    dialog = shown.locator("dialog.drawer")
    dialog.wait_for()
    return dialog


def at(dialog: Any) -> str:
    """The id of the block that is marked; the drawer shows one, and says which."""
    blocks = [place.fence.id for place in MODULES["core"].places]
    state = dialog.evaluate(STATE)
    assert state["open"]
    assert state["marked"] == 1
    number = blocks.index(state["page"]) + 1
    assert state["place"] == f"block {number} of {len(blocks)}"
    return str(state["page"])


@LOOKED_AT
def test_the_drawer_shows_the_whole_module_with_the_block_marked(opened: Any) -> None:
    shown = opened()
    dialog = drawer(shown)
    assert at(dialog) == BLOCK
    assert shown.get_by_role("dialog", name="literate_ad/core.py").is_visible()
    text = dialog.locator(".drawer__body pre").all_text_contents()
    assert "".join(text) == (ROOT / "literate_ad/core.py").read_text()
    inside = dialog.locator(".block.marked").evaluate(
        "each => each.getBoundingClientRect().top"
        " - each.closest('.drawer__body').getBoundingClientRect().top"
    )
    assert abs(inside) < 4
    said = dialog.locator(".drawer__facts").inner_text()
    assert "make_vjp in grad: the whole call chain" in said
    assert "Used in: " in said
    links = [link.get_attribute("href") for link in dialog.locator(".drawer__facts a").all()]
    users = [address(path) for path in WEB.users[BLOCK]]
    assert [urljoin(shown.url, link).split("/", 3)[3] for link in links] == [
        f"{address(ARTICLE)}#{BLOCK}",
        *users,
    ]


@LOOKED_AT
def test_the_drawer_goes_from_block_to_block_to_both_ends(opened: Any) -> None:
    shown = opened()
    dialog = drawer(shown)
    blocks = [place.fence.id for place in MODULES["core"].places]
    here = blocks.index(BLOCK)
    forward = dialog.get_by_role("button", name="Next block")
    back = dialog.get_by_role("button", name="Previous block")
    for expected in blocks[here + 1 :]:
        forward.click()
        assert at(dialog) == expected
    assert forward.is_disabled()
    shown.keyboard.press("ArrowRight")
    assert at(dialog) == blocks[-1]
    for expected in blocks[-2::-1]:
        shown.keyboard.press("ArrowLeft")
        assert at(dialog) == expected
    assert back.is_disabled()
    assert not forward.is_disabled()


@LOOKED_AT
def test_focus_stays_in_the_drawer_and_returns_to_the_link(opened: Any) -> None:
    shown = opened()
    link = shown.locator(f"#{BLOCK} a.whole")
    link.focus()
    shown.keyboard.press("Enter")
    dialog = shown.locator("dialog.drawer")
    dialog.wait_for()
    assert shown.evaluate("document.activeElement.matches('.drawer__body')")
    for _ in range(40):
        shown.keyboard.press("Tab")
        assert shown.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    shown.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert link.evaluate("each => each === document.activeElement")
    assert urldefrag(shown.url).url.endswith(f"/{address(ARTICLE)}")


@LOOKED_AT
def test_the_drawer_closes_by_its_button_and_by_a_click_beside_it(opened: Any) -> None:
    shown = opened(viewport={"width": 1440, "height": 800})
    dialog = drawer(shown)
    dialog.get_by_role("button", name="Close").click()
    assert not dialog.is_visible()
    drawer(shown)
    shown.mouse.click(20, 400)
    assert not dialog.is_visible()


@LOOKED_AT
def test_a_link_to_this_page_closes_the_drawer_and_leads_there(opened: Any) -> None:
    shown = opened()
    dialog = drawer(shown)
    dialog.get_by_role("button", name="Next block").click()
    dialog.locator(".drawer__facts a").first.click()
    assert not dialog.is_visible()
    assert shown.evaluate("location.hash") == "#src-pullback"
    top = shown.locator("#src-pullback").evaluate("each => each.getBoundingClientRect().top")
    assert 0 <= top < 400


@LOOKED_AT
def test_the_drawer_copies_a_block_and_the_module(opened: Any) -> None:
    shown = opened(permissions=["clipboard-read", "clipboard-write"])
    dialog = drawer(shown)
    for name, text in [
        ("Copy block", WEB.places[BLOCK].fence.body),
        ("Copy module", WEB.texts["literate_ad/core.py"]),
    ]:
        dialog.get_by_role("button", name=name).click()
        dialog.get_by_role("button", name="Copied").wait_for()
        assert shown.evaluate("navigator.clipboard.readText()") == text
        dialog.get_by_role("button", name=name).wait_for()


@LOOKED_AT
def test_the_drawer_leads_to_the_page_and_to_the_file(opened: Any) -> None:
    shown = opened()
    dialog = drawer(shown)
    hrefs = [link.evaluate("each => each.href") for link in dialog.locator(".drawer__rest a").all()]
    base = shown.url.rpartition("/articles/")[0]
    assert hrefs == [f"{base}/source/core.html#{BLOCK}", f"{base}/source/literate_ad/core.py"]
    dialog.get_by_role("link", name="Page").click()
    shown.wait_for_url("**/source/core.html*")
    assert shown.locator(f"#{BLOCK}").is_visible()


@LOOKED_AT
def test_what_the_drawer_shows_has_no_ids_that_the_page_has(opened: Any) -> None:
    shown = opened()
    drawer(shown)
    ids = shown.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len(set(ids))


@LOOKED_AT
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_drawer_fits_a_small_window(scheme: str, opened: Any) -> None:
    size = {"width": 360, "height": 740}
    shown = opened(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    dialog = drawer(shown)
    box = dialog.bounding_box()
    assert box
    assert (box["x"], box["width"]) == (0, 360)
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for button in dialog.locator(".drawer__head :is(button, a)").all():
        place = button.bounding_box()
        assert place
        assert place["x"] + place["width"] <= 360
    for button in dialog.locator("button").all():
        place = button.bounding_box()
        if place:
            assert min(place["width"], place["height"]) >= 24


@LOOKED_AT
def test_arrows_scroll_code_that_is_wider_than_the_drawer(opened: Any) -> None:
    shown = opened(viewport={"width": 360, "height": 740})
    dialog = drawer(shown)
    shown.keyboard.press("ArrowRight")
    assert at(dialog) == BLOCK
    dialog.get_by_role("button", name="Next block").focus()
    shown.keyboard.press("ArrowRight")
    assert at(dialog) == "src-pullback"


@LOOKED_AT
def test_nothing_moves_for_readers_who_want_no_motion(opened: Any) -> None:
    for motion, expected in (("reduce", "none"), ("no-preference", "drawer-comes")):
        dialog = drawer(opened(reduced_motion=motion))
        assert dialog.evaluate("each => getComputedStyle(each).animationName") == expected


@LOOKED_AT
def test_without_a_script_the_link_leads_to_the_block_on_the_page(opened: Any) -> None:
    shown = opened(java_script_enabled=False)
    shown.locator(f"#{BLOCK} a.whole").click()
    shown.wait_for_url(f"**/source/core.html#{BLOCK}")
    assert shown.locator(f"#{BLOCK}").bounding_box()["y"] < 200


@LOOKED_AT
@pytest.mark.parametrize("answer", [{"status": 503}, {"body": "<p>Something else</p>"}])
def test_where_the_page_cannot_be_had_the_browser_goes_there(served: str, answer: Any) -> None:
    with chromium() as browser:
        shown = browser.new_page()
        shown.goto(f"{served}/{address(ARTICLE)}")
        asked: list[str] = []

        def once(route: Any) -> None:
            asked.append(route.request.resource_type)
            if route.request.resource_type == "fetch":
                route.fulfill(**answer)
            else:
                route.continue_()

        shown.route("**/source/core.html", once)
        shown.locator(f"#{BLOCK} a.whole").click()
        shown.wait_for_url(f"**/source/core.html#{BLOCK}")
        assert asked == ["fetch", "document"]
        assert shown.locator(f"#{BLOCK}").is_visible()


@LOOKED_AT
def test_a_link_that_is_wanted_in_a_window_of_its_own_opens_one(opened: Any) -> None:
    shown = opened()
    with shown.context.expect_page() as other:
        shown.locator(f"#{BLOCK} a.whole").click(modifiers=["Control"])
    other.value.wait_for_url(f"**/source/core.html#{BLOCK}")
    assert shown.locator("dialog.drawer").count() == 0


@LOOKED_AT
def test_the_map_is_walked_by_keyboard(opened: Any) -> None:
    shown = opened("docs/en/source/index.md")
    shown.locator("#the-engine .scroll").focus()
    shown.keyboard.press("Tab")
    name = shown.evaluate("document.activeElement.textContent.trim()")
    assert shown.evaluate("document.activeElement.tagName") == "a"
    shown.keyboard.press("Enter")
    shown.wait_for_url(f"**/source/{name}.html")
