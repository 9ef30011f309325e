"""Who has access to what, and why."""
