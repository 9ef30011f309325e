"""Notices to people, by mail and chat."""
