"""The MkDocs plugin ``literate-book``: what the book adds to a build, and to MkDocs' server."""

import re
import sys
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemBytecodeCache
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from literate_book.lookup.site import LookupSite
from literate_book.publish import experiments
from literate_book.publish.kept import KeptPages, name_pages
from literate_book.publish.serving import SCRIPT, Checks, add_script, serve_checks
from literate_book.source.config import book_root
from literate_book.source.errors import BookError, BookErrors
from literate_book.weave.crossrefs import load_crossrefs
from literate_book.weave.tangle import tangle


class NoSettings(Config):  # type: ignore[no-untyped-call]
    """The plugin has no settings: those of a book are in its pyproject.toml."""


class BookPlugin(BasePlugin[NoSettings]):  # type: ignore[no-untyped-call]
    """Each event of a build. Under ``mkdocs serve`` one plugin sees all builds."""

    lookup: LookupSite  # as they are in a build that makes all pages
    checks: Checks | None = None  # only under ``mkdocs serve``, as is the next
    kept: KeptPages

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Only a server runs the checks of the articles."""
        if command == "serve":
            self.checks = Checks()

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Assemble the package under a server; put the generated pages into the navigation."""
        self.root = book_root(Path(config.config_file_path).parent)
        if self.checks:
            self.kept = vars(self).get("kept") or KeptPages(self.root)
            self.kept.forget_old(config)
            print(*tangle(self.root), sep="\n")
        self.web = load_crossrefs(self.root)
        self.all = not (self.checks and self.kept.pages)
        if self.all:
            self.lookup = LookupSite(self.root)
        config.nav = self.lookup.add_navigation(list(config.nav or ()))
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the generated pages. A server makes them once, and later only what has changed."""
        experiments.add_scripts(self.root, files, config)
        self.lookup.add_files(files, config)
        if self.checks:
            self.kept.replace(files, self.web)
            files.append(File.generated(config, SCRIPT.name, content=SCRIPT.read_text()))
        self.experiments = experiments.run_scripts(self.root, files)
        return files

    def on_nav(self, nav: Navigation, **_: Any) -> None:
        """All pages have a place in the order of the book."""
        name_pages(nav)

    def on_env(self, env: Environment, **_: Any) -> None:
        """A server compiles the templates once."""
        if self.checks:
            env.bytecode_cache = FileSystemBytecodeCache()

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """The text of an experiment, which its run has made; other pages have a file."""
        return self.experiments.get(page.file.src_uri)

    def on_page_content(self, html: str, *, page: Page, files: Files, **_: Any) -> str:
        """The body of a page: what Markdown made of it, or what is generated in its place."""
        return self.lookup.finish(page, without_links_line(html))

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """A whole page, about to be written."""
        output = with_labels(output)
        if self.checks:
            output = add_script(output, self.root, page)
            self.kept.keep(page, output, self.web, config)
        return output

    def on_post_template(self, output_content: str, **_: Any) -> str:
        """A page that has no file, such as the one for addresses that do not exist."""
        return with_labels(output_content)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """All is written. A server keeps the index of all pages, and runs the checks."""
        index = Path(config.site_dir) / "search" / "search_index.json"
        if self.all and index.is_file():
            self.index = index.read_bytes()
        elif index.is_file():
            index.write_bytes(self.index)
        if self.checks:
            self.kept.ask_for_rest()
            self.checks.start(self.root)

    def on_build_error(self, *, error: Exception) -> None:
        """End with one line for each complaint about the book, without a traceback."""
        if isinstance(error, BookError | BookErrors):
            sys.exit(f"\n{error}")

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Serve the results of the checks; keep the pages when a build fails."""
        assert self.checks
        server.watch(str(self.kept.late))
        return serve_checks(server, self.checks, Path(config.site_dir))

    def on_shutdown(self) -> None:
        """Leave no process behind."""
        if self.checks:
            self.checks.stop()


# The last line of an article, for readers of its Markdown; the site has a bar for that.
LINKS_LINE = re.compile(r"<p>(?:(?!</?p>).)*(?:Previous|Next): (?:(?!</?p>).)*</p>\s*\Z", re.DOTALL)


def without_links_line(html: str) -> str:
    """The body of a page without its line of links to the previous and the next article."""
    return LINKS_LINE.sub("", html)


# Names for the parts of Material's header that have none which can be read aloud.
LABELS = {
    'role="dialog"': 'role="dialog" aria-label="Search"',
    '<label class="md-header__button md-icon" for="__drawer">': (
        '<label class="md-header__button md-icon" for="__drawer">'
        '<span class="heard">Navigation</span>'
    ),
}


def with_labels(output: str) -> str:
    """A page whose search and whose button for the navigation have names."""
    for part, named in LABELS.items():
        output = output.replace(part, named, 1)
    return output
