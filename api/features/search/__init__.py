"""Search over datasets and fields."""
