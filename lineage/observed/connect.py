"""Kafka Connect by its REST API: connectors as events of jobs between topics and other systems."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol
from urllib.parse import urlsplit

from lineage.observed.connector_datasets import Connector, Name, address, mapped
from lineage.observed.groups import job_type
from lineage.observed.run_events import ObservedEvent, job_facet, run_event

PRODUCER = "https://weir.example/observed/kafka-connect"


class ConnectReader(Protocol):
    def connectors(self) -> list[Connector]:
        """Every connector, by name. Raises Unavailable naming the address."""


def event_of(connector: Connector, worker: str, namespace: str, at: datetime | None = None) -> ObservedEvent:
    """A connector as a RunEvent of an endless run; explicit pairs, so that nothing is joined that does not belong.

    worker      the job's namespace: Connect's address without credentials; namespace: of the Kafka cluster
    """
    mapping = mapped(connector)
    is_source = connector.kind == "source"
    topics = [(namespace, topic) for topic in mapping.topics]
    inputs, outputs = (mapping.outside, topics) if is_source else (topics, mapping.outside)
    facets = {
        "jobType": job_type("KAFKA_CONNECT", f"{connector.kind.upper()}_CONNECTOR"),
        "documentation": job_facet(PRODUCER, {"description": _about(connector)}),
    }
    entries: dict[Name, list[Name]] = {}
    for out, topic in mapping.pairs:
        source, target = (out, (namespace, topic)) if is_source else ((namespace, topic), out)
        entries.setdefault(target, []).append(source)
    if entries:
        listed = [{**_dataset(to), "inputs": [_dataset(each) for each in sources]} for to, sources in entries.items()]
        facets["lineage"] = job_facet(PRODUCER, {"entries": listed})
    return run_event(
        PRODUCER,
        (worker, connector.name),
        facets,
        running=connector.state == "RUNNING",
        inputs=inputs,
        outputs=outputs,
        at=at,
    )


def _dataset(name: Name) -> dict[str, str]:
    return {"type": "DATASET", "namespace": name[0], "name": name[1]}


def _about(connector: Connector) -> str:
    kind = str(connector.config.get("connector.class", "")).rsplit(".", 1)[-1]
    failed = sum(state == "FAILED" for state in connector.tasks)
    tasks = f"{len(connector.tasks)} task{'' if len(connector.tasks) == 1 else 's'}" + (
        f", {failed} failed" if failed else ""
    )
    return f"Kafka Connect {connector.kind} {kind}: {connector.state.lower()}, {tasks}."


def worker_name(url: str) -> str:
    """Connect's address as a namespace: no credentials, no path."""
    return f"connect://{host_of(url)}"


def host_of(url: str) -> str:
    """host:port of an address."""
    parts = urlsplit(url)
    return address(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
