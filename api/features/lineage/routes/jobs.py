"""`/jobs/{namespace}/{name}`: a job and its runs."""

from __future__ import annotations

from datetime import datetime

from api.edge.parameters import AsOf, Limit, Name, Offset, stamp
from api.features.lineage.answers.jobs import Job, JobRuns, job_of
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Reader, Readers
from catalog.model import NodeId

router = FeatureRouter("/jobs/{namespace}/{name}", tags=["lineage"])


@router.get("", dependencies=[signed_in(KNOWN)])
def get_job(readers: From[Readers], caller: Caller, namespace: Name, name: Name, asOf: AsOf = None) -> Job:
    """A job: its runs, the last state, the commit it was built from, its SQL."""
    return _job(readers.of(caller), namespace, name, asOf)


@router.get("/runs", dependencies=[signed_in(KNOWN)])
def get_job_runs(
    readers: From[Readers], caller: Caller, namespace: Name, name: Name, limit: Limit = 100, offset: Offset = 0
) -> JobRuns:
    """The runs of a job that are remembered, newest first."""
    runs = _job(readers.of(caller), namespace, name, None).runs
    return JobRuns(runs=runs[offset : offset + limit], total=len(runs))


def _job(reader: Reader, namespace: str, name: str, as_of: datetime | None) -> Job:
    details = reader.lineage.job(str(NodeId("job", namespace, name)), stamp(as_of))
    at = (details.node.namespace, details.node.name)
    return job_of(details, reader.producers.of_runs(*at), reader.producers.log_only(*at))
