"""Runs MkDocs; a complaint about the book is told in its one line, without a traceback."""

import sys

from mkdocs.__main__ import cli

from literate_book.source.errors import BookError, BookErrors


def main() -> None:
    """Hand the command line on; the status is 1 where the book is refused."""
    try:
        cli()
    except (BookError, BookErrors) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
