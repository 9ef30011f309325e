"""Values of every type through Spark's Avro and back: the same as through JSON, and readable by ordinary consumers."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from catalog.adapters.spark_connect import connect, release
from catalog.datatypes import StructType
from policies.adapters.spark.sessions import FEW, PINNED
from tests.integration.test_views import BASE, view
from tests.view_world import ViewWorld, registry_client, view_world
from views.adapters.wire import avro_sql, json_sql
from views.avro import schema_of
from views.model import Registered
from views.ports import ViewRecord
from views.runner.records import Reader
from views.runner.result import columns_of

pytestmark = pytest.mark.integration

LEAVES = {
    "string": ["''", "'é\\'\"'", "'\U0001f980'"],
    "boolean": ["true", "false"],
    "tinyint": ["-128Y", "127Y"],
    "smallint": ["-32768S", "7S"],
    "int": ["-2147483648", "5"],
    "bigint": ["-9223372036854775808", "9007199254740993L"],
    "float": ["CAST(0.1 AS FLOAT)", "CAST('NaN' AS FLOAT)", "CAST(16777217 AS FLOAT)", "CAST('-Infinity' AS FLOAT)"],
    "double": ["0.1D", "-0.0D", "CAST('Infinity' AS DOUBLE)", "1e300D"],
    "decimal(10,2)": ["CAST(-12.50 AS DECIMAL(10,2))", "CAST(0 AS DECIMAL(10,2))"],
    "decimal(38,18)": ["CAST('-12345678901234567890.123456789012345678' AS DECIMAL(38,18))"],
    "decimal(5,0)": ["CAST(99999 AS DECIMAL(5,0))"],
    "date": ["DATE '1969-07-20'", "DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '2024-02-29'"],
    "timestamp": ["TIMESTAMP '2026-11-23 10:00:00'", "TIMESTAMP '1969-12-31 23:59:59.999999'"],
    "timestamp_ntz": ["TIMESTAMP_NTZ '2026-11-23 10:00:00.25'", "TIMESTAMP_NTZ '1583-01-01 00:00:00'"],
    "binary": ["X''", "X'00ff10'"],
}
"""Type -> literals of it."""


@st.composite
def values(draw: st.DrawFn, depth: int = 2) -> tuple[str, str]:
    """(type, SQL of a value of it)."""
    kind = draw(st.sampled_from(["leaf", "leaf", "struct", "array", "map"])) if depth else "leaf"
    if kind == "leaf":
        name = draw(st.sampled_from(sorted(LEAVES)))
        return name, draw(st.sampled_from([*LEAVES[name], f"CAST(NULL AS {name})"]))
    if kind == "struct":
        fields = draw(st.lists(values(depth - 1), min_size=1, max_size=3))
        named = ", ".join(f"'f{n}', {sql}" for n, (_, sql) in enumerate(fields))
        return "struct<" + ",".join(f"f{n}:{t}" for n, (t, _) in enumerate(fields)) + ">", f"named_struct({named})"
    inner, sql = draw(values(depth - 1))
    if kind == "array":
        return f"array<{inner}>", draw(st.sampled_from([f"array({sql}, NULL)", f"CAST(array() AS array<{inner}>)"]))
    keys = draw(st.sampled_from([("string", "'k'"), ("int", "7"), ("date", "DATE '2026-01-01'")]))
    return f"map<{keys[0]},{inner}>", f"map({keys[1]}, {sql})"


@pytest.fixture(scope="module")
def spark(stack: Any) -> Iterator[Any]:
    session = connect(stack.spark)
    for name, value in {**PINNED, **FEW}.items():
        session.conf.set(name, value)
    yield session
    release(session)


@settings(
    max_examples=40, deadline=None, phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck)
)
@given(st.lists(values(), min_size=1, max_size=6))
def test_avro_and_json_of_a_row_are_read_alike(spark: Any, row: list[tuple[str, str]]) -> None:
    schema = [(f"c{n}", kind) for n, (kind, _) in enumerate(row)]
    columns = columns_of(schema)
    struct = StructType(tuple((each.name, each.kind) for each in columns))
    registered = Registered(7, schema_of(columns, "weir.views.row"))
    frame = spark.sql("SELECT " + ", ".join(f"CAST({sql} AS {kind}) AS c{n}" for n, (kind, sql) in enumerate(row)))
    as_json, as_avro = frame.selectExpr(json_sql(struct), avro_sql(struct, registered)).collect()[0]
    (by_json,), _ = Reader("1-a", columns, []).rows([ViewRecord(0, 0, as_json.encode(), "1-a")])
    (by_avro,), _ = Reader("1-a", columns, [], registered=registered).rows([ViewRecord(0, 0, bytes(as_avro), "1-a")])
    assert json.dumps(by_avro.values) == json.dumps(by_json.values)


def test_what_avro_has_no_type_for_is_text(spark: Any) -> None:
    schema = [("i", "interval day to second"), ("v", "variant"), ("n", "void")]
    columns = columns_of(schema)
    struct = StructType(tuple((each.name, each.kind) for each in columns))
    registered = Registered(7, schema_of(columns, "weir.views.row"))
    frame = spark.sql("SELECT INTERVAL '1 02:03:04.5' DAY TO SECOND AS i, parse_json('{\"a\":[1]}') AS v, NULL AS n")
    value = frame.selectExpr(avro_sql(struct, registered)).collect()[0][0]
    (row,), _ = Reader("1-a", columns, [], registered=registered).rows([ViewRecord(0, 0, bytes(value), "1-a")])
    assert row.values == {"i": "INTERVAL '1 02:03:04.5' DAY TO SECOND", "v": {"a": [1]}, "n": None}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, stack: Any) -> Iterator[ViewWorld]:
    with view_world(tmp_path_factory.mktemp("views"), stack) as inputs:
        registry = f'{{bootstrapServers: "%s", schemaRegistry: {{url: "{inputs.registry}"}}}}'
        inputs.apply(BASE.replace('{bootstrapServers: "%s"}', registry) % inputs.kafka)
        inputs.run()
        yield inputs


def consumed(world: ViewWorld, topic: str) -> list[tuple[str, Any]]:
    """What Confluent's own deserializer reads."""
    deserializer = AvroDeserializer(registry_client(world.registry))
    context = SerializationContext(topic, MessageField.VALUE)
    return [
        ((key or b"").decode(), deserializer(value, context) if value else None)
        for key, value, _ in world.records(topic)
    ]


def test_ordinary_consumers_read_a_view_in_avro_and_its_schema_follows(world: ViewWorld) -> None:
    topic = world.topic("sales", 1)
    sink = f"{topic}-totals"
    world.send(topic, [{"region": f"r{n % 2}", "amount": n + 0.5} for n in range(10)])
    world.scan(topic)
    more = f"  sink: {{cluster: prod, topic: {sink}, format: avro, partitions: 3}}\n"
    sql = (
        f"SELECT region, count(*) AS n, CAST(sum(amount) AS DECIMAL(12,2)) AS total{{}} FROM `{topic}` GROUP BY region"
    )
    world.apply(view("totals", sql.format(""), more))
    world.until("totals", lambda v: v["rows"] == 2 and v["lag"]["records"] == 0)
    read = dict(consumed(world, sink))
    assert read["r1"]["n"] == 5 and str(read["r1"]["total"]) == "27.50"
    client = registry_client(world.registry)
    assert client.get_versions(f"{sink}-value") == [1]
    world.apply(view("totals", sql.format(", max(amount) AS top"), more))
    world.until("totals", lambda v: v["generation"] == 2 and v["building"] is None and v["lag"]["records"] == 0)
    assert dict(consumed(world, sink))["r1"]["top"] == 9.5
    assert client.get_versions(f"{sink}-value") == [1, 2]
    answer = world.user("rep").get("/api/v1/views/totals/rows", params={"key": "r0"})
    assert answer.json()["rows"] == [["r0", 5, "22.50", 8.5]], answer.text


def test_a_topic_with_another_schema_is_refused_before_anything_starts(world: ViewWorld) -> None:
    from confluent_kafka.schema_registry import Schema

    topic = world.topic("plain", 1)
    sink = f"{topic}-taken"
    world.send(topic, [{"id": "a"}])
    world.scan(topic)
    client = registry_client(world.registry)
    other = {"type": "record", "name": "Other", "namespace": "com.acme", "fields": [{"name": "x", "type": "string"}]}
    client.register_schema(f"{sink}-value", Schema(json.dumps(other), "AVRO"))
    for form in ("avro", "json"):
        name = f"taken_{form}"
        world.apply(
            view(name, f"SELECT id FROM `{topic}`", f"  sink: {{cluster: prod, topic: {sink}, format: {form}}}\n")
        )
        failed = world.until(name, lambda v: v["state"] == "failed", 60)
        assert f"{sink}-value" in failed["error"]["message"] and failed["generation"] is None
        assert sink not in Consumer({"bootstrap.servers": world.kafka, "group.id": "x"}).list_topics(timeout=10).topics
        world.admin.delete(f"/api/v1/declared/View/{name}")
    name = uuid.uuid4().hex[:6]
    sql = f"SELECT id AS `the id` FROM `{topic}`"
    world.apply(view(f"w{name}", sql, f"  sink: {{cluster: prod, topic: {sink}-b, format: avro}}\n"))
    failed = world.until(f"w{name}", lambda v: v["state"] == "failed", 60)
    assert "the id" in failed["error"]["message"]
