# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/08-book.md#src-book-package-imports
"""The toolchain of the book: articles in, package, site and tests out."""
