"""Weaves articles and package: blocks become modules, edits of modules go back into blocks.

It never imports the package, so a broken engine cannot lock its writer out.
"""
