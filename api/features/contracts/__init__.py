"""Contracts: what is promised of datasets, whether scans see it kept, and what a change would break."""

COMMANDS = ("contract",)
