"""Drivers of the catalog: the record store, Elasticsearch, Kafka, and twins in memory for tests.

In:  calls of `catalog.ports`.
Out: their results, and errors of `catalog.errors` in place of the drivers' own.

Start reading at `sql/store.py`.
"""
