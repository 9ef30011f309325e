"""Agents: programs that act for a person by a token of their own, narrower than the person."""

COMMANDS = ("agent",)
