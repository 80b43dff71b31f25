"""Checks the articles: every example, value, table, list and graph against a run.

pytest collects the checks through the plugin; the audit refuses what no check covers.
"""
