"""API tokens, and who the caller is."""
