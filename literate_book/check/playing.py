"""Runs an article, and prints what its steppers and its graphs recorded, for the page to show.

``python -m literate_book.check.playing docs/en/articles/03-grad.md`` is a process of its own: the
site generator lives on while the engine is being written, and has seen only what it was.
"""

import json
import sys
from dataclasses import asdict
from typing import Any

from literate_book.check.checkers import Graph
from literate_book.check.checks import Book, Check, Namespace
from literate_book.check.documents import article_checks, kind_of
from literate_book.check.examples import Program, Prompt
from literate_book.check.stepper import Step, Steps
from literate_book.record.recorder import Drawing, RecordingNode
from literate_book.record.runs import draws_run
from literate_book.render.listings import statement
from literate_book.source.articles import Article, parse_article
from literate_book.source.config import book_root
from literate_book.source.errors import BookError, BookErrors


def recordings(book: Book, article: Article) -> dict[str, list[dict[str, Any]]]:
    """What the steppers and the graphs of an article recorded, each from top to bottom."""
    checks = article_checks(article)
    last = max((at for at, check in enumerate(checks) if records(check)), default=-1)
    namespace: Namespace = {"__name__": "__main__"}
    found: dict[str, list[dict[str, Any]]] = {"steppers": [], "graphs": []}
    for check in checks[: last + 1]:
        if isinstance(check, Prompt | Program):
            list(check.findings(book, namespace))  # run for what it defines; the tests judge it
        elif isinstance(check, Steps):
            recording = check.record(book, namespace)
            steps = [shown(book, article, check, step) for step in recording.steps]
            expression = check.directive.expression
            run = {"expression": expression, "nodes": recording.nodes, "steps": steps}
            found["steppers"].append(run)
        elif isinstance(check, Graph) and records(check):
            drawn = check.drawn(book, namespace)
            nodes = drawn.nodes if isinstance(drawn, Drawing) else []
            told = [node_of(book, article, node) for node in nodes]
            found["graphs"].append({"expression": check.fence.attrs["graph"], "nodes": told})
    return found


def records(check: Check) -> bool:
    """Whether a check knows more of a run than the article says."""
    return isinstance(check, Steps) or (isinstance(check, Graph) and draws_run(check.fence))


def shown(book: Book, article: Article, check: Steps, step: Step) -> dict[str, Any]:
    """A step with the line of the article that led to it, and the text of that line."""
    file, line = step.program
    lines, here = article.text.split("\n"), article.text.count("\n", 0, check.end - 1) + 1
    if file != str(book.root / article.path) or line >= here:
        return {**asdict(step), "program": check.directive.expression, "at": None}
    program, at = statement(lines[line - 1]), spot_of(book, article, file, line)
    return {**asdict(step), "program": program, "at": at}


def node_of(book: Book, article: Article, node: RecordingNode) -> dict[str, Any]:
    """A node of a graph, with the lines that asked for it."""
    file, line, *columns = node.program
    at = spot_of(book, article, file, line)
    told = {"id": node.id, "name": node.name, "label": node.label, "engine": node.engine}
    return {**told, "at": at, "columns": columns}


def spot_of(book: Book, article: Article, file: str, line: int) -> tuple[int, int] | None:
    """The number of the example that has a line of the article, and the line's number in it.

    Both stay what they are when prose grows above them.
    """
    for number, fence in enumerate(article.fences):
        inside = fence.line < line < fence.end_line and kind_of(fence) == "example"
        if inside and file == str(book.root / article.path):
            return number, line - fence.line
    return None


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
