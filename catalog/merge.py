"""How a scan's findings meet what people decided. Pure.

Confirmed never vanishes in silence. A rejection holds against the recognizers it was made against, through every
rescan; a recognizer that was not among them brings the suggestion back. A suggestion ends only when every retained
record was read and none matched: a sample that happens not to show it must not lift a mask.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from catalog.model import Classification, ReviewState
from catalog.paths import FieldPath
from catalog.records import ClassificationRecord, Source


@dataclass(frozen=True, slots=True)
class Merged:
    """What to write: records new or changed, and (path, entity) that ended."""

    changed: tuple[ClassificationRecord, ...] = ()
    ended: tuple[tuple[str, str], ...] = ()


def recognizers(evidence: Any) -> tuple[str, ...]:
    """Names of the recognizers in an evidence, sorted."""
    listed = evidence.get("recognizers") or ()
    return tuple(sorted({str(r.get("name", "")) if hasattr(r, "get") else str(r) for r in listed}))


def merge_scan(
    existing: Iterable[ClassificationRecord],
    found: Iterable[Classification],
    *,
    complete: bool,
    unscanned: Collection[str],
    now: datetime,
) -> Merged:
    """`complete`: every retained record was read; `unscanned`: paths (with all inside them) no detector finished."""
    known = {record.key: record for record in existing}
    changed: list[ClassificationRecord] = []
    seen: set[tuple[str, str]] = set()
    for finding in found:
        key = (finding.path, finding.entity)
        seen.add(key)
        before = known.get(key)
        after = _meet(before, finding, now)
        if after != before:
            changed.append(after)
    if not complete:
        return Merged(tuple(changed))
    blind = [FieldPath.parse(path) for path in unscanned]
    ended = [
        record.key
        for key, record in known.items()
        if key not in seen
        and record.state is ReviewState.SUGGESTED
        and not any(place.contains(FieldPath.parse(record.path)) for place in blind)
    ]
    return Merged(tuple(changed), tuple(ended))


def _meet(before: ClassificationRecord | None, finding: Classification, now: datetime) -> ClassificationRecord:
    if before is None:
        return ClassificationRecord(
            finding.path,
            finding.entity,
            finding.score,
            ReviewState.SUGGESTED,
            finding.evidence,
            Source.SCAN,
            first_at=now,
            seen_at=now,
        )
    fresh = replace(before, score=finding.score, evidence=finding.evidence, seen_at=now)
    if before.state is not ReviewState.REJECTED:
        return fresh
    new = [name for name in recognizers(finding.evidence) if name not in before.rejected_recognizers]
    if not new:
        return fresh
    return replace(
        fresh,
        state=ReviewState.SUGGESTED,
        source=Source.SCAN,
        reason=f"Rejected before; now found by {', '.join(new)}, which the rejection was not about.",
    )


def review(
    before: ClassificationRecord | None,
    path: str,
    entity: str,
    state: ReviewState,
    *,
    by: str,
    reason: str | None,
    now: datetime,
) -> ClassificationRecord:
    """The classification after a person's decision; a tag that no scan suggested may be added by confirming it."""
    start = before or ClassificationRecord(path, entity, 1.0, state, first_at=now)
    rejected: tuple[str, ...] = ()
    if state is ReviewState.REJECTED:
        rejected = tuple(sorted({*start.rejected_recognizers, *recognizers(start.evidence)}))
    return replace(
        start,
        state=state,
        source=Source.REVIEW,
        reviewed_by=by,
        reviewed_at=now,
        reason=reason,
        rejected_recognizers=rejected,
    )


def merge_declared(
    existing: Iterable[ClassificationRecord], declared: Sequence[tuple[str, str]], *, by: str | None, now: datetime
) -> Merged:
    """Declared (path, entity) are confirmed; one that is declared no more goes back to what a scan said, or ends."""
    known = {record.key: record for record in existing}
    changed = []
    for path, entity in declared:
        before = known.get((path, entity))
        if before and before.state is ReviewState.CONFIRMED and before.source is Source.DECLARED:
            continue
        start = before or ClassificationRecord(path, entity, 1.0, ReviewState.CONFIRMED, first_at=now)
        changed.append(
            replace(
                start,
                state=ReviewState.CONFIRMED,
                source=Source.DECLARED,
                reviewed_by=by,
                reviewed_at=now,
                reason=None,
                rejected_recognizers=(),
            )
        )
    ended = []
    for key, record in known.items():
        if record.source is not Source.DECLARED or key in set(declared):
            continue
        if record.seen_at is None:
            ended.append(key)
        else:
            changed.append(replace(record, state=ReviewState.SUGGESTED, source=Source.SCAN, reviewed_by=None))
    return Merged(tuple(changed), tuple(ended))
