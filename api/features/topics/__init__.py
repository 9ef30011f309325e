"""One topic as its brokers and its schema registry describe it."""

COMMANDS = (
    "dataset browse",
    "dataset partitions",
    "dataset config",
    "dataset groups",
    "dataset acls",
    "dataset rate",
    "dataset subjects",
)
