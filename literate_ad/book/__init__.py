"""The toolchain of the book: articles in, package, site and tests out."""
