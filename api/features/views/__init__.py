"""Stream views: which there are, their rows, how they change, and operating them."""

COMMANDS = ("view",)
