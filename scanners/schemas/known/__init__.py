"""What registered schemas declare of each place of a record: types for queries, words for the catalog.

Start reading at `places.py`.
"""
