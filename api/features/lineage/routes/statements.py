"""`/lineage/sql`: the lineage of a statement, before it runs."""

from __future__ import annotations

from pydantic import Field

from api.edge.answer import RequestBody
from api.features.lineage.answers.statements import SqlLineage, sql_lineage_of
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.datasets.datasets import Datasets

router = FeatureRouter("/lineage/sql", tags=["lineage"])


class SqlLineageBody(RequestBody):
    """A statement, or several."""

    sql: str = Field(
        max_length=2_000_000, examples=["INSERT INTO clean SELECT order_id, md5(customer.email) FROM orders"]
    )
    dialect: str | None = Field(
        None, max_length=40, description="spark, flink, ksqldb, trino, postgres, mysql, snowflake, bigquery, ..."
    )
    cluster: str | None = Field(None, max_length=200, description="Where tables without a cluster are looked up.")


@router.post("", dependencies=[signed_in(KNOWN, scope="read")])
def sql_lineage(readers: From[Readers], datasets: From[Datasets], caller: Caller, body: SqlLineageBody) -> SqlLineage:
    """Column lineage of SQL over the catalog's schemas, without running it. What cannot be determined is in `unknown`."""
    if body.cluster is not None:
        datasets.clusters.get(body.cluster)
    return sql_lineage_of(readers.of(caller).sql_lineage.explain(body.sql, body.dialect, body.cluster))
