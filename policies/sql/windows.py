"""Which records of a topic a query reads, as it is written behind a table.

    orders                                        the newest records, as many as the setting allows
    orders AS OF '2026-11-21T10:00:00Z'           the newest of those stamped before that time
    orders AS OF '2026-11-20' TO '2026-11-21'     those stamped from the first time to before the second
    orders AS OF EARLIEST                         the oldest
    orders AS OF OFFSETS '0:100-200,1:50-'        by partition: from, to before; an open end means up to now

`TIMESTAMP AS OF '...'` as Spark writes it means the same as the second line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

_RANGE = re.compile(r"\s*(\d{1,9})\s*:\s*(\d{1,18})\s*-\s*(\d{1,18})?\s*\Z")


@dataclass(frozen=True, slots=True)
class AsOf:
    """What was asked. At most one of the three forms is set; none of them = the newest records.

    until, since    aware datetimes: records stamped in [since, until)
    earliest        the oldest records instead of the newest
    offsets         partition -> (first, end exclusive or None for up to now)
    """

    since: datetime | None = None
    until: datetime | None = None
    earliest: bool = False
    offsets: tuple[tuple[int, int, int | None], ...] = ()


NEWEST = AsOf()


def read_time(text: str) -> datetime:
    """A time in ISO 8601; without a zone it is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def read_offsets(text: str) -> AsOf:
    """Ranges such as `0:100-200,1:50-`. Raises ValueError."""
    ranges = []
    for part in text.split(","):
        match = _RANGE.match(part)
        if match is None:
            raise ValueError(part)
        first, end = int(match[2]), int(match[3]) if match[3] else None
        if end is not None and end < first:
            raise ValueError(part)
        ranges.append((int(match[1]), first, end))
    if len({partition for partition, _, _ in ranges}) != len(ranges):
        raise ValueError(text)
    return AsOf(offsets=tuple(sorted(ranges)))
