"""`/datasets/{namespace}/{name}/readers`: who reads a dataset."""

from __future__ import annotations

from datetime import datetime

from api.edge.parameters import AsOf, Limit, Name, Offset, stamp
from api.features.lineage.answers import readers as answers
from api.formats.readable_places import Access, access
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from api.visibility.sight import owns
from catalog.errors import NotFound
from catalog.records import DatasetRecord
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.model import Subject

router = FeatureRouter("/datasets/{namespace}/{name}", tags=["lineage"])


@router.get("/readers", dependencies=[signed_in(KNOWN)])
def readers(
    readers: From[Readers],
    identity: From[Identity],
    grants: From[Grants],
    caller: Caller,
    namespace: Name,
    name: Name,
    asOf: AsOf = None,
    limit: Limit = 1000,
    offset: Offset = 0,
) -> answers.Readers:
    """Who reads a dataset: `observed` (by runs and brokers), `declared` (by producers), `permitted` (may read by Weir).

    `permitted` is null for a caller who neither owns the dataset nor has the permission `report:read`.
    """
    reader = readers.of(caller)
    dataset = reader.datasets.resolve(namespace, name)
    jobs = reader.lineage.readers_of(dataset, stamp(asOf))
    record = reader.store.dataset(dataset)
    permitted = _permitted(grants, record, asOf) if _sees_access(identity, caller, record) else None
    return answers.readers_of(jobs, permitted, limit, offset)


def _sees_access(identity: Identity, caller: Subject, record: DatasetRecord | None) -> bool:
    if "report:read" in identity.permissions(caller):
        return True
    return record is not None and (owns(caller, record) or identity.may(caller, Power.REPORT, record.reference))


def _permitted(grants: Grants, record: DatasetRecord | None, as_of: datetime | None) -> list[Access]:
    if record is None or record.cluster is None:
        return []
    try:
        accesses = grants.who_has_access(record.reference, None, as_of)
    except NotFound:
        return []
    return [access(each) for each in accesses]
