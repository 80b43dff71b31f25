"""Runs the checks of articles, with Sybil or without; reports or writes what they found."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from sybil import Document, Example, Region, Sybil

from literate_book.check.checks import Book, Check, Finding, Namespace, error_at, first_difference
from literate_book.check.documents import article_checks
from literate_book.source.articles import Article, line_and_column, parse_article, read_text
from literate_book.source.errors import BookError, BookErrors, refuse_if
from literate_book.weave.package import write_all

HINT = "to let the article say what the engine says: pytest --update-book"


class Updates:
    """The edits of ``pytest --update-book``, collected article by article."""

    def __init__(self) -> None:
        self.articles: dict[str, Article] = {}
        self.findings: dict[str, dict[int, Finding]] = {}

    def add(self, article: Article, finding: Finding) -> None:
        """Remember to write the text of a finding into the article."""
        self.articles[article.path] = article
        self.findings.setdefault(article.path, {})[finding.start] = finding

    def edits(self, path: str) -> list[Finding]:
        """The edits of one article, from top to bottom."""
        return [finding for _, finding in sorted(self.findings[path].items())]

    def apply(self, root: Path) -> list[str]:
        """Write all articles, or none, and return a line for each edit.

        Raises ``BookErrors`` when an article is no longer what the run has read.
        """
        changed = [path for path in self.articles if read_text(root, path) != self.text(path)]
        message = "this article was changed during the run, so nothing was written: run again"
        refuse_if(BookError(path, 1, 1, message) for path in changed)
        write_all(
            root, {path: rewritten(self.text(path), self.edits(path)) for path in self.articles}
        )
        return [
            report(self.articles[path], each)
            for path in sorted(self.articles)
            for each in self.edits(path)
        ]

    def text(self, path: str) -> str:
        """The article as the run has read it."""
        return self.articles[path].text


def rewritten(text: str, edits: Iterable[Finding]) -> str:
    """The text with its edits made, the last one first so that the places of the others hold."""
    for edit in reversed(list(edits)):
        text = f"{text[: edit.start]}{edit.text}{text[edit.end :]}"
    return text


def report(article: Article, edit: Finding) -> str:
    """Where an edit changes its first line, and from what to what."""
    sides = article.text[edit.start : edit.end].splitlines(), str(edit.text).splitlines()
    index = first_difference(*sides)
    line, _ = line_and_column(article.text, edit.start)
    old, new = (f"`{side[index].strip()}`" if index < len(side) else "nothing" for side in sides)
    return f"{article.path}:{line + index}: {old} -> {new}"


class Articles(Sybil):
    """Sybil over the articles of a book; with ``updates`` it collects edits."""

    def __init__(self, book: Book, updates: Updates | None = None) -> None:
        self.book, self.updates = book, updates
        super().__init__([self.find], pattern="*.md", path=str(book.root / book.config.articles))

    def identify(self, example: Example) -> str:
        """The name of a check in pytest's reports: ``62-snapshot``."""
        return f"{example.line}-{example.parsed.kind}"

    def find(self, document: Document) -> Iterator[Region]:
        """Sybil's parser: one region for each check of an article."""
        path = Path(document.path).relative_to(self.book.root).as_posix()
        for check in article_checks(parse_article(path, document.text)):
            yield Region(check.start, check.end, check, self.evaluate)

    def evaluate(self, example: Example) -> None:
        """Sybil's evaluator: run one check in the namespace of its document."""
        refuse_if(self.complaints(example.parsed, example.namespace))

    def complaints(self, check: Check, namespace: Namespace) -> list[BookError]:
        """Run one check, and return everything that a person must look at."""
        namespace.setdefault("__name__", "__main__")
        errors: list[BookError] = []
        try:
            for finding in check.findings(self.book, namespace):
                if isinstance(finding, BookError):
                    errors.append(finding)
                elif finding.text is not None and self.updates is not None:
                    self.updates.add(check.article, finding)
                else:
                    gap = "\n" if "\n" in finding.message else "; "
                    hint = "" if finding.text is None else f"{gap}{HINT}"
                    errors.append(error_at(check.article, finding.at, f"{finding.message}{hint}"))
        except BookError as problem:
            errors.append(problem)
        except BookErrors as problems:
            errors += problems.errors
        return errors

    def complaints_about(self, path: str, text: str) -> list[BookError]:
        """Every complaint about an article that reads ``text``."""
        namespace: Namespace = {}
        try:
            checks = article_checks(parse_article(path, text))
        except BookErrors as problems:
            return problems.errors
        return [error for check in checks for error in self.complaints(check, namespace)]
