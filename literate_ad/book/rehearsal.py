# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/08-book.md#src-rehearsal-imports
"""A new toolchain proves itself on a copy of the book before it replaces the one that runs."""

import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from tempfile import TemporaryDirectory

from literate_ad.book.errors import BookError, BookErrors
from literate_ad.book.nav import CONFIG, docs_dir, read_config
from literate_ad.book.package import PACKAGE

# --- docs/en/articles/08-book.md#src-rehearsal-rehearse
TOOLCHAIN = f"{PACKAGE}/book"


def rehearse(root: Path, texts: Mapping[str, str], removed: Iterable[str]) -> None:
    """Raise ``BookErrors`` if the toolchain that ``texts`` would install cannot read the book.

    Without this, a slip in the article about the toolchain would lock its writer out: the broken
    tool could not assemble the corrected article.
    """
    changed = [file for file in [*texts, *removed] if file.startswith(f"{TOOLCHAIN}/")]
    if not changed or not (root / TOOLCHAIN / "__main__.py").exists():
        return
    with TemporaryDirectory() as folder:
        stage = Path(folder)
        for part in (PACKAGE, docs_dir(read_config(root))):
            copytree(root / part, stage / part, ignore=ignore_patterns("__pycache__"))
        copy(root / CONFIG, stage)
        for file, text in texts.items():
            (stage / file).parent.mkdir(parents=True, exist_ok=True)
            (stage / file).write_bytes(text.encode())
        for file in removed:
            (stage / file).unlink()
        command = [sys.executable, "-B", "-W", "ignore", TOOLCHAIN, "check", "--root", "."]
        result = subprocess.run(command, cwd=stage, capture_output=True, text=True, check=False)
    if told := result.stderr.strip().replace(f"{stage.resolve()}/", ""):
        message = f"the toolchain in the articles cannot read the book: {told}"
        raise BookErrors([BookError(changed[0], 1, 1, message)])
