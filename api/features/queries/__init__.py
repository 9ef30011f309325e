"""Governed SQL over topics: asking, explaining, checking and completing statements, and what runs just now."""

COMMANDS = ("sql", "query run", "query list", "query cancel", "query explain")
