"""Documents, tokens and the audit chain in the record store, and the same in memory for tests."""
