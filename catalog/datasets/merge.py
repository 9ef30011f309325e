"""How a scan's findings meet what people decided. Pure.

Confirmed never vanishes in silence. A rejection holds against the recognizers it was made against, through every
rescan; a recognizer that was not among them brings the suggestion back. A suggestion ends only when every retained
record was read and none matched: a sample that happens not to show it must not lift a mask.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from catalog.datasets import recheck
from catalog.datasets.evidence import joined
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
    findings: Iterable[Classification],
    *,
    complete: bool,
    unscanned: Collection[str],
    now: datetime,
    looked: Mapping[str, int] | None = None,
    versions: Mapping[str, str] | None = None,
) -> Merged:
    """`complete`: every retained record was read; `unscanned`: paths (with all inside them) no detector finished;
    `looked`: path -> how many values of it the scan saw; `versions`: recognizer -> version, of all that looked.

    What is not found again is kept, with a note in its evidence (see `catalog.datasets.recheck`), unless it ended.
    """
    known = {record.key: record for record in existing}
    changed: list[ClassificationRecord] = []
    seen: set[tuple[str, str]] = set()
    for finding in findings:
        key = (finding.path, finding.entity)
        seen.add(key)
        before = known.get(key)
        after = _meet(before, finding, now, complete)
        if after != before:
            changed.append(after)
    blind = [FieldPath.parse(path) for path in unscanned]
    ended = []
    for key, record in known.items():
        if key in seen or any(place.contains(FieldPath.parse(record.path)) for place in blind):
            continue
        if complete and record.state is ReviewState.SUGGESTED and record.seen_at is not None:
            ended.append(key)
        elif record.holds and _should_have_shown(record, (looked or {}).get(record.path, 0), complete):
            evidence = recheck.missed(record.evidence, versions or {}, now)
            if evidence != record.evidence:
                changed.append(replace(record, evidence=evidence))
    return Merged(tuple(changed), tuple(ended))


_EXPECTED = 5
"""Matches that the share of the last look promises; below it a sample without one proves nothing (e^-5 is below 1%)."""


def _should_have_shown(record: ClassificationRecord, looked: int, complete: bool) -> bool:
    if record.seen_at is None or record.share is None:
        return False
    return complete or record.share * looked >= _EXPECTED


def _meet(
    before: ClassificationRecord | None, finding: Classification, now: datetime, complete: bool
) -> ClassificationRecord:
    if before is None:
        return ClassificationRecord(
            path=finding.path,
            entity=finding.entity,
            score=finding.score,
            state=ReviewState.SUGGESTED,
            evidence=finding.evidence,
            source=Source.SCAN,
            first_at=now,
            seen_at=now,
        )
    evidence = finding.evidence
    score = finding.score
    if before.seen_at:
        kept = joined(before.evidence, finding.evidence, complete)
        score = max(score, before.score) if kept.get("sampled") != finding.evidence.get("sampled") else score
        # What differs is what this scan saw, not what was added to it.
        difference = recheck.noted(before.evidence, finding.evidence, now).get("change")
        evidence = {**kept, "change": difference} if difference is not None else kept
    if "leak" in before.evidence:
        evidence = {**evidence, "leak": before.evidence["leak"]}
    fresh = replace(before, score=score, evidence=evidence, seen_at=now)
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
        evidence=recheck.reviewed(start.evidence),
    )


def merge_declared(
    existing: Iterable[ClassificationRecord], declared: Sequence[tuple[str, str]], *, by: str | None, now: datetime
) -> Merged:
    """Declared (path, entity) are confirmed; one that is no longer declared returns to the result of a scan, or ends."""
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
