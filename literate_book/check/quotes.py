"""Quotations: that what an article quotes by its name is there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from literate_book.check.checks import Book, Check, Finding, Namespace
from literate_book.source.articles import Fence
from literate_book.source.quotes import with_quotation


@dataclass(frozen=True)
class Quote(Check):
    """An empty fence that names a definition of a Python file."""

    kind: ClassVar[str] = "quote"
    fence: Fence

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        with_quotation(book.root, self.fence)
        yield from ()
