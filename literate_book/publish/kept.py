"""The pages that a server need not make again after a save: they are kept as they were written."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from literate_book.weave.crossrefs import Crossrefs, defined


class KeptPage(File):
    """A page as an earlier build wrote it, and what it was made from."""

    title: str | None
    text: str
    places: str

    def is_documentation_page(self) -> bool:
        """No: it is copied as it is."""
        return False


class KeptPages:
    """All pages of the builds of one server.

    A build makes the pages with a new text. Where others show blocks whose place has changed,
    ``late`` names a file to touch: the server watches it, and the next build makes those too.
    """

    def __init__(self, root: Path) -> None:
        self.root, self.pages, self.look = root, dict[str, KeptPage](), ""
        self.late, self.is_late = root / ".cache/late-pages", False
        self.late.parent.mkdir(parents=True, exist_ok=True)
        self.late.touch()

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
        kept.dest_uri, kept.title = file.dest_uri, page.title
        kept.text, kept.places = text_of(file), places_of(self.root, file, web)
        self.pages[file.src_uri] = kept

    def replace(self, files: Files, web: Crossrefs) -> None:
        """Put kept pages in the place of those that need not be made now."""
        was_late, self.is_late = self.is_late, False
        for name, kept in self.pages.items():
            file, kept.page = files.get_file_from_path(name), None
            if file is None or text_of(file) != kept.text:
                continue
            moved = places_of(self.root, file, web) != kept.places
            if not (moved and was_late):
                files.remove(file)
                files.append(kept)
                self.is_late = self.is_late or moved

    def ask_for_rest(self) -> None:
        """Let the server build again if pages are late."""
        if self.is_late:
            self.late.touch()


def text_of(file: File) -> str:
    """What a page is written in; nothing for a generated one."""
    return "" if file.generated_by else file.content_string


def places_of(root: Path, file: File, web: Crossrefs) -> str:
    """What a page says of its blocks besides their text: lines, neighbours and users.

    Runs are left out: what other pages recorded is made again when they are.
    """
    if file.generated_by:
        return ""
    article = web.articles.get(Path(file.abs_src_path or "").relative_to(root).as_posix())
    fences = article.fences if article else ()
    places = [web.places[fence.id] for fence in fences if fence.is_source]
    around = [[each and defined(each.fence) for each in web.neighbours(place)] for place in places]
    return repr(([(place.first_line, web.users.get(place.fence.id)) for place in places], around))


def name_pages(nav: Navigation) -> None:
    """Give kept pages their titles in the navigation."""
    for page in nav.pages:
        if isinstance(page.file, KeptPage) and page.title is None:
            page.title = page.file.title
