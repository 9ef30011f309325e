"""Who reads and writes without reporting it: consumer groups, connectors, readers of a dataset; and SQL's own lineage."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import AsOf, Count, Limit, Name, Offset, Text, stamp
from api.features.lineage.answers.observed import Connectors, ConsumerGroups
from api.features.lineage.answers.readers import Readers as ReadersAnswer
from api.features.lineage.answers.statements import SqlLineage
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.services import InstanceOf
from api.joins.observing import Observing
from api.visibility.readers import Reader, Readers
from api.visibility.sight import SightRules, owns
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.errors import NotFound
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.decision.domains import Power

router = APIRouter(tags=["lineage"])


class SqlAsked(RequestBody):
    """A statement, or several."""

    sql: str = Field(
        max_length=2_000_000, examples=["INSERT INTO clean SELECT order_id, md5(customer.email) FROM orders"]
    )
    dialect: str | None = Field(
        None, max_length=40, description="spark, flink, ksqldb, trino, postgres, mysql, snowflake, bigquery, ..."
    )
    cluster: str | None = Field(None, max_length=200, description="Where tables without a cluster are looked up.")


@router.get(
    "/clusters/{name}/consumer-groups",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(ConsumerGroups),
)
def consumer_groups(
    built: InstanceOf,
    subject: Caller,
    name: Name,
    topic: Annotated[Text | None, Query(description="Only groups that read this topic.")] = None,
    search: Annotated[Text | None, Query(description="Only groups whose name holds this.")] = None,
    limit: Annotated[Count, Query(le=500, description="At most this many.")] = 100,
    offset: Offset = 0,
) -> Any:
    """Consumer groups of a cluster as its brokers see them now: members, topics and how far each is behind."""
    answer = built[Observing].groups(name, topic, limit, offset, search)
    sights = built[SightRules].of(subject)
    reader = built[Readers].of(subject)
    namespace = built[Datasets].clusters.get(name).namespace
    if reader.horizon is not None:
        answer = _without_topics(
            reader, namespace, built[Observing].groups(name, topic, _MOST_GROUPS, 0, search), topic
        )
        answer["groups"] = answer["groups"][offset : offset + limit]
    for group in answer["groups"]:
        for read in group["topics"]:
            record = None if sights.unbounded else built[CatalogStore].dataset(DatasetId(namespace, read["topic"]))
            if not sights.unbounded and (record is None or not sights.of(record).counts):
                read["lag"] = None  # how far the end is: it counts records the caller may not see
    return answer


def _without_topics(reader: Reader, namespace: str, answer: dict[str, Any], topic: str | None) -> dict[str, Any]:
    """Groups without topics that the reader may not know the lineage of; not those that read nothing else. `topic`: groups
    were asked for by it, so none are shown where it is left out."""
    shown = []
    for group in answer["groups"]:
        seen = [read for read in group["topics"] if reader.known_of(DatasetId(namespace, read["topic"])).lineage]
        fits = any(read["topic"] == topic for read in seen) if topic is not None else seen or not group["topics"]
        if fits and not reader.names_unlinked(group["name"]):
            shown.append({**group, "topics": seen} if len(seen) == len(group["topics"]) else _cut(group, seen))
    return {**answer, "groups": shown, "total": len(shown)}


def _cut(group: dict[str, Any], seen: list[dict[str, Any]]) -> dict[str, Any]:
    lags = [read.get("lag") for read in seen]
    known = [lag for lag in lags if lag is not None]
    return {
        **group,
        "topics": seen,
        **({"lag": sum(known) if len(known) == len(lags) else None} if "lag" in group else {}),
    }


_MOST_GROUPS = 10_000


@router.get(
    "/clusters/{name}/connectors",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(Connectors),
)
def connectors(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """Connectors of the Kafka Connect declared with a cluster, with what they join; configurations stay hidden."""
    answer = built[Observing].connectors(name)
    reader = built[Readers].of(subject)
    return {"connectors": [each for each in answer["connectors"] if not reader.names_unlinked(each)]}


@router.get(
    "/datasets/{namespace}/{name}/readers",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(ReadersAnswer),
)
def readers(
    built: InstanceOf,
    subject: Caller,
    namespace: Name,
    name: Name,
    asOf: AsOf = None,
    limit: Limit = 1000,
    offset: Offset = 0,
) -> Any:
    """Who reads a dataset: `observed` (by runs and brokers), `declared` (by producers), `permitted` (may read by Weir).

    `permitted` is null for a caller who neither owns the dataset nor has the permission `report:read`.
    """
    reader = built[Readers].of(subject)
    dataset = reader.datasets.resolve(namespace, name)
    jobs = reader.lineage.readers_of(dataset, stamp(asOf))
    apart = {origin: [each.to_json() for each in jobs if each.origin == origin] for origin in ("observed", "declared")}
    record = reader.store.dataset(dataset)
    totals = {origin: len(rows) for origin, rows in apart.items()}
    shown: list[dict[str, Any]] | None = None
    reported = "report:read" in built[Identity].permissions(subject)
    if reported or (
        record is not None and (owns(subject, record) or built[Identity].may(subject, Power.REPORT, record.reference))
    ):
        permitted = _permitted(built, record, asOf)
        totals["permitted"] = len(permitted)
        shown = permitted[offset : offset + limit]
    return {
        **{origin: rows[offset : offset + limit] for origin, rows in apart.items()},
        "permitted": shown,
        "totals": totals,
    }


def _permitted(built: Instance, record: DatasetRecord | None, as_of: datetime | None) -> list[dict[str, Any]]:
    if record is None or record.cluster is None:
        return []
    try:
        return [access.to_json() for access in built[Grants].who_has_access(record.reference, None, as_of)]
    except NotFound:
        return []


@router.post(
    "/lineage/sql",
    dependencies=[signed_in(KNOWN, scope="read")],
    responses=answers_with(SqlLineage),
)
def sql_lineage(built: InstanceOf, subject: Caller, body: SqlAsked) -> Any:
    """Column lineage of SQL over the catalog's schemas, without running it. What cannot be determined is in `unknown`."""
    return built[Readers].of(subject).sql_lineage.explain(body.sql, body.dialect, body.cluster)
