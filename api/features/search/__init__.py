"""Search over datasets and fields."""

COMMANDS = ("search",)
