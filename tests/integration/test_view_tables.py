"""A view by its name in governed SQL, and views over views, on real Kafka and Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.test_views import BASE, view
from tests.view_world import ViewWorld, view_world

pytestmark = [pytest.mark.integration, pytest.mark.slow]
ORDERS: list[dict[str, Any]] = [
    {"id": f"o{n}", "region": f"r{n % 3}", "amount": n, "email": f"canary{n}@example.org"} for n in range(30)
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, stack: Any) -> Iterator[ViewWorld]:
    with view_world(tmp_path_factory.mktemp("tables"), stack) as each:
        registry = f'{{bootstrapServers: "%s", schemaRegistry: {{url: "{each.registry}"}}}}'
        each.apply(BASE.replace('{bootstrapServers: "%s"}', registry) % each.kafka)
        each.run()
        yield each


@pytest.fixture(scope="module")
def orders(world: ViewWorld) -> str:
    topic = world.topic("orders")
    world.send(topic, ORDERS, [each["id"] for each in ORDERS])
    world.scan(topic)
    world.apply(view("newest", f"SELECT id, region, amount, email FROM prod.{topic}", "  key: [id]\n"))
    world.current("newest", 30)
    return topic


def ask(world: ViewWorld, sql: str, user: str = "rep") -> Any:
    return world.user(user).post("/api/v1/query", json={"sql": sql})


def rows(world: ViewWorld, sql: str, user: str = "rep") -> list[list[Any]]:
    answer = ask(world, sql, user)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["rows"])


def test_a_view_is_a_table_of_its_newest_rows(world: ViewWorld, orders: str) -> None:
    world.send(orders, [{"id": "o1", "region": "r9", "amount": 500, "email": "x@example.org"}], ["o1"])
    world.until("newest", lambda v: v["counts"]["recordsIn"] == 31 and v["lag"]["records"] == 0)
    assert rows(world, "SELECT count(*) AS n, sum(amount) AS s FROM newest") == [[30, sum(range(30)) - 1 + 500]]
    assert rows(world, "SELECT region FROM newest WHERE id = 'o1'") == [["r9"]]
    joined = f"SELECT o.id, n.amount FROM prod.{orders} o JOIN newest n ON n.id = o.id WHERE o.amount = 7"
    assert rows(world, joined) == [["o7", 7]]
    by_place = ask(world, "SELECT * FROM prod.newest ORDER BY id LIMIT 1").json()
    assert [each["name"] for each in by_place["columns"]] == ["id", "region", "amount", "email"]


def test_a_view_has_no_past_and_does_not_shadow_a_topic(world: ViewWorld, orders: str) -> None:
    refused = ask(world, "SELECT * FROM newest AS OF OFFSETS '0:0-3'")
    assert refused.status_code in (400, 422) and "read as it is now" in refused.text, refused.text
    answer = world.admin.post("/api/v1/apply", content=view(orders, f"SELECT id FROM prod.{orders}").encode())
    assert answer.status_code in (400, 409, 422) and "is a topic" in answer.text, answer.text


def test_a_view_over_a_view_takes_rows_away(world: ViewWorld, orders: str) -> None:
    """Its key is that of the view below, and a group that leaves there leaves here."""
    below = f"SELECT region, count(*) AS n FROM prod.{orders} GROUP BY region HAVING count(*) < 12"
    world.apply(
        view("small", below) + "\n---\n" + view("above", "SELECT region, n * 2 AS twice FROM small WHERE n > 1")
    )
    world.until("small", lambda v: v["state"] == "running" and v["lag"]["records"] == 0)
    shown = world.until("above", lambda v: v["state"] == "running" and v["lag"]["records"] == 0)
    assert shown["key"] == ["region"]
    left = "SELECT region, twice FROM above ORDER BY region"
    # Its lag is as of the last look at the view below, which is up to a second ago.
    world.until("above", lambda _: rows(world, left) == [["r0", 20], ["r1", 20], ["r2", 20]])
    world.send(orders, [{"id": f"p{n}", "region": "r2", "amount": 1, "email": "p@example.org"} for n in range(2)])
    world.until("above", lambda _: rows(world, left) == [["r0", 20], ["r1", 20]])
    refused = world.admin.post(
        "/api/v1/apply", content=view("counted", "SELECT n, count(*) AS c FROM small GROUP BY n").encode()
    )
    assert refused.status_code == 200, refused.text
    failed = world.until("counted", lambda v: v["state"] == "failed")
    assert "count each change" in failed["error"]["message"]


def test_nobody_gets_more_by_the_name_than_on_the_sources(world: ViewWorld, orders: str) -> None:
    world.apply(
        "apiVersion: weir/v1\nkind: Role\nmetadata: {name: only-views}\nspec: {read: [{dataset: prod/newest}]}\n---\n"
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: vera}\nspec: {roles: [only-views]}"
    )
    for sql in ("SELECT id FROM newest", "SELECT id FROM prod.newest"):
        refused = ask(world, sql, "vera")
        assert refused.status_code == 403 and "which you may not read" in refused.text, refused.text
    shown = world.user("vera").post("/api/v1/decisions", json={"dataset": "prod/newest"}).json()
    assert shown["effect"] == "deny"


def test_a_view_is_declared_by_sql(world: ViewWorld, orders: str) -> None:
    create = (
        "CREATE MATERIALIZED VIEW big.orders WITH (key = 'id', trigger = '1 second', run_as = rep, purpose = 'reporting',"
        f" topic = '{orders}-big', partitions = 1)\nAS SELECT id, amount FROM prod.{orders} WHERE amount > 28;"
    )
    assert ask(world, create).status_code == 403
    done = world.admin.post("/api/v1/query", json={"sql": create})
    assert done.status_code == 200, done.text
    assert done.json()["rows"] == [["big.orders", "create"]]
    declared = world.admin.get("/api/v1/declared/View?name=big.orders").json()["documents"][0]["spec"]
    assert declared["runAs"] == {"user": "rep", "purpose": "reporting"} and declared["key"] == ["id"]
    assert declared["sink"]["topic"] == f"{orders}-big" and declared["sink"]["cluster"] == "prod"
    again = world.admin.post("/api/v1/query", json={"sql": create})
    assert again.status_code == 409 and "OR REPLACE" in again.text
    lenient = create.replace("VIEW big", "VIEW IF NOT EXISTS big")
    assert world.admin.post("/api/v1/query", json={"sql": lenient}).json()["rows"] == [["big.orders", "unchanged"]]
    world.current("big.orders", 1)
    assert rows(world, "SELECT id, amount FROM big.orders WHERE id = 'o29'") == [["o29", 29]]
    shown = world.admin.post("/api/v1/query", json={"sql": "SHOW VIEWS LIKE 'big*'"}).json()["rows"]
    assert shown == [["big.orders", "running", f"prod/{orders}", f"prod/{orders}-big"]]
    wrong = "CREATE VIEW w AS\n  SELECT region, count(*) AS n FROM orders ORDER BY n"
    refused = world.admin.post("/api/v1/query", json={"sql": wrong})
    assert refused.status_code == 400 and refused.json()["error"]["details"]["line"] == 2, refused.text
    dropped = world.admin.post("/api/v1/query", json={"sql": "DROP MATERIALIZED VIEW big.orders"})
    assert dropped.json()["rows"] == [["big.orders", "delete"]], dropped.text
    assert ask(world, "SELECT id FROM big.orders").status_code == 404


TYPES = (
    "SELECT id, CAST(amount AS DECIMAL(12,4)) AS d, CAST(amount / 3 AS DOUBLE) AS f, CAST('NaN' AS DOUBLE) AS nan, amount > 4 AS b,"
    " timestamp_micros(1767225600123456 + amount) AS t, DATE'2026-01-31' AS day, CAST(t AS TIMESTAMP_NTZ) AS local,"
    " CAST(id AS BINARY) AS bytes, array(amount, NULL) AS l, map(region, amount) AS m, named_struct('a', amount, 'b', region) AS s,"
    " CAST(NULL AS STRING) AS none,"
    " t - timestamp_micros(1767225500000000) AS took, array(INTERVAL '3' MONTH) AS spans, 9007199254740993L + amount AS big FROM"
    " (SELECT *, timestamp_micros(1767225600000000) AS t FROM prod.{topic})"
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sink", ["", "json", "avro"])
@pytest.mark.parametrize("key", [None, "id"])
def test_rows_by_sql_are_those_by_rest(world: ViewWorld, orders: str, sink: str, key: str | None) -> None:
    """Every type through the view's topic and the governed reading of it, and through the serving table."""
    name = f"types.{sink or 'private'}.{key or 'all'}"
    more = f"  key: [{key}]\n" if key else ""
    if sink:
        more += f"  sink: {{cluster: prod, topic: {orders}-{name}, format: {sink}}}\n"
    world.apply(view(name, '"' + TYPES.format(topic=orders) + '"', more))
    world.current(name, 30)
    by_rest = world.user("rep").get(f"/api/v1/views/{name}/rows", params={"limit": 1000}).json()
    by_sql = ask(world, f"SELECT * FROM {name}").json()
    assert [each["name"] for each in by_sql["columns"]] == [each["name"] for each in by_rest["columns"]]
    # An interval is a text in the topic, and the engine could not send it as one.
    types = {"interval day to second": "string", "array<interval month>": "array<string>"}
    by_rest_types = [types.get(each["type"], each["type"]) for each in by_rest["columns"]]
    assert [each["type"] for each in by_sql["columns"]] == by_rest_types
    assert sorted(by_sql["rows"], key=str) == sorted(by_rest["rows"], key=str) and by_rest["rows"]
    world.admin.delete(f"/api/v1/declared/View/{name}")
