"""Flink's REST API: `GET /jobs/overview` and `GET /jobs/ID`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from lineage.adapters.rest.servers import RestReader
from lineage.observed.connect import host_of
from lineage.observed.connect_engines import FlinkJob, flink_events
from lineage.observed.run_events import ObservedEvent

MOST = 2000
_RUNNING = ("RUNNING", "RESTARTING", "CREATED", "INITIALIZING", "RECONCILING")


class FlinkRest(RestReader):
    """See `lineage.observed.connect_engines.EngineReader`."""

    what, setting = "Flink", "flink.url"

    def events(self, namespace: str) -> list[ObservedEvent]:
        jobs = []
        for job in list(read_jobs(self._server.get("/jobs/overview")))[:MOST]:
            details = self._server.get(f"/jobs/{quote(job.id, safe='')}")
            jobs.append(FlinkJob(job.id, job.name, job.state, tuple(read_vertices(details))))
        return flink_events(jobs, f"flink://{host_of(self._server.url)}")


def read_jobs(answer: Any) -> Iterator[FlinkJob]:
    """Jobs that have not ended, of an answer to /jobs/overview."""
    for job in (answer.get("jobs") if isinstance(answer, Mapping) else None) or ():
        if isinstance(job, Mapping) and job.get("jid") and job.get("name") and job.get("state") in _RUNNING:
            yield FlinkJob(str(job["jid"]), str(job["name"]), str(job["state"]))


def read_vertices(answer: Any) -> Iterator[str]:
    """Names of a job's operators, of an answer to /jobs/ID."""
    for vertex in (answer.get("vertices") if isinstance(answer, Mapping) else None) or ():
        if isinstance(vertex, Mapping) and vertex.get("name"):
            yield str(vertex["name"])
