"""Migrations of the record store: hand-written, one file a step, for every room."""
