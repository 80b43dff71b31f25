"""What a copy editor would mark in the words of an article, and where."""

import re
from collections.abc import Iterator
from pathlib import Path

from proselint.checks import __register__ as list_of_checks
from proselint.config import Config
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

from literate_book.check.checks import error_at
from literate_book.source.articles import Article, read_book
from literate_book.source.directives import prose
from literate_book.source.errors import BookError
from literate_book.source.tables import find_spans

COVER = "\N{MIDDLE DOT}"
NO_WORDS = re.compile(
    r"<!--.*?-->|\$\$.+?\$\$|\$[^$\n]+\$"  # comments, formulas
    r"|(?<=\])\([^)]*\)|\{[^}\n]*\}|<[^>\n]+>"  # addresses of links, attributes, tags
    r"|^ *(?:\d+\.|[|*-])|\n[ \n]*\n",  # marks of lists and tables, ends of paragraphs
    re.DOTALL | re.MULTILINE,
)


def words(article: Article) -> str:
    """The article with all that is not English covered up; every offset stays what it was."""
    text = prose(article)
    for span in find_spans(text, 0, len(text)):
        start, end = span.outer
        text = text[:start] + covered(text[start:end]) + text[end:]
    return NO_WORDS.sub(lambda found: covered(found[0]), text)


def covered(text: str) -> str:
    """As many points as there are characters."""
    return COVER * len(text)


KEPT = (
    *("lexical_illusions", "malapropisms", "mondegreens", "nonwords", "oxymorons", "redundancy"),
    *("needless_variants", "mixed_metaphors", "social_awareness", "spelling", "terms"),
    *("uncomparables", "industrial_language", "dates_times"),
)
CHECKS: Config = {"max_errors": 1000, "checks": dict.fromkeys(KEPT, True)}
FILLER = re.compile(
    r"\b(?:simply|obviously|of course|basically|trivially|easily|actually|in order to"
    r"|(?<!the )note that|powerful|seamless(?:ly)?|state-of-the-art|cutting-edge)\b",
    re.IGNORECASE,
)


def wording(root: Path) -> list[BookError]:
    """Every complaint about the words of a book, in book order."""
    return [error for article in read_book(root) for error in wording_of(article)]


def wording_of(article: Article) -> list[BookError]:
    """Every complaint about the words of one article, from top to bottom."""
    text = words(article)
    found = sorted([*listed(text), *filler(text)])
    return [error_at(article, offset, message) for offset, message in found]


def listed(text: str) -> Iterator[tuple[int, str]]:
    """What proselint marks. It counts from a line break of its own before the text."""
    registry = CheckRegistry()
    if not registry.checks:  # there is one in a process, however often this module is imported
        registry.register_many(list_of_checks)
    for each in LintFile("article", text).lint(CHECKS):
        yield each.check_result.span[0] - 1, " ".join(each.check_result.message.split())


def filler(text: str) -> Iterator[tuple[int, str]]:
    """Words that nobody would miss."""
    for match in FILLER.finditer(text):
        yield match.start(), f"`{match[0]}` adds nothing here: leave it out"
