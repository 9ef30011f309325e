"""What is decided, and what would be decided by other policies."""

COMMANDS = ("policy",)
