"""Builds the site, serves it to a writer, prints it, and publishes its versions.

MkDocs does the work; its plugin and the commands are here.
"""
