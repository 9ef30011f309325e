"""Names of topics that records which cannot be read are copied to. Standard library only: it travels to Spark's workers."""

from __future__ import annotations

import re

NAMES = r"^_[A-Za-z0-9._-]*(dead|dlq|reject|error|unread)[A-Za-z0-9._-]*$"
"""Who may scan chooses one, and what producers wrote is written there as it is: so it is not a topic that Kafka, a registry
or Weir keeps its own records in, such as `_schemas`."""
LONGEST = 249
RULE = (
    "its name must begin with an underscore, so that no pattern ever scans it, have letters, digits, dots, dashes and"
    " underscores only, and state what it is, as _orders.dead-letters does (dead, dlq, reject, error or unread)"
)


def is_for_dead_letters(topic: str) -> bool:
    """Whether a topic has such a name, and one that Kafka takes."""
    return len(topic) <= LONGEST and not topic.endswith("\n") and re.fullmatch(NAMES, topic) is not None
