"""Statements that people keep under a name, and share."""

COMMANDS = ("query saved",)
