"""What happened: events to read back or to follow, and how far each receiver was notified."""

COMMANDS = ("events",)
