"""What MkDocs asks of the book while it builds: the plugin ``literate-ad`` of ``mkdocs.yml``."""

from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from literate_book.lookup.modules_section import ModulesSection
from literate_book.lookup.names_section import NamesSection, files_of, navigation
from literate_book.lookup.search import add_to_index, without_repeats
from literate_book.source.config import book_root
from literate_book.weave.crossrefs import load_crossrefs


class NoSettings(Config):  # type: ignore[no-untyped-call]
    """The plugin takes none: all that could be set is in ``mkdocs.yml`` already."""


class Sections:
    """The pages that nobody has written, as the book would have them now."""

    def __init__(self, root: Path) -> None:
        self.web = load_crossrefs(root)
        self.modules, self.names = ModulesSection(root), NamesSection(root)

    def files(self, config: MkDocsConfig) -> list[File]:
        """A file for each of the pages, and each of the modules."""
        return [*self.modules.files(config), *files_of(self.names.pages, config)]


class BookPlugin(BasePlugin[NoSettings]):  # type: ignore[no-untyped-call]
    """Each event of a build, and the module that answers it."""

    # What a build leaves, for those who make single pages again.
    nav: Navigation
    files: Files
    env: Environment

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """The server of MkDocs puts a script into every page, which the policy does not allow."""
        if command == "serve":
            raise PluginError("make serve shows this book while it is written")

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """The pages that nobody has written stand behind those of the book."""
        self.root = book_root(Path(config.config_file_path).parent)
        self.sections = Sections(self.root)
        pages = [*self.sections.modules.navigation(), *navigation(self.sections.names.pages)]
        config.nav = [*(config.nav or ()), {"Look up": pages}]
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Those pages have no files: make some."""
        for file in self.sections.files(config):
            files.append(file)
        return files

    def on_nav(self, nav: Navigation, **_: Any) -> None:
        """The order of the pages is known."""
        self.nav = nav

    def on_env(self, env: Environment, files: Files, **_: Any) -> None:
        """All articles are read, and no page is written yet."""
        self.env, self.files = env, files

    def on_page_content(self, html: str, *, page: Page, files: Files, **_: Any) -> str:
        """The body of a page: what Markdown made of it, or what is put in the place of that."""
        if page.file.generated_by:
            if self.sections.web is not load_crossrefs(self.root):
                self.sections = Sections(self.root)
            html = self.sections.names.fill(page, html) + self.sections.modules.body(page, files)
        return without_repeats(html)

    def on_post_template(self, output_content: str, **_: Any) -> str:
        """A page that is made from no file, such as the one for addresses that do not exist."""
        return output_content

    def on_post_page(self, output: str, **_: Any) -> str:
        """A whole page, about to be written."""
        return output

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """All is written. The search, if there is one, learns of blocks and names."""
        index = Path(config.site_dir) / "search" / "search_index.json"
        if index.is_file():
            add_to_index(index, self.sections.names.web, self.sections.names.entries)
