"""Runs an article and prints what its steppers and graphs recorded, as JSON for the page.

``python -m literate_book.check.replay docs/en/articles/03-grad.md`` is a process of its own: the
server of the site runs on while the engine is edited, and would use the modules it has loaded.
"""

import json
import sys
from dataclasses import asdict
from typing import Any

from literate_book.check.checkers import Graph
from literate_book.check.checks import Book, Check, Namespace
from literate_book.check.documents import article_checks, kind_of
from literate_book.check.examples import Program, Prompt
from literate_book.check.steppers import Steps
from literate_book.record.matching import Drawing, draws_run
from literate_book.source.articles import Article, parse_article
from literate_book.source.config import book_root
from literate_book.source.errors import BookError, BookErrors

Recordings = dict[str, list[dict[str, Any]]]


def recordings(book: Book, article: Article) -> Recordings:
    """What the steppers and the graphs of an article recorded, each from top to bottom."""
    checks = article_checks(article)
    last = max((at for at, check in enumerate(checks) if records(check)), default=-1)
    namespace: Namespace = {"__name__": "__main__"}
    found: Recordings = {"steppers": [], "graphs": []}
    for check in checks[: last + 1]:
        if isinstance(check, Prompt | Program):
            list(check.findings(book, namespace))  # run for what it defines; the tests judge it
        elif isinstance(check, Steps):
            run = asdict(check.record(book, namespace))
            for step in run["steps"]:
                step["at"], step["body"] = spots_of(book, article, step, check.end)
            nodes, steps = run["nodes"], run["steps"]
            run = {"expression": check.directive.expression, "nodes": nodes, "steps": steps}
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


def spots_of(book: Book, article: Article, step: dict[str, Any], end: int) -> tuple[Any, Any]:
    """Where the line of a step stands in an example above the stepper, and its whole function."""
    file, line = step["program"]["file"], step["program"]["line"]
    at = spot_of(book, article, file, line)
    if at is None or line > article.text.count("\n", 0, end):
        return None, None
    return at, [at[1] + each - line for each in step["body"]]


def node_of(book: Book, article: Article, node: Any) -> dict[str, Any]:
    """A node of a graph, with the lines that it comes from."""
    at = spot_of(book, article, node.program.file, node.program.line)
    told = {"id": node.id, "name": node.name, "label": node.label, "at": at}
    return told | {"program": asdict(node.program), "engine": list(map(asdict, node.engine))}


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
