"""Who decides access requests in somebody's place."""

COMMANDS = ("request delegate",)
