"""ksqlDB and Flink by their REST APIs: running queries and jobs as jobs of the map.

ksqlDB returns the statement of each persistent query, so its columns are read from the SQL. Flink returns names and states
of jobs, but not the topics that they use, so the events name none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lineage.observed.groups import job_type
from lineage.observed.run_events import ObservedEvent, job_facet, run_event
from lineage.sql.columns import columns_from_sql

PRODUCER = "https://weir.example/observed/engines"


class EngineReader(Protocol):
    def events(self, namespace: str) -> list[ObservedEvent]:
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
) -> list[ObservedEvent]:
    """Persistent queries as runs without end, their SQL with the streams it names declared before it."""
    by_name = {stream.name.lower(): stream for stream in streams}
    events = []
    for query in queries:
        read = columns_from_sql(query.sql, "ksqldb").inputs
        sources = [by_name[name.lower()] for name in sorted(read) if name.lower() in by_name]
        sinks = [by_name[name.lower()] for name in query.sinks if name.lower() in by_name]
        topics = tuple(dict.fromkeys((*query.sink_topics, *(sink.topic for sink in sinks))))
        text = "".join(_declared(stream) for stream in {s.name: s for s in (*sources, *sinks)}.values()) + query.sql
        event = run_event(
            PRODUCER,
            (server, query.id),
            {
                "jobType": job_type("KSQLDB", "QUERY"),
                "sql": job_facet(PRODUCER, {"query": text, "dialect": "ksqldb"}),
            },
            running=query.state == "RUNNING",
            inputs=[(namespace, source.topic) for source in sources],
            outputs=[(namespace, topic) for topic in topics],
            run="/",  # as in the ids of the runs that are stored
        )
        events.append(event)
    return events


def flink_events(jobs: Iterable[FlinkJob], server: str) -> list[ObservedEvent]:
    """Running jobs, by name and state; Flink does not report their topics."""
    events = []
    for job in jobs:
        about = f"Flink job {job.state.lower()}" + (f": {'; '.join(job.vertices)[:500]}" if job.vertices else "")
        facets = {"jobType": job_type("FLINK", "JOB"), "documentation": job_facet(PRODUCER, {"description": about})}
        running = job.state == "RUNNING"
        events.append(run_event(PRODUCER, (server, job.name), facets, running=running, run=f"/{job.id}"))
    return events


def _declared(stream: Stream) -> str:
    columns = ", ".join(f"`{name}` {kind}" for name, kind in stream.columns)
    return f"CREATE STREAM `{stream.name}`{f' ({columns})' if columns else ''} WITH (KAFKA_TOPIC='{_quoted(stream.topic)}');\n"


def _quoted(text: str) -> str:
    return text.replace("'", "''")
