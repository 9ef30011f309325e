"""What data is used for."""

COMMANDS = ("request purposes",)
