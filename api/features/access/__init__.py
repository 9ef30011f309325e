"""Who has access to what, and why."""

COMMANDS = ("access dataset", "access person", "access unused", "access compare")
