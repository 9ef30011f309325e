"""Honest queries give what Spark itself gives for the same text over data that was masked beforehand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from catalog.datatypes import MapType, Primitive, StructType, columns_ddl
from gate_files import statements
from policies.adapters import spark_values
from policies.adapters.kafka_offsets import KafkaOffsets
from policies.adapters.spark_engine import SparkEngine
from policies.adapters.spark_sessions import Sessions
from policies.query import GovernedQuery
from query_world import ANA, KEYS, ORDERS, PEOPLE, load, premasked, unload

pytestmark = pytest.mark.integration

HONEST = statements("honest.sql")
SYSTEM = (
    ("_key", Primitive("STRING")), ("_headers", MapType(Primitive("STRING"), Primitive("STRING"))),
    ("_partition", Primitive("INT")), ("_offset", Primitive("BIGINT")), ("_timestamp", Primitive("TIMESTAMP")),
)  # fmt: skip


@pytest.fixture(scope="module")
def service(stack: Any) -> Iterator[GovernedQuery]:
    sessions, world = Sessions(stack.spark, 2), load(stack.kafka, "a")
    yield GovernedQuery(world, world, SparkEngine(sessions), KafkaOffsets(), world, KEYS)
    sessions.close()
    unload(world)


@pytest.fixture(scope="module")
def plain(stack: Any) -> Iterator[Any]:
    """Spark as it comes, ANSI mode on, holding the masked records as tables `orders` and `people`."""
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(stack.spark).create()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.ansi.enabled", "true")
    without = StructType(tuple((n, k) for n, k in ORDERS.fields if n not in ("note", "secret")))
    for name, kind, records in zip(("orders", "people"), (without, PEOPLE), premasked("a"), strict=True):
        frame = session.createDataFrame([(json.dumps(r),) for r in records], "j STRING")
        ddl = columns_ddl(StructType((*kind.fields, *SYSTEM)))
        frame.selectExpr(f"from_json(j, '{ddl}') AS r").selectExpr("r.*").createOrReplaceTempView(name)
    yield session
    session.stop()


def comparable(rows: list[list[object]], ordered: bool) -> list[str]:
    texts = [json.dumps(row, sort_keys=True, default=str) for row in rows]
    return texts if ordered else sorted(texts)


@pytest.mark.parametrize("sql", HONEST, ids=range(len(HONEST)))
def test_same_as_spark_over_masked_data(service: GovernedQuery, plain: Any, sql: str) -> None:
    table = plain.sql(sql).toArrow()
    expected = spark_values.rows(table)
    answer = service.run(ANA, sql, "analysis")
    assert [c["type"] for c in answer.columns] == [spark_values.type_name(f.type) for f in table.schema]
    # A column without an alias is named by Spark after its text, and DATE '2026-01-01' is written back as a CAST.
    for mine, theirs in zip(answer.columns, table.schema, strict=True):
        name = mine["name"].replace("`", "").lower()
        assert "cast(" in name or name == theirs.name.replace("`", "").lower()
    ordered = "ORDER BY" in sql.upper() and "OVER" not in sql.upper()
    assert comparable(answer.rows, ordered) == comparable(expected, ordered)
    assert not answer.truncated
