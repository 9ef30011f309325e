"""What people state about datasets: certification, deprecation, announcements, properties; and a table of it all, out and in."""

COMMANDS = (
    "catalog export",
    "catalog import",
    "dataset announce",
    "dataset certify",
    "dataset deprecate",
    "dataset property",
)
