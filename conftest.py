"""Loads the book's checks for every run, also for ``pytest docs/en/articles/03-grad.md``."""

pytest_plugins = ["literate_book.check.plugin", "pytester"]
