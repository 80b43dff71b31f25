"""Watches a real run of the engine: its calls, its graph, its objects, its steps.

``watch`` knows Python only. What is known of the engine's insides stands in ``engine``.
"""
