"""Scanners: bytes -> records -> shapes with presence -> verdicts on personal data, computed by Spark.

In:  a cluster's topics, how many records of each, registered schemas.
Out: schemas with presence and types, classifications with evidence, problems in sentences; never a value.

On the driver: `scan`. In Spark's workers: `worker` -> `decode` -> `columns`, `tape` -> `sketch`, with `detectors`.
Start reading at `scan/service.py`, then `worker/profile.py`.
"""
