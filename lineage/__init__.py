"""Lineage: OpenLineage events -> graph; upstream, downstream, impact.

In:  OpenLineage events, SQL, what Kafka, Connect, ksqlDB and Flink show without events.
Out: a graph of datasets, columns and jobs with times; answers to questions about it; facts for the catalog.

An event goes `ingest` -> the log in Kafka -> `worker` -> `fold` -> the graph; `questions` answers. Start reading at
`ingest/service.py`, then `fold/fold.py`, then `questions/queries.py`.
"""
