"""The Kafka clusters that Weir knows, and the trial of one that is not declared yet."""

COMMANDS = ("cluster list", "cluster show", "cluster test", "cluster pack")
