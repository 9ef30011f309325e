"""Questions that people ask about datasets, and their answers."""

COMMANDS = ("dataset question",)
