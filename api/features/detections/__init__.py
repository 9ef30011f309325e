"""Kinds of personal data that scans find: their review, and recognizers tried before they count."""

COMMANDS = ("personal-data",)
