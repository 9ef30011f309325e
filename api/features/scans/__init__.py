"""Scans: asked for over HTTP, done by the worker."""

COMMANDS = ("scan",)
