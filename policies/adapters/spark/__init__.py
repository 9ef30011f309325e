"""Governed queries on Spark, by Spark Connect.

In:  a `policies.plan.model.Plan`.
Out: batches of JSON-ready rows with counts of what was read and what could not be read.

Start reading at `engine.py`; `reading.py` writes the SQL that decodes records, `sessions.py` keeps sessions ready.
"""
