"""People and groups that a company's directory keeps here."""

COMMANDS = ("user release",)
