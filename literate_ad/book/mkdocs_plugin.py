# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-book-publishing.md#src-mkdocs-plugin
"""What MkDocs asks of the book while it builds: the plugin ``literate-ad`` of ``mkdocs.yml``."""

from typing import Any, Literal

from jinja2 import Environment
from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation

from literate_ad.book.policy import with_policy


class NoSettings(Config):  # type: ignore[no-untyped-call]
    """The plugin takes none: all that could be set is in ``mkdocs.yml`` already."""


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

    def on_nav(self, nav: Navigation, **_: Any) -> None:
        """The order of the pages is known."""
        self.nav = nav

    def on_env(self, env: Environment, files: Files, **_: Any) -> None:
        """All articles are read, and no page is written yet."""
        self.env, self.files = env, files

    def on_post_template(self, output_content: str, **_: Any) -> str:
        """A page that is made from no file, such as the one for addresses that do not exist."""
        return with_policy(output_content)

    def on_post_page(self, output: str, **_: Any) -> str:
        """A whole page, about to be written."""
        return with_policy(output)
