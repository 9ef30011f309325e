"""What Weir grants, what the brokers let happen, and what is used of it."""

COMMANDS = ("rights",)
