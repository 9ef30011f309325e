"""Declared documents: applied, listed, deleted."""

COMMANDS = ("apply", "diff", "delete", "get")
