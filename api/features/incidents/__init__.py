"""Incidents: what is wrong with datasets now, who looks after it, and how it ended."""

COMMANDS = ("incident",)
