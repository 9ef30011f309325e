"""`/jobs`, `/namespaces/{namespace}/jobs`: jobs and their runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Literal

from fastapi import Query

from api.edge.parameters import Limit, Name, Offset
from api.features.marquez import runs
from api.features.marquez.answers import (
    MarquezJob,
    MarquezJobs,
    MarquezJobVersion,
    MarquezJobVersions,
    MarquezKeptFacets,
    MarquezRuns,
    RunState,
)
from api.features.marquez.facets import job_facets, run_facets
from api.features.marquez.reported import run_facets_of
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Reader, Readers
from catalog.errors import NotFound
from catalog.model import NodeId
from lineage.questions.answers import JobDetails

router = FeatureRouter(tags=["marquez"], tolerant=True)

_MOST_JOBS = 1000
"""Jobs that are looked at where states of their newest runs are asked for."""

States = Annotated[
    list[RunState] | None,
    Query(alias="lastRunStates", description="Only jobs whose newest run is in one of these states."),
]


@router.get("/namespaces/{namespace}/jobs", dependencies=[signed_in(KNOWN)])
def get_jobs(
    readers: From[Readers],
    caller: Caller,
    namespace: Name,
    limit: Limit = 100,
    offset: Offset = 0,
    states: States = None,
) -> MarquezJobs:
    """The jobs of a namespace, each with what it reads and writes and its newest run."""
    reader = readers.of(caller)
    total = reader.lineage.namespaces().get(namespace, (0, 0))[1]
    return _page(reader, namespace, total, limit, offset, states)


@router.get("/jobs", dependencies=[signed_in(KNOWN)])
def get_all_jobs(
    readers: From[Readers], caller: Caller, limit: Limit = 100, offset: Offset = 0, states: States = None
) -> MarquezJobs:
    """The jobs of all namespaces."""
    reader = readers.of(caller)
    total = sum(jobs for _, jobs in reader.lineage.namespaces().values())
    return _page(reader, None, total, limit, offset, states)


@router.get("/namespaces/{namespace}/jobs/{job}", dependencies=[signed_in(KNOWN)])
def get_marquez_job(readers: From[Readers], caller: Caller, namespace: Name, job: Name) -> MarquezJob:
    """A job with what it reads, writes, and its newest runs."""
    return _whole(readers.of(caller), namespace, job)


@router.get("/namespaces/{namespace}/jobs/{job}/versions", dependencies=[signed_in(KNOWN)])
def get_marquez_job_versions(readers: From[Readers], caller: Caller, namespace: Name, job: Name) -> MarquezJobVersions:
    """The version that a job is in: what it reads and writes, where its code is. Earlier ones are not kept."""
    version = runs.job_version(_whole(readers.of(caller), namespace, job))
    return MarquezJobVersions(versions=[version], totalCount=1)


@router.get("/namespaces/{namespace}/jobs/{job}/versions/{version}", dependencies=[signed_in(KNOWN)])
def get_marquez_job_version(
    readers: From[Readers], caller: Caller, namespace: Name, job: Name, version: Name
) -> MarquezJobVersion:
    """The version that a job is in, by its id."""
    current = runs.job_version(_whole(readers.of(caller), namespace, job))
    if current.version != version:
        raise NotFound(f"{job} is in version {current.version}; earlier ones, as {version}, are not kept.", details={})
    return current


@router.get("/namespaces/{namespace}/jobs/{job}/runs", dependencies=[signed_in(KNOWN)])
def get_marquez_runs(
    readers: From[Readers], caller: Caller, namespace: Name, job: Name, limit: Limit = 100, offset: Offset = 0
) -> MarquezRuns:
    """The runs of a job that are remembered, newest first."""
    reader = readers.of(caller)
    details = _details(reader, namespace, job)
    shown = runs.whole_runs(reader, details, details.runs[offset : offset + limit])
    return MarquezRuns(runs=shown, totalCount=len(details.runs))


@router.get("/jobs/runs/{run_id}/facets", dependencies=[signed_in(KNOWN)])
def get_marquez_run_facets(
    readers: From[Readers],
    caller: Caller,
    run_id: Name,
    type: Annotated[Literal["run", "job"], Query(description="Whose facets: the run's own, or its job's.")] = "run",
) -> MarquezKeptFacets:
    """What is kept of the facets of the newest run of a job, or of its job."""
    reader = readers.of(caller)
    job = reader.lineage.job_of_run(run_id)
    if job is None:
        raise runs.no_run(run_id)
    if type == "job":
        return MarquezKeptFacets(runId=run_id, facets=job_facets(job))
    kept = reader.producers.of_runs(job.namespace, job.name).get(str(job.info.get("lastRun")), {})
    return MarquezKeptFacets(runId=run_id, facets={**run_facets(job), **run_facets_of(kept)})


def _whole(reader: Reader, namespace: str, job: str) -> MarquezJob:
    return runs.whole_job(reader, _details(reader, namespace, job))


def _details(reader: Reader, namespace: str, job: str) -> JobDetails:
    return reader.lineage.job(str(NodeId("job", namespace, job)))


def _page(
    reader: Reader, namespace: str | None, total: int, limit: int, offset: int, states: Collection[RunState] | None
) -> MarquezJobs:
    if states:
        every = reader.lineage.named_in("job", namespace, _MOST_JOBS)
        fitting = [
            node for node in every if runs.run_state(node.info.get("state")) in states and node.info.get("lastRun")
        ]
        nodes, total = fitting[offset : offset + limit], len(fitting)
    else:
        nodes = reader.lineage.named_in("job", namespace, limit, offset)
    ends = reader.lineage.ends([node.id for node in nodes])
    return MarquezJobs(jobs=[runs.job(node, *ends.get(node.id, ((), ()))) for node in nodes], totalCount=total)
