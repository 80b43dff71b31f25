"""The page of names: an entry for each, and behind it its places, as at the end of a book."""

from collections.abc import Iterable
from itertools import groupby
from xml.etree.ElementTree import Element

from literate_book.lookup.names import NUMPY, Entry, dotted
from literate_book.lookup.pages import Leaf, add_articles, add_blocks, add_section, article_number
from literate_book.render.listings import add, add_text
from literate_book.render.markdown import BREAK
from literate_book.weave.crossrefs import Crossrefs, title

PATH = "docs/en/reference/names.md"
PARTS = {
    "engine": "The engine",
    "numpy": "Names of NumPy",
    "tools": "The tools of the book",
}
TOLD = {
    "engine": "Every public name that a block of the engine defines.",
    "numpy": "Names that a line of the engine declares something about: a rule, or that there is "
    "none to have. The place is that of the line.",
    "tools": "Every public name of the modules that make this book.",
}


def names_page(web: Crossrefs, entries: Iterable[Entry]) -> Leaf:
    """The page, from the entries in their order."""
    leaf = Leaf(web, PATH, "Names", searched=False)
    add_key(leaf)
    parts: dict[str, list[Entry]] = {part: [] for part in PARTS}
    for entry in entries:
        parts[part_of(entry)].append(entry)
    for part, members in parts.items():
        if members:
            add_part(leaf, part, members)
    return leaf


def part_of(entry: Entry) -> str:
    """The part of the page that an entry stands in."""
    if entry.is_tool:
        return "tools"
    return "numpy" if entry.home == NUMPY else "engine"


def add_key(leaf: Leaf) -> None:
    """Say what the numbers on the page are."""
    text = add(leaf.body, "p", "Where a name is defined, explained and used. A number is that of ")
    add_text(text, "an article; the first behind ")
    add(text, "em", "explained")
    add_text(text, " is the one that prints it. A name in code type is what uses the name.")
    key = add(leaf.body, "ol", class_="key")
    for path, article in leaf.web.articles.items():
        item = add(key, "li")
        add(item, "span", article_number(path), class_="number")
        add(item, "a", title(article), href=leaf.href(path))


def add_part(leaf: Leaf, part: str, entries: list[Entry]) -> None:
    """One alphabet: a bar of letters, then the entries under each."""
    section = add_section(leaf, part, PARTS[part])
    add(section, "p", TOLD[part])
    bar = add(section, "nav", class_="letters", aria_label=f"Letters: {PARTS[part]}")
    for letter, members in groupby(entries, letter_of):
        add(bar, "a", letter, href=f"#{part}-{letter}")
        add(section, "h3", letter, id=f"{part}-{letter}", class_="letter")
        index = add(section, "dl", class_="names")
        for entry in members:
            add_entry(leaf, index, entry)


def letter_of(entry: Entry) -> str:
    """The letter that an entry is found under."""
    return entry.name[0].upper()


def add_entry(leaf: Leaf, index: Element, entry: Entry) -> None:
    """A name and its places."""
    box = add(index, "div", id=entry.full)
    add_broken(add(add(box, "dt"), "code"), entry.name)
    places = add(box, "dd")
    where = add(places, "span", class_="place")
    link = add(where, "a", class_="defined", href=leaf.to_line(entry.block, entry.line))
    add_broken(add(link, "code"), module_name(entry))
    add_text(link, f" {entry.line}")
    if entry.primitive:
        add_text(where, f", {kind(entry)}")
    add_articles(leaf, add_line(places, "explained"), entry.explained)
    if entry.users or entry.articles:
        used = add_line(places, "used")
        add_articles(leaf, used, entry.articles)
        add_text(used, "; " if entry.users and entry.articles else "")
        add_blocks(leaf, used, entry.users)
    if entry.parts:
        add_parts(leaf, places, entry)


def add_line(places: Element, said: str) -> Element:
    """A line of places, with a word for what is found there."""
    line = add(places, "span", class_="place")
    add(line, "span", said, class_="said").tail = " "
    return line


def add_parts(leaf: Leaf, places: Element, entry: Entry) -> None:
    """What a class defines, each with its line."""
    inside = add_line(places, "holds")
    for index, (name, place, line) in enumerate(entry.parts):
        add_text(inside, ", " if index else "")
        link = add(inside, "a", href=leaf.to_line(place, line))
        add_broken(add(link, "code"), name)
        add_text(link, f" {line}")


def module_name(entry: Entry) -> str:
    """The module that an entry's line stands in, below the package."""
    return dotted(entry.block.file) or "literate_ad"


def kind(entry: Entry) -> str:
    """What a line says about a function of NumPy, in words."""
    if entry.primitive is None:
        return ""
    words = {"rule": "a rule", "composed": "made of others", "constant": "a constant"}
    same = entry.primitive.own_name
    also = "" if same == entry.name else f", the same as {same}"
    return words[entry.primitive.state] + also


def add_broken(code: Element, name: str) -> None:
    """A name with the places where it may go on in the next line."""
    code.text, *pieces = BREAK.split(name)
    for piece in pieces:
        add(code, "wbr").tail = piece
