"""The chain of decisions: read, exported, verified."""

COMMANDS = ("audit",)
