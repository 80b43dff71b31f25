"""From the articles to the package: ``tangle`` writes it, ``check`` refuses on drift."""

from collections.abc import Collection, Iterator, Mapping
from difflib import unified_diff
from pathlib import Path

from literate_book.source.errors import BookError, refuse_if
from literate_book.weave.drift import (
    TANGLE,
    State,
    edit_problem,
    edited,
    read_state,
    structure_problems,
)
from literate_book.weave.package import LOCK, Module, Piece, lock_of, render_lock, write_all


def tangle(root: Path, discard: bool = False, drop: Collection[str] = ()) -> list[str]:
    """Assemble the package and say what changed; raises ``BookErrors`` and writes nothing.

    Edits made by hand in the package are kept from harm: they raise, unless ``discard``. So are
    blocks that no article has any more, unless their ids are given in ``drop``.
    """
    state = read_state(root)
    edits = [each for module in state.modules.values() for each in hand_edits(module, state)]
    errors = list(loss_problems(state, {each.removeprefix("#") for each in drop}))
    refuse_if(errors if discard else errors + edits)
    now, then = both_sides(state)
    texts = {file: text for file, text in then.items() if text != now.get(file)}
    refuse_if(list(broken_modules(texts, state)))
    removed = sorted(now.keys() - then.keys())
    write_all(root, texts, removed)
    return [
        *(f"dropped the edit at {each.article}:{each.line}" for each in edits),
        *(f"wrote {file}" for file in texts if file != LOCK),
        *(f"removed {file}, which has no block any more" for file in removed),
        summary(state, "now" if texts or removed else "already"),
    ]


def summary(state: State, when: str) -> str:
    """The last line of a run."""
    assembly = state.assembly
    sizes = (state.articles, "article"), (assembly.placements, "block"), (assembly.files, "module")
    return f"{', '.join(counted(len(each), word) for each, word in sizes)}: {when} in step"


def counted(number: int, word: str) -> str:
    """``1 block``, ``2 blocks``."""
    return f"{number} {word}{'s' * (number != 1)}"


def broken_modules(texts: Mapping[str, str], state: State) -> Iterator[BookError]:
    """Complaints about modules whose blocks parse, each by itself, and not one after the other."""
    for file, text in texts.items():
        try:
            compile(text if file != LOCK else "", file, "exec", dont_inherit=True)
        except SyntaxError as error:
            place = state.assembly.locate(file, error.lineno or 1)
            article, line, id_ = place or (file, 1, "")
            message = f"{file} does not compile: {error.msg}: see where #{id_} stands in it"
            yield BookError(article, line, 1, message)


def hand_edits(module: Module, state: State) -> list[BookError]:
    """Everything in a module that assembling would overwrite."""
    edits = [edit_problem(piece, state) for piece in edited(module, state)]
    return structure_problems(module, state) or edits


def loss_problems(state: State, drop: set[str]) -> Iterator[BookError]:
    """Complaints about blocks that are lost unasked, and about ids in ``drop`` that are not."""
    lost = [piece for module in state.modules.values() for piece in lost_pieces(module, state)]
    yield from (loss_problem(piece) for piece in lost if piece.id not in drop)
    for id_ in sorted(drop.difference(piece.id for piece in lost)):
        message = f"no module is about to lose #{id_}: take --drop {id_} back"
        yield BookError(LOCK, 1, 1, message)


def lost_pieces(module: Module, state: State) -> list[Piece]:
    """The blocks that a module has and the articles have no more."""
    known = state.assembly.by_id
    return [each for each in module.pieces if each.id in state.marks and each.id not in known]


def loss_problem(piece: Piece) -> BookError:
    """The complaint about a block that would be lost."""
    message = (
        f"#{piece.id} is in no article any more, and this module would lose it: put it "
        f"back into {piece.article}, or let it go with {TANGLE} --drop {piece.id}"
    )
    return BookError(piece.file, piece.marker, 1, message)


def both_sides(state: State) -> tuple[dict[str, str], dict[str, str]]:
    """Every file that the toolchain writes: as it is, and as the articles say."""
    now = {module.file: module.text for module in state.modules.values()}
    lock = render_lock(lock_of(state.assembly))
    return {**now, LOCK: state.lock_text}, {**state.assembly.files, LOCK: lock}


def check(root: Path) -> str:
    """Where the package is out of step with its articles, as diffs; empty when nowhere."""
    state = read_state(root)
    now, then = both_sides(state)
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
    found = hand_edits(module, state)
    found += map(loss_problem, lost_pieces(module, state))
    bodies = {piece.id: piece.body for piece in module.pieces}
    for piece in edited(module, state):
        bodies.pop(piece.id, None)
    for each in state.assembly.by_file.get(file, ()):
        fence = each.fence
        if bodies.get(fence.id, fence.body) != fence.body:
            found.append(fence.error(f"#{fence.id} has changed since {file} was made: {mend}"))
    return [str(each) for each in found] or [f"{file}:1:1: out of step: {mend}"]
