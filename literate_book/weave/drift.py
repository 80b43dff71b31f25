"""Tells what was done to a module by hand from what its articles have not yet passed on."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from literate_book.source.articles import Article, Fence, read_book, read_text
from literate_book.source.config import Config, load_config
from literate_book.source.errors import BookError, refuse_if
from literate_book.weave.assemble import ASSEMBLED, Assembly, assemble
from literate_book.weave.package import (
    LOCK,
    Lock,
    Module,
    Piece,
    digest,
    leftovers,
    locked,
    parse_lock,
    read_package,
)


@dataclass(frozen=True)
class State:
    """Articles and package as they are on the disk, and the lock of their last agreement."""

    config: Config
    articles: list[Article]
    assembly: Assembly
    modules: dict[str, Module]
    lock_text: str
    lock: Lock
    marks: dict[str, str]


def read_state(root: Path) -> State:
    """Read both sides; raises ``BookErrors`` when one of them cannot be read."""
    config, articles = load_config(root), read_book(root)
    assembly = assemble(articles, config)
    refuse_if(leftovers(root, config))
    modules = read_package(root, config.package, assembly.files)
    lock_text = read_text(root, LOCK) if (root / LOCK).exists() else ""
    lock = parse_lock(lock_text)
    return State(config, articles, assembly, modules, lock_text, lock, locked(lock))


STITCH = "python -m literate_book stitch"
TANGLE = "python -m literate_book tangle"
DISCARD = f"drop it with {TANGLE} --discard"


def place(fence: Fence) -> str:
    """The name of a block and where its article prints it."""
    return f"#{fence.id} ({fence.article}:{fence.line})"


def edited(module: Module, state: State) -> Iterator[Piece]:
    """The blocks of a module whose text is neither the article's nor the one locked."""
    for piece in module.pieces:
        known = state.assembly.by_id.get(piece.id)
        differs = known.fence.body != piece.body if known else piece.id in state.marks
        if differs and state.marks.get(piece.id) != digest(piece.body):
            yield piece


def edit_problem(piece: Piece, state: State) -> BookError:
    """The complaint about an edit that assembling would overwrite."""
    known = state.assembly.by_id.get(piece.id)
    line = first_difference(piece, known.fence.body if known else "")
    name = place(known.fence) if known else f"#{piece.id}, which is in no article any more"
    message = f"edited by hand in {name}: put it into the article with {STITCH}, or {DISCARD}"
    return BookError(piece.file, line, 1, message)


def first_difference(piece: Piece, body: str) -> int:
    """The first module line of a block that differs from the text in the article."""
    pairs = zip(piece.body.split("\n"), body.split("\n"), strict=False)
    return piece.line + next((n for n, (ours, theirs) in enumerate(pairs) if ours != theirs), 0)


def structure_problems(module: Module, state: State) -> list[BookError]:
    """Complaints about hand edits that no block can take back."""
    if module.text == state.assembly.files.get(module.file):
        return []  # whatever the lock remembers: there is nothing to lose
    end = module.text.count("\n")
    if not module.text.endswith("\n"):
        message = "the file breaks off here, as after an interrupted run: restore it"
        return [BookError(module.file, end + 1, 1, f"{message} with {TANGLE} --discard")]
    if ASSEMBLED not in module.text:
        message = f"not an assembled file: move it away, or {DISCARD}"
        return [BookError(module.file, 1, 1, message)]
    found = list(marker_problems(module, state))
    if module.stray:
        message = f"code outside of the blocks: move it below a marker, or {DISCARD}"
        found.insert(0, BookError(module.file, module.stray, 1, message))
    ids = {piece.id for piece in module.pieces}
    for id_ in state.lock.get(module.file, ()):
        known = state.assembly.by_id.get(id_)
        if id_ not in ids and known and known.file == module.file:
            message = f"{place(known.fence)} is missing: delete it in its article, or restore it"
            found.append(BookError(module.file, end, 1, f"{message} with {TANGLE} --discard"))
    return found


def marker_problems(module: Module, state: State) -> Iterator[BookError]:
    """Complaints about markers that are unknown, out of order or there twice."""
    ranks = {id_: rank for rank, id_ in enumerate(state.lock.get(module.file, ()))}
    seen: set[str] = set()
    highest = 0
    for piece in module.pieces:
        known = state.assembly.by_id.get(piece.id)
        rank = ranks.get(piece.id, highest)
        message = ""
        if piece.id in seen:
            message = f"#{piece.id} stands here twice: keep one"
        elif known is None and piece.id not in state.marks:
            message = f"no article has #{piece.id}: a new block is written in an article, not here"
        elif known and known.file != module.file and piece.id not in ranks:
            message = f"{place(known.fence)} belongs to {known.file}: move it in its article"
        elif rank < highest:
            message = f"#{piece.id} was moved: put it back, or move it in its article"
        if message:
            yield BookError(module.file, piece.marker, 1, f"{message}, or {DISCARD}")
        seen.add(piece.id)
        highest = max(highest, rank)
