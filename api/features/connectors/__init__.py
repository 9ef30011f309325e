"""Connectors of Kafka Connect: how each declared one is at its worker, and operating it."""

COMMANDS = ("connector",)
