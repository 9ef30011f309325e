"""What somebody who helps needs to know of an installation, in one file without secrets and without values."""

COMMANDS = ("server bundle",)
