"""Events about classifications that a scan or a reviewer changed. Pure; names and counts, never a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from catalog.datasets.merge import Merged
from catalog.event_model import EventDraft
from catalog.records import ClassificationRecord, rfc3339


def scan_events(known: Iterable[ClassificationRecord], merged: Merged) -> list[EventDraft]:
    """`classification.suggested`: what a scan found first, or again after a rejection of something else;
    `classification.changed`: what a second look sees otherwise than the first (see `catalog.datasets.recheck`), and what ended.
    """
    before = {record.key: record for record in known}
    suggested: list[Mapping[str, object]] = []
    changed: list[Mapping[str, object]] = []
    for record in merged.changed:
        old = before.get(record.key)
        if old is None or old.state is not record.state:
            suggested.append(_brief(record))
        elif (change := record.evidence.get("change")) and change != old.evidence.get("change"):
            changed.append({**_brief(record), "change": change})
    changed += [{**_brief(before[key]), "ended": True} for key in merged.ended if key in before]
    events = [("classification.suggested", suggested), ("classification.changed", changed)]
    return [(kind, {"classifications": items}) for kind, items in events if items]


def review_event(before: ClassificationRecord | None, after: ClassificationRecord) -> EventDraft:
    """`classification.reviewed`: who decided what, and what it was before."""
    return "classification.reviewed", {
        "path": after.path,
        "entity": after.entity,
        "state": str(after.state),
        "before": str(before.state) if before else None,
        "by": after.reviewed_by,
        "reason": after.reason,
        "at": rfc3339(after.reviewed_at),
    }


def _brief(record: ClassificationRecord) -> dict[str, str | float | None]:
    return {
        "path": record.path,
        "entity": record.entity,
        "state": str(record.state),
        "score": record.score,
        "share": record.share,
    }
