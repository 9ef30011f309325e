"""Scanners: bytes -> records -> shapes with presence -> personal-data verdicts, computed by Spark."""
