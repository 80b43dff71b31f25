"""From the package back to the articles: an edit in a module goes into the block it came from."""

from collections.abc import Iterator
from pathlib import Path

from literate_book.source.articles import Article, Fence, parse_article
from literate_book.source.errors import BookError, BookErrors, refuse_if
from literate_book.weave.assemble import assemble
from literate_book.weave.package import LOCK, Piece, digest, render_lock, write_all
from literate_book.weave.tangle import TANGLE, State, read_state, structure_problems


def stitch(root: Path) -> list[str]:
    """Put every edit of the package into its article and say what was done.

    Raises ``BookErrors`` and writes nothing when an edit belongs to no block, when article and
    module were both changed, or when the articles would not assemble with the edit.
    """
    state = read_state(root)
    modules = state.modules.values()
    refuse_if(each for module in modules for each in structure_problems(module, state))
    edits = {piece.id: piece for module in modules for piece in state.edits(module)}
    refuse_if(each for piece in edits.values() for each in conflicts(piece, state))
    if not edits:
        return ["no module was edited by hand"]
    articles = [with_edits(article, edits) for article in state.articles]
    fences = [fence for article in articles for fence in article.fences if fence.id in edits]
    try:
        assembly = assemble(articles, state.config)
    except BookErrors as problem:
        raise BookErrors(blame(each, fences, edits) for each in problem.errors) from None
    pairs = zip(state.articles, articles)
    texts = {new.path: new.text for old, new in pairs if new is not old}
    lock = {file: dict(entries) for file, entries in state.lock.items()}
    for id_, piece in edits.items():
        lock.setdefault(piece.file, {})[id_] = digest(piece.body)
    write_all(root, {**texts, LOCK: render_lock(lock)})
    done = [
        f"{each.file}:{each.line} -> {link(assembly.by_id[each.id].fence)}"
        for each in edits.values()
    ]
    if any(assembly.files.get(module.file) != module.text for module in modules):
        mend = f'run "{state.config.command}"'
        done.append(f"the package still differs from the articles: {mend}")
    return done


def link(fence: Fence) -> str:
    """Where the body of a block stands in its article."""
    return f"{fence.article}:{fence.body_line} #{fence.id}"


def conflicts(piece: Piece, state: State) -> Iterator[BookError]:
    """Complaints about an edit that may not go back as it is."""
    fence = state.fence_of(piece)
    if fence is None:
        message = f"#{piece.id} was edited here and deleted from {piece.article}: decide for one"
        yield BookError(piece.file, piece.line, 1, message)
    elif state.digests.get(piece.id) != digest(fence.body):
        locked = piece.id in state.digests
        why = "was changed here and" if locked else f"is not in {LOCK} and differs"
        advice = f"make both alike, or drop the edit of the module with {TANGLE} --discard"
        yield fence.error(f"#{piece.id} {why} at {piece.file}:{piece.line}: {advice}")
    else:
        yield from closing_lines(piece, fence)


def closing_lines(piece: Piece, fence: Fence) -> Iterator[BookError]:
    """Complaints about code that would end its own fence in the article."""
    for number, line in enumerate(piece.body.split("\n"), start=piece.line):
        depth = len(line) - len(line.lstrip(" "))
        if depth < 4 and line.lstrip(" ").startswith(fence.ticks):
            message = "this line would end its fence: use more ticks at"
            place = f"{fence.article}:{fence.line}"
            yield BookError(piece.file, number, depth + 1, f"{message} {place}")


def with_edits(article: Article, edits: dict[str, Piece]) -> Article:
    """The article with the edited blocks in place; all other text is kept to the byte."""
    text = article.text
    for fence in reversed(article.fences):
        if fence.is_source and fence.id in edits:
            body = fence.indented(edits[fence.id].body)
            text = text[: fence.body_offset] + body + text[fence.body_end :]
    return article if text == article.text else parse_article(article.path, text)


def blame(error: BookError, fences: list[Fence], edits: dict[str, Piece]) -> BookError:
    """The same complaint, at the line of the module if it lies in an edited block."""
    for fence in fences:
        if error.article == fence.article and fence.line <= error.line <= fence.end_line:
            piece = edits[fence.id]
            line = max(piece.line + error.line - fence.body_line, piece.marker)
            return BookError(piece.file, line, max(error.col - fence.col + 1, 1), error.message)
    return error
