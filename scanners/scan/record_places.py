"""Where a record is, and when it came, as the catalog keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from catalog.first_seen import RecordPlace


def record_place(first: Sequence[int]) -> RecordPlace:
    """The place of a record, of which a sketch keeps time, partition and offset."""
    return {"time": rfc3339(first[0]), "partition": first[1], "offset": first[2]}


def rfc3339(milliseconds: int | None) -> str | None:
    """Kafka's milliseconds as RFC 3339 in UTC; None for a record without a time."""
    if milliseconds is None or not 0 <= milliseconds < 253_402_300_800_000:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
