"""Pages that nobody writes: made of elements, linked like the articles, and put into the site."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from literate_book.render.listings import Here, add, add_text, code_html, draw_listing, span_of
from literate_book.source.articles import parse_article
from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import Crossrefs, title


@dataclass
class Leaf:
    """A page without a source: ``path`` is where its Markdown would be, if there were any."""

    web: Crossrefs
    path: str
    title: str
    searched: bool = True
    body: Element = field(init=False)
    headings: list[tuple[int, str, str]] = field(default_factory=list)
    listings: int = 0

    def __post_init__(self) -> None:
        self.body = Element("body")
        add(self.body, "h1", self.title, id="top")

    @cached_property
    def here(self) -> Here:
        """The place that links start from."""
        return Here(self.web, self.path)

    def href(self, there: str, anchor: str = "") -> str:
        """The address of a page, seen from this one."""
        return re.sub(r"\.md(?=#|$)", ".html", self.here.href(there, anchor))

    def to_line(self, place: Placement, line: int) -> str:
        """The address of a line of the package on the page that prints it."""
        return self.href(place.fence.article, f"{place.fence.id}-{line}")

    def html(self) -> str:
        """The body as text."""
        return "".join(ET.tostring(each, encoding="unicode", method="html") for each in self.body)


def add_heading(leaf: Leaf, parent: Element, level: int, id_: str, names: Iterable[str]) -> None:
    """A heading in code type, which the table of contents shows too."""
    names = list(names)
    leaf.headings.append((level, id_, ", ".join(names)))
    head = add(parent, f"h{level}", id=id_)
    for index, name in enumerate(names):
        add_text(head, ", " if index else "")
        add(head, "code", name)
    link = add(head, "a", "\N{PILCROW SIGN}", class_="headerlink", href=f"#{id_}")
    link.set("title", "Link to this section")


def add_section(leaf: Leaf, id_: str, name: str) -> Element:
    """A part of the page, with a heading in words."""
    leaf.headings.append((2, id_, name))
    part = add(leaf.body, "section")
    add(part, "h2", name, id=id_)
    return part


def add_listing(leaf: Leaf, parent: Element, code: str, place: Placement | None = None) -> None:
    """Code with a button to copy it; with ``place``, the block that it is from."""
    leaf.listings += 1
    fence = parse_article("page", f"````python\n{code.rstrip()}\n````\n").fences[0]
    figure, _ = draw_listing(leaf.here, fence, leaf.listings)
    for box in figure.iterfind("div"):
        box.append(ET.fromstring(code_html(fence)))
    if place:
        figure.set("class", "listing source")
        caption = Element("figcaption")
        link = add(caption, "a", href=leaf.href(place.fence.article, place.fence.id))
        add(link, "code", place.file)
        add(caption, "span", f"in the block of {span_of(place)}", class_="lines")
        figure.insert(0, caption)
    figure.set("data-search-exclude", "true")
    parent.append(figure)


def article_number(path: str) -> str:
    """The number of an article; the overview, which has none, comes before the first."""
    match = re.search(r"/(\d+)-[^/]*$", path)
    return str(int(match[1])) if match else "0"


def add_articles(leaf: Leaf, parent: Element, paths: Iterable[str]) -> None:
    """Links to articles by their numbers, as an index names pages."""
    for index, path in enumerate(paths):
        add_text(parent, ", " if index else "")
        link = add(parent, "a", article_number(path), href=leaf.href(path))
        link.set("title", title(leaf.web.articles[path]))


def add_blocks(leaf: Leaf, parent: Element, users: Iterable[tuple[str, str]]) -> None:
    """Links to blocks by what uses a name there; a statement has the words of its block's id."""
    for index, (id_, user) in enumerate(users):
        add_text(parent, ", " if index else "")
        link = add(parent, "a", href=leaf.href(leaf.web.places[id_].fence.article, id_))
        if user:
            add(link, "code", user)
        else:
            link.text = id_.removeprefix("src-").replace("-", " ")
