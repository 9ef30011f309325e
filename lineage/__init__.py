"""Lineage: OpenLineage events -> graph; upstream, downstream, impact.

`ingest.Ingest` takes events in, `consume.LineageWorker` folds them, `queries.Lineage` answers, `rebuild.rebuild` starts
anew. Adapters: `adapters.kafka_log`, `adapters.kafka_source`, `adapters.neo4j_graph`, and `adapters.memory` for tests.
"""
