"""Watches a real run of the engine: its calls, its graph, its objects, its reverse pass.

All that is known of the inside of the engine stands here.
"""
