"""The archive from which the executors of a Spark cluster take their Python packages."""

COMMANDS = ("cluster pack",)
