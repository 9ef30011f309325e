"""The record store on SQLite or PostgreSQL.

In:  calls of `catalog.ports.CatalogStore`.
Out: records of `catalog.records`; nothing of SQL.

`store.py` puts one mix-in a subject together. A change of `tables*.py` needs a file in `migrations/versions`.
"""
