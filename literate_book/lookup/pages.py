"""What generated pages have in common: how they begin, and how they link to the articles."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from literate_book.render.listings import Here, module_name, module_page
from literate_book.weave.assemble import Placement
from literate_book.weave.crossrefs import Crossrefs, title

FOLDER = "reference"


@dataclass(frozen=True)
class GeneratedPage:
    """A page without a file: where one would be, and its Markdown below the title.

    ``boost`` is its weight in the search, where other pages have 1; with 0 it is left out.
    """

    path: str
    title: str
    text: str
    boost: float = 0
    in_nav: bool = False

    @property
    def source(self) -> str:
        """The whole Markdown, with what the site generator and its search read from its head."""
        search = f"boost: {self.boost}" if self.boost else "exclude: true"
        return f"---\nsearch:\n  {search}\n---\n\n# {self.title}\n\n{self.text}"


def reference_path(web: Crossrefs, name: str) -> str:
    """Where the page of the reference with this name is, among the files of the book."""
    return f"{web.docs}/{FOLDER}/{name}.md"


def display_name(web: Crossrefs, home: str) -> str:
    """A module by the name that Python imports it by; ``home`` is its name below the package."""
    return f"{web.config.package}.{home}".removesuffix(".")


def line_link(here: Here, text: str, place: Placement, line: int) -> str:
    """A link to a line of the package, in the article that prints it."""
    return f"[{text}]({here.href(place.fence.article, f'{place.fence.id}-{line}')})"


def article_link(here: Here, path: str) -> str:
    """A link to an article by its title."""
    return f"[{escaped(title(here.web.articles[path]))}]({here.href(path)})"


def article_number(path: str) -> str:
    """The number that the name of an article's file begins with, if any."""
    match = re.search(r"/0*(\d+)-[^/]*$", path)
    return match[1] if match else ""


def number_links(here: Here, paths: Iterable[str]) -> str:
    """Links to articles by their numbers, as an index names pages; without one, by the title."""
    links = []
    for path in paths:
        said = title(here.web.articles[path]).replace('"', "'")
        number = article_number(path)
        links.append(
            f'[{number}]({here.href(path)} "{said}")' if number else article_link(here, path)
        )
    return ", ".join(links)


def user_links(here: Here, users: Iterable[tuple[str, str]]) -> str:
    """Links to blocks by the function or class in them; by the words of the id without one."""
    links = []
    for id_, user in users:
        said = f"`{user}`" if user else id_.removeprefix("src-").replace("-", " ")
        links.append(f"[{said}]({here.href(here.web.places[id_].fence.article, id_)})")
    return ", ".join(links)


def module_link(here: Here, file: str) -> str:
    """A link to the page of a module."""
    return f"[`{module_name(here.web, file)}`]({here.href(module_page(here.web, file))})"


def escaped(text: str) -> str:
    """Plain words as Markdown."""
    return re.sub(r"([\\*_\[\]$])", r"\\\1", text).replace("<", "&lt;")


def prose(text: str, link: Callable[[str], str] = lambda name: "") -> str:
    """Words of a docstring as Markdown; ``link`` gives the target of a name in double backticks."""
    parts = re.split(r"``(.+?)``", " ".join(text.split()))
    for index, part in enumerate(parts):
        if index % 2 == 0:
            parts[index] = escaped(part)
        else:
            ticks = "``" if "`" in part else "`"
            target = link(part)
            shown = f"{ticks}{part}{ticks}"
            parts[index] = f"[{shown}]({target})" if target else shown
    return "".join(parts)


def first_sentence(text: str) -> str:
    """What a docstring begins with, in one line."""
    said = " ".join(text.split("\n\n")[0].split())
    match = re.match(r".+?[.?!](?= |$)", said)
    return match[0] if match else said


def rows(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of terms, each with what is said of it."""
    return "\n\n".join(f"{term}\n:   {said}" for term, said in pairs)


def places_text(here: Here, users: Sequence[tuple[str, str]], articles: Sequence[str]) -> str:
    """Who uses a name; nothing for one that is not used."""
    said = [
        f"Used by {user_links(here, users)}" if users else "",
        f"Used in article {number_links(here, articles)}" if articles else "",
    ]
    text = "; ".join(filter(None, said))
    return f"{text}.\n{{.places}}" if text else ""
