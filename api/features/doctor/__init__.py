"""What this installation needs, and whether it has it. Looked at from this machine; no running Weir is needed."""

COMMANDS = ("doctor",)
