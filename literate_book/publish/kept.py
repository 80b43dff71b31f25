"""The pages that a server need not make again after a save: they are kept as they were written."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from literate_book.weave.crossrefs import Crossrefs, defined


class KeptPage(File):
    """A page as an earlier build wrote it; ``key`` stands for what it was made from."""

    title: str | None
    key: object

    def is_documentation_page(self) -> bool:
        """No: it is copied as it is."""
        return False


class KeptPages:
    """All pages of the builds of one server."""

    def __init__(self, root: Path) -> None:
        self.root, self.pages, self.look = root, dict[str, KeptPage](), ""

    def forget_old(self, config: MkDocsConfig) -> None:
        """Drop all pages if the navigation or the look of the site has changed."""
        looks = [Path(config.config_file_path), *Path(config.theme.custom_dir or "").rglob("*")]
        look = repr([(str(path), path.stat().st_mtime_ns) for path in looks if path.is_file()])
        if look != self.look:
            self.pages, self.look = {}, look

    def keep(self, page: Page, html: str, web: Crossrefs, config: MkDocsConfig) -> None:
        """Keep a page that is being written."""
        file = page.file
        kept = KeptPage.generated(config, file.src_uri, content=html, inclusion=file.inclusion)
        assert isinstance(kept, KeptPage)
        kept.dest_uri, kept.title, kept.key = (
            file.dest_uri,
            page.title,
            key_of(self.root, file, web),
        )
        self.pages[file.src_uri] = kept

    def replace(self, files: Files, web: Crossrefs) -> None:
        """Put kept pages in the place of those that would be made from the same."""
        for name, kept in self.pages.items():
            file, kept.page = files.get_file_from_path(name), None
            if file and key_of(self.root, file, web) == kept.key:
                files.remove(file)
                files.append(kept)


def key_of(root: Path, file: File, web: Crossrefs) -> object:
    """What a page is made from: its text, and where its blocks are in their modules.

    Runs are left out: what other pages recorded is made again when they are saved.
    """
    if file.generated_by:
        return None
    article = web.articles.get(Path(file.abs_src_path or "").relative_to(root).as_posix())
    fences = article.fences if article else ()
    places = [web.places[fence.id] for fence in fences if fence.is_source]
    around = [[each and defined(each.fence) for each in web.neighbours(place)] for place in places]
    lines = [(place.first_line, web.users.get(place.fence.id)) for place in places]
    return file.content_string, repr((lines, around))


def name_pages(nav: Navigation) -> None:
    """Give kept pages their titles in the navigation."""
    for page in nav.pages:
        if isinstance(page.file, KeptPage) and page.title is None:
            page.title = page.file.title
