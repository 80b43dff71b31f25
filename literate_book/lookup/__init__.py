"""Makes the pages that nobody writes: modules, their map, names, the reference, search entries.

They are read off the articles and the package.
"""
