"""Jobs and their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from api.edge.answer import Answer, FreeForm, Time, about, absent
from api.features.lineage.answers.graph import ClockAhead, LineageNode, node_values
from lineage.questions.answers import JobDetails


class JobRun(Answer):
    """A run of a job."""

    id: str
    state: str = about("START, RUNNING, COMPLETE, FAIL or ABORT.")
    started: Time | None
    updated: Time | None
    ended: Time | None
    processing: str | None = about("BATCH or STREAMING.")
    parent: str | None = about("nodeId of the job that started it.")
    clockAhead: ClockAhead | None = about("Events of it were dated after they arrived.")
    facets: FreeForm = absent("Facets as kept.")


class JobBase(LineageNode):
    """A job with what it reads and writes."""

    state: str | None = about("START, RUNNING, COMPLETE, FAIL or ABORT of its newest run.")
    runs: list[JobRun] = about("Those remembered, newest first.")
    reads: list[str] = about("nodeIds.")
    writes: list[str] = about("nodeIds.")
    parents: list[str] = about("nodeIds of jobs that started it.")


class Job(JobBase):
    """A job."""

    logOnly: list[str] = about("Facets of which nothing but their presence is kept.")


class JobRuns(Answer):
    """A page of a job's runs."""

    runs: list[JobRun]
    total: int


class JobNamedRuns(JobBase):
    """A job in the namespace `runs`, where no run has the id."""


def job_of(details: JobDetails, facets: Mapping[str, Mapping[str, Any]], log_only: Sequence[str]) -> Job:
    """The answer for a job. `facets`: id of a run -> its facets as kept."""
    values = {**_job_values(details), "runs": [_run_values(run, facets) for run in details.runs]}
    return Job.model_validate({**values, "logOnly": log_only})


def job_named_runs_of(details: JobDetails) -> JobNamedRuns:
    """The answer for a job in the namespace `runs`."""
    return JobNamedRuns.model_validate({**_job_values(details), "runs": [_run_values(run, {}) for run in details.runs]})


def _job_values(details: JobDetails) -> dict[str, object]:
    return {
        **node_values(details.node),
        "state": details.state,
        "reads": list(details.reads),
        "writes": list(details.writes),
        "parents": list(details.parents),
    }


def _run_values(run: Mapping[str, Any], facets: Mapping[str, Mapping[str, Any]]) -> dict[str, object]:
    return {**run, "facets": facets[run["id"]]} if run["id"] in facets else dict(run)
