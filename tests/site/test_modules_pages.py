"""The pages of modules, the map of who imports whom, and the drawer that shows a module."""

import ast
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

from literate_book.lookup.modules import (
    arrows,
    flow_chart,
    folders,
    imports_of,
    module_source,
    read_modules,
)
from literate_book.render.listings import Here, module_name
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


def found(soup: BeautifulSoup, id_: str) -> Tag:
    """The element with an id; the first that a page has is the only one."""
    element = soup.find(id=id_)
    assert isinstance(element, Tag), id_
    return element


def page_name(file: str) -> str:
    """The address of the page of a module."""
    return f"source/{module_name(WEB, file)}.html"


def page_of(pages: Pages, file: str) -> BeautifulSoup:
    """The page of a module."""
    return pages[page_name(file)]


def test_names_of_modules_are_those_below_the_package() -> None:
    assert module_name(WEB, "literate_ad/core.py") == "core"
    assert module_name(WEB, "literate_ad/numpy/rules/zero.py") == "numpy.rules.zero"
    assert module_name(WEB, "literate_ad/numpy/__init__.py") == "numpy"
    assert module_name(WEB, "literate_ad/__init__.py") == "literate_ad"


def test_every_module_has_a_page_and_no_page_is_left_over(pages: Pages) -> None:
    expected = {page_name(file) for file in FILES}
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
        assert file in only(page, "article dl dd:first-of-type").get_text()


def test_every_block_leads_to_its_place_in_the_module_and_back(pages: Pages) -> None:
    assert WEB.places
    for id_, place in WEB.places.items():
        article = address(place.fence.article)
        there = page_name(place.file)
        link = only(found(pages[article], id_), "figcaption a.whole")
        assert urljoin(article, str(link["href"])) == f"{there}#{id_}"
        block = found(pages[there], id_)
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
        labels = [str(link["aria-label"]) for link in soup.select("figcaption a.whole")]
        assert len(labels) == len(set(labels)), name
        assert all(label.startswith("whole module") for label in labels)


def test_a_page_names_its_neighbours(pages: Pages) -> None:
    for name, module in MODULES.items():
        said: dict[str, set[str]] = {}
        for term in page_of(pages, module.file).select("article dl > dt"):
            links = term.find_next_sibling("dd").select("a")  # type: ignore[union-attr]
            said[term.get_text()] = {a.get_text() for a in links}
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


def test_an_import_inside_a_function_comes_later() -> None:
    text = (
        "import brick.clay\nfrom brick import kiln\n\ndef f():\n    from brick.sand import grain\n"
    )
    files = ["brick/clay.py", "brick/kiln.py", "brick/sand.py"]
    assert list(imports_of(ast.parse(text), files)) == [
        ("brick/clay.py", True),
        ("brick/kiln.py", True),
        ("brick/sand.py", False),
    ]


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
    """The arrows as the drawings describe them in words, with the whole names of their modules."""
    drawn: set[tuple[str, str]] = set()
    drawings = pages["source/index.html"].select("figure.map svg")
    for svg in drawings:
        names = {}
        for link in svg.select("a"):
            page = posixpath.basename(str(link["href"])).removesuffix(".html")
            names["".join(text.get_text() for text in link.select("text"))] = page
        said = only(svg, "desc").get_text()
        for arrow in said.split("; ") if said else []:
            match = ARROW.match(arrow)
            assert match, arrow
            drawn.add((names[match[1]], names[match[2]]))
    groups = folders(list(MODULES))
    assert len(drawings) == len(groups) == 3
    expected = set()
    for folder, members in groups.items():
        for one, other in arrows(MODULES):
            ends = {boxed(one, folder, groups), boxed(other, folder, groups)}
            if boxed(one, folder, groups) in members and len(ends) == 2:
                expected.add((boxed(one, folder, groups), boxed(other, folder, groups)))
    assert drawn == expected


def boxed(name: str, folder: str, groups: dict[str, list[str]]) -> str:
    """The box that stands for a module in the drawing of a folder."""
    if name in groups[folder]:
        return name
    whole = [each for each in groups if each and name.startswith(f"{each}.")]
    outside = [each for each in whole if not f"{folder}.".startswith(f"{each}.")]
    return min(outside, key=len, default=name)


def test_every_module_stands_in_one_list_and_in_a_drawing(pages: Pages) -> None:
    soup = pages["source/index.html"]
    rows: dict[str, str] = {}
    for term in soup.select("article dl > dt"):
        assert term.get_text() not in rows
        rows[term.get_text()] = term.find_next_sibling("dd").get_text()  # type: ignore[union-attr]
    drawn = {str(link["href"]).removesuffix(".html") for link in soup.select("svg a")}
    assert rows.keys() == MODULES.keys() == drawn
    for name, module in MODULES.items():
        text = (ROOT / module.file).read_text()
        sentence, _, facts = rows[name].rpartition(f" {len(text.splitlines())} lines in ")
        said = " ".join(text.split('"""')[1].split()).replace("``", "")
        assert sentence.endswith((".", "?"))
        assert said.startswith(sentence)
        blocks, _, printed = facts.partition(", printed in ")
        assert blocks.split()[0] == str(text.count("\n# --- docs/"))
        assert len(printed.split(", ")) == len({place.fence.article for place in module.places})


def test_the_map_shows_the_engine_and_no_tool(pages: Pages) -> None:
    assert "literate_book" not in pages["source/index.html"].select("article")[0].get_text()
    assert {module.file.split("/")[0] for module in MODULES.values()} == {"literate_ad"}


def test_a_drawing_of_the_map_can_be_read_and_reached(pages: Pages) -> None:
    for svg in pages["source/index.html"].select("figure.map svg"):
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


def drawn(here: Here, name: str) -> BeautifulSoup:
    """The page of a module, as Markdown reads it."""
    modules = read_modules(here.web)
    html = markdown(module_source(here, modules, modules[name]), extensions=["def_list"])
    return BeautifulSoup(html, "html.parser")


def test_a_page_says_what_a_module_imports_and_whether_later(tmp_path: Path) -> None:
    _, here = small(tmp_path)
    said = {name: [each.get_text() for each in drawn(here, name).select("dt")] for name in "ab"}
    assert said["a"] == ["File", "Printed in", "Imported by"]
    assert said["b"] == ["File", "Printed in", "Imports", "Imports later", "Imported by"]


def test_a_sentence_is_the_first_and_code_in_it_is_code(tmp_path: Path) -> None:
    _, here = small(tmp_path)
    modules = read_modules(here.web)
    assert modules["a"].sentence == "The ``a`` of *all*."
    assert modules["b"].sentence == "B"
    first = drawn(here, "a").select("p")[0]
    assert first.get_text() == "The a of *all*."
    assert only(first, "code").get_text() == "a"


def test_code_that_looks_like_markdown_or_html_stays_code(tmp_path: Path) -> None:
    _, here = small(tmp_path)
    code = "".join(pre.get_text() for pre in drawn(here, "b").select("pre"))
    assert code == here.web.texts["literate_ad/b.py"]


def test_an_article_links_to_the_place_in_the_docs(tmp_path: Path) -> None:
    root, _ = small(tmp_path)
    html = markdown(B, extensions=[BookExtension(root=str(root))])
    links = [str(a["href"]) for a in BeautifulSoup(html, "html.parser").select("a.whole")]
    there = posixpath.relpath(f"{load_crossrefs(root).docs}/source/b.md", FOLDER)
    assert links == [f"{there}#src-b", f"{there}#src-c"]


def test_a_drawing_names_a_module_that_belongs_elsewhere(tmp_path: Path) -> None:
    _, here = small(tmp_path)
    names, text = flow_chart(read_modules(here.web), {"": ["b"]}, "")
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
def test_the_drawer_of_a_block(opened: Any) -> None:
    """One visit: what the drawer shows, how it is walked, what it copies, how it is left."""
    size = {"width": 1440, "height": 800}
    shown = opened(viewport=size, permissions=["clipboard-read", "clipboard-write"])
    shows_the_module_with_the_block_marked(shown)
    goes_from_block_to_block_to_both_ends(shown)
    copies_the_block_and_the_module(shown)
    keeps_the_focus_and_returns_it(shown)
    closes_by_its_button_by_a_click_beside_it_and_by_a_link_to_this_page(shown)
    leads_to_the_page_and_to_the_file(shown)


def shows_the_module_with_the_block_marked(shown: Any) -> None:
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
    ids = shown.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len(set(ids))
    shown.keyboard.press("Escape")


def goes_from_block_to_block_to_both_ends(shown: Any) -> None:
    dialog = drawer(shown)
    blocks = [place.fence.id for place in MODULES["core"].places]
    forward = dialog.get_by_role("button", name="Next block")
    back = dialog.get_by_role("button", name="Previous block")
    for expected in blocks[blocks.index(BLOCK) + 1 :]:
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
    shown.keyboard.press("Escape")


def copies_the_block_and_the_module(shown: Any) -> None:
    dialog = drawer(shown)
    for name, text in [
        ("Copy block", WEB.places[BLOCK].fence.body),
        ("Copy module", WEB.texts["literate_ad/core.py"]),
    ]:
        dialog.get_by_role("button", name=name).click()
        dialog.get_by_role("button", name="Copied").wait_for()
        assert shown.evaluate("navigator.clipboard.readText()") == text
        dialog.get_by_role("button", name=name).wait_for()
    shown.keyboard.press("Escape")


def keeps_the_focus_and_returns_it(shown: Any) -> None:
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


def closes_by_its_button_by_a_click_beside_it_and_by_a_link_to_this_page(shown: Any) -> None:
    dialog = drawer(shown)
    dialog.get_by_role("button", name="Close").click()
    assert not dialog.is_visible()
    drawer(shown)
    shown.mouse.click(20, 400)
    assert not dialog.is_visible()
    drawer(shown)
    dialog.get_by_role("button", name="Next block").click()
    dialog.locator(".drawer__facts a").first.click()
    assert not dialog.is_visible()
    assert shown.evaluate("location.hash") == "#src-pullback"
    top = shown.locator("#src-pullback").evaluate("each => each.getBoundingClientRect().top")
    assert 0 <= top < 400


def leads_to_the_page_and_to_the_file(shown: Any) -> None:
    dialog = drawer(shown)
    hrefs = [link.evaluate("each => each.href") for link in dialog.locator(".drawer__rest a").all()]
    base = shown.url.rpartition("/articles/")[0]
    assert hrefs == [f"{base}/source/core.html#{BLOCK}", f"{base}/source/literate_ad/core.py"]
    dialog.get_by_role("link", name="Page").click()
    shown.wait_for_url("**/source/core.html*")
    assert shown.locator(f"#{BLOCK}").is_visible()


@LOOKED_AT
def test_the_drawer_fits_a_small_window(opened: Any) -> None:
    """Its colours are asked of by the tests of accessibility, in both schemes."""
    shown = opened(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
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
    # Arrows scroll code that is wider than the drawer.
    shown.keyboard.press("ArrowRight")
    assert at(dialog) == BLOCK
    dialog.get_by_role("button", name="Next block").focus()
    shown.keyboard.press("ArrowRight")
    assert at(dialog) == "src-pullback"
    assert dialog.evaluate("each => getComputedStyle(each).animationName") == "none"
    shown.emulate_media(reduced_motion="no-preference")
    assert dialog.evaluate("each => getComputedStyle(each).animationName") == "drawer-comes"


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
def test_the_map_fits_a_phone_and_is_walked_by_keyboard(reader: Reader) -> None:
    shown = reader("source/index.html", viewport={"width": 390, "height": 800})
    cut = """() => [...document.querySelectorAll(".map .scroll")]
        .filter(box => box.scrollWidth > box.clientWidth).length"""
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert shown.evaluate(cut) == 0
    shown.locator(".map .scroll").first.focus()
    shown.keyboard.press("Tab")
    name = shown.evaluate("document.activeElement.textContent.trim()")
    assert shown.evaluate("document.activeElement.tagName") == "a"
    shown.keyboard.press("Enter")
    shown.wait_for_url(f"**/source/{name}.html")
