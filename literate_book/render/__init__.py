"""Turns an article into its page: listings, formulas, diagrams, players.

One extension of Python-Markdown; it knows nothing of the site around the page.
"""
