"""Who owns a dataset, and who might: owners that are suggested, each with its reasons."""

COMMANDS = ("dataset owner",)
