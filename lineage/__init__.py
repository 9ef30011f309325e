"""Lineage: OpenLineage events -> graph; upstream, downstream, impact."""
