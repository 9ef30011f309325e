"""One topic as its brokers and its schema registry describe it."""

COMMANDS = ("topic",)
