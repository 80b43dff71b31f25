"""Pages to look things up in: the reference, the names, the modules and the map of them.

They are Markdown made from the articles and the package that the configuration names, and the site
generator reads them like any other page. Each kind has a module here; ``site`` puts them in place.
"""
