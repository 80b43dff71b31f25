"""From the articles to the package: ``tangle`` writes it, ``check`` refuses on drift.

An edit made by hand in a module is told from a change of its article by the lock.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from literate_book.source.articles import Article, Fence, read_book, read_text
from literate_book.source.config import Config, load_config
from literate_book.source.errors import BookError, refuse_if
from literate_book.weave.assemble import ASSEMBLED, Assembly, assemble
from literate_book.weave.package import (
    LOCK,
    Lock,
    ModuleText,
    Piece,
    digest,
    leftovers,
    lock_of,
    parse_lock,
    read_package,
    render_lock,
    write_all,
)

STITCH = "python -m literate_book stitch"
TANGLE = "python -m literate_book tangle"
DISCARD = f"drop it with {TANGLE} --discard"


@dataclass(frozen=True)
class State:
    """Articles and package as they are on the disk, and the lock of their last agreement."""

    config: Config
    articles: list[Article]
    assembly: Assembly
    modules: dict[str, ModuleText]
    lock_text: str
    lock: Lock
    digests: dict[str, str]

    def fence_of(self, piece: Piece) -> Fence | None:
        """The fence that a block of a module comes from; None when no article has it any more."""
        placement = self.assembly.by_id.get(piece.id)
        return placement.fence if placement else None

    def edits(self, module: ModuleText) -> list[Piece]:
        """The blocks of a module whose text is neither the article's nor the one locked."""
        found = []
        for piece in module.pieces:
            fence, locked = self.fence_of(piece), self.digests.get(piece.id)
            differs = fence.body != piece.body if fence else locked is not None
            if differs and locked != digest(piece.body):
                found.append(piece)
        return found

    def lost(self, module: ModuleText) -> list[Piece]:
        """The blocks that a module has and the articles have no more."""
        known = self.assembly.by_id
        return [each for each in module.pieces if each.id in self.digests and each.id not in known]

    def files(self) -> tuple[dict[str, str], dict[str, str]]:
        """Every file that the tools write: as it is, and as the articles say."""
        now = {module.file: module.text for module in self.modules.values()}
        lock = render_lock(lock_of(self.assembly))
        return {**now, LOCK: self.lock_text}, {**self.assembly.files, LOCK: lock}


def read_state(root: Path) -> State:
    """Read both sides; raises ``BookErrors`` when one of them cannot be read."""
    config, articles = load_config(root), read_book(root)
    assembly = assemble(articles, config)
    refuse_if(leftovers(root, config))
    modules = read_package(root, config.package, assembly.files)
    lock_text = read_text(root, LOCK) if (root / LOCK).exists() else ""
    lock = parse_lock(lock_text)
    digests = {id_: mark for entries in lock.values() for id_, mark in entries.items()}
    return State(config, articles, assembly, modules, lock_text, lock, digests)


def tangle(root: Path, discard: bool = False, drop: Collection[str] = ()) -> list[str]:
    """Assemble the package and say what changed; raises ``BookErrors`` and writes nothing.

    Edits made by hand in the package raise, unless ``discard``. So do blocks that no article has
    any more, unless their ids are given in ``drop``.
    """
    state = read_state(root)
    edits = [each for module in state.modules.values() for each in hand_edits(module, state)]
    errors = list(loss_problems(state, {each.removeprefix("#") for each in drop}))
    refuse_if(errors if discard else errors + edits)
    now, then = state.files()
    texts = {file: text for file, text in then.items() if text != now.get(file)}
    refuse_if(broken_modules(texts, state.assembly))
    removed = sorted(now.keys() - then.keys())
    write_all(root, texts, removed)
    counts = (
        counted(len(state.articles), "article"),
        counted(len(state.assembly.placements), "block"),
        counted(len(state.assembly.files), "module"),
    )
    return [
        *(f"dropped the edit at {each.article}:{each.line}" for each in edits),
        *(f"wrote {file}" for file in texts if file != LOCK),
        *(f"removed {file}, which has no block any more" for file in removed),
        f"{', '.join(counts)}: {'now' if texts or removed else 'already'} in step",
    ]


def counted(number: int, word: str) -> str:
    """``1 block``, ``2 blocks``."""
    return f"{number} {word}{'s' * (number != 1)}"


def broken_modules(texts: dict[str, str], assembly: Assembly) -> Iterator[BookError]:
    """Complaints about modules whose blocks parse alone, but not one after the other."""
    for file, text in texts.items():
        try:
            compile(text if file != LOCK else "", file, "exec", dont_inherit=True)
        except SyntaxError as error:
            message = f"{file} does not compile: {error.msg}"
            if found := assembly.locate(file, error.lineno or 1):
                message += f": see where #{found.block.fence.id} stands in it"
                yield BookError(found.block.fence.article, found.line, 1, message)
            else:
                yield BookError(file, error.lineno or 1, 1, message)


def check(root: Path) -> str:
    """Where the package is out of step with its articles, as diffs; empty when nowhere."""
    state = read_state(root)
    now, then = state.files()
    drifted = [file for file in sorted({*now, *then}) if now.get(file) != then.get(file)]
    if drifted != [LOCK]:
        drifted = [file for file in drifted if file != LOCK]
    reports = []
    for file in drifted:
        here, there = (side.get(file, "").splitlines(keepends=True) for side in (now, then))
        names = f"{file} (as it is)", f"{file} (as the articles say)"
        reports += [*differences(file, state), "".join(unified_diff(here, there, *names))]
    return "\n".join(reports)


def differences(file: str, state: State) -> list[str]:
    """What drifted in one file: each with its place, and the command that mends it."""
    mend = f'run "{state.config.command}"'
    module = state.modules.get(file)
    if module is None:
        return [f"{file}:1:1: {'out of step' if file == LOCK else 'missing'}: {mend}"]
    found = [*hand_edits(module, state), *map(loss_problem, state.lost(module))]
    edited = {piece.id for piece in state.edits(module)}
    for piece in module.pieces:
        fence = state.fence_of(piece)
        if fence and piece.id not in edited and piece.body != fence.body:
            found.append(fence.error(f"#{fence.id} has changed since {file} was made: {mend}"))
    return [str(each) for each in found] or [f"{file}:1:1: out of step: {mend}"]


def place(fence: Fence) -> str:
    """The name of a block and where its article prints it."""
    return f"#{fence.id} ({fence.article}:{fence.line})"


def hand_edits(module: ModuleText, state: State) -> list[BookError]:
    """Everything in a module that assembling would overwrite."""
    edits = [edit_problem(piece, state.fence_of(piece)) for piece in state.edits(module)]
    return structure_problems(module, state) or edits


def edit_problem(piece: Piece, fence: Fence | None) -> BookError:
    """The complaint about an edit that assembling would overwrite, at its first line."""
    pairs = zip(piece.body.split("\n"), fence.body.split("\n") if fence else [""])
    line = piece.line + next((n for n, (ours, theirs) in enumerate(pairs) if ours != theirs), 0)
    name = place(fence) if fence else f"#{piece.id}, which is in no article any more"
    message = f"edited by hand in {name}: put it into the article with {STITCH}, or {DISCARD}"
    return BookError(piece.file, line, 1, message)


def loss_problems(state: State, drop: set[str]) -> Iterator[BookError]:
    """Complaints about blocks that are lost unasked, and about ids in ``drop`` that are not."""
    lost = [piece for module in state.modules.values() for piece in state.lost(module)]
    yield from (loss_problem(piece) for piece in lost if piece.id not in drop)
    for id_ in sorted(drop.difference(piece.id for piece in lost)):
        message = f"no module is about to lose #{id_}: take --drop {id_} back"
        yield BookError(LOCK, 1, 1, message)


def loss_problem(piece: Piece) -> BookError:
    """The complaint about a block that would be lost."""
    message = (
        f"#{piece.id} is in no article any more, and this module would lose it: put it "
        f"back into {piece.article}, or let it go with {TANGLE} --drop {piece.id}"
    )
    return BookError(piece.file, piece.marker, 1, message)


def structure_problems(module: ModuleText, state: State) -> list[BookError]:
    """Complaints about hand edits that no block can take back."""
    if module.text == state.assembly.files.get(module.file):
        return []  # whatever the lock says: there is nothing to lose
    end, restore = module.text.count("\n"), f"restore it with {TANGLE} --discard"
    if not module.text.endswith("\n"):
        message = f"the file breaks off here, as after an interrupted run: {restore}"
        return [BookError(module.file, end + 1, 1, message)]
    if ASSEMBLED not in module.text:
        message = f"not an assembled file: move it away, or {DISCARD}"
        return [BookError(module.file, 1, 1, message)]
    found = []
    if module.stray:
        message = f"code outside of the blocks: move it below a marker, or {DISCARD}"
        found.append(BookError(module.file, module.stray, 1, message))
    found += marker_problems(module, state)
    present = {piece.id for piece in module.pieces}
    for id_ in state.lock.get(module.file, ()):
        known = state.assembly.by_id.get(id_)
        if id_ not in present and known and known.file == module.file:
            message = f"{place(known.fence)} is missing: delete it in its article, or {restore}"
            found.append(BookError(module.file, end, 1, message))
    return found


def marker_problems(module: ModuleText, state: State) -> Iterator[BookError]:
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
        elif known is None and piece.id not in state.digests:
            message = f"no article has #{piece.id}: a new block is written in an article, not here"
        elif known and known.file != module.file and piece.id not in ranks:
            message = f"{place(known.fence)} belongs to {known.file}: move it in its article"
        elif rank < highest:
            message = f"#{piece.id} was moved: put it back, or move it in its article"
        if message:
            yield BookError(module.file, piece.marker, 1, f"{message}, or {DISCARD}")
        seen.add(piece.id)
        highest = max(highest, rank)
