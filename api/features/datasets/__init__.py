"""What is known of each dataset: its description, its schema and versions, who may know of it and read it."""

COMMANDS = (
    "dataset list",
    "dataset show",
    "dataset schema",
    "dataset diff",
    "dataset personal-data",
    "dataset related",
)
