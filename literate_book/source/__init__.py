"""Reads the book: its configuration, its articles, every fence, block, table and comment of them.

Every other part of the tools stands on this one; nothing here runs code of an article.
"""
