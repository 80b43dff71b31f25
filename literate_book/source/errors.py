"""The errors of the tools: what is wrong, where, and how to mend it."""

from collections.abc import Iterable


class BookError(Exception):
    """One complaint about one place, shown as ``article:line:col: message``.

    ``article`` is a path relative to the root of the book: of an article as a rule, or of another
    file that must be mended, such as a module of the package.
    """

    def __init__(self, article: str, line: int, col: int, message: str) -> None:
        super().__init__(article, line, col, message)
        self.article, self.line, self.col, self.message = article, line, col, message

    def __str__(self) -> str:
        return f"{self.article}:{self.line}:{self.col}: {self.message}"


class BookErrors(Exception):  # noqa: N818 (the plural says what it is)
    """All complaints of one run, so that a maintainer mends them in one go."""

    def __init__(self, errors: Iterable[BookError]) -> None:
        self.errors = list(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


def refusal(file: str, message: str, line: int = 1, col: int = 1) -> BookErrors:
    """One complaint, ready to be raised."""
    return BookErrors([BookError(file, line, col, message)])


def refuse_if(errors: Iterable[BookError]) -> None:
    """Raise what was collected, if anything was."""
    if errors := list(errors):
        raise BookErrors(errors)
