"""The pages that nobody has written: one for each module, and the map of all of them."""

import posixpath
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urldefrag
from xml.etree.ElementTree import Element, tostring

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink

from literate_book.lookup.module_map import map_body
from literate_book.lookup.module_pages import module_body
from literate_book.lookup.modules import FOLDER, module_page, read_modules
from literate_book.render.diagrams import CACHE
from literate_book.render.listings import Here
from literate_book.weave.crossrefs import load_crossrefs

# The code of the modules stands in the articles, where a search shall find it.
TITLE = "---\nsearch:\n  exclude: true\n---\n\n# `{}`\n"


class ModulesSection:
    """The modules of a book, and the pages on which a build shows them."""

    def __init__(self, root: Path) -> None:
        self.web = load_crossrefs(root)
        self.modules = read_modules(self.web)
        self.shelf = root / CACHE
        self.names = {self.source(name): name for name in self.modules}
        self.map = f"{FOLDER}/index.md"

    def navigation(self) -> list[dict[str, str]]:
        """The entry of the navigation for these pages."""
        return [{"Modules": self.map}]

    def source(self, name: str) -> str:
        """The file that MkDocs makes the page of a module from."""
        return posixpath.relpath(module_page(self.web.docs, self.modules[name].file), self.web.docs)

    def files(self, config: MkDocsConfig) -> Iterator[File]:
        """What an author would have to write: titles, and the modules themselves."""
        made = {self.map: "# Modules\n"}
        for source, name in self.names.items():
            module = self.modules[name]
            made[source] = TITLE.format(module.dotted)
            made[f"{FOLDER}/{module.file}"] = module.text
        for path, content in made.items():
            inclusion = InclusionLevel.INCLUDED if path == self.map else InclusionLevel.NOT_IN_NAV
            yield File.generated(config, path, content=content, inclusion=inclusion)

    def body(self, page: Page, files: Files) -> str:
        """What stands below the title of one of these pages; nothing for any other page."""
        source = page.file.src_uri
        here = Here(self.web, f"{self.web.docs}/{source}")
        if source == self.map:
            body = map_body(here, self.modules, self.shelf)
        elif source in self.names:
            body = module_body(here, self.modules, self.names[source])
        else:
            return ""
        announce(page, body)
        lead(page, files, body)
        # As XML: in HTML a quoted "<script>" may stand in an attribute, and reads like a real one.
        return tostring(body, encoding="unicode", short_empty_elements=False)


def announce(page: Page, body: Element) -> None:
    """Tell MkDocs of the headings and the anchors that it has not seen in the Markdown."""
    page.present_anchor_ids = {*(page.present_anchor_ids or ()), *anchors(body)}
    for section in body.iter("section"):
        heading = next(section.iter("h2"))
        said = "".join(next(heading.iter("a"), heading).itertext())
        page.toc.items[0].children.append(AnchorLink(said, section.get("id", ""), 1))


def anchors(body: Element) -> Iterator[str]:
    """Every place in a body that a link can lead to."""
    return (element.attrib["id"] for element in body.iter() if "id" in element.attrib)


def lead(page: Page, files: Files, body: Element) -> None:
    """Turn links from file to file, as an author would write them, into links between pages."""
    for link in body.iter("a"):
        path, anchor = urldefrag(link.get("href", ""))
        source = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), path))
        target = files.src_uris[source]
        link.set("href", target.url_relative_to(page.file) + (f"#{anchor}" if anchor else ""))
