"""How a fence looks on the page: its frame, its caption, its lines with the module's numbers."""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from xml.etree.ElementTree import Element, SubElement

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from literate_book.source.articles import Fence
from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import Crossrefs, defined, example_code, title

FORMATTER = HtmlFormatter(nowrap=True)
# Names, signs and blanks look like any text, and need no tag.
PLAIN = re.compile(r'<span class="[nopw]">([^<]*)</span>')


def coloured(fence: Fence) -> list[str]:
    """The lines of a listing as HTML."""
    lang = "pycon" if fence.lang == "python" and fence.is_session else fence.lang or "text"
    return with_wrapping(in_colours(fence.body, lang).split("\n"))


PRINTED = '<span class="go">'
ERROR = '<span class="gr">'


def with_wrapping(lines: list[str]) -> list[str]:
    """Let the message of an error wrap, and a single printed line; rows of an array stay rows."""
    printed = [False, *(line.startswith(PRINTED) for line in lines), False]
    return [
        f'<span class="wraps">{line}</span>'
        if line.startswith(ERROR) or printed[at : at + 3] == [False, True, False]
        else line
        for at, line in enumerate(lines)
    ]


def in_colours(code: str, lang: str) -> str:
    """Code as HTML; every line closes the tags that it opens."""
    try:
        lexer = get_lexer_by_name(lang, stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    return PLAIN.sub(r"\1", highlight(code, lexer, FORMATTER)).removesuffix("\n")


PROMPT = re.compile(r"(?:>>>|\.\.\.) ?")


def statement(line: str) -> str:
    """A line of code without its prompt, and without the blanks around it."""
    return PROMPT.sub("", line.strip(), count=1).strip()


Marks = Mapping[int, tuple[str, str, str]]  # by line: its id, its attributes, what ends it
UNMARKED: Marks = MappingProxyType({})


def code_html(fence: Fence, first_line: int = 0, marks: Marks = UNMARKED) -> str:
    """The code of a fence; with ``first_line`` every line has a number and an anchor of its own.

    ``marks`` are for the lines that something on the page refers to.
    """
    lines = coloured(fence)
    if not (first_line or marks):
        return "<pre><code>{}\n</code></pre>".format("\n".join(lines))
    return numbered(lines, first_line, fence.id, first_line + len(lines), marks)


def numbered(
    lines: Sequence[str], first_line: int, name: str, largest: int, marks: Marks = UNMARKED
) -> str:
    """Lines as HTML, each in an element; those of a module have room for the ``largest`` number."""
    width, parts = len(str(largest)), []
    for number, line in enumerate(lines, first_line or 1):
        shown = f'<span data-linenos="{number:>{width}} "></span>' if first_line else ""
        own = f"{name}-{number}" if first_line and name else ""
        id_, attributes, end = marks.get(number, (own, "", ""))
        named = f' id="{id_}"' if id_ else ""
        parts.append(f"<span{named}{attributes}>{shown}{line}{end}\n</span>")
    return f"<pre><code>{''.join(parts)}</code></pre>"


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


@dataclass(frozen=True)
class Here:
    """The page that a listing stands on."""

    web: Crossrefs
    path: str

    def href(self, there: str, anchor: str = "") -> str:
        """The link from this article to another file of the docs, as an author would write it."""
        folder = posixpath.dirname(self.path) or "."
        path = "" if there == self.path else posixpath.relpath(there, folder)
        return f"{path}#{anchor}" if anchor else path


def module_of(file: str) -> str:
    """The module in a file, below the package: ``numpy.declare``; "" for the package itself."""
    _, _, path = file.removesuffix(".py").removesuffix("/__init__").partition("/")
    return path.replace("/", ".")


def module_name(web: Crossrefs, file: str) -> str:
    """The short name of a module, below the package; the package keeps its own."""
    return module_of(file) or web.config.package


def module_page(web: Crossrefs, file: str) -> str:
    """The page of a module, among the files of the book."""
    return f"{web.docs}/source/{module_name(web, file)}.md"


def draw_listing(here: Here, fence: Fence, number: int) -> tuple[Element, int]:
    """The figure around a fence, and the number of its first line (0: no numbers)."""
    figure = Element("figure", {"class": " ".join(("listing", *fence.classes))})
    if fence.id:
        figure.set("id", fence.id)
    first_line = add_caption(here, figure, fence)
    if "output" not in fence.classes:
        add_button(figure, fence, f"Copy listing {number}")
    add(figure, "div", class_="highlight")
    if fence.is_source:
        add_neighbours(here, figure, here.web.places[fence.id])
    return figure, first_line


def add_button(figure: Element, fence: Fence, name: str) -> None:
    """Offer the statements to copy; ``name`` is for those who hear the page."""
    copied = {"data-clipboard-text": example_code(fence), "aria-label": name, "title": "Copy"}
    SubElement(figure, "button", {"class": "copy", "type": "button", **copied})


def add_caption(here: Here, figure: Element, fence: Fence) -> int:
    """Say above a listing what it is; returns the number of its first line."""
    if fence.is_source:
        return add_place(here, figure, fence)
    if "quote" in fence.attrs:
        return add_quotation(figure, fence)
    if "ablation" in fence.classes:
        add_ablation(here, figure, fence)
    elif "of" in fence.attrs:
        add_experiment(here, figure, fence)
    elif "output" in fence.classes:
        add(figure, "figcaption", "Output")
    elif "not-run" in fence.classes:
        add(figure, "figcaption", f"Not run: {fence.attrs.get('reason', '')}")
    return 0


def add_place(here: Here, figure: Element, fence: Fence) -> int:
    """Name the module and the lines of a block of the package."""
    place = here.web.places[fence.id]
    figure.set("class", "listing source")
    caption = add(figure, "figcaption")
    link = add(caption, "a", href=f"#{fence.id}", title="Link to this block")
    add(link, "code", place.file)
    add(caption, "span", span_of(place), class_="lines")
    href = here.href(module_page(here.web, place.file), fence.id)
    label = f"whole module, at {fence.id.removeprefix('src-')}"
    add(caption, "a", "whole module", class_="whole", href=href, aria_label=label)
    return place.first_line


def add_quotation(figure: Element, fence: Fence) -> int:
    """Name the file and the lines that a listing quotes."""
    first = int(fence.attrs["first-line"])
    caption = add(figure, "figcaption")
    add(caption, "code", fence.attrs["quote"].partition("#")[0])
    add(caption, "span", lines_in_words(first, first + fence.body.count("\n") - 1), class_="lines")
    return first


def span_of(place: Placement) -> str:
    """The lines of a block in its module, in words."""
    return lines_in_words(place.first_line, place.last_line)


def lines_in_words(first: int, last: int) -> str:
    """``line 3``, ``lines 3-5``."""
    return f"line {first}" if first == last else f"lines {first}\N{EN DASH}{last}"


def add_ablation(here: Here, figure: Element, fence: Fence) -> None:
    """Warn that a listing is wrong, and say what comes of it."""
    place = here.web.places.get(fence.attrs.get("of", "").removeprefix("#"))
    if place is None:
        raise fence.error("no block of the package has the id that this variant is of", "of=")
    expected = fence.attrs.get("expect", "")
    caption = add(figure, "figcaption")
    add(caption, "strong", "Wrong on purpose")
    replaced = [name for name in defined(fence) if name in defined(place.fence)]
    add_link(here, caption, place, " in place of ", replaced)
    add_text(caption, ": ")
    if "run" in fence.attrs:
        add(caption, "code", fence.attrs["run"])
        add_text(caption, " " if expected.startswith("raises") else " gives ")
    add_text(caption, expected)


def add_experiment(here: Here, figure: Element, fence: Fence) -> None:
    """Say which experiment a listing is from."""
    said = "Printed by " if "output" in fence.classes else "From "
    name = fence.attrs["of"]
    href = here.href(f"{here.web.config.experiments}/{name}")
    link = add(add(figure, "figcaption", said), "a", href=href)
    add(link, "code", name)


def add_link(
    here: Here, parent: Element, place: Placement, before: str, names: Sequence[str] = ()
) -> None:
    """Link to a block by ``names``, or the first that it defines, or by the words of its id."""
    there = place.fence.article
    add_text(parent, before)
    names = names or [name for name in defined(place.fence) if not name.startswith("__")][:1]
    words = "" if names else place.fence.id.removeprefix("src-").replace("-", " ")
    link = add(parent, "a", words, href=here.href(there, place.fence.id))
    for index, name in enumerate(names):
        add_text(link, ", " if index else "")
        add(link, "code", name)
    if there != here.path:
        add_text(parent, f" in {title(here.web.articles[there])}")


def add_neighbours(here: Here, figure: Element, place: Placement) -> None:
    """Lead to the blocks before and after, and to the articles that use this one."""
    before, after = here.web.neighbours(place)
    users = here.web.users.get(place.fence.id, [])
    if not (before or after or users):
        return
    foot = add(figure, "ul", class_="neighbours")
    if before:
        add_link(here, add(foot, "li"), before, "Above: ")
    if after:
        add_link(here, add(foot, "li"), after, "Below: ")
    if users:
        add_articles(here, add(foot, "li", "Used in: "), users)


def add_articles(here: Here, parent: Element, paths: Iterable[str]) -> None:
    """Link to articles by their titles."""
    for index, path in enumerate(paths):
        add_text(parent, ", " if index else "")
        add(parent, "a", title(here.web.articles[path]), href=here.href(path))
