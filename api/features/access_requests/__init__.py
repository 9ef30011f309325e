"""Requests to see data, and what people do with them: decide, ask back, comment, bundle, use templates."""

COMMANDS = (
    "request",
    "requests",
    "approve",
    "deny",
    "withdraw",
    "break-glass",
    "thread",
    "ask-back",
    "comment",
    "templates",
)
