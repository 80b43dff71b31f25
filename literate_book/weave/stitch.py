"""From the package back to the articles: an edit in a module goes into the block it came from."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from literate_book.source.articles import Article, Fence, parse_article
from literate_book.source.config import Config
from literate_book.source.errors import BookError, BookErrors, refuse_if
from literate_book.weave.assemble import Assembly, assemble
from literate_book.weave.drift import TANGLE, State, edited, read_state, structure_problems
from literate_book.weave.package import LOCK, Piece, digest, render_lock, write_all


def stitch(root: Path) -> list[str]:
    """Put every edit of the package into its article and say what was done.

    Raises ``BookErrors`` and writes nothing when an edit belongs to no block, when article and
    module were both changed, or when the articles would not assemble with the edit.
    """
    state = read_state(root)
    modules = state.modules.values()
    refuse_if(each for module in modules for each in structure_problems(module, state))
    edits = {piece.id: piece for module in modules for piece in edited(module, state)}
    refuse_if(each for piece in edits.values() for each in conflicts(piece, state))
    articles = [with_edits(article, edits) for article in state.articles]
    assembly = assemble_or_blame(articles, edits, state.config)
    if not edits:
        return ["no module was edited by hand"]
    pairs = zip(state.articles, articles, strict=True)
    texts = {new.path: new.text for old, new in pairs if new is not old}
    write_all(root, {**texts, LOCK: new_lock(state, edits)})
    said = [f"{edits[id_].file}:{edits[id_].line} -> {link(assembly, id_)}" for id_ in edits]
    if any(assembly.files.get(module.file) != module.text for module in modules):
        mend = f'run "{state.config.command}"'
        said.append(f"the package still differs from the articles: {mend}")
    return said


def conflicts(piece: Piece, state: State) -> Iterator[BookError]:
    """Complaints about an edit that may not go back as it is."""
    known = state.assembly.by_id.get(piece.id)
    if known is None:
        message = f"#{piece.id} was edited here and deleted from {piece.article}: decide for one"
        yield BookError(piece.file, piece.line, 1, message)
    elif state.marks.get(piece.id) != digest(known.fence.body):
        why = (
            "was changed here and" if piece.id in state.marks else "is not in book.lock and differs"
        )
        advice = f"make both alike, or drop the edit of the module with {TANGLE} --discard"
        yield known.fence.error(f"#{piece.id} {why} at {piece.file}:{piece.line}: {advice}")
    else:
        yield from closing_lines(piece, known.fence)


def closing_lines(piece: Piece, fence: Fence) -> Iterator[BookError]:
    """Complaints about code that would end its own fence in the article."""
    for number, line in enumerate(piece.body.split("\n"), start=piece.line):
        depth = len(line) - len(line.lstrip(" "))
        if depth < 4 and line.lstrip(" ").startswith(fence.ticks):
            message = (
                f"this line would end its fence: use more ticks at {fence.article}:{fence.line}"
            )
            yield BookError(piece.file, number, depth + 1, message)


def with_edits(article: Article, edits: dict[str, Piece]) -> Article:
    """The article with the edited blocks in place; all other text is kept to the byte."""
    text = article.text
    for fence in reversed(article.fences):
        if fence.is_source and fence.id in edits:
            body = fence.indented(edits[fence.id].body)
            text = text[: fence.body_offset] + body + text[fence.body_end :]
    return article if text == article.text else parse_article(article.path, text)


def new_lock(state: State, edits: dict[str, Piece]) -> str:
    """The lock, with the digests of the blocks that agree again."""
    lock = {file: dict(marks) for file, marks in state.lock.items()}
    for id_, piece in edits.items():
        lock.setdefault(piece.file, {})[id_] = digest(piece.body)
    return render_lock(lock)


def link(assembly: Assembly, id_: str) -> str:
    """Where a block stands in its article."""
    fence = assembly.place_of(id_).fence
    return f"{fence.article}:{fence.body_line} #{id_}"


def assemble_or_blame(
    articles: Iterable[Article], edits: dict[str, Piece], config: Config
) -> Assembly:
    """Assemble the edited articles; complaints about an edit name its line in the module."""
    articles = list(articles)
    try:
        return assemble(articles, config)
    except BookErrors as problem:
        fences = [fence for article in articles for fence in article.fences if fence.id in edits]
        raise BookErrors(blame(each, fences, edits) for each in problem.errors) from None


def blame(error: BookError, fences: list[Fence], edits: dict[str, Piece]) -> BookError:
    """The same complaint, at the line of the module if it lies in an edited block."""
    for fence in fences:
        if error.article == fence.article and fence.line <= error.line <= fence.end_line:
            piece = edits[fence.id]
            line = max(piece.line + error.line - fence.body_line, piece.marker)
            return BookError(piece.file, line, max(error.col - fence.col + 1, 1), error.message)
    return error
