"""What data is used for."""

COMMANDS = ("purpose",)
