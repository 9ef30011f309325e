"""Connectors of Kafka Connect, joined with declared clusters and secrets.

Enters: `kind: Connector`. Leaves: what a worker is asked. Start reading at `declared.py`.
"""
