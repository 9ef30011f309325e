"""API tokens, and who the caller is."""

COMMANDS = ("token",)
