"""Notices to people, by mail and chat."""

COMMANDS = ("notify",)
