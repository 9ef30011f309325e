"""What approved requests opened: listed, ended, extended."""

COMMANDS = ("grant", "request extend")
