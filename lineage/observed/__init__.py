"""Lineage that nobody reports: consumer groups, connectors, ksqlDB queries, Flink jobs, as events of Weir's own.

Start reading at `groups.py`.
"""
