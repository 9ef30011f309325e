"""Signing in by an identity provider, and out again."""
