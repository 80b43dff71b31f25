# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-book-publishing.md#src-mkdocs-plugin
"""What MkDocs asks of the book while it builds: the plugin ``literate-ad`` of ``mkdocs.yml``."""

from typing import Any, Literal

from mkdocs.config.base import Config
from mkdocs.plugins import BasePlugin

from literate_ad.book.policy import with_policy


class NoSettings(Config):  # type: ignore[no-untyped-call]
    """The plugin takes none: all that could be set is in ``mkdocs.yml`` already."""


class BookPlugin(BasePlugin[NoSettings]):  # type: ignore[no-untyped-call]
    """Each event of a build, and the module that answers it."""

    serving = False

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """The server puts a script of its own into every page, which no policy would allow."""
        self.serving = command == "serve"

    def on_post_template(self, output_content: str, **_: Any) -> str:
        """A page that is made from no file, such as the one for addresses that do not exist."""
        return self.on_post_page(output_content)

    def on_post_page(self, output: str, **_: Any) -> str:
        """A whole page, about to be written."""
        return output if self.serving else with_policy(output)
