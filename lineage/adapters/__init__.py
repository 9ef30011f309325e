"""Drivers of lineage: Kafka, Neo4j, REST servers, and twins in memory for tests.

In:  calls of `lineage.ports`.
Out: their results, and errors of `catalog.errors` in place of the drivers' own.

Start reading at `neo4j/graph.py`.
"""
