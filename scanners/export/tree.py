"""The value of a stored schema as a tree, which every export writes in its own words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from catalog.model import FieldProfile, SchemaVersion
from catalog.paths import StepKind


@dataclass(slots=True)
class Place:
    """A place of the value, with what is below it."""

    profile: FieldProfile | None = None
    fields: dict[str, Place] = field(default_factory=dict)
    elements: Place | None = None
    values: Place | None = None

    @property
    def kinds(self) -> list[str]:
        kinds = [k for k, share in (self.profile.types if self.profile else {}).items() if share > 0 and k != "null"]
        if not kinds and self.profile is not None and (registered := self.profile.details.get("registered")):
            return [k for k in registered["kinds"] if k != "scalar"] + (
                [kind_of(registered["sql"])] if "sql" in registered else []
            )
        if not kinds:
            return ["object"] if self.fields else ["array"] if self.elements else ["map"] if self.values else []
        return kinds

    @property
    def nullable(self) -> bool:
        return self.profile is not None and self.profile.null_share > 0

    @property
    def always(self) -> bool:
        return self.profile is None or self.profile.presence >= 1.0

    def form(self) -> str | None:
        """The one form all texts have, e.g. date, uuid."""
        formats: Mapping[str, float] = self.profile.details.get("formats", {}) if self.profile else {}
        return next((name for name, share in formats.items() if share >= 0.999), None)


def tree_of(schema: SchemaVersion) -> Place:
    """Of the value alone, without key and headers."""
    top = Place()
    for profile in schema.fields:
        path = profile.field_path
        # Documents in texts are described below the text, but they are not part of its type.
        if path.root != "value" or "insideText" in profile.details:
            continue
        at: Place | None = top
        for step in path.steps:
            if at is None:
                break
            if step.kind is StepKind.FIELD:
                at = at.fields.setdefault(step.name or "", Place())
            elif step.kind is StepKind.ELEMENTS:
                at.elements = at.elements or Place()
                at = at.elements
            elif step.kind is StepKind.VALUES:
                at.values = at.values or Place()
                at = at.values
            else:
                at = None  # single keys of a map are part of its values
        if at is not None:
            at.profile = profile
    return top


_LEARNED = {
    "BOOLEAN": "boolean",
    "INT": "int32",
    "BIGINT": "int64",
    "FLOAT": "double",
    "DOUBLE": "double",
    "BINARY": "binary",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_NTZ": "timestamp",
}


def kind_of(sql: str) -> str:
    """The name in a profile of a registered type."""
    return "decimal" if sql.startswith("DECIMAL") else _LEARNED.get(sql, "string")


def merged(kinds: Iterable[str]) -> list[str]:
    """Integer widths as one."""
    kinds = set(kinds)
    widest = next((k for k in ("integer", "int64", "int32") if k in kinds), None)
    return sorted((kinds - {"int32", "int64", "integer"}) | ({widest} if widest else set()))
