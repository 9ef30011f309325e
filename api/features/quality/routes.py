"""`/datasets/{namespace}/{name}/quality`: what scans measured over time, and what of it is unusual."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Instant, Limit, Name, Offset, Text
from api.features.quality import answers, shown
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.powers import require_on
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from api.visibility.sight import SightRules, owns
from catalog.model import DatasetId
from catalog.quality.service import Quality
from catalog.quality_store import Tier
from catalog.records import DatasetRecord
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.domains import Power
from policies.decision.visibility import Aspect
from policies.model import Subject

router = FeatureRouter("/datasets/{namespace}/{name}", tags=["quality"])


class MarkBody(RequestBody):
    """A time in which a dataset may be unusual."""

    kind: answers.MarkKind
    starts_at: Instant | None = Field(None, description="Now when absent.")
    ends_at: Instant | None = Field(None, description="An hour after the start when absent.")
    note: str = Field("", max_length=500)


def _known(readers: Readers, caller: Subject, namespace: str, name: str) -> DatasetRecord:
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    return record


def _markable(readers: Readers, identity: Identity, caller: Subject, namespace: str, name: str) -> DatasetRecord:
    """Raises DatasetNotFound; NotAllowed for who neither owns the dataset nor may scan it."""
    record = _known(readers, caller, namespace, name)
    if not owns(caller, record):
        require_on(identity, caller, Power.SCAN, record.reference)
    return record


@router.get("/quality", dependencies=[signed_in(KNOWN)])
def get_quality(
    readers: From[Readers],
    sights: From[SightRules],
    quality: From[Quality],
    caller: Caller,
    namespace: Name,
    name: Name,
    path: Annotated[
        Text | None, Query(description="A field and all that is in it, as value.amount; empty: the records as a whole.")
    ] = None,
    measure: Annotated[
        Text | None, Query(description="volume, records, lateness, nulls, presence, distinct, type, or type:int64.")
    ] = None,
    resolution: Annotated[answers.Resolution, Query(description="Points of scans, hours or days.")] = "hour",
    since: Annotated[Instant | None, Query(description="Only points from then on.")] = None,
    points: Limit = 168,
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.DatasetQuality:
    """The series of a dataset with what is usual of each: of the records first, then of fields those with something unusual,
    then those that change.

    Series of which the caller may not see figures are left out and counted: `withheldSeries`.
    """
    record = _known(readers, caller, namespace, name)
    tier = Tier(resolution)
    return shown.quality(
        record.reference,
        quality.courses(record.id, tier, points, since),
        quality.marks(record.id),
        sights.of(caller).of(record),
        sensitivity=quality.sensitivity(record),
        tier=tier,
        path=path,
        measure=measure,
        limit=limit,
        offset=offset,
    )


@router.get("/anomalies", dependencies=[signed_in(KNOWN)])
def list_anomalies(
    readers: From[Readers],
    sights: From[SightRules],
    quality: From[Quality],
    caller: Caller,
    namespace: Name,
    name: Name,
    limit: Limit = 100,
) -> answers.Anomalies:
    """Series of a dataset that left their usual range: those that last, then those that are over."""
    record = _known(readers, caller, namespace, name)
    return shown.anomalies(record.reference, quality.anomalies(record.id, limit), sights.of(caller).of(record))


_MARKS = needs("scan", others=f"{OWNERS}; admins and stewards of its domain", unseen=True)


@router.post("/quality/marks", status_code=201, dependencies=[_MARKS])
def mark_time(
    readers: From[Readers],
    quality: From[Quality],
    identity: From[Identity],
    audit: From[AuditLog],
    caller: Caller,
    namespace: Name,
    name: Name,
    body: MarkBody,
) -> answers.QualityMark:
    """Mark a deploy or a replay: nothing of that time is an anomaly, and one that began in it is over."""
    record = _markable(readers, identity, caller, namespace, name)
    mark = quality.mark(record, body.kind, body.starts_at, body.ends_at, body.note, caller.user)
    audit.record_by(caller, "quality.mark", record.reference, "allow", [mark.kind])
    return shown.mark(mark)


@router.delete("/quality/marks/{mark}", dependencies=[_MARKS])
def unmark_time(
    readers: From[Readers],
    quality: From[Quality],
    identity: From[Identity],
    audit: From[AuditLog],
    caller: Caller,
    namespace: Name,
    name: Name,
    mark: Name,
) -> answers.RemovedMark:
    """Take a mark back: from the next scan on, that time is judged as any other. Anomalies that it ended stay over."""
    record = _markable(readers, identity, caller, namespace, name)
    quality.unmark(record, mark)
    audit.record_by(caller, "quality.unmark", record.reference, "allow", [mark])
    return answers.RemovedMark(id=mark, removed=True)
