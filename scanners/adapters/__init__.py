"""Drivers of the scanners: Spark, Kafka, schema registries, presidio, and twins in memory for tests.

Start reading at `spark/sampler.py`.
"""
