"""What approved requests opened: listed, ended, extended."""

COMMANDS = ("extend", "grant")
