"""The Markdown extension that turns an article into its page.

Fences become listings with the module's line numbers, checked tables and lists say that they are
checked, formulas become MathML and graphs become SVG. The extension belongs to Python-Markdown,
not to one site generator: ``markdown_extensions: [literate_book.render.markdown]``.
"""

import hashlib
import re
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE, AtomicString

from literate_book.record.matching import draws_run
from literate_book.render.graphs import draw_graph
from literate_book.render.lights import HINT, Lights, Spots, connect, figure_name, frames, marks
from literate_book.render.listings import Here, add, code_html, draw_listing
from literate_book.render.mathematics import add_formulas
from literate_book.render.player import fill_player, recorded
from literate_book.source.articles import parse_article
from literate_book.source.config import book_root, load_config
from literate_book.source.directives import INSIDE, prose
from literate_book.source.errors import BookError
from literate_book.source.quotes import with_quotation
from literate_book.source.tables import find_spans
from literate_book.weave.crossrefs import load_crossrefs


class Page:
    """The page at work: which article it is, its fences, and the ticket of each."""

    def __init__(self, text: str, root: Path) -> None:
        web = load_crossrefs(root)
        article, self.offset = web.article_of(text)
        path = article.path if article else "page"
        page = parse_article(path, text)
        self.here, self.text = Here(web, path), prose(page)
        self.fences = [with_quotation(root, fence) for fence in page.fences]
        self.root = root
        self.tickets = make_tickets(text, len(page.fences))

    def take_recording(self, expression: str) -> tuple[str, dict[str, Any]]:
        """The next run of ``expression`` that was recorded for the page, and a name for it."""
        for name, recording in self.recordings.items():
            if recording["expression"] == expression:
                return name, self.recordings.pop(name)
        raise self.error("<!-- stepper", "nothing was recorded for this: save the article")

    @cached_property
    def recordings(self) -> dict[str, dict[str, Any]]:
        """The runs that the steppers of the page play."""
        return {f"stepper-{number}": each for number, each in enumerate(self.lights.steppers, 1)}

    @cached_property
    def lights(self) -> Lights:
        """What lights together: it is known before the first listing is drawn."""
        spots = Spots(self.here, self.fences)
        article = self.here.web.articles.get(self.here.path)
        if article and (any(map(draws_run, self.fences)) or "<!-- stepper" in self.text):
            package = load_config(self.root).package
            found = recorded(self.root, article.path, article.text, package)
            return Lights(spots, **found)
        return Lights(spots)

    def error(self, wanted: str, message: str) -> BookError:
        """A complaint about the first place of ``wanted`` outside of fences."""
        place = max(self.text.find(wanted), 0)
        line = self.text.count("\n", 0, place) + 1 + self.offset
        return BookError(self.here.path, line, place - self.text.rfind("\n", 0, place), message)


def make_tickets(text: str, count: int) -> dict[str, int]:
    """A word for each fence of a page, and the fence's number.

    A text cannot well hold its own digest, so no author writes such a word by accident.
    """
    series = f"ticket{hashlib.sha256(text.encode()).hexdigest()[:16]}n"
    return {f"{series}{number}": number for number in range(count)}


class BookExtension(Extension):
    """Everything an article needs beyond ordinary Markdown."""

    page: Page

    def __init__(self, **settings: Any) -> None:
        self.config = {"root": ["", "the folder that holds mkdocs.yml; by default found upwards"]}
        super().__init__(**settings)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  (Python-Markdown's name)
        """Take part in three steps: before blocks are read, within lines, when all is read."""
        md.registerExtensions(["attr_list", "def_list", "tables"], {})
        # Before whitespace is normalised (30), so that lines are those of the article.
        md.preprocessors.register(FindFences(md, self), "book-fences", 31)
        # Before ordinary code spans (190).
        md.inlinePatterns.register(CheckedValue("`+", md), "book-value", 195)
        add_formulas(md, lambda wanted, message: self.page.error(wanted, message))
        # After attributes are read (8), before a site generator looks for links and anchors (5).
        md.treeprocessors.register(Dress(md, self), "book-dress", 6)

    def open_page(self, text: str) -> Page:
        """Begin a page."""
        self.page = Page(text, Path(self.getConfig("root") or book_root()))
        return self.page


def makeExtension(**settings: Any) -> BookExtension:  # noqa: N802  (Python-Markdown's name)
    """The way Python-Markdown finds the extension."""
    return BookExtension(**settings)


class FindFences(Preprocessor):
    """Leaves a ticket where a fence stood, so that nothing in it is read as Markdown."""

    def __init__(self, md: Markdown, book: BookExtension) -> None:
        super().__init__(md)
        self.book = book

    def run(self, lines: list[str]) -> list[str]:
        """Replace every fence by a paragraph that holds its ticket."""
        page = self.book.open_page("\n".join(lines))
        result, done = [], 0
        for ticket, fence in zip(page.tickets, page.fences, strict=True):
            result += lines[done : fence.line - 1]
            result += ["", fence.indent + ticket, ""]
            done = fence.end_line
        return result + lines[done:]


class CheckedValue(InlineProcessor):
    """Reads `` `6.0`{: value="EXPR"} `` at once: Markdown would see emphasis in the expression."""

    def handleMatch(  # type: ignore[override]  # noqa: N802  (Python-Markdown's name)
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        """The value with a quiet mark; other code is left to Markdown."""
        span = next(find_spans(data, m.start(), len(data)), None)
        if span is None or span.outer[0] != m.start() or "value" not in span.attrs:
            return None, None, None
        code = Element("code", {"class": "checked", "title": f"checked: {span.attrs['value']}"})
        code.text = AtomicString(span.text)
        return code, *span.outer


class Dress(Treeprocessor):
    """Gives fences, checked tables and checked lists their look."""

    def __init__(self, md: Markdown, book: BookExtension) -> None:
        super().__init__(md)
        self.book = book

    def run(self, root: Element) -> None:
        """Walk over the page once."""
        tickets = dict(self.book.page.tickets)
        for parent in list(root.iter()):
            for index, child in enumerate(list(parent)):
                if child.tag == "p" and child.text in tickets:
                    parent[index] = self.draw(tickets.pop(child.text))
                elif child.tag == "table":
                    parent[index] = scrolling(child)
            frame_checked(self.md, parent, self.book.page.lights)
            self.add_players(parent)
        for number in tickets.values():
            message = "this fence stands in raw HTML or in a comment: move it out, or it is lost"
            raise self.book.page.fences[number].error(message)

    def add_players(self, parent: Element) -> None:
        """Put a player where a comment asks for one."""
        for index, comment in enumerate(parent):
            kind, expression, _ = asked(self.md, comment)
            if kind == "stepper":
                name, recording = self.book.page.take_recording(expression)
                figure = Element("figure", {"class": "checked stepper", "id": name})
                mark_checked(figure, "Step by step", expression)
                player = add(figure, "trace-stepper")
                page = self.book.page
                html = fill_player(page.here, player, recording, name, page.lights)
                player.text = self.md.htmlStash.store(html)
                parent[index] = figure

    def draw(self, number: int) -> Element:
        """The figure for a fence of the page."""
        page = self.book.page
        fence = page.fences[number]
        if fence.lang == "mermaid":
            return draw_diagram(self.md, page, number)
        figure, first_line = draw_listing(page.here, fence, number + 1)
        for box in figure.iterfind("div"):
            html = code_html(fence, first_line, marks(page.lights, number))
            box.text = self.md.htmlStash.store(html)
        return figure


NAMES = {
    "snapshot": "State snapshot",
    "calls": "Call sequence",
    "source-table": "Source table",
    "correspondence": "Theory to source",
}


def frame_checked(md: Markdown, parent: Element, lights: Lights) -> None:
    """Frame the tables and lists that stand behind a comment which asks for a check."""
    for comment, target in pairwise(list(parent)):
        kind, expression, of = asked(md, comment)
        if kind in NAMES and (target.tag == "ol" or target.get("class") == "table"):
            figure = Element("figure", {"class": f"checked {kind}"})
            mark_checked(figure, NAMES[kind], expression)
            figure.append(target)
            connect(lights, target, of or expression, md.htmlStash.store)
            figure.tail, target.tail = target.tail, None
            parent[list(parent).index(target)] = figure
            parent.remove(comment)


def mark_checked(figure: Element, name: str, expression: str) -> None:
    """Say what is shown, and that the tests compare it with a run."""
    caption = add(figure, "figcaption")
    add(caption, "strong", name)
    if expression:
        add(caption, "code", expression)
    add(caption, "span", "checked", class_="mark", title="The tests compare this with a run.")


COMMENT = re.compile(r"<!--(.*)-->", re.DOTALL)


def asked(md: Markdown, element: Element) -> tuple[str, str, str]:
    """The kind of a checking comment, its expression, and the graph it is of; or nothing."""
    place = HTML_PLACEHOLDER_RE.fullmatch((element.text or "").strip())
    if element.tag != "p" or not place:
        return "", "", ""
    comment = COMMENT.fullmatch(str(md.htmlStash.rawHtmlBlocks[int(place[1])]).strip())
    parts = comment and INSIDE.fullmatch(comment[1])
    return (parts["name"], parts["expression"] or "", parts["of"] or "") if parts else ("", "", "")


# Behind a point or an underscore, but not inside of a name like __call__.
BREAK = re.compile(r"(?<=[A-Za-z][._])(?=[A-Za-z])|(?<=[A-Za-z]\.)(?=_)")


def scrolling(table: Element) -> Element:
    """A wide table scrolls inside its own box; the box can be reached by keyboard.

    A long name in a cell may break behind a point or an underscore; numbers stand on the right.
    """
    align_numbers(table)
    for code in table.iter("code"):
        code.text, *pieces = BREAK.split(code.text or "")
        for piece in pieces:
            add(code, "wbr").tail = piece
    box = Element("div", {"class": "table", "tabindex": "0", "role": "group"})
    box.tail, table.tail = table.tail, None
    table.set("class", "data")
    box.append(table)
    return box


NUMBER = re.compile(r"[-+\N{MINUS SIGN}]?\d[\d,.]*(e[-+]?\d+)?( ?[%\N{MULTIPLICATION SIGN}])?")


def align_numbers(table: Element) -> None:
    """Mark the columns of a table whose cells are all numbers, or empty."""
    head, *rows = [list(row) for row in table.iter("tr")]
    for title, *cells in zip(head, *rows, strict=True):
        texts = {"".join(cell.itertext()).strip() for cell in cells} - {""}
        if texts and all(map(NUMBER.fullmatch, texts)):
            for cell in (title, *cells):
                cell.set("class", "number")


def draw_diagram(md: Markdown, page: Page, number: int) -> Element:
    """The figure for a fence with a graph."""
    fence, around = page.fences[number], frames(page.lights, number)
    name, graph = figure_name(fence, number), fence.attrs.get("graph", "")
    title = f"Operation graph of a run: {graph}" if graph else fence.attrs.get("title", "Diagram")
    try:
        svg = draw_graph(fence.body, f"{name}-svg", title, around)
    except ValueError as problem:
        raise fence.error(f"this cannot be drawn: {problem}") from None
    figure = Element("figure", {"class": "drawing", "id": name})
    if graph:
        mark_checked(figure, "Operation graph", graph)
    box = add(figure, "div", class_="scroll", tabindex="0", role="group")
    box.text = md.htmlStash.store(svg)
    if around:
        add(figure, "p", HINT, class_="hint")
    return figure
