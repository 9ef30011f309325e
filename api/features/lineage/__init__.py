"""What feeds a dataset, what it feeds, who reads it; and the events of producers that report it."""

COMMANDS = ("lineage", "cluster groups", "cluster connectors", "dataset readers", "server rebuild")
