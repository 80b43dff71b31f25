"""How a fence looks on the page: its frame, its caption, its lines with the module's numbers."""

import posixpath
from html import escape
from xml.etree.ElementTree import Element, SubElement

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from literate_ad.book.articles import Fence
from literate_ad.book.assemble import Placement
from literate_ad.book.crossrefs import Crossrefs, defined, example_code, is_session, title
from literate_ad.book.experiments import FOLDER

FORMATTER = HtmlFormatter(nowrap=True)


def coloured(body: str, lang: str) -> list[str]:
    """The lines of a listing as HTML; every line closes the tags that it opens."""
    if lang == "python" and is_session(body):
        lang = "pycon"
    try:
        lexer = get_lexer_by_name(lang or "text", stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    lines: list[str] = highlight(body, lexer, FORMATTER).removesuffix("\n").split("\n")
    return lines


def code_html(fence: Fence, first_line: int = 0) -> str:
    """The code of a fence; with ``first_line`` every line has a number and an anchor of its own."""
    lines = coloured(fence.body, fence.lang)
    if first_line:
        width = len(str(first_line + len(lines)))
        lines = [
            f'<span id="{fence.id}-{number}"><span data-linenos="{number:>{width}} "></span>{line}'
            "\n</span>"
            for number, line in enumerate(lines, first_line)
        ]
        return f"<pre><code>{''.join(lines)}</code></pre>"
    return "<pre><code>{}\n</code></pre>".format("\n".join(lines))


def add(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    """Append an element; ``class_`` stands for the attribute that Python keeps for itself."""
    attributes = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    child = SubElement(parent, tag, attributes)
    child.text = text
    return child


def add_text(parent: Element, text: str) -> None:
    """Append text behind whatever the element holds."""
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def href(here: str, there: str, anchor: str = "") -> str:
    """The link from one article to another, as an author would write it."""
    path = "" if there == here else posixpath.relpath(there, posixpath.dirname(here) or ".")
    return f"{path}#{anchor}" if anchor else path


class Listings:
    """Draws the fences of one page."""

    def __init__(self, web: Crossrefs, here: str) -> None:
        self.web, self.here = web, here

    def frame(self, fence: Fence) -> tuple[Element, int]:
        """The figure around a fence, and the number of its first line (0: no numbers)."""
        figure = Element("figure", {"class": " ".join(("listing", *fence.classes))})
        if fence.id:
            figure.set("id", fence.id)
        box = Element("div", {"class": "highlight"})
        if is_session(fence.body):
            box.set("data-copy", example_code(fence.body))
        first_line = self.caption(figure, fence)
        figure.append(box)
        if first_line:
            self.add_neighbours(figure, self.web.places[fence.id])
        return figure, first_line

    def caption(self, figure: Element, fence: Fence) -> int:
        """Say above a listing what it is; returns the number of its first line."""
        if fence.is_source:
            return self.add_place(figure, fence)
        if "ablation" in fence.classes:
            self.add_ablation(figure, fence)
        elif "of" in fence.attrs:
            self.add_experiment(figure, fence)
        elif "output" in fence.classes:
            add(figure, "figcaption", "Output")
        elif "not-run" in fence.classes:
            add(figure, "figcaption", f"Not run: {fence.attrs.get('reason', '')}")
        return 0

    def add_place(self, figure: Element, fence: Fence) -> int:
        """Name the module and the lines of a block of the package."""
        place = self.web.places[fence.id]
        figure.set("class", "listing source")
        caption = add(figure, "figcaption")
        link = add(caption, "a", href=f"#{fence.id}", title="Link to this block")
        add(link, "code", place.file)
        add(caption, "span", span_of(place), class_="lines")
        return place.first_line

    def add_ablation(self, figure: Element, fence: Fence) -> None:
        """Warn that a listing is wrong, and say what comes of it."""
        place = self.web.places.get(fence.attrs.get("of", "").removeprefix("#"))
        if place is None:
            raise fence.error("no block of the package has the id that this variant is of", "of=")
        caption = add(figure, "figcaption")
        add(caption, "strong", "Wrong on purpose")
        add_text(caption, " in place of ")
        self.add_link(caption, place)
        add_text(caption, ": ")
        if "run" in fence.attrs:
            add(caption, "code", fence.attrs["run"])
            add_text(caption, " gives " if fence.attrs["expect"][:1].isdigit() else " ")
        add_text(caption, fence.attrs.get("expect", ""))

    def add_experiment(self, figure: Element, fence: Fence) -> None:
        """Say which experiment a listing is from."""
        said = "Printed by " if "output" in fence.classes else "From "
        name = fence.attrs["of"]
        link = add(add(figure, "figcaption", said), "a", href=href(self.here, f"{FOLDER}/{name}"))
        add(link, "code", name)

    def add_link(self, parent: Element, place: Placement, before: str = "") -> None:
        """Link to a block by the first name that it defines, or by the words of its id."""
        there = place.fence.article
        add_text(parent, before)
        names = [name for name in defined(place.fence) if not name.startswith("__")]
        words = "" if names else place.fence.id.removeprefix("src-").replace("-", " ")
        link = add(parent, "a", words, href=href(self.here, there, place.fence.id))
        if names:
            add(link, "code", names[0])
        if there != self.here:
            add_text(parent, f" in {title(self.web.articles[there])}")

    def add_neighbours(self, figure: Element, place: Placement) -> None:
        """Lead to the blocks before and after, and to the articles that use this one."""
        before, after = self.web.neighbours(place)
        users = self.web.users.get(place.fence.id, [])
        if not (before or after or users):
            return
        foot = add(figure, "ul", class_="neighbours")
        if before:
            self.add_link(add(foot, "li"), before, "Above: ")
        if after:
            self.add_link(add(foot, "li"), after, "Below: ")
        if users:
            item = add(foot, "li", "Used in: ")
            for index, path in enumerate(users):
                add_text(item, ", " if index else "")
                add(item, "a", title(self.web.articles[path]), href=href(self.here, path))


def span_of(place: Placement) -> str:
    """The lines of a block in its module, in words."""
    if place.first_line == place.last_line:
        return f"line {place.first_line}"
    return f"lines {place.first_line}\N{EN DASH}{place.last_line}"


def diagram_title(fence: Fence) -> str:
    """What a drawing shows, in a few words."""
    if "graph" in fence.attrs:
        return f"Operation graph of a run: {fence.attrs['graph']}"
    return escape(fence.attrs.get("title", "Diagram"))
