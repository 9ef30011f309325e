"""Jobs and runs in the shapes of Marquez's API. Of a job Weir keeps the state it is in: that is the one version it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import NAMESPACE_URL, uuid5

from api.features.marquez.answers import (
    MarquezJob,
    MarquezJobVersion,
    MarquezName,
    MarquezRun,
    MarquezVersionedName,
    RunState,
)
from api.features.marquez.facets import job_facets, run_facets
from api.features.marquez.reported import with_run_facets
from api.features.marquez.shapes import NEVER, name_of
from api.visibility.readers import Reader
from catalog.errors import NotFound
from lineage.ingest.parse import run_id_of
from lineage.model import Node, parts_of
from lineage.questions.answers import JobDetails

_RUNS_SHOWN = 10
"""As many as Marquez gives as `latestRuns`."""
_STATES: Mapping[str, RunState] = {
    "START": "RUNNING",
    "RUNNING": "RUNNING",
    "COMPLETE": "COMPLETED",
    "FAIL": "FAILED",
    "ABORT": "ABORTED",
}
_TYPES: Mapping[str, Literal["STREAM", "SERVICE"]] = {"STREAMING": "STREAM", "SERVICE": "SERVICE"}


def job(node: Node, inputs: Iterable[str] = (), outputs: Iterable[str] = ()) -> MarquezJob:
    """A job node as Marquez's Job; `inputs` and `outputs` are ids of datasets."""
    info = node.info
    location: Mapping[str, str] = info.get("location") or {}
    newest = {"id": info.get("lastRun"), "state": info.get("state"), "updated": info.get("lastSeen")}
    latest = run(newest, node) if newest["id"] else None
    return MarquezJob(
        id=MarquezName(namespace=node.namespace, name=node.name),
        type=_TYPES.get(str(info.get("processingType")), "BATCH"),
        name=node.name,
        simpleName=node.name,
        namespace=node.namespace,
        createdAt=NEVER,
        updatedAt=info.get("lastSeen") or NEVER,
        inputs=[name_of(key) for key in inputs if key.startswith("dataset:")],
        outputs=[name_of(key) for key in outputs if key.startswith("dataset:")],
        location=location.get("url") or location.get("repoUrl"),
        description=info.get("description"),
        tags=sorted(info.get("tags") or ()),
        latestRun=latest,
        latestRuns=[latest] if latest else [],
        facets=job_facets(node),
        currentVersion=None,
        parentJobName=None,
        parentJobUuid=None,
    )


def whole_job(reader: Reader, details: JobDetails) -> MarquezJob:
    """A job with its newest runs, its version and the job that started it."""
    shown = job(details.node, details.reads, details.writes)
    runs = whole_runs(reader, details, details.runs[:_RUNS_SHOWN])
    return shown.model_copy(
        update={
            "latestRun": runs[0] if runs else None,
            "latestRuns": runs,
            "currentVersion": _version_id(shown),
            **_parent(details.parents),
        }
    )


def job_version(shown: MarquezJob) -> MarquezJobVersion:
    """The version that a job, as `whole_job` gives it, is in."""
    version = shown.currentVersion or _version_id(shown)
    return MarquezJobVersion(
        id=MarquezVersionedName(namespace=shown.namespace, name=shown.name, version=version),
        type=shown.type,
        name=shown.name,
        namespace=shown.namespace,
        createdAt=shown.createdAt,
        version=version,
        inputs=shown.inputs,
        outputs=shown.outputs,
        location=shown.location,
        latestRun=shown.latestRun,
        facets=shown.facets,
        context={},
    )


def whole_runs(reader: Reader, details: JobDetails, rows: Iterable[Mapping[str, Any]]) -> list[MarquezRun]:
    """Some of a job's runs, each with what is kept of its facets; what a run ran on is known of the newest one."""
    node = details.node
    engine, newest = run_facets(node), node.info.get("lastRun")
    shown = [run(row, node).model_copy(update={"facets": engine if row["id"] == newest else {}}) for row in rows]
    return with_run_facets(reader, node.namespace, node.name, shown)


def run(row: Mapping[str, Any], of: Node) -> MarquezRun:
    """One of a job's runs as Marquez's Run."""
    started, ended = row.get("started"), row.get("ended")
    return MarquezRun(
        id=row["id"],
        createdAt=started or NEVER,
        updatedAt=row.get("updated") or started or NEVER,
        nominalStartTime=None,
        nominalEndTime=None,
        state=run_state(row.get("state")),
        startedAt=started,
        endedAt=ended,
        durationMs=_milliseconds(started, ended),
        args={},
        jobVersion=MarquezVersionedName(namespace=of.namespace, name=of.name, version=None),
        inputVersions=[],
        outputVersions=[],
        facets={},
    )


def run_state(state: object) -> RunState:
    """A state of OpenLineage's as Marquez has it."""
    return _STATES.get(str(state), "NEW")


def newest_run(reader: Reader, node: Node, run_id: str) -> MarquezRun:
    """The newest run of a job, with what is kept of its facets. Raises NotFound where another one is the newest by now."""
    details = reader.lineage.job(node.id)
    kept_id = run_id_of(run_id)
    for row in details.runs:
        if row["id"] == kept_id:
            return whole_runs(reader, details, [row])[0]
    latest = job(details.node).latestRun
    if latest is None:
        raise no_run(run_id)
    return latest


def no_run(run_id: str) -> NotFound:
    """No job's newest run has this id."""
    return NotFound(
        f"{run_id} is the newest run of no job; older runs are listed at /namespaces/NAMESPACE/jobs/JOB/runs.",
        details={"runId": run_id},
    )


def _version_id(shown: MarquezJob) -> str:
    """The id of the version that a job is in: another one once it reads, writes or is kept elsewhere."""
    ends = [[f"{each.namespace}:{each.name}" for each in side] for side in (shown.inputs, shown.outputs)]
    name = sorted({"namespace": shown.namespace, "name": shown.name}.items())
    return str(uuid5(NAMESPACE_URL, repr((name, ends, shown.location))))


def _parent(parents: Sequence[str]) -> dict[str, str | None]:
    """Which job started a job; `simpleName` of that is its whole name here."""
    first = parents[0] if parents else None
    return {
        "parentJobName": parts_of(first).name if first else None,
        "parentJobUuid": str(uuid5(NAMESPACE_URL, first)) if first else None,
    }


def _milliseconds(started: str | None, ended: str | None) -> int | None:
    if not started or not ended:
        return None
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds() * 1000)
