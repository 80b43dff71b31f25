"""Reads articles: finds every fence, with the exact place of its text.

Fences follow the rules of pymdownx.superfences. Where another reader (CommonMark, ruff, GitHub)
would see a different fence, the article is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from markdown.extensions.attr_list import get_attrs_and_remainder

from literate_book.source.errors import BookError, BookErrors, refusal, refuse_if
from literate_book.source.nav import nav_articles


@dataclass(frozen=True)
class Fence:
    """One fenced block of an article. Lines and columns count from 1, offsets from 0.

    ``line_starts`` holds the offset of each line of the body and of the closing line; ``end`` is
    the offset behind the closing line.
    """

    article: str
    line: int
    col: int
    end_line: int
    lang: str
    id: str
    classes: tuple[str, ...]
    attrs: dict[str, str] = field(hash=False)
    body: str
    line_starts: tuple[int, ...]
    end: int
    opening: str

    @property
    def start(self) -> int:
        """The offset of the ticks that open the fence."""
        return self.body_offset - 1 - len(self.opening)

    @property
    def body_offset(self) -> int:
        """Where the body begins in the article's text."""
        return self.line_starts[0]

    @property
    def body_end(self) -> int:
        """Where the body ends: the start of the closing line."""
        return self.line_starts[-1]

    @property
    def body_line(self) -> int:
        """The line below the opening one."""
        return self.line + 1

    @property
    def is_source(self) -> bool:
        """Whether the block is a part of the package."""
        return "file" in self.attrs

    @property
    def is_session(self) -> bool:
        """Whether the body is a session with prompts and answers; a program may quote a prompt."""
        return self.body.lstrip().startswith(">>>")

    @property
    def indent(self) -> str:
        """The spaces before the fence, and before every line of its body in the article."""
        return " " * (self.col - 1)

    @property
    def ticks(self) -> str:
        """The characters that open and close the fence."""
        return self.opening[: len(self.opening) - len(self.opening.lstrip(self.opening[0]))]

    def indented(self, text: str) -> str:
        """Lines of code as they stand in the article inside this fence."""
        lines = text.splitlines(keepends=True)
        return "".join(self.indent + line if line.strip() else line for line in lines)

    def error(self, message: str, at: str = "") -> BookError:
        """A complaint about this fence, at the word ``at`` of its opening line."""
        word = re.search(rf"(?<![\w-]){re.escape(at)}", self.opening)
        start = word.start() if word else max(self.opening.find(at), 0)
        return BookError(self.article, self.line, self.col + start, message)


@dataclass(frozen=True)
class Article:
    """One article and its fences, in the order of the page."""

    path: str
    text: str
    fences: tuple[Fence, ...]


def parse_article(path: str, text: str) -> Article:
    """Find the fences of one article; raises ``BookErrors`` with every complaint."""
    refuse_if(unclean(path, text))
    found = list(scan(path, text))
    refuse_if(each for each in found if isinstance(each, BookError))
    return Article(path, text, tuple(each for each in found if isinstance(each, Fence)))


# Characters that editors, Markdown and Python would count or split lines by differently.
UNCLEAN = {
    "\ufeff": "a byte order mark: save the file as UTF-8 without it",
    "\r": "a carriage return: save the file with plain line feeds",
    "\t": "a tab: use spaces",
}
UNCLEAN_RUN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


def unclean(path: str, text: str) -> list[BookError]:
    """One complaint for each kind of unwanted character, at its first place."""
    first: dict[str, re.Match[str]] = {}
    for match in UNCLEAN_RUN.finditer(text):
        first.setdefault(UNCLEAN.get(match[0], "a control character: delete it"), match)
    return [
        BookError(path, *line_and_column(text, match.start()), f"{what}, here and further on")
        for what, match in first.items()
    ]


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The 1-based line and column of an offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def line_end(text: str, offset: int) -> int:
    """The offset of the end of the line that holds ``offset``."""
    newline = text.find("\n", offset)
    return len(text) if newline < 0 else newline


ITEM = r"""(?:\#[\w:.-]+ | \.[\w-]+ | [A-Za-z_][\w-]*=(?:"[^"]*"|'[^']*'))"""
BRACES = re.compile(rf"\{{[ ]*(?:{ITEM}[ ]+)*{ITEM}?\}}", re.VERBOSE)


def parse_braces(braces: str) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """Split ``{#id .class key="value"}`` into its id, classes and attributes.

    Markdown's own parser reads it, but skips what it does not understand, so the form is checked
    first. Raises ``ValueError`` saying what is wrong.
    """
    if not BRACES.fullmatch(braces):
        raise ValueError('malformed braces: write {#id .class key="value"}, all on this line')
    pairs, _ = get_attrs_and_remainder(braces[1:-1])
    keys = [key for key, _ in pairs if key != "."]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise ValueError(f"{', '.join(sorted(twice))} is given twice: keep one")
    attrs = {key: value or "" for key, value in pairs if key != "."}
    return attrs.pop("id", ""), tuple(value or "" for key, value in pairs if key == "."), attrs


FENCE_LINE = re.compile(
    r"(?P<indent> *)(?P<nest>(?:>|[-*+] |\d+[.)] )[ >]*)?"
    r"(?P<ticks>`{3,}|~{3,})(?P<lang>[\w+.#-]*)(?P<rest>.*)"
)
BRACED = re.compile(r" *\{.*\} *")


def opening_of(line: str) -> re.Match[str] | None:
    """The parts of a line that opens a fence; None where the ticks are inline code."""
    match = FENCE_LINE.fullmatch(line) if "```" in line or "~~~" in line else None
    if match and "`" in match["rest"] and match["ticks"][0] == "`":
        # No fence for most readers. The site would draw one if the line ends in braces.
        return match if BRACED.fullmatch(match["rest"]) else None
    return match


def opening_problem(path: str, line: int, opening: re.Match[str]) -> BookError | None:
    """What is wrong with the line that opens a fence, if anything is."""
    rest, lang = opening["rest"].strip(" "), opening["lang"]
    if opening["nest"]:
        column = opening.start("nest")
        message = "a fence may not stand in a quotation or right behind a list mark: "
        message += "give it a line of its own, indented by four spaces"
    elif (rest and not lang) or lang[:1] in (".", "#"):
        column = opening.end("ticks")
        message = 'the language comes first, right behind the ticks: ```python {#id key="value"}'
    elif rest and not rest.startswith("{"):
        column = opening[0].index(rest, opening.start("rest"))
        message = 'options stand in braces: ```python {#id key="value"}'
    elif "`" in rest and opening["ticks"][0] == "`":
        column = opening[0].index("`", opening.start("rest"))
        message = "a backtick in the braces of a ``` fence hides it from other readers: use ~~~"
    else:
        return None
    return BookError(path, line, column + 1, message)


def find_closing(lines: list[str], first: int, opening: re.Match[str]) -> tuple[int, str]:
    """The index of the line that ends the fence opened right before ``lines[first]``.

    The second value says what is wrong there; it is empty for a proper closing line.
    """
    indent, ticks = len(opening["indent"]), opening["ticks"]
    mend = f"close it with {ticks}, indented like this line"
    for index in range(first, len(lines)):
        line = lines[index]
        content = line.strip(" ")
        deeper = len(line) - len(line.lstrip(" ")) - indent
        if content and deeper < 0:
            return index, f"this fence is open at line {index + 1}, which is indented less: {mend}"
        if content == ticks and deeper == 0:
            return index, ""
        if content.startswith(ticks) and deeper < 4:
            mend += ", or open it with more ticks than it shows"
            return index, f"this fence is open at the fence of line {index + 1}: {mend}"
    return len(lines), f"this fence is never closed: {mend}"


def scan(path: str, text: str) -> Iterator[Fence | BookError]:
    """Every fence of an article and every complaint about one, from top to bottom."""
    lines = text.split("\n")
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    index = 0
    while index < len(lines):
        opening = opening_of(lines[index])
        first = index = index + 1
        if opening is None:
            continue
        problem = opening_problem(path, first, opening)
        if problem:
            yield problem
        if opening["nest"]:
            continue
        index, unclosed = find_closing(lines, first, opening)
        if unclosed:
            yield BookError(path, first, opening.start("ticks") + 1, unclosed)
            continue
        index += 1
        if not problem:
            end = offsets[index - 1] + len(lines[index - 1])
            yield make_fence(path, opening, first, text, tuple(offsets[first:index]), end)


def make_fence(
    path: str, opening: re.Match[str], line: int, text: str, starts: tuple[int, ...], end: int
) -> Fence | BookError:
    """The fence that ``opening`` opens, with its body between the first and last of ``starts``."""
    indent = len(opening["indent"])
    try:
        id_, classes, attrs = parse_braces(opening["rest"].strip(" ") or "{}")
    except ValueError as problem:
        return BookError(path, line, opening[0].find("{") + 1, str(problem))
    raw = text[starts[0] : starts[-1]]
    return Fence(
        article=path,
        line=line,
        col=indent + 1,
        end_line=line + len(starts),
        lang=opening["lang"],
        id=id_,
        classes=classes,
        attrs=attrs,
        body="\n".join(each[indent:] for each in raw.split("\n")),
        line_starts=starts,
        end=end,
        opening=opening[0][indent:],
    )


def read_book(root: Path) -> list[Article]:
    """All articles in the order of the nav; raises ``BookErrors`` with every complaint."""
    paths, errors = nav_articles(root)
    articles = []
    for path in paths:
        try:
            articles.append(parse_article(path, read_text(root, path)))
        except BookErrors as found:
            errors += found.errors
    refuse_if(errors)
    return articles


def read_text(root: Path, path: str) -> str:
    """The text of a file of the book, to the byte: no newline is translated."""
    try:
        data = (root / path).read_bytes()
    except OSError as problem:
        raise refusal(path, f"cannot be read: {problem.strerror}") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        good = data[: problem.start].decode("utf-8")
        message = f"byte {data[problem.start]:#04x} is not UTF-8: save the file as UTF-8"
        raise refusal(path, message, *line_and_column(good, len(good))) from None
