"""Makes one page of all pages of the site: the book from its title to its last experiment."""

import posixpath
import re
from html import escape
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag

from literate_book.source.nav import nav_entries, read_site


class Edition:
    """The pages of a built site as chapters of one page, in the order of the book."""

    def __init__(self, root: Path, site: Path) -> None:
        self.site, self.config = site, read_site(root)
        entries = [entry.value for entry in nav_entries(self.config["nav"])]
        names = [f"{posixpath.splitext(entry)[0]}.html" for entry in entries if "://" not in entry]
        # A name for each page, which begins all names of its parts. It has no colon.
        self.keys = {name: posixpath.splitext(name)[0] for name in names}

    def setting(self, name: str) -> str:
        """A text of mkdocs.yml; empty where it has none."""
        node = self.config.get(name)
        return escape(node.value) if isinstance(node, yaml.ScalarNode) else ""

    def html(self) -> str:
        """The one page."""
        chapters = [self.chapter(name) for name in self.keys]
        first = next(iter(self.keys))
        soup = BeautifulSoup((self.site / first).read_text(), "html.parser")
        links = [str(each["href"]) for each in soup.select("link[rel=stylesheet]")]
        addresses = [self.address(each, first) for each in links]
        sheets = "".join(f'<link rel="stylesheet" href="{each}">' for each in addresses)
        title, about, rights = map(self.setting, ("site_name", "site_description", "copyright"))
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f'{sheets}<style>@page {{ @top-center {{ content: "{title}" }} }}</style></head>'
            '<body class="edition" dir="ltr" data-md-color-scheme="default">'
            '<main class="md-content"><div class="md-typeset">'
            f'<header class="cover"><p>{title}</p><p>{about}</p><p>{rights}</p></header>'
            f'<nav class="contents"><h1 id="contents">Contents</h1>{contents(chapters)}</nav>'
            f"{''.join(map(str, chapters))}</div></main></body></html>"
        )

    def chapter(self, name: str) -> Tag:
        """A page as a chapter."""
        html = PLAIN.sub(r"\1", (self.site / name).read_text())
        soup = BeautifulSoup(html, "html.parser")
        body = soup.select_one("article")
        assert body is not None, f"{name} has no article"
        for each in body.select(ON_SCREEN):
            each.decompose()
        for each in body.select("details"):
            each["open"] = ""
        for each in body.find_all(True):
            self.rename(each, name)
        body.name, body["class"], body["id"] = "section", "chapter", self.keys[name]
        return body

    def rename(self, tag: Tag, name: str) -> None:
        """Let names be those of the one page, and addresses lead to them."""
        key = self.keys[name]
        for attribute, value in list(tag.attrs.items()):
            if attribute == "id":
                tag[attribute] = f"{key}:{value}"
            elif attribute in NAMING:
                tag[attribute] = " ".join(f"{key}:{each}" for each in str(value).split())
            elif attribute in ("href", "src"):
                tag[attribute] = self.address(str(value), name)
            elif "url(#" in value:
                tag[attribute] = str(value).replace("url(#", f"url(#{key}:")

    def address(self, address: str, name: str) -> str:
        """Where a link or a picture of a page is in the one page, or beside it."""
        if urlsplit(address).scheme:
            return address
        url, anchor = urldefrag(urljoin(f"/{name}", address))
        path = unquote(url).lstrip("/") or "index.html"
        if path not in self.keys:
            return path
        return f"#{self.keys[path]}:{anchor}" if anchor else f"#{self.keys[path]}"


# What has a use only on a screen.
ON_SCREEN = "script, button, .series, .headerlink, .neighbours, p:has(a[download])"
# Words of code that are neither keyword, text, comment nor number; on paper they are black.
PLAIN = re.compile(r'<span class="[^kscm"][a-z]?">([^<]*)</span>')
NAMING = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "headers")


def contents(chapters: list[Tag]) -> str:
    """The table of contents: every chapter, and its parts."""
    return f"<ol>{''.join(map(entry, chapters))}</ol>"


def entry(chapter: Tag) -> str:
    """A chapter in the table of contents."""
    title, *parts = (link(each) for each in chapter.select("h1, h2"))
    inner = f"<ol>{''.join(f'<li>{part}</li>' for part in parts)}</ol>" if parts else ""
    return f"<li>{title}{inner}</li>"


def link(heading: Tag) -> str:
    """A heading as a link to it."""
    return f'<a href="#{heading["id"]}">{escape(heading.get_text().strip())}</a>'
