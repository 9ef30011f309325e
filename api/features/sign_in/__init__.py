"""Signing in by an identity provider, and out again."""

COMMANDS = ("login", "logout", "whoami", "user sessions", "user end-session", "user unlink")
