"""Reads the book: its configuration, its articles, and every fence, block, table and comment in them.

Every other part of the tools stands on this one; nothing here runs code of an article.
"""
