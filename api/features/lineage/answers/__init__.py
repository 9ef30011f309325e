"""Answers of lineage."""
