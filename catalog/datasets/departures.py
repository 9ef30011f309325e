"""Where records depart from what was declared or registered of them, as a schema's problems report it. Pure.

A departure is one of a schema version's `problems`: {"reason": "departs", "part", "source", "path", "why", "expected",
"count", "first"}. `first` is a place, never a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog.model import SchemaVersion

REASON = "departs"

WHY = {
    "type": "has another type",
    "missing": "is missing",
    "null": "is null",
    "undeclared": "is not in the schema",
    "not_registered": "is not written by the registered schema",
    "other_subject": "is written by a schema of another subject",
}


@dataclass(frozen=True, slots=True)
class Departure:
    """`source`: declared | registered; `why`: a key of WHY; `expected`: the type by its schema's name."""

    path: str
    source: str
    why: str
    count: int
    expected: str | None = None
    first: Mapping[str, Any] | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.path, self.source, self.why

    def to_json(self) -> dict[str, object]:
        return {
            "part": self.path.partition(".")[0],
            "reason": REASON,
            "source": self.source,
            "path": self.path,
            "why": self.why,
            "expected": self.expected,
            "count": self.count,
            "first": dict(self.first) if self.first else None,
            "message": self.sentence(),
        }

    def sentence(self, counted: bool = True) -> str:
        """For people: what, how often, where first; without both where records are not to be counted."""
        expected = f" (expected {self.expected})" if self.expected and self.why in ("type", "missing", "null") else ""
        at = ""
        if self.first and counted:
            at = f", first in partition {self.first.get('partition')} at offset {self.first.get('offset')}"
        number = f"{self.count}" if counted else "some"
        times = "1 record" if counted and self.count == 1 else f"{number} records"
        return f"{self.path} {WHY.get(self.why, self.why)}{expected} in {times}: departs from the {self.source} schema{at}."


def departures_of(schema: SchemaVersion) -> list[Departure]:
    """Those among a schema's problems, by path."""
    return sorted((departure_of(p) for p in schema.problems if p.get("reason") == REASON), key=lambda d: d.key)


def carried_over(old: SchemaVersion, new: SchemaVersion) -> list[Departure]:
    """The old departures of fields that the new scan did not see depart."""
    seen = {d.key for d in departures_of(new)}
    return [d for d in departures_of(old) if d.key not in seen]


def departure_of(problem: Mapping[str, Any]) -> Departure:
    """A problem whose reason is REASON; one without a count has 1."""
    return Departure(
        path=str(problem.get("path", "value")),
        source=str(problem.get("source", "declared")),
        why=str(problem.get("why", "type")),
        count=int(problem.get("count", 1)),
        expected=problem.get("expected"),
        first=problem.get("first"),
    )
