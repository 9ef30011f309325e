"""The series of a dataset: what is measured of the records and of each field."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MOST_SERIES = 1000
"""Series that are kept of one dataset. Those of fields that came later are left out, and counted."""
MOST_TYPES = 4
"""Types of one field that have a series: the most frequent ones."""


class Measure(StrEnum):
    """VOLUME: records an hour, from offsets. RECORDS: that the scan read. LATENESS: seconds since the newest record.
    NULLS: share of a field's occurrences, 0..1. PRESENCE: share of the records that have it, 0..1. DISTINCT: estimate of
    different values. TYPE: share of the occurrences that are not null, 0..1."""

    VOLUME = "volume"
    RECORDS = "records"
    LATENESS = "lateness"
    NULLS = "nulls"
    PRESENCE = "presence"
    DISTINCT = "distinct"
    TYPE = "type"

    @property
    def is_share(self) -> bool:
        return self in (Measure.NULLS, Measure.PRESENCE, Measure.TYPE)


@dataclass(frozen=True, slots=True)
class Series:
    """One figure over time. `path` None: of the records as a whole; `type`: which one, for TYPE only."""

    measure: Measure
    path: str | None = None
    type: str | None = None

    def __hash__(self) -> int:
        # A measure's own hash is computed in Python, and a check looks up each series several times.
        return hash((self.path, self.type))

    @property
    def name(self) -> str:
        """`volume`, `nulls`, `type:int64`."""
        return f"{self.measure}:{self.type}" if self.type is not None else str(self.measure)

    @property
    def key(self) -> str:
        """As it is stored: the name, then the path where there is one."""
        return self.name if self.path is None else f"{self.name} {self.path}"

    @staticmethod
    def parse(key: str) -> Series:
        """Raises ValueError for a measure that there is not."""
        name, _, path = key.partition(" ")
        measure, _, kind = name.partition(":")
        return Series(Measure(measure), path or None, kind or None)
