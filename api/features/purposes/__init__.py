"""What data is used for."""
