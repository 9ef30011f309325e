"""Lineage in the shapes of Marquez's API, so that its clients and web pages read it.

What Marquez has and Weir has not is null; dates of creation, which its clients insist on, are 1970.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from api.features.marquez.facets import dataset_facets, job_facets
from catalog.model import FieldProfile, SchemaVersion
from lineage.model import parts_of

Json = dict[str, Any]

_NEVER = "1970-01-01T00:00:00Z"
"""Where Weir does not know a time that Marquez always has: its clients refuse a null there."""

_STATES = {"START": "RUNNING", "RUNNING": "RUNNING", "COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
_URL_SAFE = ":/@?&=,;+[]"
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
                    **_field(node),
                    "fieldType": None,
                    "transformationDescription": None,
                    "transformationType": inputs[0]["transformationType"] if inputs else None,
                    "inputFields": inputs,
                },
                "inEdges": [{"origin": key, "destination": origin} for origin in into.get(key, ())],
                "outEdges": [{"origin": key, "destination": end} for end in out.get(key, ())],
            }
        )
    return {"graph": graph}


def dataset(node: Mapping[str, Any], fields: Iterable[str] = (), schema: SchemaVersion | None = None) -> Json:
    """A dataset node as Marquez's Dataset. Its fields are those of the schema that a scan found, else `fields`."""
    columns: Mapping[str, Any] = node.get("columnTags") or {}
    types: Mapping[str, str | None] = dict.fromkeys(fields)
    if schema is not None:
        types = {field.path: _type(field) for field in schema.fields}
    return {
        "id": {"namespace": node["namespace"], "name": node["name"]},
        "type": "STREAM" if node["namespace"].startswith("kafka") else "DB_TABLE",
        "name": node["name"],
        "physicalName": node["name"],
        "namespace": node["namespace"],
        "sourceName": node["namespace"],
        "createdAt": _NEVER,
        "updatedAt": _NEVER,
        "lastModifiedAt": None,
        "fields": [
            {"name": name, "type": kind, "tags": sorted(columns.get(name, ())), "description": None}
            for name, kind in types.items()
        ],
        "tags": sorted(node.get("tags") or ()),
        "description": node.get("description"),
        "facets": dataset_facets(node),
        "currentVersion": None,
        "lastLifecycleState": None,
        "deleted": False,
        "columnLineage": None,
    }


def job(node: Mapping[str, Any], inputs: Iterable[str] = (), outputs: Iterable[str] = ()) -> Json:
    """A job node as Marquez's Job; `inputs` and `outputs` are ids of datasets."""
    location = node.get("location") or {}
    latest = None
    if node.get("lastRun"):
        latest = run({"id": node["lastRun"], "state": node.get("state"), "updated": node.get("lastSeen")}, node)
    return {
        "id": {"namespace": node["namespace"], "name": node["name"]},
        "type": _TYPES.get(str(node.get("processingType")), "BATCH"),
        "name": node["name"],
        "simpleName": node["name"],
        "namespace": node["namespace"],
        "createdAt": _NEVER,
        "updatedAt": node.get("lastSeen") or _NEVER,
        "inputs": [_name(key) for key in inputs if key.startswith("dataset:")],
        "outputs": [_name(key) for key in outputs if key.startswith("dataset:")],
        "location": location.get("url") or location.get("repoUrl"),
        "description": node.get("description"),
        "tags": sorted(node.get("tags") or ()),
        "latestRun": latest,
        "latestRuns": [latest] if latest else [],
        "facets": job_facets(node),
        "currentVersion": None,
        "parentJobName": None,
        "parentJobUuid": None,
    }


def parent(parents: Sequence[str]) -> Json:
    """Which job started a job; `simpleName` of that is its whole name here."""
    first = parents[0] if parents else None
    return {
        "parentJobName": parts_of(first).name if first else None,
        "parentJobUuid": str(uuid5(NAMESPACE_URL, first)) if first else None,
    }


def job_version_id(shown: Mapping[str, Any]) -> str:
    """The id of the version a job (in Marquez's shape) is in: another one once it reads, writes or is kept elsewhere."""
    ends = [[f"{each['namespace']}:{each['name']}" for each in shown[side]] for side in ("inputs", "outputs")]
    return str(uuid5(NAMESPACE_URL, repr((sorted(shown["id"].items()), ends, shown["location"]))))


def job_version(shown: Mapping[str, Any]) -> Json:
    """The version a job (in Marquez's shape) is in, as Marquez's JobVersion."""
    version = shown["currentVersion"]
    shared = {
        name: shown[name]
        for name in ("type", "name", "namespace", "createdAt", "inputs", "outputs", "location", "latestRun", "facets")
    }
    return {**shared, "id": {**shown["id"], "version": version}, "version": version, "context": {}}


def run(row: Mapping[str, Any], of: Mapping[str, Any]) -> Json:
    """One of a job's runs as Marquez's Run."""
    started, ended = row.get("started"), row.get("ended")
    return {
        "id": row["id"],
        "createdAt": started or _NEVER,
        "updatedAt": row.get("updated") or started or _NEVER,
        "nominalStartTime": None,
        "nominalEndTime": None,
        "state": run_state(row.get("state")),
        "startedAt": started,
        "endedAt": ended,
        "durationMs": _milliseconds(started, ended),
        "args": {},
        "jobVersion": {"namespace": of["namespace"], "name": of["name"], "version": None},
        "inputVersions": [],
        "outputVersions": [],
        "facets": {},
    }


def run_state(state: object) -> str:
    """A state of OpenLineage's as Marquez has it."""
    return _STATES.get(str(state), "NEW")


def source(namespace: str) -> Json:
    """A namespace of datasets as Marquez's Source."""
    scheme, colon, _ = namespace.partition("://")
    return {
        "type": scheme.upper() if colon else "OTHER",
        "name": namespace,
        "createdAt": _NEVER,
        "updatedAt": _NEVER,
        "connectionUrl": quote(namespace, safe=_URL_SAFE),
        "description": None,
    }


def made_of(answer: Json, of: Mapping[str, Any]) -> list[Json] | None:
    """An answer of `/lineage` between fields, one step up, as the `columnLineage` of one dataset."""
    shown = [
        {
            "name": node["data"]["field"],
            "inputFields": [
                {key: value for key, value in field.items() if key != "datasetVersion"}
                for field in node["data"]["inputFields"]
            ],
            "transformationDescription": None,
            "transformationType": node["data"]["transformationType"],
        }
        for node in column_graph(answer)["graph"]
        if (node["data"]["namespace"], node["data"]["dataset"]) == (of["namespace"], of["name"])
        and node["data"]["inputFields"]
    ]
    return shown or None


def namespace(name: str) -> Json:
    return {
        "name": name,
        "createdAt": _NEVER,
        "updatedAt": _NEVER,
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }


def found(node: Mapping[str, Any]) -> Json:
    """A node as a result of Marquez's search."""
    return {
        "type": node["type"].upper(),
        "name": node["name"],
        "namespace": node["namespace"],
        "nodeId": node["id"],
        "updatedAt": node.get("lastSeen") or _NEVER,
    }


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
        {"name": field.path, "type": _type(field), "tags": [], "description": None} for field in schema.fields
    ]
    return {
        **shared,
        "id": {**known["id"], "version": number},
        "version": number,
        "createdAt": schema.created_at or _NEVER,
        "fields": fields,
        "description": known["description"],
        "lifecycleState": None,
        "createdByRun": None,
        "createdByRunUuid": None,
        "currentSchemaVersion": number,
    }


def _type(field: FieldProfile) -> str:
    return "|".join(sorted(field.types))


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
        "namespace": node["namespace"],
        "dataset": node["name"],
        "datasetVersion": None,
        "field": node["field"],
    }


def _input(node: Mapping[str, Any], masked: bool) -> Json:
    return {
        **_field(node),
        "transformationDescription": None,
        "transformationType": "MASKED" if masked else "IDENTITY",
    }


def _name(node_id: str) -> Json:
    return dict(parts_of(node_id).to_json())


def _milliseconds(started: str | None, ended: str | None) -> int | None:
    if not started or not ended:
        return None
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds() * 1000)
