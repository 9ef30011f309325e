"""Events about datasets and their schemas. Pure; names, counts and places, never a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.datasets.compatibility import Compatibility, compatibility
from catalog.datasets.diff import differences
from catalog.event_model import EventDraft
from catalog.records import DatasetRecord, StoredSchema
from catalog.topics import TopicFacts

_MOST = 200
"""Changes in one event; all of them are at `/schema/diff`."""


def schema_events(before: StoredSchema | None, after: StoredSchema | None) -> list[EventDraft]:
    """`schema.changed` when a scan made a new version, with every change and where it was first seen;
    `schema.discovered` for the first version."""
    if after is None or (before is not None and before.baseline.version == after.baseline.version):
        return []
    version = after.baseline.version
    if before is None:
        fields = len(after.baseline.fields)
        details = {"version": version, "format": dict(after.baseline.format), "fields": fields}
        return [("schema.discovered", {**details, "shapes": len(after.baseline.shapes)})]
    changes = [dict(change) for change in after.changes]
    judged: Compatibility = compatibility(differences(before.baseline, after.baseline))
    data: dict[str, object] = {
        "version": version,
        "before": before.baseline.version,
        "summary": summary(changes),
        "compatibility": judged.to_json(),
        "changes": changes[:_MOST],
    }
    if len(changes) > _MOST:
        data["moreChanges"] = len(changes) - _MOST
    return [("schema.changed", data)]


def summary(changes: Sequence[Mapping[str, Any]]) -> str:
    """The changes in a line: the first few by name, then how many more."""
    words = [f"{_WORDS.get(c['change'], c['change'])} {c['path'] or ''}".strip() + _at(c) for c in changes]
    more = f" and {len(words) - 3} more" if len(words) > 3 else ""
    return ", ".join(words[:3]) + more


_WORDS = {
    "added": "new field",
    "removed": "gone:",
    "type": "other type:",
    "presence": "other presence:",
    "null": "nulls:",
    "format": "other format",
    "shape": "other shapes",
    "departs": "departs:",
}


def _at(change: Mapping[str, Any]) -> str:
    first = change.get("firstSeen")
    return f" (partition {first['partition']}, offset {first['offset']})" if first else ""


def discovery_event(before: DatasetRecord | None, topic: TopicFacts) -> EventDraft:
    """`dataset.discovered`: a topic not known before, or back again after it was gone."""
    back = before is not None and before.deleted_at is not None
    return "dataset.discovered", {"partitions": topic.partitions, "retained": topic.retained, "back": back}
