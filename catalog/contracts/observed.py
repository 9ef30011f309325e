"""What rules are compared with: the profile of a scan, or a schema that nobody wrote records by yet. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from catalog.contracts.map_values import is_inside_map, value_of_map
from catalog.model import FieldProfile, SchemaVersion
from catalog.paths import FieldPath, StepKind

EXACT_FORMATS = frozenset({"avro", "protobuf"})
"""Formats of values whose types are those of a schema."""
_VALUES = "{}"


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

    @property
    def tells_maps_from_objects(self) -> bool:
        """Whether the format has maps and objects as types of their own."""
        return self.schema.format.get("value") in EXACT_FORMATS

    def field(self, path: str) -> FieldProfile | None:
        """The profile of a field; of a value of a map also where the records look like an object. None: it never occurred."""
        profile = self.fields.get(path)
        if profile is not None or _VALUES not in path:
            return profile
        whole = FieldPath.parse(path)
        joined, above = value_of_map(whole, self.fields), self.parent(path)
        if joined is None or whole.steps[-1].kind is StepKind.VALUES or above is None:
            return joined
        return replace(joined, presence=min(1.0, joined.count / above.count))

    def parent(self, path: str) -> FieldProfile | None:
        """The profile of what a field is in; None where that never occurred."""
        above = FieldPath.parse(path).parent
        return self.field(str(above)) if above is not None else None

    def is_inside_map(self, path: str) -> bool:
        """Whether the field is one of an object that looks like a map, which has keys in place of fields."""
        return path not in self.fields and is_inside_map(FieldPath.parse(path), self.fields)

    def tries(self, path: str) -> int:
        """How many parents were looked at for a field. Records without a value have no fields that could be missing."""
        profile = self.field(path)
        if profile is not None and profile.presence:
            return max(profile.count, round(profile.count / profile.presence))
        above = self.parent(path)
        if above is not None:
            return above.count
        whole = FieldPath.parse(path)
        is_of_records = not whole.steps or (whole.root == "headers" and len(whole.steps) == 1)
        return self.records - self._headings if is_of_records else 0

    @property
    def _headings(self) -> int:
        """Records that hold the names of columns, and so no value."""
        return sum(int(each.get("count", 0)) for each in self.schema.problems if each.get("reason") == "header_record")
