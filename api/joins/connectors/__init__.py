"""Connectors of Kafka Connect, joined with declared clusters, secrets, audit and lineage.

Enters: `kind: Connector`, requests of operators. Leaves: what a worker is asked, answers of `/connectors`.
Start reading at `declared.py`.
"""
