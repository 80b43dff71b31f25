# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/10-book-site.md#src-playing-imports
"""Runs an article up to its steppers and prints what they recorded, for the page to play.

``python -m literate_ad.book.playing docs/en/articles/03-grad.md`` is a process of its own: the
site generator lives on while the engine is being written, and has seen only what it was.
"""

import json
import re
import sys
from dataclasses import asdict
from typing import Any

from literate_ad.book.articles import Article, book_root, parse_article
from literate_ad.book.checks import Book, Namespace
from literate_ad.book.documents import article_checks
from literate_ad.book.errors import BookError, BookErrors
from literate_ad.book.examples import Program, Prompt
from literate_ad.book.stepper import Step, Steps

# --- docs/en/articles/10-book-site.md#src-playing-recordings
PROMPT = re.compile(r"^(>>>|\.\.\.) ?")


def recordings(book: Book, article: Article) -> list[dict[str, Any]]:
    """What the steppers of an article recorded, from top to bottom, with words for the page."""
    checks = article_checks(article)
    last = max((at for at, check in enumerate(checks) if isinstance(check, Steps)), default=-1)
    namespace: Namespace = {"__name__": "__main__"}
    found = []
    for check in checks[: last + 1]:
        if isinstance(check, Prompt | Program):
            list(check.findings(book, namespace))  # run for what it defines; the tests judge it
        elif isinstance(check, Steps):
            recording = check.record(book, namespace)
            steps = [shown(book, article, check, step) for step in recording.steps]
            expression = check.directive.expression
            found.append({"expression": expression, "nodes": recording.nodes, "steps": steps})
    return found


# --- docs/en/articles/10-book-site.md#src-playing-shown
def shown(book: Book, article: Article, check: Steps, step: Step) -> dict[str, Any]:
    """A step with the text of the line of the article that led to it."""
    file, line = step.program
    lines, here = article.text.split("\n"), article.text.count("\n", 0, check.end - 1) + 1
    program = ""
    if file == str(book.root / article.path) and line < here:
        program = PROMPT.sub("", lines[line - 1].strip()).strip()
    return {**asdict(step), "program": program or check.directive.expression}


def main() -> None:
    """The command line: one article of the book in this folder."""
    root = book_root()
    path = sys.argv[1]
    article = parse_article(path, (root / path).read_text(encoding="utf-8"))
    try:
        print(json.dumps(recordings(Book(root), article)))
    except (BookError, BookErrors) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
