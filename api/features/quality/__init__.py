"""Quality over time: the series of a dataset, anomalies in them, and times that are marked."""

COMMANDS = ("quality",)
