"""Governed SQL over topics: asking, explaining, checking and completing statements, and what runs just now."""

COMMANDS = ("query", "queries", "cancel", "explain")
