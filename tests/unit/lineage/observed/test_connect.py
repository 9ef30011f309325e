"""Connectors, ksqlDB queries and Flink jobs as events; configurations are read and never shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from catalog.model import DatasetId
from lineage.adapters.rest.flink import read_jobs, read_vertices
from lineage.adapters.rest.ksqldb import read_columns, read_queries, read_streams
from lineage.fold.fold import fold
from lineage.ingest.parse import parse
from lineage.observed.connect import event_of, worker_name
from lineage.observed.connect_engines import Stream, flink_events, ksqldb_events
from lineage.observed.connector_datasets import Connector, jdbc_place, mapped

KAFKA = "kafka://broker:9092"


def connector(kind: str, used: list[str], **config: str) -> Connector:
    return Connector(
        "c", kind, "RUNNING", {key.replace("__", "."): value for key, value in config.items()}, tuple(used)
    )


@pytest.mark.parametrize(
    ("given", "outside"),
    [
        (connector("source", ["shop-orders"], connector__class="io.confluent.connect.jdbc.JdbcSourceConnector",
                   connection__url="jdbc:postgresql://db:5433/shop?user=u&password=secret-4711", topic__prefix="shop-",
                   table__whitelist="public.orders"), {("postgres://db:5433", "shop.public.orders")}),
        (connector("sink", ["orders"], connector__class="io.aiven.connect.jdbc.JdbcSinkConnector",
                   connection__url="jdbc:mysql://u:secret-4711@db/shop", table__name__format="kafka_${topic}", topics="orders"),
         {("mysql://db:3306", "shop.kafka_orders")}),
        (connector("source", ["pre.public.users", "pre.transaction"], topic__prefix="pre", database__hostname="db",
                   database__dbname="shop", database__password="secret-4711",
                   connector__class="io.debezium.connector.postgresql.PostgresConnector"),
         {("postgres://db:5432", "shop.public.users")}),
        (connector("source", ["pre.shop.users"], topic__prefix="pre", database__hostname="db", database__port="3307",
                   connector__class="io.debezium.connector.mysql.MySqlConnector"), {("mysql://db:3307", "shop.users")}),
        (connector("sink", ["orders"], connector__class="io.confluent.connect.s3.S3SinkConnector", s3__bucket__name="lake",
                   topics__dir="raw"), {("s3://lake", "raw/orders")}),
        (connector("sink", ["Orders"], connection__url="https://es-1:9243,https://es-2:9243",
                   connector__class="io.confluent.connect.elasticsearch.ElasticsearchSinkConnector"),
         {("elasticsearch://es-1:9243", "orders")}),
        (connector("sink", ["t"], connector__class="org.apache.kafka.connect.file.FileStreamSinkConnector", file="/tmp/o"),
         {("file", "/tmp/o")}),
        (connector("sink", ["t"], connector__class="com.mongodb.kafka.connect.MongoSinkConnector", database="shop",
                   connection__uri="mongodb+srv://u:secret-4711@m/", collection="c"), {("mongodb://m:27017", "shop.c")}),
        (connector("source", ["a.orders", "heartbeats"], source__cluster__alias="a",
                   source__cluster__bootstrap__servers="x:9092,y:9092",
                   connector__class="org.apache.kafka.connect.mirror.MirrorSourceConnector"), {("kafka://x:9092", "orders")}),
        (connector("source", ["t"], connector__class="io.confluent.connect.jdbc.JdbcSourceConnector", query="SELECT 1",
                   connection__url="jdbc:postgresql://db/shop"), set()),
        (connector("source", ["t"], connector__class="com.acme.Homemade", password="secret-4711"), set()),
        (connector("sink", [], connector__class="JdbcSinkConnector", connection__url="not a url"), set()),
        (connector("sink", ["t"], connector__class="JdbcSinkConnector", connection__url="jdbc:postgresql://[bad/db"), set()),
        (connector("sink", ["t"], connector__class="ElasticsearchSinkConnector", connection__url="http://es:${env:PORT}"),
         set()),
        (connector("sink", ["t"], connector__class="com.mongodb.kafka.connect.MongoSinkConnector", database="shop",
                   connection__uri="mongodb://u:secret-4711@h1:27018,h2:27018/?replicaSet=rs&appName=@a@", collection="c"),
         {("mongodb://h1:27018", "shop.c")}),
        (connector("sink", ["t"], connector__class="com.mongodb.kafka.connect.MongoSinkConnector", database="shop",
                   connection__uri="mongodb://u:1/secret-4711@h1", collection="c"), set()),
    ],
    ids=lambda value: value.config.get("connector.class", "")[-24:] if isinstance(value, Connector) else "",
)  # fmt: skip
def test_what_a_configuration_tells(given: Connector, outside: set[tuple[str, str]]) -> None:
    assert set(mapped(given).outside) == outside
    event = event_of(given, "connect://c:8083", KAFKA)
    assert "secret-4711" not in json.dumps(event) + repr(given)
    edges = fold([parse(event)]).upserts
    feeds = {e.source if given.kind == "source" else e.target for e in edges if e.kind == "feeds"}
    assert feeds == {DatasetId(*name).node_id for name in outside}


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("jdbc:postgresql://h:1/db", ("postgres://h:1", "db")),
        ("jdbc:sqlserver://h:1433;databaseName=shop;user=sa;password=x", ("sqlserver://h:1433", "shop")),
        ("jdbc:oracle:thin:@//h:1521/ORCL", ("oracle://h:1521", "ORCL")),
        ("jdbc:sqlite:/tmp/x.db", ("file", "/tmp/x.db")),
        ("postgresql://h/db", None),
        ("jdbc:postgresql://h:notaport/db", None),
        ("jdbc:postgresql://[bad/db", None),
        ("", None),
    ],
)
def test_jdbc_addresses(url: str, place: tuple[str, str] | None) -> None:
    assert jdbc_place(url) == place


def test_a_worker_is_named_without_credentials_or_path() -> None:
    assert worker_name("https://connect.example/api?x=1") == "connect://connect.example:443"


# Answers in the shapes that ksqlDB's and Flink's API references document.
QUERIES = [{"@type": "queries", "statementText": "SHOW QUERIES;", "queries": [
    {"queryString": "CREATE STREAM CLEAN WITH (KAFKA_TOPIC='shop.clean') AS SELECT HASH(O.CUSTOMER->EMAIL) MAIL, O.ID ID"
                    " FROM ORDERS O EMIT CHANGES;",
     "sinks": ["CLEAN"], "sinkKafkaTopics": ["shop.clean"], "id": "CSAS_CLEAN_1", "queryType": "PERSISTENT", "state": "RUNNING"},
    {"queryString": "select 1", "sinks": [], "id": "transient_1", "queryType": "PUSH", "state": "RUNNING"}]}]  # fmt: skip
STREAMS = [{"@type": "streams", "streams": [{"type": "STREAM", "name": "ORDERS", "topic": "shop.orders", "valueFormat": "JSON"},
                                            {"type": "STREAM", "name": "CLEAN", "topic": "shop.clean"}]},
           {"@type": "tables", "tables": []}]  # fmt: skip
DESCRIBE = [{"@type": "sourceDescription", "sourceDescription": {"name": "ORDERS", "fields": [
    {"name": "ID", "schema": {"type": "INTEGER", "fields": None, "memberSchema": None}},
    {"name": "CUSTOMER", "schema": {"type": "STRUCT", "fields": [{"name": "EMAIL", "schema": {"type": "STRING"}}]}}]}}]  # fmt: skip


def test_ksqldb_queries_with_their_columns() -> None:
    columns = tuple(read_columns(DESCRIBE))
    streams = [Stream(s.name, s.topic, columns if s.name == "ORDERS" else ()) for s in read_streams(STREAMS)]
    (event,) = ksqldb_events(read_queries(QUERIES), streams, "ksqldb://k:8088", KAFKA)
    edges = fold([parse(event)]).upserts
    assert {(e.source.rsplit(":", 1)[1], e.target.rsplit(":", 1)[1], e.raw) for e in edges if e.kind == "derives"} == {
        ("value.CUSTOMER.EMAIL", "value.MAIL", False), ("value.ID", "value.ID", True),
    }  # fmt: skip


def test_flink_jobs_without_topics_that_nobody_tells() -> None:
    overview = {"jobs": [{"jid": "a1", "name": "insert-into_orders", "state": "RUNNING", "tasks": {}},
                         {"jid": "b2", "name": "old", "state": "FINISHED"}]}  # fmt: skip
    (job,) = read_jobs(overview)
    (event,) = flink_events([job], "flink://f:8081")
    assert event["job"]["name"] == "insert-into_orders" and event["inputs"] == event["outputs"] == []
    assert list(read_vertices({"vertices": [{"name": "Source: orders[1]"}]})) == ["Source: orders[1]"]


@pytest.mark.parametrize("answer", [None, [], {}, "x", [None], [{"@type": "queries"}], {"jobs": [None, {}]}, 7])
def test_answers_of_other_shapes_are_nothing(answer: Any) -> None:
    assert not list(read_queries(answer)) and not list(read_streams(answer)) and not list(read_columns(answer))
    assert not list(read_jobs(answer)) and not list(read_vertices(answer))
