"""Lineage in the shapes of Marquez's API, so that its clients and web pages read it.

What Marquez has and Weir has not (versions of jobs) is null; dates of creation, which its clients insist on, are 1970.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from catalog.model import NodeId, SchemaVersion

Json = dict[str, Any]

_NEVER = "1970-01-01T00:00:00Z"
"""Where Weir does not know a time that Marquez always has: its clients refuse a null there."""

_STATES = {"START": "RUNNING", "RUNNING": "RUNNING", "COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
_TYPES = {"STREAMING": "STREAM", "SERVICE": "SERVICE"}


def with_graph(answer: Json) -> Json:
    """An answer of `/lineage` between datasets, with the same as `graph`: [{id, type, data, inEdges, outEdges}]."""
    nodes = {node["id"]: node for node in answer["nodes"] if node["type"] in ("dataset", "job")}
    pairs = {pair for edge in answer["edges"] for pair in _steps(edge) if pair[0] in nodes and pair[1] in nodes}
    into, out = _sides(pairs)
    graph = [
        {
            "id": key,
            "type": node["type"].upper(),
            "data": job(node, into.get(key, ()), out.get(key, ())) if node["type"] == "job" else dataset(node),
            "inEdges": [{"origin": origin, "destination": key} for origin in into.get(key, ())],
            "outEdges": [{"origin": key, "destination": end} for end in out.get(key, ())],
        }
        for key, node in sorted(nodes.items())
    ]
    return {**answer, "graph": graph}


def column_graph(answer: Json) -> Json:
    """An answer of `/lineage` between fields as `/column-lineage` gives it."""
    nodes = {node["id"]: node for node in answer["nodes"] if node["type"] == "field"}
    edges = [
        edge
        for edge in answer["edges"]
        if edge["kind"] == "derives" and edge["source"] in nodes and edge["target"] in nodes
    ]
    masked = {(edge["source"], edge["target"]): bool(edge["masked"]) for edge in edges}
    into, out = _sides(masked)
    graph = []
    for key, node in sorted(nodes.items()):
        inputs = [_input(nodes[origin], masked[origin, key]) for origin in into.get(key, ())]
        graph.append(
            {
                "id": key,
                "type": "DATASET_FIELD",
                "data": {
                    **_field(node), "fieldType": None, "transformationDescription": None,
                    "transformationType": inputs[0]["transformationType"] if inputs else None, "inputFields": inputs,
                },
                "inEdges": [{"origin": key, "destination": origin} for origin in into.get(key, ())],
                "outEdges": [{"origin": key, "destination": end} for end in out.get(key, ())],
            }
        )  # fmt: skip
    return {"graph": graph}


def dataset(node: Mapping[str, Any], fields: Iterable[str] = ()) -> Json:
    """A dataset node as Marquez's Dataset."""
    columns: Mapping[str, Any] = node.get("columnTags") or {}
    return {
        "id": {"namespace": node["namespace"], "name": node["name"]},
        "type": "STREAM" if node["namespace"].startswith("kafka") else "DB_TABLE",
        "name": node["name"], "physicalName": node["name"], "namespace": node["namespace"],
        "sourceName": node["namespace"], "createdAt": _NEVER, "updatedAt": _NEVER, "lastModifiedAt": None,
        "fields": [
            {"name": name, "type": None, "tags": sorted(columns.get(name, ())), "description": None} for name in fields
        ],
        "tags": sorted(node.get("tags") or ()), "description": node.get("description"), "facets": {},
        "currentVersion": None, "lastLifecycleState": None, "deleted": False, "columnLineage": None,
    }  # fmt: skip


def job(node: Mapping[str, Any], inputs: Iterable[str] = (), outputs: Iterable[str] = ()) -> Json:
    """A job node as Marquez's Job; `inputs` and `outputs` are ids of datasets."""
    location = node.get("location") or {}
    latest = None
    if node.get("lastRun"):
        latest = run({"id": node["lastRun"], "state": node.get("state"), "updated": node.get("lastSeen")}, node)
    return {
        "id": {"namespace": node["namespace"], "name": node["name"]},
        "type": _TYPES.get(str(node.get("processingType")), "BATCH"),
        "name": node["name"], "simpleName": node["name"], "namespace": node["namespace"],
        "createdAt": _NEVER, "updatedAt": node.get("lastSeen") or _NEVER,
        "inputs": [_name(key) for key in inputs if key.startswith("dataset:")],
        "outputs": [_name(key) for key in outputs if key.startswith("dataset:")],
        "location": location.get("url") or location.get("repoUrl"), "description": node.get("description"),
        "tags": sorted(node.get("tags") or ()), "latestRun": latest, "facets": {}, "currentVersion": None,
        "parentJobName": None, "parentJobUuid": None,
    }  # fmt: skip


def run(found: Mapping[str, Any], of: Mapping[str, Any]) -> Json:
    """One of a job's runs as Marquez's Run."""
    started, ended = found.get("started"), found.get("ended")
    return {
        "id": found["id"], "createdAt": started or _NEVER, "updatedAt": found.get("updated") or started or _NEVER,
        "nominalStartTime": None, "nominalEndTime": None,
        "state": _STATES.get(str(found.get("state")), "NEW"),
        "startedAt": started, "endedAt": ended, "durationMs": _milliseconds(started, ended), "args": {},
        "jobVersion": {"namespace": of["namespace"], "name": of["name"], "version": None},
        "inputVersions": [], "outputVersions": [], "facets": {},
    }  # fmt: skip


def namespace(name: str) -> Json:
    return {
        "name": name, "createdAt": _NEVER, "updatedAt": _NEVER, "ownerName": "anonymous", "description": None,
        "isHidden": False,
    }  # fmt: skip


def found(node: Mapping[str, Any]) -> Json:
    """A node as a result of Marquez's search."""
    return {
        "type": node["type"].upper(), "name": node["name"], "namespace": node["namespace"], "nodeId": node["id"],
        "updatedAt": node.get("lastSeen") or _NEVER,
    }  # fmt: skip


def version_id(node: Mapping[str, Any], number: int) -> str:
    """The id of a version of a dataset, always the same: Marquez's are UUIDs."""
    return str(uuid5(NAMESPACE_URL, f"{node['id']}#{number}"))


def version(node: Mapping[str, Any], schema: SchemaVersion) -> Json:
    """A version of a dataset's schema as Marquez's DatasetVersion."""
    known = dataset(node)
    number = version_id(node, schema.version)
    shared = {
        name: known[name] for name in ("type", "name", "physicalName", "namespace", "sourceName", "tags", "facets")
    }
    fields: list[Json] = [
        {"name": field.path, "type": "|".join(sorted(field.types)), "tags": [], "description": None}
        for field in schema.fields
    ]
    return {
        **shared, "id": {**known["id"], "version": number}, "version": number, "createdAt": schema.created_at or _NEVER,
        "fields": fields, "description": known["description"], "lifecycleState": None, "createdByRun": None,
        "createdByRunUuid": None, "currentSchemaVersion": number,
    }  # fmt: skip


def _steps(edge: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """An edge as Marquez draws it: from a dataset to a job and on to a dataset."""
    source, target, job_id = edge["source"], edge["target"], edge.get("job")
    match edge["kind"]:
        case "feeds":
            yield from ((source, job_id), (job_id, target)) if job_id else ((source, target),)
        case "reads":
            yield target, source
        case "writes" | "hands_to":
            yield source, target


def _sides(pairs: Iterable[tuple[str, str]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    into: dict[str, list[str]] = {}
    out: dict[str, list[str]] = {}
    for origin, end in sorted(pairs):
        into.setdefault(end, []).append(origin)
        out.setdefault(origin, []).append(end)
    return into, out


def _field(node: Mapping[str, Any]) -> Json:
    return {
        "namespace": node["namespace"], "dataset": node["name"], "datasetVersion": None, "field": node["field"],
    }  # fmt: skip


def _input(node: Mapping[str, Any], masked: bool) -> Json:
    return {
        **_field(node), "transformationDescription": None, "transformationType": "MASKED" if masked else "IDENTITY",
    }  # fmt: skip


def _name(node_id: str) -> Json:
    parsed = NodeId.parse(node_id)
    return {"namespace": parsed.namespace, "name": parsed.name}


def _milliseconds(started: str | None, ended: str | None) -> int | None:
    if not started or not ended:
        return None
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds() * 1000)
