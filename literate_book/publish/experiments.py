"""The experiments on the site: a page for each, made from a run, and the scripts to download."""

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from literate_book.render.notebooks import experiment_page
from literate_book.source.config import load_config

ARCHIVE = "assets/experiments.zip"
EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time makes the archive the same for the same scripts
DOWNLOAD = (
    'Run it yourself: <a href="{}" download>this experiment</a>, or '
    '<a href="{}" download>all of them</a>.\n'
)


class Script(File):
    """A Python file that becomes a page."""

    def is_documentation_page(self) -> bool:
        """Yes, although it is not Markdown."""
        return True


def add_scripts(root: Path, files: Files, config: MkDocsConfig) -> None:
    """Let each experiment be a page, and its script and an archive of all be files beside it."""
    folder = root / load_config(root).experiments
    found = [file for file in files if Path(file.abs_src_path or "").parent == folder]
    scripts = [file for file in found if file.src_uri.endswith(".py")]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in scripts:
            entry = zipfile.ZipInfo(f"{folder.name}/{Path(file.src_uri).name}", EPOCH)
            archive.writestr(entry, file.content_bytes, zipfile.ZIP_DEFLATED)
            copy = File.generated(config, f"{file.src_uri}.txt", content=file.content_bytes)
            copy.dest_uri = file.src_uri
            files.remove(file)
            place = file.src_uri, file.src_dir, file.dest_dir, file.use_directory_urls
            for each in (copy, Script(*place, inclusion=file.inclusion)):
                files.append(each)
    if scripts:
        files.append(File.generated(config, ARCHIVE, content=content.getvalue()))


def run_scripts(root: Path, files: Files) -> dict[str, str]:
    """The Markdown of each experiment by the name of its file, each from a run now."""
    scripts = [file for file in files if isinstance(file, Script)]
    with ThreadPoolExecutor() as pool:
        pages = pool.map(lambda file: page_of(root, file), scripts)
        return dict(zip([file.src_uri for file in scripts], pages))


def page_of(root: Path, file: File) -> str:
    """The text of an experiment's page, with links to the script and the archive."""
    path = Path(file.abs_src_path or "").relative_to(root).as_posix()
    archive = f"{'../' * file.src_uri.count('/')}{ARCHIVE}"
    page = experiment_page(root, path, file.content_string)
    return page + DOWNLOAD.format(Path(path).name, archive)
