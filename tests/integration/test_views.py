"""Stream views on real Kafka and Spark, through the API: what a view holds, and what becomes of it when rights change."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from api.joins.views.service import Views
from tests.view_world import ViewWorld, view_world
from tests.waiting import until
from views.row_ports import Wanted
from views.runner.state import Generation, ViewState

pytestmark = [pytest.mark.integration, pytest.mark.slow]
PEOPLE: list[dict[str, Any]] = [
    {"id": f"o{n}", "region": f"r{n % 3}", "amount": n, "email": f"canary{n}@example.org"} for n in range(60)
]
MASK = """
apiVersion: weir/v1
kind: Policy
metadata: {name: hide-mail}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: EMAIL_DOMAIN}}
"""
BASE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "%s"}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reporting}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: rep}
spec: {roles: [reporting]}
---
apiVersion: weir/v1
kind: User
metadata: {name: out}
spec: {roles: [reporting]}
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, stack: Any) -> Iterator[ViewWorld]:
    with view_world(tmp_path_factory.mktemp("views"), stack) as inputs:
        inputs.apply(BASE % inputs.kafka)
        inputs.run()
        yield inputs


@pytest.fixture(scope="module")
def orders(world: ViewWorld) -> str:
    """A scanned topic with an e-mail in each record."""
    topic = world.topic("orders")
    world.send(topic, PEOPLE, [each["id"] for each in PEOPLE])
    world.scan(topic)
    return topic


def view(name: str, sql: str, more: str = "", user: str = "rep") -> str:
    return f"apiVersion: weir/v1\nkind: View\nmetadata: {{name: {name}}}\nspec:\n  sql: {sql}\n  runAs: {{user: {user}}}\n{more}"


def kept(world: ViewWorld, name: str) -> ViewState:
    return ViewState.read(world.services[Views]._states.get(name))


def active_of(world: ViewWorld, name: str) -> Generation:
    active = kept(world, name).active
    assert active is not None
    return active


def rows(world: ViewWorld, name: str) -> dict[str, dict[str, Any]]:
    """What the serving table holds for readers, by key."""
    active = kept(world, name).active
    if active is None:
        return {}
    stored = world.services[Views]._serving.read(name, active.id, Wanted(), 10_000)
    return {row.key: dict(row.values) for row in stored}


def bytes_under(folder: Path, needle: bytes) -> list[str]:
    """Files that hold these bytes."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()]


def test_an_aggregate_follows_its_topic_and_a_restart_counts_nothing_twice(world: ViewWorld) -> None:
    topic = world.topic("sales")
    world.send(topic, [{"region": f"r{n % 2}", "amount": n} for n in range(40)])
    world.scan(topic)
    world.apply(view("totals", f"SELECT region, count(*) AS n, sum(amount) AS total FROM `{topic}` GROUP BY region"))
    world.until("totals", lambda v: v["rows"] == 2 and v["lag"]["records"] == 0)
    assert rows(world, "totals")['["r1"]'] == {"region": "r1", "n": 20, "total": 400}
    world.halt()
    world.send(topic, [{"region": "r1", "amount": 1000}, {"region": "r9", "amount": 7}])
    world.run()
    world.until("totals", lambda v: v["rows"] == 3 and v["lag"]["records"] == 0)
    assert rows(world, "totals") == {
        '["r0"]': {"region": "r0", "n": 20, "total": 380},
        '["r1"]': {"region": "r1", "n": 21, "total": 1400},
        '["r9"]': {"region": "r9", "n": 1, "total": 7},
    }
    assert world.view("totals")["generation"] == 1


def test_a_mask_that_is_tightened_leaves_no_clear_value_behind(world: ViewWorld, orders: str) -> None:
    world.admin.delete("/api/v1/declared/Policy/hide-mail")  # of an attempt before, where this one is a second try
    sink = f"  key: [id]\n  sink: {{cluster: prod, topic: {orders}-copy}}\n"
    world.apply(view("copy", f"SELECT id, email, amount FROM `{orders}` WHERE amount < 30", sink))
    world.until("copy", lambda v: v["rows"] == 30 and v["state"] == "running")
    assert rows(world, "copy")['["o7"]']["email"] == "canary7@example.org"
    assert len(world.records(f"{orders}-copy")) == 30
    world.apply(MASK)
    done = world.until("copy", lambda v: v["generation"] == 2 and v["building"] is None and v["rows"] == 30)
    assert done["columns"] == [
        {"name": "id", "type": "string"},
        {"name": "email", "type": "string"},
        {"name": "amount", "type": "bigint"},
    ]
    assert {row["email"] for row in rows(world, "copy").values()} == {"xxxx@example.org"}
    world.until(
        "copy",
        lambda _: all(
            headers["weir-generation"].startswith(b"2-") for _, _, headers in world.records(f"{orders}-copy")
        ),
    )
    assert {json.loads(value or b"{}")["email"] for _, value, _ in world.records(f"{orders}-copy")} == {
        "xxxx@example.org"
    }
    world.until("copy", lambda _: not kept(world, "copy").retired)
    assert bytes_under(world.folder, b"canary7@") == []


def test_a_view_whose_subject_loses_access_loses_its_rows(world: ViewWorld, orders: str) -> None:
    world.apply(view("lost", f"SELECT id, amount FROM `{orders}`", "  key: [id]\n", "out"))
    world.until("lost", lambda v: v["rows"] == len(PEOPLE))
    topic = active_of(world, "lost").topic
    world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: out}\nspec: {roles: []}\n")
    ended = world.until("lost", lambda v: v["state"] == "failed" and v["generation"] is None, 30)
    assert (ended["error"]["code"] == "not_allowed" and "out" in ended["error"]["message"]) or ended["error"]["details"]
    world.until("lost", lambda _: not kept(world, "lost").retired)
    assert rows(world, "lost") == {} and not (world.folder / "views" / "lost" / "1").exists()
    assert topic not in AdminClient({"bootstrap.servers": world.kafka}).list_topics(timeout=10).topics
    world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: out}\nspec: {roles: [reporting]}\n")
    world.until("lost", lambda v: v["rows"] == len(PEOPLE) and v["generation"] == 2)


def test_another_sql_takes_the_place_of_the_old_one(world: ViewWorld, orders: str) -> None:
    world.apply(view("swap", f"SELECT region, count(*) AS n FROM `{orders}` GROUP BY region"))
    world.until("swap", lambda v: v["rows"] == 3 and v["lag"]["records"] == 0)
    world.apply(view("swap", f"SELECT region, max(amount) AS top FROM `{orders}` GROUP BY region"))
    seen: list[set[str]] = []

    def replaced(shown: Any) -> bool:
        answer = rows(world, "swap")
        seen.append({name for row in answer.values() for name in row})
        return bool(shown["generation"] == 2)

    world.until("swap", replaced)
    assert all(each in ({"region", "n"}, {"region", "top"}) for each in seen), "readers get one generation at a time"
    assert rows(world, "swap")['["r2"]'] == {"region": "r2", "top": 59}


def test_rows_without_a_key_without_a_group_and_with_a_key_that_is_null(world: ViewWorld) -> None:
    topic = world.topic("nulls")
    world.send(topic, [{"g": None if n % 2 else "a", "n": n} for n in range(20)])
    world.scan(topic)
    world.apply(view("each", f"SELECT n FROM `{topic}` WHERE n > 16"))
    world.apply(view("one", f"SELECT count(*) AS n, sum(n) AS total FROM `{topic}`"))
    world.apply(view("null_group", f"SELECT g, count(*) AS n FROM `{topic}` GROUP BY g"))
    world.until("each", lambda v: v["rows"] == 3)
    assert sorted(row["n"] for row in rows(world, "each").values()) == [17, 18, 19]
    world.until("one", lambda v: v["rows"] == 1 and v["lag"]["records"] == 0)
    world.until("null_group", lambda v: v["rows"] == 2 and v["lag"]["records"] == 0)
    world.send(topic, [{"g": None, "n": 100}])
    world.until("one", lambda _: rows(world, "one") == {"[]": {"n": 21, "total": 290}})
    world.until("null_group", lambda _: rows(world, "null_group")["[null]"] == {"g": None, "n": 11})
    for name in ("each", "one", "null_group"):
        world.admin.delete(f"/api/v1/declared/View/{name}")


def test_paused_resumed_and_deleted(world: ViewWorld, orders: str) -> None:
    name = "shortlived"
    world.apply(view(name, f"SELECT id, region FROM `{orders}` WHERE amount > 57", "  key: [id]\n"))
    world.until(name, lambda v: v["rows"] == 2)
    assert world.admin.post(f"/api/v1/views/{name}/pause").status_code == 200
    world.until(name, lambda v: v["state"] == "paused")
    world.send(orders, [{"id": "late", "region": "r0", "amount": 99, "email": "x@example.org"}], ["late"])
    assert world.view(name)["rows"] == 2
    assert world.admin.post(f"/api/v1/views/{name}/resume").status_code == 200
    world.until(name, lambda v: v["rows"] == 3)
    active = active_of(world, name)
    assert world.admin.delete(f"/api/v1/declared/View/{name}").status_code == 200
    assert world.admin.get(f"/api/v1/views/{name}").status_code == 404
    until(lambda: name not in world.services[Views]._states.all(), "the end of the view's state")
    assert world.services[Views]._serving.generations(name) == [] and not Path(active.checkpoint).exists()


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT id FROM nowhere_at_all", "nowhere_at_all"),
        ("SELECT id, sum(missing) AS s FROM `{orders}` GROUP BY id", "missing"),
        ("SELECT id, regin FROM `{orders}`", "There is no column regin; did you mean region?"),
        (
            "SELECT id, window(_timestamp, '0 seconds') AS w FROM `{orders}`",
            "The length of a window must be above zero",
        ),
    ],
)
def test_what_cannot_start_says_why(world: ViewWorld, orders: str, sql: str, sentence: str) -> None:
    name = f"wrong{abs(hash(sql)) % 1000}"
    world.apply(view(name, sql.replace("{orders}", orders)))
    failed = world.until(name, lambda v: v["state"] == "failed", 60)
    assert sentence in failed["error"]["message"]
    assert failed["error"]["details"]["line"] == 1
    world.admin.delete(f"/api/v1/declared/View/{name}")


@pytest.mark.parametrize(
    ("more", "sql", "sentence"),
    [
        ("  key: [nope]\n", "SELECT id FROM orders", "nope"),
        ("", "SELECT id FROM orders ORDER BY id", "ORDER BY"),
        ("", "SELECT id, row_number() OVER (PARTITION BY id ORDER BY id) AS n FROM orders", "OVER"),
        ("  sink: {cluster: prod, topic: _hidden}\n", "SELECT id FROM orders", "underscore"),
        ("  trigger: soon\n", "SELECT id FROM orders", "span of time"),
        ("  startFrom: yesterday\n", "SELECT id FROM orders", "startFrom"),
        ("", "SELECT id FROM itself", "read itself"),
    ],
)
def test_what_cannot_be_a_view_is_refused_when_applied(world: ViewWorld, more: str, sql: str, sentence: str) -> None:
    refused = world.admin.post("/api/v1/apply", content=view("itself", sql, more).encode())
    assert refused.status_code == 400 and sentence in refused.json()["error"]["message"], refused.text


def read(client: Any, name: str, **parameters: Any) -> Any:
    return client.get(f"/api/v1/views/{name}/rows", params=parameters)


def test_rows_by_key_and_what_a_reader_sees_of_them(world: ViewWorld, orders: str) -> None:
    """`rep` may see e-mails and the view has them; `ana` sees them masked in the view as in the topic."""
    world.apply(
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: [reporting]}\n---\n"
        + MASK.replace("hide-mail", "hide-mail-of-ana").replace("match:", "subjects: {users: [ana]}, match:")
    )
    world.admin.delete("/api/v1/declared/Policy/hide-mail")
    world.apply(view("byid", f"SELECT id, region, email, amount FROM `{orders}` WHERE amount < 60", "  key: [id]\n"))
    world.until("byid", lambda v: v["rows"] == len(PEOPLE) and v["lag"]["records"] == 0)
    rep, ana = world.user("rep"), world.user("ana")
    answer = read(rep, "byid", key="o7").json()
    assert answer["rows"] == [["o7", "r1", "canary7@example.org", 7]] and answer["next"] is None
    assert answer["generation"] == world.view("byid")["generation"] and answer["freshness"]["records"] == 0
    assert sum(answer["freshness"]["offsets"][orders].values()) >= len(PEOPLE)
    masked = read(ana, "byid", key="o7").json()
    assert masked["rows"] == [["o7", "r1", "xxxx@example.org", 7]]
    assert [c["decision"]["effect"] for c in masked["columns"]] == ["clear", "clear", "masked", "clear"]
    assert read(ana, "byid", where="email = 'canary7@example.org'").json()["rows"] == [], "a hidden value is not probed"
    assert len(read(rep, "byid", where="email = 'canary7@example.org'").json()["rows"]) == 1
    assert [r[0] for r in read(ana, "byid", where="region = 'r0' AND amount >= 51").json()["rows"]] == [
        "o51",
        "o54",
        "o57",
    ]
    assert len(read(ana, "byid", prefix="o1", limit="200").json()["rows"]) == 11
    first = read(ana, "byid", limit="25").json()
    second = read(ana, "byid", limit="100", cursor=first["next"]).json()
    assert len(first["rows"]) == 25 and len({r[0] for r in [*first["rows"], *second["rows"]]}) == len(PEOPLE)
    assert len(read(ana, "byid", where="region LIKE 'r%' OR amount > 50", limit="200").json()["rows"]) == len(PEOPLE)
    assert read(ana, "byid", where="email LIKE 'canary%'").json()["rows"] == [], "nor by a pattern"
    wrong = read(ana, "byid", where="md5(region) = 'r'")
    assert wrong.status_code == 400 and wrong.json()["error"]["message"]
    audit = world.admin.get("/api/v1/audit", params={"actor": "ana", "action": "view.read"}).json()["entries"]
    assert audit and audit[0]["target"] == "byid"


def test_a_row_is_read_once_its_offset_is_contained(world: ViewWorld, orders: str) -> None:
    rep = world.user("rep")
    world.send(orders, [{"id": "written", "region": "r5", "amount": 5, "email": "w@example.org"}], ["written"])
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": world.kafka, "group.id": "ends"})
    ends = ",".join(f"{p}:{consumer.get_watermark_offsets(TopicPartition(orders, p), 10)[1]}" for p in (0, 1))
    consumer.close()
    answer = read(rep, "byid", key="written", atLeast=ends)
    for _ in range(10):  # a busy machine
        if answer.status_code != 503:
            break
        answer = read(rep, "byid", key="written", atLeast=ends)
    assert answer.json()["rows"] == [["written", "r5", "w@example.org", 5]]
    assert read(rep, "byid", atLeast="0:x").status_code == 400


def test_nobody_gets_more_from_a_view_than_from_its_sources(world: ViewWorld, orders: str) -> None:
    world.apply(
        f"""
apiVersion: weir/v1
kind: Role
metadata: {{name: outsider}}
spec: {{read: [{{dataset: prod/byid}}, {{dataset: prod/counted}}]}}
---
apiVersion: weir/v1
kind: Role
metadata: {{name: half}}
spec: {{read: [{{dataset: "prod/*"}}], rowFilters: [{{dataset: prod/{orders}, where: "region = 'r0'"}}]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: olga}}
spec: {{roles: [outsider]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: hal}}
spec: {{roles: [half]}}
"""
    )
    for name in ("olga", "hal"):
        refused = read(world.user(name), "byid", key="o7")
        assert refused.status_code == 403, refused.text
        assert any(orders in reason for reason in refused.json()["error"]["details"]["reasons"])
        shown = world.user(name).get("/api/v1/views/byid").json()
        assert shown["lag"]["records"] is None and "rows" not in shown and "< 60" not in shown["sql"]
    lineage = [event for event in world.events() if event["job"]["name"] == "byid"]
    inputs = lineage[-1]["outputs"][0]["facets"]["columnLineage"]["fields"]["email"]["inputFields"]
    assert [(each["name"], each["field"], each["transformations"][0]["masking"]) for each in inputs] == [
        (orders, "email", False)
    ]


def test_a_joined_table_gives_the_newest_record_of_each_key(world: ViewWorld) -> None:
    rides, vans = world.topic("rides"), world.topic("vans", 1)
    world.send(vans, [{"van": "v1", "driver": "ana"}, {"van": "v2", "driver": "bo"}], ["v1", "v2"])
    world.send(rides, [{"ride": "a", "van": "v1"}, {"ride": "b", "van": "v2"}, {"ride": "c", "van": "v3"}])
    world.scan(rides, vans)
    sql = f"SELECT r.ride, v.driver FROM `{rides}` AS r LEFT JOIN `{vans}` AS v ON r.van = v.van"
    world.apply(view("driven", sql, "  key: [ride]\n"))
    world.until("driven", lambda v: v["rows"] == 3 and v["lag"]["records"] == 0)
    drivers = {key: row["driver"] for key, row in rows(world, "driven").items()}
    assert drivers == {'["a"]': "ana", '["b"]': "bo", '["c"]': None}
    world.send(vans, [{"van": "v1", "driver": "eva"}, None], ["v1", "v2"])
    world.send(rides, [{"ride": "d", "van": "v1"}, {"ride": "e", "van": "v2"}])
    world.until("driven", lambda v: v["rows"] == 5)
    drivers = {key: row["driver"] for key, row in rows(world, "driven").items()}
    assert drivers['["d"]'] == "eva" and drivers['["e"]'] is None and drivers['["a"]'] == "ana"
    world.admin.delete("/api/v1/declared/View/driven")


def test_a_group_that_no_longer_fits_its_condition_leaves_the_view(world: ViewWorld) -> None:
    topic = world.topic("groups")
    world.send(topic, [{"g": "low", "n": 1}, {"g": "high", "n": 50}])
    world.scan(topic)
    world.apply(view("small", f"SELECT g, sum(n) AS total FROM `{topic}` GROUP BY g HAVING sum(n) < 10"))
    world.until("small", lambda v: v["rows"] == 1)
    world.send(topic, [{"g": "low", "n": 20}, {"g": "new", "n": 2}])
    world.until("small", lambda _: rows(world, "small") == {'["new"]': {"g": "new", "total": 2}})
    world.admin.delete("/api/v1/declared/View/small")


@pytest.mark.parametrize("name", ["a/../../b", "..", ".hidden", "x" * 201, "a b", "é"])
def test_a_name_that_is_no_file_and_no_topic_is_refused(world: ViewWorld, name: str) -> None:
    refused = world.admin.post("/api/v1/apply", content=view(json.dumps(name), "SELECT id FROM orders").encode())
    assert refused.status_code == 400, refused.text


@pytest.mark.tail
def test_a_value_that_does_not_fit_is_counted_or_ends_the_view(world: ViewWorld) -> None:
    topic = world.topic("unfit", 1)
    lenient, strict = f"{topic}-lenient", f"{topic}-strict"
    world.send(topic, [{"id": n, "n": n} for n in range(50)])
    world.scan(topic)
    world.send(topic, [{"id": 50, "n": "many"}])
    sql = f"SELECT id, n FROM `{topic}`"
    world.apply(view(lenient, sql, "  key: [id]\n"))
    shown = world.until(lenient, lambda v: v["rows"] == 51 and v["lag"]["records"] == 0)
    assert rows(world, lenient)["[50]"] == {"id": 50, "n": None} and shown["counts"]["unfitValues"] == 1, json.dumps(
        shown
    )
    shown = world.until(lenient, lambda v: v["counts"]["deadLetters"] == 1)
    ((key, letter, _),) = world.records(f"{lenient}.dead-letters")
    report = json.loads(letter or b"")
    assert key == f"{topic}/0/50".encode() and "many" not in (letter or b"").decode()
    assert (report["topic"], report["partition"], report["offset"], report["generation"]) == (topic, 0, 50, 1)
    assert report["fields"] == ["value.n"] and "value.n" in report["reason"]
    world.send(topic, ["no object"])
    world.until(lenient, lambda v: v["counts"]["deadLetters"] == 2)
    assert [json.loads(value or b"")["offset"] for _, value, _ in world.records(f"{lenient}.dead-letters")] == [50, 51]
    world.apply(view(strict, sql, "  key: [id]\n  onError: stop\n"))
    failed = world.until(strict, lambda v: v["state"] == "failed")
    place = {"topic": topic, "partition": 0, "offset": 50, "field": "value.n"}
    assert {**failed["error"]["details"], **place} == failed["error"]["details"], failed["error"]
    assert "onError" in failed["error"]["message"] and "offset 50 of partition 0" in failed["error"]["message"]
    assert set(rows(world, strict)) <= {f"[{n}]" for n in range(50)}, "nothing from that record on"
    world.apply(view(strict, sql, "  key: [id]\n"))
    world.until(strict, lambda v: v["state"] == "running" and v["rows"] == 52 and v["lag"]["records"] == 0)
    for name in (lenient, strict):
        world.admin.delete(f"/api/v1/declared/View/{name}")
    kafka = AdminClient({"bootstrap.servers": world.kafka})
    letters = f"{lenient}.dead-letters"
    until(
        lambda: letters not in kafka.list_topics(timeout=10).topics, "the end of the letters with their view", every=0.2
    )


@pytest.mark.tail
def test_a_batch_that_is_run_again_doubles_no_row_of_a_view_without_a_key(world: ViewWorld) -> None:
    topic = world.topic("again", 3)
    name = f"{topic}-kept"
    world.send(topic, [{"n": n % 4} for n in range(40)])
    world.scan(topic)
    world.apply(view(name, f"SELECT n FROM `{topic}`"))
    world.until(name, lambda v: v["rows"] == 40 and v["lag"]["records"] == 0)
    active = active_of(world, name)
    world.halt()
    commits = world.folder / "views" / name / "1" / "commits"
    for each in commits.iterdir():  # as if the engine was killed before it noted that the batch is whole
        if each.name.lstrip(".").startswith("0"):
            each.unlink()
    world.run()
    world.send(topic, [{"n": 9}])
    world.until(name, lambda v: v["rows"] == 41 and v["lag"]["records"] == 0)
    assert len(world.records(active.topic)) == 81, "the topic has the batch twice"
    assert sorted(row["n"] for row in rows(world, name).values()) == sorted([*(n % 4 for n in range(40)), 9])
    world.admin.delete(f"/api/v1/declared/View/{name}")


@pytest.mark.tail
def test_rows_whose_time_is_over_leave_the_view_and_its_topic(world: ViewWorld) -> None:
    topic = world.topic("short", 1)
    name, sink = f"{topic}-brief", f"{topic}-copy"
    world.send(topic, [{"id": n} for n in range(5)])
    world.scan(topic)
    sql = f"SELECT id, count(*) AS n FROM `{topic}` GROUP BY id"
    world.apply(view(name, sql, f"  ttl: 8 seconds\n  sink: {{cluster: prod, topic: {sink}}}\n"))
    world.until(name, lambda v: v["rows"] == 5)
    world.until(name, lambda v: v["rows"] == 0 and v["counts"]["rowsExpired"] == 5, 60)
    assert rows(world, name) == {} and world.records(sink) == []
    world.send(topic, [{"id": 3}])
    world.until(name, lambda _: rows(world, name) == {"[3]": {"id": 3, "n": 2}}, 60)
    world.admin.delete(f"/api/v1/declared/View/{name}")


@pytest.mark.tail
def test_a_stream_is_ended_by_its_session_from_another_process(world: ViewWorld, orders: str) -> None:
    """As a runner does that finds the stream of one that was killed."""
    world.apply(view("orphan", f"SELECT id, amount FROM `{orders}`", "  key: [id]\n"))
    world.until("orphan", lambda v: v["state"] == "running" and v["lag"]["records"] == 0)
    old, topic = kept(world, "orphan"), active_of(world, "orphan").topic
    before = len(world.records(topic))
    world.forsake()
    world.send(orders, [{"id": "unseen", "region": "r0", "amount": 3, "email": "u@example.org"}], ["unseen"])
    until(lambda: len(world.records(topic)) > before, "work of the stream that was left behind", every=0.2)
    world.apply(MASK.replace("hide-mail", "hide-ids").replace("tags: [EMAIL_ADDRESS]", f"datasets: [prod/{orders}]"))
    world.run()
    world.until("orphan", lambda v: v["generation"] == 2 and v["building"] is None and v["lag"]["records"] == 0)
    world.send(orders, [{"id": "later", "region": "r0", "amount": 3, "email": "l@example.org"}], ["later"])
    world.until("orphan", lambda v: v["state"] == "running" and v["lag"]["records"] == 0)
    world.until("orphan", lambda _: not kept(world, "orphan").retired)
    assert kept(world, "orphan").session not in ("", old.session)
    assert topic not in AdminClient({"bootstrap.servers": world.kafka}).list_topics(timeout=10).topics
    world.admin.delete("/api/v1/declared/Policy/hide-ids")
    world.admin.delete("/api/v1/declared/View/orphan")


@pytest.mark.tail
def test_a_row_that_is_larger_than_its_records_is_written(world: ViewWorld) -> None:
    """And one that is larger than Weir writes ends the view until somebody acts."""
    topic = world.topic("large")
    text = base64.b64encode(random.Random(1).randbytes(525_000)).decode()  # which no compression makes smaller
    world.send(topic, [{"id": "a", "text": text}], ["a"])
    world.scan(topic)
    world.apply(view("large", f'"SELECT id, repeat(text, 3) AS text FROM prod.`{topic}`"', "  key: [id]\n"))
    world.current("large", 1)
    assert [len(str(row["text"])) for row in rows(world, "large").values()] == [2_100_000]
    world.apply(view("larger", f'"SELECT id, repeat(text, 30) AS text FROM prod.`{topic}`"', "  key: [id]\n"))
    failed = world.until("larger", lambda v: v["state"] == "failed")
    assert "raise the topic's max.message.bytes" in failed["error"]["message"]
    for name in ("large", "larger"):
        world.admin.delete(f"/api/v1/declared/View/{name}")
