"""The records of a topic, page by page, as their reader may see them."""
