"""The pages to look things up in, and their places in the site."""

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents, get_toc

from literate_book.lookup.declarations import primitives
from literate_book.lookup.modules import PACKAGE
from literate_book.lookup.names import CONSTANTS, NUMPY, all_names, dotted, newest
from literate_book.lookup.names_page import PATH, names_page
from literate_book.lookup.numpy_page import numpy_page
from literate_book.lookup.pages import Leaf
from literate_book.lookup.reference import (
    FOLDER,
    Api,
    add_words,
    first_sentence,
    module_page,
    page_path,
    read_api,
)
from literate_book.render.listings import add
from literate_book.weave.crossrefs import load_crossrefs

# The modules that the navigation names; the others are reached from the page about all.
SHOWN = ["", NUMPY, "extend", "differential_operators", "core", "tracer", "builtins", "util"]
INDEX = f"{FOLDER}/index.md"


class NamesSection:
    """The pages that are made from what the book knows of its names, for one build of the site."""

    def __init__(self, root: Path) -> None:
        self.web = load_crossrefs(root)
        self.entries = all_names(self.web, root)
        engine = [file for file in self.web.modules if not f"{dotted(file)}.".startswith("book.")]
        texts = {file: self.web.texts[file] for file in engine}
        self.api = read_api(self.web, texts, self.entries)
        pages = [names_page(self.web, self.entries), *self.module_pages(root)]
        pages.append(index_page(self.api, pages[1:]))
        self.pages = {source_of(page.path): page for page in pages}

    def module_pages(self, root: Path) -> Iterator[Leaf]:
        """A page for every module of the engine that has names to offer."""
        for home in self.api.modules:
            if home != NUMPY and self.api.public(home):
                yield module_page(self.api, home)
        if CONSTANTS in self.web.places:
            found = primitives(newest(root, self.web)).values()
            yield numpy_page(self.api, self.entries, found)

    def fill(self, page: Page, html: str) -> str:
        """The body of one of these pages, and its contents; other pages stay as they are."""
        leaf = self.pages.get(page.file.src_uri)
        if leaf is None:
            return html
        page.toc = contents(leaf)
        return leaf.html()


def index_page(api: Api, pages: Iterable[Leaf]) -> Leaf:
    """The page that leads to the pages of all modules."""
    leaf = Leaf(api.web, INDEX, "API reference", searched=False)
    add(leaf.body, "p", TOLD)
    rows = add(leaf.body, "dl", class_="rows")
    known = {page_path(home): home for home in api.modules}
    for page in sorted(pages, key=lambda each: rank(known[each.path])):
        link = add(add(rows, "dt"), "a", href=leaf.href(page.path))
        add(link, "code", page.title)
        told = first_sentence(api.modules[known[page.path]])
        add_words(api, leaf, add(rows, "dd"), told)
    return leaf


TOLD = (
    "Every public name of the engine, module by module: how it is called, what it says of itself, "
    "an example that the tests run, and the way to the block that defines it."
)


def rank(home: str) -> tuple[int, str]:
    """The modules that most readers want come first."""
    return SHOWN.index(home) if home in SHOWN else len(SHOWN), home


def source_of(path: str) -> str:
    """The file, below the folder of the docs, that a page would be made from."""
    return path.removeprefix("docs/en/")


def navigation(pages: Container[str]) -> list[dict[str, Any]]:
    """The entries of the navigation for these pages."""
    modules = {home or PACKAGE: source_of(page_path(home)) for home in SHOWN}
    shown = [{"API reference": source_of(INDEX)}]
    shown += [{name: path} for name, path in modules.items() if path in pages]
    return [{"Names": source_of(PATH)}, {"API reference": shown}]


def files_of(pages: Mapping[str, Leaf], config: MkDocsConfig) -> Iterator[File]:
    """A file for every page, for the site generator to start from."""
    shown = {*map(page_path, SHOWN), INDEX, PATH}
    for path, page in pages.items():
        level = InclusionLevel.INCLUDED if page.path in shown else InclusionLevel.NOT_IN_NAV
        # In the search the articles come first.
        search = "boost: 0.5" if page.searched else "exclude: true"
        text = f"---\ntitle: {page.title}\nsearch:\n  {search}\n---\n"
        yield File.generated(config, path, content=text, inclusion=level)


def contents(page: Leaf) -> TableOfContents:
    """The table of contents of a page."""
    top: Any = {"level": 1, "id": "top", "name": page.title, "children": []}
    path = [top]
    for level, id_, name in page.headings:
        token: Any = {"level": level, "id": id_, "name": name, "children": []}
        path = [each for each in path if each["level"] < level]
        path[-1]["children"].append(token)
        path.append(token)
    return get_toc([top])
