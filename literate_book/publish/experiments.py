"""The experiments on the site: a page for each, made from a run, and the scripts to download."""

import io
import shutil
import zipfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from literate_book.publish.serving import package_digest
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


def add_pages(root: Path, files: Files, config: MkDocsConfig) -> dict[str, str]:
    """Let each experiment be a page. Returns their Markdown by the names of their files."""
    folder = root / load_config(root).experiments
    found = [file for file in files if Path(file.abs_src_path or "").parent == folder]
    scripts = [file for file in found if file.src_uri.endswith(".py")]
    for file in scripts:
        files.remove(file)
        place = file.src_uri, file.src_dir, file.dest_dir, file.use_directory_urls
        files.append(Script(*place, inclusion=file.inclusion))
    if scripts:
        files.append(File.generated(config, ARCHIVE, content=archive(scripts)))
    package = package_digest(root)
    with ThreadPoolExecutor() as pool:
        pages = pool.map(lambda file: markdown(root, file, package), scripts)
        return dict(zip([file.src_uri for file in scripts], pages))


def markdown(root: Path, file: File, package: str) -> str:
    """The text of an experiment's page, with links to the script and the archive."""
    path = Path(file.abs_src_path or "").relative_to(root).as_posix()
    page = cached_page(root, path, file.content_string, package)
    archive = f"{'../' * file.src_uri.count('/')}{ARCHIVE}"
    return page + DOWNLOAD.format(Path(path).name, archive)


@lru_cache
def cached_page(root: Path, path: str, script: str, package: str) -> str:
    """The page, made anew only if the script or the package has changed."""
    return experiment_page(root, path, script)


def archive(scripts: Iterable[File]) -> bytes:
    """All experiments in one archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for script in scripts:
            entry = zipfile.ZipInfo(f"experiments/{Path(script.src_uri).name}", EPOCH)
            packed.writestr(entry, script.content_bytes, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def copy_scripts(names: Iterable[str], config: MkDocsConfig) -> None:
    """Put the scripts beside their pages."""
    for name in names:
        shutil.copyfile(Path(config.docs_dir, name), Path(config.site_dir, name))
