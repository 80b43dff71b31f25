# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-book-publishing.md#src-press-imports
"""Keeps a built site, and makes single pages of it again when they are asked for."""

import logging
import posixpath
import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import cast

from mkdocs.commands.build import _build_page, _populate_page, build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink

from literate_ad.book.articles import parse_article
from literate_ad.book.directives import prose
from literate_ad.book.errors import BookErrors
from literate_ad.book.mkdocs_plugin import BookPlugin
from literate_ad.book.nav import CONFIG


# --- docs/en/articles/13-book-publishing.md#src-press-built
class Built:
    """A whole build: all pages, and what MkDocs has found out on the way to them."""

    def __init__(self, root: Path) -> None:
        self.desk = TemporaryDirectory(ignore_cleanup_errors=True)
        self.folder = Path(self.desk.name)
        self.config = load_config(str(root / CONFIG), site_dir=self.desk.name, strict=False)
        self.plugin = cast(BookPlugin, self.config.plugins["literate-ad"])
        build(self.config)
        self.files = {Path(each.abs_src_path or ""): each for each in self.plugin.files}
        self.pages = {each.dest_uri: each.page for each in self.plugin.files if each.page}
        self.sources = {
            name: Path(page.file.abs_src_path).relative_to(root).as_posix()
            for name, page in self.pages.items()
            if page.file.abs_src_path
        }

    def read(self, name: str) -> list[str]:
        """Read the article of one page; what a strict build would not let pass."""
        page, files = self.pages[name], self.plugin.files
        with Heard(logging.WARNING) as heard:
            _populate_page(page, self.config, files)
            page.validate_anchor_links(files=files, log_level=self.config.validation.links.anchors)
        return heard.said

    def write(self, name: str) -> None:
        """Write one page, with what its article said when it was read last."""
        plugin = self.plugin
        others = plugin.files.documentation_pages()
        _build_page(self.pages[name], self.config, others, plugin.nav, plugin.env)


# --- docs/en/articles/13-book-publishing.md#src-press-press
class Press:
    """The site of a book. After a change each page is stale, and made again when asked for."""

    def __init__(self, root: Path) -> None:
        self.root, self.lock, self.due = root, Lock(), False
        self.refused: list[str] = []
        self.built = Built(root)
        self.note(())

    def note(self, stale: Iterable[str]) -> None:
        """Some pages have to be made again; of others nothing is known that is bad."""
        self.stale, self.unmade = set(stale), set[str]()
        self.warned: dict[str, list[str]] = {}

    def change(self, paths: Iterable[Path], refused: list[str]) -> None:
        """Take note of changed files; what is ``refused`` stands on every page until it is not."""
        with self.lock:
            self.refused = refused
            self.note(self.built.pages)
            for path in paths:
                file = self.built.files.get(path)
                if file and not file.page and path.exists():
                    file.copy_file()
                inside = path.is_relative_to(self.built.config.docs_dir)
                new = not file and path.exists() and inside
                self.due = self.due or new or path == self.root / CONFIG

    @property
    def renewing(self) -> bool:
        """Whether single pages will not do, and nothing is in the way of making all."""
        return self.due and not self.refused

    def renew(self) -> None:
        """Make every page. Until that has come to its end, the old ones are read as they are."""
        with Heard(logging.ERROR) as heard:
            try:
                built = Built(self.root)
            except Abort:
                self.refused = heard.said
            except Exception as problem:
                self.refused = complaints(problem)
            else:
                with self.lock:
                    self.built, self.due = built, False
                    self.note(())

    def read(self, name: str) -> bytes | None:
        """A file of the site, as it should be now."""
        name = posixpath.normpath(f"/{name}").lstrip("/")
        with self.lock:
            if name in self.stale and not self.renewing:
                self.make(name)
                self.stale.discard(name)
            file = self.built.folder / name
            return file.read_bytes() if file.is_file() else None

    def make(self, name: str) -> None:
        """Make one page, of complaints where there are any."""
        refused = self.refused
        try:
            if not refused:
                self.warned[name] = self.built.read(name)
        except (Exception, Abort) as problem:
            refused = complaints(problem)
        if refused:
            show_complaints(self.built.pages[name], refused)
            self.unmade.add(name)
        self.built.write(name)


# --- docs/en/articles/13-book-publishing.md#src-press-complaints
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def complaints(problem: BaseException) -> list[str]:
    """What a person must be told of a problem."""
    if isinstance(problem, BookErrors):
        return [str(each) for each in problem.errors] or ["see what the terminal says"]
    return [COLOUR.sub("", str(problem)) or type(problem).__name__]


class Heard(logging.Handler):
    """What MkDocs tells in its log, from a level on."""

    def __enter__(self) -> "Heard":
        self.said: list[str] = []
        logging.getLogger("mkdocs").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("mkdocs").removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """One line of the log."""
        self.said.append(record.getMessage())


def show_complaints(page: Page, told: list[str]) -> None:
    """Let complaints stand in the place of a page."""
    items = "".join(f"<li>{escape(each)}</li>" for each in told)
    page.content = (
        f"<h1>{page.title}</h1>"
        '<div class="admonition failure refused"><p class="admonition-title">This page cannot be '
        f"made</p><ul>{items}</ul><p>It comes back when this is mended and saved.</p></div>"
    )
    vars(page).pop("nb_url", None)  # it is no notebook now


# --- docs/en/articles/13-book-publishing.md#src-press-anchor
HEADING = re.compile(r"^#{1,3} ", re.MULTILINE)  # those that the table of contents holds


def anchor(page: Page, line: int) -> str:
    """The link to the part of a page that a line of its article stands in."""
    article = parse_article(page.file.src_uri, page.file.content_string)
    before = "\n".join(prose(article).split("\n")[:line])
    parts = list(headings(page.toc))[: len(HEADING.findall(before))]
    return f"#{parts[-1]}" if parts else "#"


def headings(links: Iterable[AnchorLink]) -> Iterator[str]:
    """The names of all parts, from top to bottom."""
    for link in links:
        yield link.id
        yield from headings(link.children)
