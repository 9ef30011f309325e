"""Campaigns in which rights are confirmed or revoked."""

COMMANDS = ("access-review",)
