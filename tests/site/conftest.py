"""What the tests of the site share: a built site, a server of it, a browser."""

from browser import addresses, browser, complaints, pages, reader, served, site

# Found here by all.
__all__ = ["addresses", "browser", "complaints", "pages", "reader", "served", "site"]
