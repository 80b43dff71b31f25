"""The generated pages as parts of a site: their files, their navigation, their search."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink

from literate_book.lookup.modules import module_pages
from literate_book.lookup.names import all_names, names_page
from literate_book.lookup.pages import GeneratedPage
from literate_book.lookup.reference import reference_pages
from literate_book.lookup.rules import read_primitives
from literate_book.lookup.rules_page import rules_page
from literate_book.weave.crossrefs import Crossrefs, load_crossrefs

SECTION = "Reference"


class LookupSite:
    """All generated pages of a book, for one build of its site."""

    def __init__(self, root: Path) -> None:
        self.web = load_crossrefs(root)
        self.pages = list(generated_pages(self.web, root))
        self.paths = {self.source(page.path): page for page in self.pages}

    def source(self, path: str) -> str:
        """A file of the book, below the folder of the docs."""
        return path.removeprefix(f"{self.web.docs}/")

    def add_navigation(self, nav: list[Any]) -> list[Any]:
        """The navigation with these pages in the section "Reference", which is made if need be."""
        first, *others = [
            {
                page.title.strip("`").removeprefix(f"{self.web.config.package}."): self.source(
                    page.path
                )
            }
            for page in self.pages
            if page.in_nav
        ]
        written: list[Any] = next((item[SECTION] for item in nav if SECTION in item), [])
        section = {SECTION: [first, *written, *others]}
        if not written:
            return [*nav, section]
        return [section if SECTION in item else item for item in nav]

    def add_files(self, files: Files, config: MkDocsConfig) -> None:
        """A file for each page, and the modules themselves for readers to take."""
        for name, text in self.web.texts.items():
            path = f"source/{name}"
            files.append(File.generated(config, path, content=text))
        for path, page in self.paths.items():
            level = InclusionLevel.INCLUDED if page.in_nav else InclusionLevel.NOT_IN_NAV
            files.append(File.generated(config, path, content=page.source, inclusion=level))
        for path in self.paths:
            file = files.src_uris[path]
            file.content_string = with_addresses(file, files)

    def finish(self, page: Page, html: str) -> str:
        """A page as it goes on to the site generator: lines can be linked, blocks are listed.

        Only HTML that is made of Markdown has its anchors and headings noted by the site generator.
        """
        page.present_anchor_ids = {*(page.present_anchor_ids or ()), *LINE.findall(html)}
        if page.toc.items:
            for id_, said in BLOCK.findall(html):
                name = re.sub(r"<[^>]+>", "", said)
                page.toc.items[0].children.append(AnchorLink(name, id_, 2))
        return EXCLUDED.sub(r'\g<0> data-search-exclude="true"', html)


LINE = re.compile(r'<(?:span|section)[^>]* id="([^"]+)"')
BLOCK = re.compile(r'<section class="block"[^>]* id="([^"]+)"[^>]*><header><h2><a [^>]*>(.*?)</a>')
# What the search need not hold: captions and links of listings, drawings and players, which repeat
# the text beside them; of notebooks, the mark at each heading and the second copy of each cell.
EXCLUDED = re.compile(
    r'<figcaption\b|<ul(?= class="neighbours")|<p(?= class="places")'
    r'|<figure(?= class="(?:drawing|checked stepper)")'
    r'|<a(?= class="anchor-link")|<div(?= class="zeroclipboard-container")'
)


def generated_pages(web: Crossrefs, root: Path) -> Iterator[GeneratedPage]:
    """Every page, in the order of the navigation."""
    entries = all_names(web, root)
    table = web.config.rules.get("module", "")
    yield from reference_pages(web, entries, table)
    if table:
        yield rules_page(web, table, entries, read_primitives(web, root))
    yield names_page(web, entries)
    yield from module_pages(web)


HREF = re.compile(r'(?<= href=")([^"#:]+)(?=[#"])')


def with_addresses(file: File, files: Files) -> str:
    """The Markdown of a page in which links inside of HTML lead from page to page.

    The site generator turns only the links that are Markdown into addresses.
    """
    folder = file.src_uri.rpartition("/")[0]

    def address(match: re.Match[str]) -> str:
        """The address of the page made from a file."""
        target = files.get_file_from_path(posixpath.normpath(f"{folder}/{match[1]}"))
        return target.url_relative_to(file) if target else match[1]

    return HREF.sub(address, file.content_string)
