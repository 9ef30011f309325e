"""Connectors by declaration on a real Kafka Connect: a PostgreSQL's rows become a topic, a view joins them, lineage shows
the whole way; and what goes wrong is one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient

from api.joins.connectors.places import Places
from api.joins.observing import Observing
from catalog.model import DatasetId
from lineage.questions.queries import Lineage
from tests import waiting
from tests.catalog_stores import postgres
from tests.integration.test_views import BASE
from tests.view_world import ViewWorld, view_world

pytestmark = [pytest.mark.integration, pytest.mark.slow]
PASSWORD = "canary-password-4711"
CANARY = "canary.person@example.org"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, stack_with_connect: Any) -> Iterator[ViewWorld]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEIR_SECRET_PG", PASSWORD)
        patch.setenv("WEIR_SECRET_WRONG", f"{PASSWORD}-wrong")
        with view_world(tmp_path_factory.mktemp("connectors"), stack_with_connect) as shop:
            spec = f'{{bootstrapServers: "%s", connect: {{url: "{stack_with_connect.connect}"}}}}'
            shop.apply(BASE.replace('{bootstrapServers: "%s"}', spec) % shop.kafka)
            yield shop
            shop.halt()
            for each in shop.admin.get("/api/v1/declared/Connector").json()["documents"]:
                shop.admin.delete(f"/api/v1/declared/Connector/{each['metadata']['name']}")


@pytest.fixture(scope="module")
def database() -> Iterator[int]:
    """The port of a PostgreSQL with a table of customers."""
    with postgres(PASSWORD, "-c wal_level=logical") as port:
        with psycopg.connect(_address(port), autocommit=True) as connection:
            connection.execute("CREATE TABLE customers (id text PRIMARY KEY, name text, town text)")
            connection.execute(f"INSERT INTO customers VALUES ('c1', '{CANARY}', 'Ulm'), ('c2', 'Ben', 'Bonn')")
        yield port


def _address(port: int) -> str:
    return f"host=127.0.0.1 port={port} user=weir dbname=postgres password={PASSWORD}"


def connector(name: str, plugin: str, config: dict[str, Any], more: str = "") -> str:
    lines = "\n".join(f"    {key}: {value}" for key, value in config.items())
    return (
        f"apiVersion: weir/v1\nkind: Connector\nmetadata: {{name: {name}}}\nspec:\n  cluster: prod\n  plugin: {plugin}\n{more}"
        f"  config:\n{lines}\n"
    )


def customers(world: ViewWorld, port: int) -> dict[str, Any]:
    return {
        "database.hostname": "127.0.0.1",
        "database.port": port,
        "database.user": "weir",
        "database.dbname": "postgres",
        "database.password": "{env: WEIR_SECRET_PG}",
        "topic.prefix": world.prefix,
        "plugin.name": "pgoutput",
        "slot.name": f"weir_{world.prefix}",
        "publication.name": f"weir_{world.prefix}",
        "publication.autocreate.mode": "filtered",
        "table.include.list": "public.customers",
        "transforms": "row",
        "transforms.row.type": "io.debezium.transforms.ExtractNewRecordState",
        "topic.creation.default.partitions": 1,
        "topic.creation.default.replication.factor": 1,
        "topic.creation.default.cleanup.policy": "compact",
    }


def until(holds: Callable[[], Any], what: str, seconds: float = 120) -> Any:
    return waiting.until(holds, what, seconds, every=0.2)


def shown(world: ViewWorld, name: str) -> dict[str, Any]:
    answer = world.admin.get(f"/api/v1/connectors/{name}")
    assert answer.status_code == 200, answer.text
    described: dict[str, Any] = answer.json()
    return described


def is_in(world: ViewWorld, name: str, state: str) -> bool:
    return bool(shown(world, name)["state"] == state)


@pytest.mark.tail
def test_rows_of_a_database_are_joined_by_a_view_and_lineage_shows_the_way(world: ViewWorld, database: int) -> None:
    name = f"{world.prefix}-customers"
    text = connector(name, "PostgresConnector", customers(world, database), "  owners: [{user: rep}]\n")
    assert world.apply(text)["changes"][0]["action"] == "create"
    topic = f"{world.prefix}.public.customers"
    running = until(lambda: (s := shown(world, name))["topics"] and s["state"] == "running" and s, "rows in the topic")
    assert running["type"] == "source" and running["topics"] == [topic] and running["drift"] == []
    table = f"postgres://127.0.0.1:{database}"
    assert running["outside"] == [f"{table}/postgres.public.customers"]

    orders, out = world.topic("orders"), f"{world.prefix}.orders-with-town"
    sent: list[dict[str, Any]] = [{"id": f"o{n}", "customer": f"c{n % 2 + 1}", "amount": n} for n in range(10)]
    world.send(orders, sent, [each["id"] for each in sent])
    until(lambda: len(world.records(topic)) == 2, "both rows are in the topic")
    world.scan(orders, topic)
    world.run()
    sql = f"SELECT o.id, o.amount, c.town FROM prod.{orders} o JOIN prod.`{topic}` c ON c.id = o.customer"
    world.apply(
        "apiVersion: weir/v1\nkind: View\nmetadata: {name: placed}\n"
        f'spec:\n  sql: "{sql}"\n  runAs: {{user: rep, purpose: reporting}}\n  key: [id]\n'
        f"  sink: {{cluster: prod, topic: {out}}}\n"
    )
    world.current("placed", 10)

    def town(key: str) -> Any:
        answer = world.user("rep").get("/api/v1/views/placed/rows", params={"key": key}).json()
        names = [each["name"] for each in answer["columns"]]
        return [dict(zip(names, row, strict=True)) for row in answer["rows"]]

    assert town("o1") == [{"id": "o1", "amount": 1, "town": "Bonn"}]
    assert town("o2") == [{"id": "o2", "amount": 2, "town": "Ulm"}]
    # A customer who comes later is joined with later orders.
    with psycopg.connect(_address(database), autocommit=True) as connection:
        connection.execute("INSERT INTO customers VALUES ('c3', 'Cem', 'Köln')")
    until(lambda: len(world.records(topic)) == 3, "the third row is in the topic")
    world.send(orders, [{"id": "late", "customer": "c3", "amount": 99}], ["late"])
    until(lambda: town("late"), "the late order is joined")
    assert town("late") == [{"id": "late", "amount": 99, "town": "Köln"}]

    group = f"{world.prefix}-shop"
    reader = Consumer({"bootstrap.servers": world.kafka, "group.id": group, "auto.offset.reset": "earliest"})
    try:
        reader.subscribe([out])
        read = until(lambda: reader.poll(0.2), "a record of the view's topic")
        reader.commit(message=read, asynchronous=False)
        world.services[Observing].step()
    finally:
        reader.close()
    world.fold()
    namespace = world.admin.get("/api/v1/clusters/prod").json()["namespace"]
    start = f"dataset:{table}:postgres.public.customers"
    answer = world.admin.get("/api/v1/lineage", params={"nodeId": start, "direction": "downstream", "depth": 5}).json()
    way = {(each["source"], each["target"]) for each in answer["edges"] if each["kind"] == "feeds"}
    assert (start, f"dataset:{namespace}:{topic}") in way
    assert (f"dataset:{namespace}:{topic}", f"dataset:{namespace}:{out}") in way
    jobs = {each.get("job") for each in answer["edges"]}
    assert running["job"] in jobs and "job:weir://views:placed" in jobs
    readers = world.services[Lineage].readers_of(DatasetId(namespace, out))
    assert [(each.name, each.kind) for each in readers] == [(group, "consumer_group")]
    affected = world.admin.get("/api/v1/impact", params={"nodeId": start}).json()["affected"]
    assert {f"job:{namespace}:{group}", f"dataset:{namespace}:{out}"} <= {each["id"] for each in affected}
    answers = "".join(
        world.admin.get(f"/api/v1/{place}").text
        for place in ("connectors", f"connectors/{name}", "declared/Connector", "audit", "clusters/prod/connectors")
    )
    assert PASSWORD not in answers + str(world.events()) and CANARY not in answers
    kept = [file for file in Path(world.folder).rglob("*") if file.is_file() and PASSWORD.encode() in file.read_bytes()]
    assert kept == []


def test_a_connector_is_paused_changed_by_hand_and_deleted(world: ViewWorld, tmp_path: Path) -> None:
    name, topic = f"{world.prefix}-lines", f"{world.prefix}.lines"
    (tmp_path / "in.txt").write_text("one\ntwo\n")
    config = {
        "file": tmp_path / "in.txt",
        "topic": topic,
        "topic.creation.default.partitions": 1,
        "topic.creation.default.replication.factor": 1,
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
    }
    text = connector(name, "FileStreamSource", config)
    assert world.apply(text)["changes"][0]["action"] == "create"
    until(lambda: shown(world, name)["topics"] == [topic], "the worker names the topic")
    until(lambda: [value for _, value, _ in world.records(topic)] == [b"one", b"two"], "lines are in the topic")
    for action, state in (("pause", "paused"), ("stop", "stopped"), ("resume", "running")):
        assert world.admin.post(f"/api/v1/connectors/{name}/{action}").status_code == 200
        until(partial(is_in, world, name, state), state)
    assert world.apply(text)["changes"][0]["action"] == "unchanged"
    worker = world.services[Places].worker({"url": shown(world, name)["worker"]})
    live = worker.get(name)
    assert live is not None
    worker.configure(name, {**live.config, "batch.size": "7", "topic": f"{topic}.other"})
    until(lambda: shown(world, name)["differs"] == ["config.batch.size", "config.topic"], "the change is seen")
    change = world.admin.post("/api/v1/apply", content=text.encode(), params={"dryRun": "true"}).json()["changes"][0]
    assert (
        change["action"] == "update"
        and f"-    topic: {topic}.other" in change["diff"]
        and f"+    topic: {topic}" in change["diff"]
    )
    world.apply(text)
    until(lambda: shown(world, name)["differs"] == [], "the change is taken back")
    world.admin.post(f"/api/v1/connectors/{name}/restart")
    until(lambda: shown(world, name)["state"] == "running", "it runs again")
    assert world.admin.delete(f"/api/v1/declared/Connector/{name}").json() == {
        "kind": "Connector",
        "name": name,
        "action": "delete",
    }
    until(lambda: worker.get(name) is None, "it is gone")


def refused(world: ViewWorld, text: str, status: int = 400) -> str:
    answer = world.admin.post("/api/v1/apply", content=text.encode())
    assert answer.status_code == status, answer.text
    assert PASSWORD not in answer.text and "\tat " not in answer.text and "Exception" not in answer.text
    message: str = answer.json()["error"]["message"]
    return message


def test_what_is_wrong_is_refused_before_anything_is_made(world: ViewWorld, database: int) -> None:
    name, config = f"{world.prefix}-wrong", customers(world, database)
    message = refused(world, connector(name, "io.debezium.connector.mysql.MySqlConnector", config))
    assert (
        "has no plugin io.debezium.connector.mysql.MySqlConnector; it has io.debezium.connector.postgresql" in message
    )
    clear = connector(name, "PostgresConnector", {**config, "database.password": PASSWORD})
    assert "database.password is a secret by its name" in refused(world, clear)
    missing = {key: value for key, value in config.items() if key != "topic.prefix"}
    assert "config.topic.prefix" in refused(world, connector(name, "PostgresConnector", missing))
    wrong = {**config, "database.password": "{env: WEIR_SECRET_WRONG}"}
    assert "password authentication failed" in refused(world, connector(name, "PostgresConnector", wrong))
    away = {**config, "database.port": 1}
    assert "Connection to 127.0.0.1:1 refused" in refused(world, connector(name, "PostgresConnector", away))
    letters = connector(name, "PostgresConnector", config, "  deadLetters: {topic: dead}\n")
    assert "writes no dead letters for a source" in refused(world, letters)
    down = connector(name, "PostgresConnector", config, "  connect: {url: 'http://127.0.0.1:1'}\n")
    assert "Kafka Connect at http://127.0.0.1:1 does not answer; check connect.url" in refused(world, down, 503)
    assert world.admin.get(f"/api/v1/connectors/{name}").status_code == 404


def test_a_failed_task_is_one_sentence(world: ViewWorld, tmp_path: Path) -> None:
    """A record that is not JSON, and a file that cannot be written; neither the record nor Java is shown."""
    topic = world.topic("letters", 1)
    world.send(topic, [{"ok": 1}])
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": world.kafka})
    producer.produce(topic, f"no json: {CANARY}".encode())
    assert producer.flush(30) == 0
    plain = {"file": tmp_path / "out.txt", "topics": topic}
    name = f"{world.prefix}-out"
    world.apply(connector(name, "FileStreamSink", plain))
    failed = until(lambda: (s := shown(world, name))["state"] == "failed" and s, "the task fails")
    assert failed["error"].startswith("A record could not be converted or transformed (") and CANARY not in str(failed)
    assert (
        "deadLetters" in failed["error"]
        and "\n" not in failed["error"]
        and failed["tasks"][0]["error"] == failed["error"]
    )
    assert world.user("out").get(f"/api/v1/connectors/{name}").json()["error"].startswith("It failed; its owners")

    dead = f"{topic}.dead"
    world.apply(connector(name, "FileStreamSink", plain, f"  deadLetters: {{topic: {dead}, replication: 1}}\n"))
    world.admin.post(f"/api/v1/connectors/{name}/restart")
    topics = AdminClient({"bootstrap.servers": world.kafka})
    until(lambda: dead in topics.list_topics(timeout=10).topics and world.records(dead), "the record is a dead letter")
    ((_, value, headers),) = world.records(dead)
    assert value == f"no json: {CANARY}".encode() and headers["__connect.errors.topic"] == topic.encode()
    assert shown(world, name)["state"] == "running" and shown(world, name)["deadLetters"] == dead

    nowhere = {
        "file": "/nowhere/at/all",
        "topics": topic,
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
    }
    world.apply(connector(f"{name}-2", "FileStreamSink", nowhere))
    failed = until(lambda: (s := shown(world, f"{name}-2"))["state"] == "failed" and s, "the task fails")
    assert failed["error"] == (
        "It failed with ConnectException: Couldn't find or create file '/nowhere/at/all' for FileStreamSinkTask."
    ), failed["error"]
