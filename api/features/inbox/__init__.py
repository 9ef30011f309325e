"""What waits for somebody, by what they may do: one row a thing to do, with a count and a way to it."""

COMMANDS = ("inbox",)
