"""The report of every place of a field, a kind of personal data or a term."""

COMMANDS = ("where-is",)
