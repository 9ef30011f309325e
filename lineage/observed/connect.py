"""Kafka Connect by its REST API: connectors as events of jobs between topics and other systems."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from lineage.observed.connector_datasets import Connector, Name, address, mapped
from lineage.observed.groups import job_type

PRODUCER = "https://weir.example/observed/kafka-connect"


class ConnectReader(Protocol):
    def connectors(self) -> list[Connector]:
        """Every connector, by name. Raises Unavailable naming the address."""


def event_of(connector: Connector, worker: str, namespace: str, at: datetime | None = None) -> dict[str, Any]:
    """A connector as a RunEvent of an endless run; explicit pairs, so that nothing is joined that does not belong.

    worker      the job's namespace: Connect's address without credentials; namespace: of the Kafka cluster
    """
    mapping = mapped(connector)
    is_source = connector.kind == "source"
    topics = [{"namespace": namespace, "name": topic} for topic in mapping.topics]
    outside = [{"namespace": ns, "name": name} for ns, name in mapping.outside]
    inputs, outputs = (outside, topics) if is_source else (topics, outside)
    facets: dict[str, Any] = {
        "jobType": job_type("KAFKA_CONNECT", f"{connector.kind.upper()}_CONNECTOR"),
        "documentation": _facet({"description": _about(connector)}),
    }
    entries: dict[Name, list[Name]] = {}
    for out, topic in mapping.pairs:
        source, target = (out, (namespace, topic)) if is_source else ((namespace, topic), out)
        entries.setdefault(target, []).append(source)
    if entries:
        facets["lineage"] = _facet(
            {
                "entries": [
                    {
                        "type": "DATASET",
                        "namespace": target[0],
                        "name": target[1],
                        "inputs": [{"type": "DATASET", "namespace": s[0], "name": s[1]} for s in sources],
                    }
                    for target, sources in entries.items()
                ]
            }
        )
    return {
        "eventTime": (at or datetime.now(UTC)).isoformat(),
        "eventType": "RUNNING" if connector.state == "RUNNING" else "OTHER",
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid5(NAMESPACE_URL, f"{worker}/{connector.name}"))},
        "job": {"namespace": worker, "name": connector.name, "facets": facets},
        "inputs": inputs,
        "outputs": outputs,
    }


def _about(connector: Connector) -> str:
    kind = str(connector.config.get("connector.class", "")).rsplit(".", 1)[-1]
    failed = sum(state == "FAILED" for state in connector.tasks)
    tasks = f"{len(connector.tasks)} task{'' if len(connector.tasks) == 1 else 's'}" + (
        f", {failed} failed" if failed else ""
    )
    return f"Kafka Connect {connector.kind} {kind}: {connector.state.lower()}, {tasks}."


def _facet(content: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "_producer": PRODUCER,
        "_schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobFacet",
        **content,
    }


def worker_name(url: str) -> str:
    """Connect's address as a namespace: no credentials, no path."""
    return f"connect://{host_of(url)}"


def host_of(url: str) -> str:
    """host:port of an address."""
    parts = urlsplit(url)
    return address(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
