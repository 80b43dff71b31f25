"""Runs the checks of an article, with Sybil or without, and reports what they found."""

from collections.abc import Iterator
from pathlib import Path

from sybil import Document, Example, Region, Sybil

from literate_book.check.checks import Book, Check, Namespace, error_at
from literate_book.check.documents import article_checks
from literate_book.check.update import Updates
from literate_book.source.articles import parse_article
from literate_book.source.errors import BookError, BookErrors, refuse_if

HINT = "to let the article say what the engine says: pytest --update-book"


class Runner:
    """Finds and evaluates the checks of articles; with ``updates`` it collects edits."""

    def __init__(self, book: Book, updates: Updates | None = None) -> None:
        self.book, self.updates = book, updates

    def find(self, document: Document) -> Iterator[Region]:
        """Sybil's parser: one region for each check of an article."""
        path = Path(document.path).relative_to(self.book.root).as_posix()
        for check in article_checks(parse_article(path, document.text)):
            yield Region(check.start, check.end, check, self.evaluate)

    def evaluate(self, example: Example) -> None:
        """Sybil's evaluator: run one check in the namespace of its document."""
        self.run(example.parsed, example.namespace)

    def run(self, check: Check, namespace: Namespace) -> None:
        """Run one check; raises ``BookErrors`` with everything that a person must look at."""
        namespace.setdefault("__name__", "__main__")
        errors: list[BookError] = []
        try:
            for finding in check.findings(self.book, namespace):
                if finding.text is None:
                    errors.append(error_at(check.article, finding.at, finding.message))
                elif self.updates is None:
                    gap = "\n" if "\n" in finding.message else "; "
                    message = f"{finding.message}{gap}{HINT}"
                    errors.append(error_at(check.article, finding.at, message))
                else:
                    self.updates.add(check.article, finding)
        except BookError as problem:
            errors.append(problem)
        refuse_if(errors)


def check_text(runner: Runner, path: str, text: str, until: int | None = None) -> list[BookError]:
    """Every complaint about an article that reads ``text``, up to the line ``until``."""
    errors: list[BookError] = []
    namespace: Namespace = {}
    try:
        checks = article_checks(parse_article(path, text))
    except BookErrors as problems:
        return problems.errors
    for check in checks:
        if until is not None and text.count("\n", 0, check.start) >= until:
            break
        try:
            runner.run(check, namespace)
        except BookErrors as problems:
            errors += problems.errors
    return errors


class Articles(Sybil):
    """Sybil over the articles; every check is called by its kind and its line."""

    def __init__(self, runner: Runner) -> None:
        folder = str(runner.book.root / "docs" / "en")
        super().__init__([runner.find], pattern="*.md", path=folder)

    def identify(self, example: Example) -> str:
        """The name of a check in pytest's reports: ``62-snapshot``."""
        return f"{example.line}-{example.parsed.kind}"
