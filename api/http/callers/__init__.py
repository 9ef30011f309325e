"""Who calls: bearer tokens to subjects, and senders of lineage events, checked once a second."""
