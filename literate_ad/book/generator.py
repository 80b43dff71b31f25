# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/10-book-site.md#src-generator-main
"""Runs MkDocs; a complaint about the book is told in its one line, without a traceback."""

import sys

from mkdocs.__main__ import cli

from literate_ad.book.errors import BookError, BookErrors


def main() -> None:
    """Hand the command line on; the status is 1 where the book is refused."""
    try:
        cli()
    except (BookError, BookErrors) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
