"""Assembles the package again whenever an article is saved."""

import traceback
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from literate_book.source.config import load_config
from literate_book.source.errors import BookError, BookErrors
from literate_book.weave.tangle import tangle


def watch(root: Path) -> None:
    """Assemble now and after every save, until interrupted."""
    changes = saves(root)
    print(f"watching the articles in {root}; end with Ctrl-C", flush=True)
    for report in reports(root, changes):
        print(report, flush=True)


def matters(_: object, path: str) -> bool:
    """Whether a changed file can change the package."""
    return Path(path).suffix in (".md", ".py", ".yml")


Change = set[tuple[Any, str]]


def saves(root: Path, matters: Callable[[Any, str], bool] = matters) -> Iterator[Change]:
    """The kind and the path of what was saved, at once for files saved together."""
    try:
        import watchfiles
    except ImportError:
        message = "watch needs the package watchfiles: install the extra book"
        raise BookErrors([BookError("pyproject.toml", 1, 1, message)]) from None
    config = load_config(root)
    found: SimpleQueue[Change] = SimpleQueue()

    def look(*folders: Path, deep: bool, wanted: Callable[[Any, str], bool]) -> None:
        options: Any = {"raise_interrupt": False, "recursive": deep, "debounce": 200, "step": 20}
        for change in watchfiles.watch(*folders, watch_filter=wanted, **options):
            found.put(change)

    def is_nav(_: Any, path: str) -> bool:
        return Path(path) == root / config.site

    parts = (config.package, config.articles, "overrides")
    folders = [root / part for part in parts if (root / part).exists()]
    for arguments, deep, wanted in ((folders, True, matters), ([root], False, is_nav)):
        options = {"deep": deep, "wanted": wanted}
        Thread(target=look, args=arguments, kwargs=options, daemon=True).start()
    return iter(found.get, set())


def reports(root: Path, changes: Iterable[object]) -> Iterator[str]:
    """What to say at the start and after every save; silent where all is well as before."""
    failed = True
    for _ in chain([None], changes):
        before = failed
        failed, said = assemble_once(root)
        if failed or before or "\n" in said:
            yield said


def assemble_once(root: Path) -> tuple[bool, str]:
    """Whether one run failed, and what it said. An error ends nothing, not even one of ours."""
    try:
        return False, "\n".join(tangle(root))
    except BookErrors as problem:
        return True, f"{problem}\nnothing was written"
    except Exception:
        return True, traceback.format_exc()
