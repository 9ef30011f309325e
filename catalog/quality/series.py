"""The series of a dataset: what is measured of the records and of each field."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

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
    key: str = field(init=False, compare=False, repr=False)
    """As it is stored: the name, then the path where there is one. Kept, as a check asks for it several times."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.name if self.path is None else f"{self.name} {self.path}")

    def __hash__(self) -> int:
        return hash(self.key)  # a text keeps its own hash

    @property
    def name(self) -> str:
        """`volume`, `nulls`, `type:int64`."""
        return f"{self.measure}:{self.type}" if self.type is not None else str(self.measure)

    @staticmethod
    def parse(key: str) -> Series:
        """Raises ValueError for a measure that there is not."""
        name, _, path = key.partition(" ")
        measure, _, kind = name.partition(":")
        return Series(Measure(measure), path or None, kind or None)


@lru_cache(maxsize=20_000)
def of_field(path: str) -> tuple[Series, Series, Series]:
    """Nulls, presence and different values of a field: to make them takes longer than a check of them."""
    return Series(Measure.NULLS, path), Series(Measure.PRESENCE, path), Series(Measure.DISTINCT, path)


@lru_cache(maxsize=20_000)
def of_type(path: str, name: str) -> Series:
    """The share of a type of a field."""
    return Series(Measure.TYPE, path, name)
