"""Drivers of the policies room: Spark, Kafka, the record store, identity providers, and twins for tests.

In:  calls of `policies.ports` and `policies.plan.ports`.
Out: their results, and errors of `catalog.errors` in place of the drivers' own.

Start reading at `spark/engine.py`.
"""
