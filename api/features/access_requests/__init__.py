"""Requests to see data, and what people do with them: decide, ask back, comment, bundle, use templates."""

COMMANDS = (
    "request create",
    "request list",
    "request show",
    "request approve",
    "request deny",
    "request withdraw",
    "request comment",
    "request ask-back",
    "request break-glass",
    "request templates",
)
