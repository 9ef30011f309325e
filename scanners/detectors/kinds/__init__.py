"""One file for each kind of personal data."""
