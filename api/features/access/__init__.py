"""Who has access to what, and why."""

COMMANDS = ("access",)
