"""Who reads and writes without saying so: consumer groups, connectors, readers of a dataset; and SQL's own lineage."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from api.auth import Caller, ServicesOf
from api.routes.lineage import stamp
from api.routes.names import AsOf, Limit, Name, Offset, moment
from catalog.errors import NotFound

router = APIRouter(tags=["lineage"])


class SqlAsked(BaseModel):
    """A statement, or several."""

    model_config = ConfigDict(extra="forbid")

    sql: str = Field(
        max_length=2_000_000, examples=["INSERT INTO clean SELECT order_id, md5(customer.email) FROM orders"]
    )
    dialect: str | None = Field(
        None, max_length=40, description="spark, flink, ksqldb, trino, postgres, mysql, snowflake, bigquery, ..."
    )
    cluster: str | None = Field(None, max_length=200, description="Where tables without a cluster are looked up.")


@router.get("/clusters/{name}/consumer-groups")
def consumer_groups(
    built: ServicesOf,
    _: Caller,
    name: Name,
    topic: Annotated[str | None, Query(description="Only groups that read this topic.")] = None,
    search: Annotated[str | None, Query(description="Only groups whose name holds this.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="At most this many.")] = 100,
    offset: Offset = 0,
) -> Any:
    """Consumer groups of a cluster as its brokers see them now: members, topics and how far each is behind."""
    return built.observing.groups(name, topic, limit, offset, search)


@router.get("/clusters/{name}/connectors")
def connectors(built: ServicesOf, _: Caller, name: Name) -> Any:
    """Connectors of the Kafka Connect declared with a cluster, with what they join; configurations stay hidden."""
    return built.observing.connectors(name)


@router.get("/datasets/{namespace}/{name}/readers")
def readers(
    built: ServicesOf,
    _: Caller,
    namespace: Name,
    name: Name,
    asOf: AsOf = None,
    limit: Limit = 1000,
    offset: Offset = 0,
) -> Any:
    """Who reads a dataset: `observed` (by runs and brokers), `declared` (by producers), `permitted` (may read by Weir)."""
    dataset = built.datasets.clusters.resolve(namespace, name)
    found = built.lineage.readers_of(dataset, stamp(asOf))
    apart = {
        origin: [reader.to_json() for reader in found if reader.origin == origin] for origin in ("observed", "declared")
    }
    permitted: list[dict[str, Any]] = []
    record = built.store.dataset(dataset)
    if record is not None and record.cluster is not None:
        try:
            permitted = [
                access.to_json() for access in built.grants.who_has_access(record.reference, None, moment(asOf))
            ]
        except NotFound:
            permitted = []
    return {
        **{origin: rows[offset : offset + limit] for origin, rows in apart.items()},
        "permitted": permitted[offset : offset + limit],
        "totals": {origin: len(rows) for origin, rows in (*apart.items(), ("permitted", permitted))},
    }


@router.post("/lineage/sql")
def sql_lineage(built: ServicesOf, _: Caller, body: SqlAsked) -> Any:
    """Column lineage of SQL over the catalog's schemas, without running it. What cannot be told is in `unknown`."""
    return built.sql_lineage.explain(body.sql, body.dialect, body.cluster)
