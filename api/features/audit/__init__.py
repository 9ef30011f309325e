"""The chain of decisions: read, exported, verified."""
