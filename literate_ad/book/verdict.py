# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-book-publishing.md#src-verdict-imports
"""Runs the checks of one page and says how far it is, one line of JSON after another.

``python -m literate_ad.book.verdict docs/en/articles/03-grad.md`` is a process of its own, and so
the engine in it is the one that was assembled last.
"""

import json
import os
import sys
from collections.abc import Iterator

from literate_ad.book.articles import book_root, parse_article, read_text
from literate_ad.book.checks import Book, Check, Namespace
from literate_ad.book.documents import article_checks
from literate_ad.book.errors import BookError, BookErrors
from literate_ad.book.experiments import run_experiment
from literate_ad.book.running import Runner


# --- docs/en/articles/13-book-publishing.md#src-verdict-verdicts
def verdicts(book: Book, path: str) -> Iterator[tuple[int, int, list[BookError]]]:
    """How many checks are done, of how many, and the complaints of the last one."""
    if path.endswith(".py"):
        yield 0, 1, []
        yield 1, 1, complaints_about_experiment(book, os.path.basename(path))
        return
    try:
        checks = article_checks(parse_article(path, read_text(book.root, path)))
    except BookErrors as problems:
        yield 0, 0, problems.errors
        return
    runner, namespace = Runner(book), Namespace()
    yield 0, len(checks), []
    for done, check in enumerate(checks, 1):
        yield done, len(checks), complaints(runner, check, namespace)


def complaints_about_experiment(book: Book, name: str) -> list[BookError]:
    """What is wrong with an experiment."""
    try:
        run_experiment(book.root, name)
    except BookError as problem:
        return [problem]
    return []


def complaints(runner: Runner, check: Check, namespace: Namespace) -> list[BookError]:
    """What one check complains about; a slip in its expression is a complaint too."""
    try:
        runner.run(check, namespace)
    except BookErrors as problems:
        return problems.errors
    except Exception as problem:
        return [check.error(check.start, f"this raised {type(problem).__name__}: {problem}")]
    return []


# --- docs/en/articles/13-book-publishing.md#src-verdict-main
def main() -> None:
    """The command line: one page of the book in this folder."""
    # Programs that an example starts print where they like, but not between our lines.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for done, of, problems in verdicts(Book(book_root()), sys.argv[1]):
        failures = [[each.article, each.line, each.message] for each in problems]
        print(json.dumps({"done": done, "of": of, "failures": failures}), file=out, flush=True)


if __name__ == "__main__":
    main()
