"""What people state about datasets: certification, deprecation, announcements, properties; and a table of it all, out and in."""

COMMANDS = ("catalog",)
