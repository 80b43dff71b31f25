# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-book-publishing.md#src-mkdocs-plugin
"""What MkDocs asks of the book while it builds: the plugin ``literate-ad`` of ``mkdocs.yml``."""

from pathlib import Path
from typing import Any, Literal

from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from literate_ad.book.articles import book_root
from literate_ad.book.lookup import LookUp, files_of, navigation
from literate_ad.book.policy import with_policy
from literate_ad.book.searching import add_to_index, without_repeats


class NoSettings(Config):  # type: ignore[no-untyped-call]
    """The plugin takes none: all that could be set is in ``mkdocs.yml`` already."""


class BookPlugin(BasePlugin[NoSettings]):  # type: ignore[no-untyped-call]
    """Each event of a build, and the module that answers it."""

    serving = False

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """The server puts a script of its own into every page, which no policy would allow."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """The navigation leads to the pages that are made of names, too."""
        self.lookup = LookUp(book_root(Path(config.config_file_path).parent))
        config.nav = [*(config.nav or []), *navigation(self.lookup.pages)]
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Those pages have no files: make some."""
        for file in files_of(self.lookup.pages, config):
            files.append(file)
        return files

    def on_page_content(self, html: str, *, page: Page, **_: Any) -> str:
        """The body of a page, before it is searched and framed."""
        return without_repeats(self.lookup.fill(page, html))

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """All is written, the index of the search as well."""
        index = Path(config.site_dir) / "search" / "search_index.json"
        add_to_index(index, self.lookup.web, self.lookup.entries)

    def on_post_template(self, output_content: str, **_: Any) -> str:
        """A page that is made from no file, such as the one for addresses that do not exist."""
        return self.on_post_page(output_content)

    def on_post_page(self, output: str, **_: Any) -> str:
        """A whole page, about to be written."""
        return output if self.serving else with_policy(output)
