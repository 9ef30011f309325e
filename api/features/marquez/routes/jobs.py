"""Jobs and runs in Marquez's shapes. Of a job Weir keeps the state it is in: that is the one version it has here."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from api.edge.openapi import answers_with
from api.edge.parameters import AsOf, Limit, Name, Offset, stamp
from api.features.marquez import shapes
from api.features.marquez.answers import (
    JobNamedRuns,
    MarquezJob,
    MarquezJobs,
    MarquezJobVersion,
    MarquezJobVersions,
    MarquezRun,
    MarquezRunFacets,
    MarquezRuns,
)
from api.features.marquez.facets import job_facets, run_facets
from api.features.marquez.reported import run_facets_of, with_run_facets
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.services import InstanceOf
from api.visibility.readers import Reader, Readers
from catalog.errors import NotFound
from catalog.model import NodeId
from lineage.model import Node

router = APIRouter(tags=["marquez"])

_MOST_ASKED = 1000
_RUNS_SHOWN = 10
"""As many as Marquez gives as `latestRuns`."""

States = Annotated[
    list[Literal["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"]] | None,
    Query(alias="lastRunStates", description="Only jobs whose newest run is in one of these states."),
]


@router.get(
    "/namespaces/{namespace}/jobs",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezJobs),
)
def get_jobs(
    built: InstanceOf, subject: Caller, namespace: Name, limit: Limit = 100, offset: Offset = 0, states: States = None
) -> Any:
    """The jobs of a namespace, each with what it reads and writes and its newest run."""
    reader = built[Readers].of(subject)
    total = reader.lineage.namespaces().get(namespace, (0, 0))[1]
    return _listed(reader, namespace, total, limit, offset, states)


@router.get("/jobs", dependencies=[signed_in(KNOWN)], responses=answers_with(MarquezJobs))
def get_all_jobs(
    built: InstanceOf, subject: Caller, limit: Limit = 100, offset: Offset = 0, states: States = None
) -> Any:
    """The jobs of all namespaces."""
    reader = built[Readers].of(subject)
    total = sum(jobs for _, jobs in reader.lineage.namespaces().values())
    return _listed(reader, None, total, limit, offset, states)


@router.get(
    "/namespaces/{namespace}/jobs/{job}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezJob),
)
def get_marquez_job(built: InstanceOf, subject: Caller, namespace: Name, job: Name) -> Any:
    """A job with what it reads, writes, and its newest runs."""
    reader = built[Readers].of(subject)
    return _whole(reader, namespace, job)


@router.get(
    "/namespaces/{namespace}/jobs/{job}/versions",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezJobVersions),
)
def get_marquez_job_versions(built: InstanceOf, subject: Caller, namespace: Name, job: Name) -> Any:
    """The version that a job is in: what it reads and writes, where its code is. Earlier ones are not kept."""
    reader = built[Readers].of(subject)
    return {"versions": [shapes.job_version(_whole(reader, namespace, job))], "totalCount": 1}


@router.get(
    "/namespaces/{namespace}/jobs/{job}/versions/{version}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezJobVersion),
)
def get_marquez_job_version(built: InstanceOf, subject: Caller, namespace: Name, job: Name, version: Name) -> Any:
    """The version that a job is in, by its id."""
    reader = built[Readers].of(subject)
    version_row = shapes.job_version(_whole(reader, namespace, job))
    if version_row["version"] != version:
        raise NotFound(
            f"{job} is in version {version_row['version']}; earlier ones, as {version}, are not kept.", details={}
        )
    return version_row


@router.get(
    "/namespaces/{namespace}/jobs/{job}/runs",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezRuns),
)
def get_marquez_runs(
    built: InstanceOf, subject: Caller, namespace: Name, job: Name, limit: Limit = 100, offset: Offset = 0
) -> Any:
    """The runs of a job that are remembered, newest first."""
    reader = built[Readers].of(subject)
    details = reader.lineage.job(str(NodeId("job", namespace, job))).to_json()
    runs = details["runs"]
    shown = [shapes.run(run, details) for run in runs[offset : offset + limit]]
    shown = with_run_facets(reader, details["namespace"], details["name"], shown)
    return {"runs": shown, "totalCount": len(runs)}


@router.get(
    "/jobs/runs/{run_id}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezRun | JobNamedRuns),
)
def get_marquez_run(built: InstanceOf, subject: Caller, run_id: Name, asOf: AsOf = None) -> Any:
    """The newest run of a job, by its id alone; older runs are found with their job.

    Where no run has it, the job of that name in a namespace called `runs`, as `/jobs/{namespace}/{name}` gives it.
    """
    reader = built[Readers].of(subject)
    node = reader.lineage.job_of_run(run_id)
    if node is not None:
        return _newest_run(reader, node, run_id)
    try:
        return reader.lineage.job(str(NodeId("job", "runs", run_id)), stamp(asOf)).to_json()
    except NotFound as error:
        raise _no_run(run_id) from error


@router.get(
    "/jobs/runs/{run_id}/facets",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezRunFacets),
)
def get_marquez_run_facets(
    built: InstanceOf,
    subject: Caller,
    run_id: Name,
    type: Annotated[Literal["run", "job"], Query(description="Whose facets: the run's own, or its job's.")] = "run",
) -> Any:
    """What is kept of the facets of the newest run of a job, or of its job."""
    reader = built[Readers].of(subject)
    node = reader.lineage.job_of_run(run_id)
    if node is None:
        raise _no_run(run_id)
    details = node.to_json()
    if type == "job":
        return {"runId": run_id, "facets": job_facets(details)}
    kept = reader.producers.of_runs(node.namespace, node.name).get(str(details.get("lastRun")), {})
    return {"runId": run_id, "facets": {**run_facets(details), **run_facets_of(kept)}}


def _no_run(run_id: str) -> NotFound:
    return NotFound(
        f"{run_id} is the newest run of no job; older runs are listed at /namespaces/NAMESPACE/jobs/JOB/runs.",
        details={"runId": run_id},
    )


def _newest_run(reader: Reader, node: Node, run_id: str) -> shapes.Json:
    details = reader.lineage.job(node.id).to_json()
    for run in details["runs"]:
        if run["id"] == run_id:
            shown = {**shapes.run(run, details), "facets": run_facets(details)}
            return with_run_facets(reader, node.namespace, node.name, [shown])[0]
    return shapes.job(details)["latestRun"] or {}


def _listed(
    reader: Reader, namespace: str | None, total: int, limit: int, offset: int, states: Collection[str] | None
) -> shapes.Json:
    if states:
        every = reader.lineage.named_in("job", namespace, _MOST_ASKED)
        fitting = [
            node for node in every if shapes.run_state(node.info.get("state")) in states and node.info.get("lastRun")
        ]
        nodes, total = fitting[offset : offset + limit], len(fitting)
    else:
        nodes = reader.lineage.named_in("job", namespace, limit, offset)
    ends = reader.lineage.ends([node.id for node in nodes])
    return {"jobs": [shapes.job(node.to_json(), *ends.get(node.id, ((), ()))) for node in nodes], "totalCount": total}


def _whole(reader: Reader, namespace: str, job: str) -> shapes.Json:
    details = reader.lineage.job(str(NodeId("job", namespace, job))).to_json()
    shown = shapes.job(details, details["reads"], details["writes"])
    runs = [shapes.run(run, details) for run in details["runs"][:_RUNS_SHOWN]]
    if runs:
        runs[0]["facets"] = run_facets(details)
    return {
        **shown,
        "latestRun": runs[0] if runs else None,
        "latestRuns": runs,
        "currentVersion": shapes.job_version_id(shown),
        **shapes.parent(details["parents"]),
    }
