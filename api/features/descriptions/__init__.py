"""What a dataset or a field of it is described by, set one thing at a time: its description and its tags; and what descriptions
were before."""

COMMANDS = ("dataset history",)
