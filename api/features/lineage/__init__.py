"""What feeds a dataset, what it feeds, who reads it; and the events of producers that report it."""

COMMANDS = ("lineage", "impact", "reach", "rebuild", "groups", "connectors", "readers", "sql-lineage")
