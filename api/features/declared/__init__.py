"""Declared documents: applied, listed, deleted."""
