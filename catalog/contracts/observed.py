"""What rules are compared with: the profile of a scan, or a schema that nobody wrote records by yet. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from catalog.model import FieldProfile, SchemaVersion
from catalog.paths import FieldPath


@dataclass(frozen=True)
class Observed:
    """One look at a dataset.

    schema       the profile
    before       the profile before it, where a new version of the schema began; None where none did
    now          when it is looked at
    newest       RFC 3339 time of the newest record that any scan saw
    topic        what the brokers report, see `catalog.topics.TopicFacts.to_json`
    only_schema  it is a schema alone: what only records show cannot be decided
    only_new     the profile is of all records that are new since the last look, and of no others
    arrived      (how many, in how many seconds), where the look measured it
    """

    schema: SchemaVersion
    now: datetime
    before: SchemaVersion | None = None
    newest: str | None = None
    topic: Mapping[str, Any] = field(default_factory=dict)
    only_schema: bool = False
    only_new: bool = False
    arrived: tuple[int, float] | None = None

    @cached_property
    def fields(self) -> dict[str, FieldProfile]:
        """Those that occurred, by path."""
        return {profile.path: profile for profile in self.schema.fields if profile.count}

    @property
    def records(self) -> int:
        return self.schema.window.records

    def parent(self, path: str) -> FieldProfile | None:
        """The profile of what a field is in; None where that never occurred."""
        above = FieldPath.parse(path).parent
        return self.fields.get(str(above)) if above is not None else None

    def tries(self, path: str) -> int:
        """How many parents were looked at for a field."""
        profile = self.fields.get(path)
        if profile is not None and profile.presence:
            return max(profile.count, round(profile.count / profile.presence))
        above = self.parent(path)
        if above is not None:
            return above.count
        return self.records if len(FieldPath.parse(path).steps) <= 1 else 0
