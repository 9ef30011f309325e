"""Backup and restore of the record store and its keys, and the keys that its processes share."""

COMMANDS = ("backup create", "backup verify", "backup restore", "server keys")
