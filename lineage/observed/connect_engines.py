"""ksqlDB and Flink by their REST APIs: running queries and jobs as jobs of the map.

ksqlDB returns the statement of each persistent query, so its columns are read from the SQL. Flink returns names and states
of jobs, but not the topics that they use, so the events name none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol
from uuid import NAMESPACE_URL, uuid5

from lineage.observed.groups import job_type
from lineage.sql.columns import columns_from_sql

PRODUCER = "https://weir.example/observed/engines"
Tree = dict[str, Any]


class EngineReader(Protocol):
    def events(self, namespace: str) -> list[dict[str, Any]]:
        """Its running jobs as events; `namespace`: of the Kafka cluster. Raises Unavailable naming the address."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream or table of ksqlDB: the topic under it and its columns in ksqlDB's types."""

    name: str
    topic: str
    columns: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PersistentQuery:
    """A query of ksqlDB that runs for good. `sources`, `sinks`: streams and tables."""

    id: str
    sql: str
    state: str = "RUNNING"
    sinks: tuple[str, ...] = ()
    sink_topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FlinkJob:
    id: str
    name: str
    state: str
    vertices: tuple[str, ...] = field(default=())


def ksqldb_events(
    queries: Iterable[PersistentQuery], streams: Sequence[Stream], server: str, namespace: str
) -> list[Tree]:
    """Persistent queries as runs without end, their SQL with the streams it names declared before it."""
    by_name = {stream.name.lower(): stream for stream in streams}
    events = []
    for query in queries:
        read = columns_from_sql(query.sql, "ksqldb").inputs
        sources = [by_name[name.lower()] for name in sorted(read) if name.lower() in by_name]
        sinks = [by_name[name.lower()] for name in query.sinks if name.lower() in by_name]
        topics = tuple(dict.fromkeys((*query.sink_topics, *(sink.topic for sink in sinks))))
        text = "".join(_declared(stream) for stream in {s.name: s for s in (*sources, *sinks)}.values()) + query.sql
        facets = {
            "jobType": job_type("KSQLDB", "QUERY"),
            "sql": _facet({"query": text, "dialect": "ksqldb"}),
        }
        inputs = [{"namespace": namespace, "name": source.topic} for source in sources]
        outputs = [{"namespace": namespace, "name": topic} for topic in topics]
        events.append(_event(server, query.id, query.state == "RUNNING", facets, inputs, outputs))
    return events


def flink_events(jobs: Iterable[FlinkJob], server: str) -> list[Tree]:
    """Running jobs, by name and state; Flink does not report their topics."""
    events = []
    for job in jobs:
        about = f"Flink job {job.state.lower()}" + (f": {'; '.join(job.vertices)[:500]}" if job.vertices else "")
        facets = {"jobType": job_type("FLINK", "JOB"), "documentation": _facet({"description": about})}
        events.append(_event(server, job.name, job.state == "RUNNING", facets, [], [], job.id))
    return events


def _declared(stream: Stream) -> str:
    columns = ", ".join(f"`{name}` {kind}" for name, kind in stream.columns)
    return f"CREATE STREAM `{stream.name}`{f' ({columns})' if columns else ''} WITH (KAFKA_TOPIC='{_quoted(stream.topic)}');\n"


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _event(
    server: str,
    name: str,
    running: bool,
    facets: Mapping[str, Any],
    inputs: list[Tree],
    outputs: list[Tree],
    run: str = "",
) -> Tree:
    return {
        "eventTime": datetime.now(UTC).isoformat(),
        "eventType": "RUNNING" if running else "OTHER",
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid5(NAMESPACE_URL, f"{server}/{name}/{run}"))},
        "job": {"namespace": server, "name": name, "facets": dict(facets)},
        "inputs": inputs,
        "outputs": outputs,
    }


def _facet(content: Mapping[str, Any]) -> Tree:
    return {
        "_producer": PRODUCER,
        "_schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobFacet",
        **content,
    }
