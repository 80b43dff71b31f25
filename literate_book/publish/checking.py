"""Runs the checks of articles: ``python -m literate_book.publish.checking ARTICLE...``.

Prints a line of JSON for each article. It is a process of its own, so that the engine in it is the
one that was assembled last.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from literate_book.check.checks import Book, Namespace
from literate_book.check.documents import article_checks
from literate_book.check.experiments import run_experiment
from literate_book.check.running import Runner
from literate_book.source.articles import parse_article, read_text
from literate_book.source.config import book_root
from literate_book.source.errors import BookError, BookErrors


def check_article(book: Book, path: str) -> dict[str, Any]:
    """How many checks of an article passed, and the complaints of the others."""
    runner, namespace, passed = Runner(book), Namespace(), 0
    errors: list[BookError] = []
    try:
        checks = article_checks(parse_article(path, read_text(book.root, path)))
    except BookErrors as problems:
        checks, errors = [], problems.errors
    for check in checks:
        try:
            runner.run(check, namespace)
            passed += 1
        except BookErrors as problems:
            errors += problems.errors
        except Exception as problem:  # a slip in an expression of the article
            message = f"this raised {type(problem).__name__}: {problem}"
            errors.append(check.error(check.start, message))
    return {"article": path, "passed": passed, "failures": list(map(str, errors))}


def check_script(book: Book, path: str) -> dict[str, Any]:
    """Whether an experiment runs to its end."""
    try:
        run_experiment(book.root, Path(path).name)
    except BookError as problem:
        return {"article": path, "passed": 0, "failures": [str(problem)]}
    return {"article": path, "passed": 1, "failures": []}


def main() -> None:
    """The command line: articles and experiments of the book in this folder."""
    # What examples and their children print goes to the terminal, not between our lines.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    book = Book(book_root())
    for path in sys.argv[1:]:
        result = (check_script if path.endswith(".py") else check_article)(book, path)
        print(json.dumps(result), file=out, flush=True)


if __name__ == "__main__":
    main()
