"""The package as it lies on the disk: its modules, their blocks, and the lock beside them.

The lock holds the digest of every block when articles and package last agreed. With it the tools
tell which side changed, in a fresh clone and without git just as well.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from literate_book.source.articles import read_text, unclean
from literate_book.source.blocks import MARKER
from literate_book.source.config import Config
from literate_book.source.errors import BookError, BookErrors, refusal, refuse_if
from literate_book.weave.assemble import ASSEMBLED, Assembly

LOCK = "book.lock"
UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class Piece:
    """A block as it stands in a module: the line of its marker, its text, and where that begins."""

    file: str
    article: str
    id: str
    body: str
    marker: int
    line: int


@dataclass(frozen=True)
class ModuleText:
    """One assembled module, split at its markers. ``stray`` is the first line of outside code."""

    file: str
    text: str
    pieces: tuple[Piece, ...]
    stray: int


def split_module(file: str, text: str) -> ModuleText:
    """Find the blocks of an assembled module again. Blank lines around them do not count."""
    lines = text.split("\n")
    starts = [index for index, line in enumerate(lines) if MARKER.fullmatch(line)]
    pieces = []
    for start, end in pairwise([*starts, len(lines)]):
        marker = MARKER.fullmatch(lines[start])
        assert marker
        used = [index for index in range(start + 1, end) if lines[index].strip()]
        first, last = (used[0], used[-1]) if used else (start + 1, start)
        body = "".join(f"{line}\n" for line in lines[first : last + 1])
        piece = Piece(file, marker["article"], marker["id"], body, start + 1, first + 1)
        pieces.append(piece)
    head = range(text.startswith(ASSEMBLED), starts[0] if starts else len(lines))
    stray = next((index + 1 for index in head if lines[index].strip()), 0)
    return ModuleText(file, text, tuple(pieces), stray)


def read_package(root: Path, package: str, files: Iterable[str]) -> dict[str, ModuleText]:
    """The modules on the disk: all that are named in ``files``, and all that bear the header."""
    wanted = set(files)
    modules: dict[str, ModuleText] = {}
    errors: list[BookError] = []
    for path in sorted((root / package).rglob("*.py")):
        file = path.relative_to(root).as_posix()
        try:
            text = read_text(root, file)
        except BookErrors as found:
            errors += found.errors
            continue
        if file in wanted or text.startswith(ASSEMBLED):
            errors += unclean(file, text)
            modules[file] = split_module(file, text)
    refuse_if(errors)
    return modules


LOCK_HEADER = (
    "# The digest of every block when articles and package last agreed: it tells which side\n"
    "# changed. Written together with the package; never edit it.\n"
)
LOCK_LINE = re.compile(r"(?P<file>\S+)|  (?P<id>[\w:.-]+) (?P<digest>[0-9a-f]{16})")
Lock = dict[str, dict[str, str]]  # by module, then by block


def digest(body: str) -> str:
    """A short fingerprint of the text of a block."""
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def lock_of(assembly: Assembly) -> Lock:
    """The lock of a package that is exactly as the articles say."""
    return {
        file: {each.fence.id: digest(each.fence.body) for each in places}
        for file, places in assembly.by_file.items()
    }


def parse_lock(text: str) -> Lock:
    """The digests by module and block, in the order of the module."""
    lock: Lock = {}
    entries: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.startswith("# "):
            continue
        match = LOCK_LINE.fullmatch(line)
        if match is None:
            message = "not a line of the lock: take the file back from git, or delete it"
            raise refusal(LOCK, message, number)
        if match["file"]:
            entries = lock.setdefault(match["file"], {})
        else:
            entries[match["id"]] = match["digest"]
    return lock


def render_lock(lock: Lock) -> str:
    """The text of the lock."""
    lines = [LOCK_HEADER]
    for file, entries in sorted(lock.items()):
        lines.append(f"\n{file}\n")
        lines += [f"  {id_} {mark}\n" for id_, mark in entries.items()]
    return "".join(lines)


def write_all(root: Path, texts: dict[str, str], removed: Iterable[str] = ()) -> None:
    """Write all files or none: every text is on the disk before the first file is replaced."""
    file = "."
    try:
        for file, text in texts.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / f"{file}{UNFINISHED}").write_bytes(text.encode())
        for file in texts:
            (root / f"{file}{UNFINISHED}").replace(root / file)
        for file in removed:
            (root / file).unlink()
    except OSError as problem:
        raise refusal(file, f"cannot be written: {problem.strerror}") from None
    finally:
        for file in texts:
            with suppress(OSError):
                (root / f"{file}{UNFINISHED}").unlink()


def leftovers(root: Path, config: Config) -> Iterator[BookError]:
    """A complaint about every file that an interrupted run left behind."""
    found = [*root.glob(f"{LOCK}{UNFINISHED}")]
    for folder in (config.package, config.articles):
        found += sorted((root / folder).rglob(f"*{UNFINISHED}"))
    for path in found:
        message = "left by a run that was interrupted; no other file is harmed: delete this one"
        yield BookError(path.relative_to(root).as_posix(), 1, 1, message)
