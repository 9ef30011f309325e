"""Namespaces and datasets in the shapes of Marquez's API, so that its clients and web pages read them.

What Marquez has and Weir has not is null; dates of creation, which its clients insist on, are 1970.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from api.features.marquez.answers import (
    MarquezDataset,
    MarquezDatasetVersion,
    MarquezField,
    MarquezFound,
    MarquezName,
    MarquezNamespace,
    MarquezSource,
    MarquezVersionedName,
)
from api.features.marquez.facets import dataset_facets
from catalog.model import FieldProfile, SchemaVersion
from lineage.model import Node, parts_of

NEVER = "1970-01-01T00:00:00Z"
"""Where Weir does not know a time that Marquez always has: its clients refuse a null there."""

_URL_SAFE = ":/@?&=,;+[]"


def namespace(name: str) -> MarquezNamespace:
    """A namespace of jobs or datasets."""
    return MarquezNamespace(
        name=name, createdAt=NEVER, updatedAt=NEVER, ownerName="anonymous", description=None, isHidden=False
    )


def source(namespace: str) -> MarquezSource:
    """A namespace of datasets as Marquez's Source."""
    scheme, colon, _ = namespace.partition("://")
    return MarquezSource(
        type=scheme.upper() if colon else "OTHER",
        name=namespace,
        createdAt=NEVER,
        updatedAt=NEVER,
        connectionUrl=quote(namespace, safe=_URL_SAFE),
        description=None,
    )


def dataset(node: Node, fields: Iterable[str] = (), schema: SchemaVersion | None = None) -> MarquezDataset:
    """A dataset node as Marquez's Dataset. Its fields are those of the schema that a scan found, else `fields`."""
    tags: Mapping[str, Mapping[str, str]] = node.info.get("columnTags") or {}
    types: Mapping[str, str | None] = dict.fromkeys(fields)
    if schema is not None:
        types = {field.path: _type(field) for field in schema.fields}
    return MarquezDataset(
        id=MarquezName(namespace=node.namespace, name=node.name),
        type=_dataset_type(node),
        name=node.name,
        physicalName=node.name,
        namespace=node.namespace,
        sourceName=node.namespace,
        createdAt=NEVER,
        updatedAt=NEVER,
        lastModifiedAt=None,
        fields=[
            MarquezField(name=name, type=kind, tags=sorted(tags.get(name, ())), description=None)
            for name, kind in types.items()
        ],
        tags=sorted(node.info.get("tags") or ()),
        description=node.info.get("description"),
        facets=dataset_facets(node),
        currentVersion=None,
        lastLifecycleState=None,
        deleted=False,
        columnLineage=None,
    )


def version_id(node: Node, number: int) -> str:
    """The id of a version of a dataset, always the same: Marquez's are UUIDs."""
    return str(uuid5(NAMESPACE_URL, f"{node.id}#{number}"))


def version(node: Node, schema: SchemaVersion) -> MarquezDatasetVersion:
    """A version of a dataset's schema as Marquez's DatasetVersion."""
    number = version_id(node, schema.version)
    return MarquezDatasetVersion(
        id=MarquezVersionedName(namespace=node.namespace, name=node.name, version=number),
        type=_dataset_type(node),
        name=node.name,
        physicalName=node.name,
        namespace=node.namespace,
        sourceName=node.namespace,
        tags=sorted(node.info.get("tags") or ()),
        facets=dataset_facets(node),
        version=number,
        createdAt=schema.created_at or NEVER,
        fields=[MarquezField(name=field.path, type=_type(field), tags=[], description=None) for field in schema.fields],
        description=node.info.get("description"),
        lifecycleState=None,
        createdByRun=None,
        createdByRunUuid=None,
        currentSchemaVersion=number,
    )


def search_result(node: Node) -> MarquezFound:
    """A dataset or job as a result of Marquez's search."""
    return MarquezFound(
        type="JOB" if node.type == "job" else "DATASET",
        name=node.name,
        namespace=node.namespace,
        nodeId=node.id,
        updatedAt=node.info.get("lastSeen") or NEVER,
    )


def name_of(node_id: str) -> MarquezName:
    """The name of a dataset or job in its namespace, by its node id."""
    parts = parts_of(node_id)
    return MarquezName(namespace=parts.namespace, name=parts.name)


def _dataset_type(node: Node) -> Literal["STREAM", "DB_TABLE"]:
    return "STREAM" if node.namespace.startswith("kafka") else "DB_TABLE"


def _type(field: FieldProfile) -> str:
    return "|".join(sorted(field.types))
