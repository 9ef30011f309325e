"""Stream views on real Kafka and Spark, through the API: what a view holds, and what becomes of it when rights change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.view_world import ViewWorld, view_world
from views.ports import Wanted
from views.runner.state import ViewState

pytestmark = [pytest.mark.integration, pytest.mark.slow]
PEOPLE = [{"id": f"o{n}", "region": f"r{n % 3}", "amount": n, "email": f"canary{n}@example.org"} for n in range(60)]
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
    with view_world(tmp_path_factory.mktemp("views"), stack) as made:
        made.apply(BASE % made.kafka)
        made.run()
        yield made


@pytest.fixture(scope="module")
def orders(world: ViewWorld) -> str:
    """A scanned topic with an e-mail in each record."""
    topic = world.topic("orders")
    world.send(topic, PEOPLE, [each["id"] for each in PEOPLE])
    asked = world.admin.post("/api/v1/scans", json={"cluster": "prod", "topics": [topic]})
    assert asked.status_code == 202, asked.text
    assert world.services.scan_runner.run_next()
    return topic


def view(name: str, sql: str, more: str = "", user: str = "rep") -> str:
    return f"apiVersion: weir/v1\nkind: View\nmetadata: {{name: {name}}}\nspec:\n  sql: {sql}\n  runAs: {{user: {user}}}\n{more}"


def rows(world: ViewWorld, name: str) -> dict[str, dict[str, object]]:
    """What the serving table holds for readers, by key."""
    services = world.services.views
    state = ViewState.read(services._states.get(name))
    if state.active is None:
        return {}
    return {row.key: dict(row.values) for row in services._serving.read(name, state.active.id, Wanted(), 10_000)}


def bytes_under(folder: Path, needle: bytes) -> list[str]:
    """Files that hold these bytes."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()]


def test_an_aggregate_follows_its_topic_and_a_restart_counts_nothing_twice(world: ViewWorld) -> None:
    topic = world.topic("sales")
    world.send(topic, [{"region": f"r{n % 2}", "amount": n} for n in range(40)])
    world.admin.post("/api/v1/scans", json={"cluster": "prod", "topics": [topic]})
    assert world.services.scan_runner.run_next()
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
    sink = f"  key: [id]\n  sink: {{cluster: prod, topic: {orders}-copy}}\n"
    world.apply(view("copy", f"SELECT id, email, amount FROM `{orders}` WHERE amount < 30", sink))
    world.until("copy", lambda v: v["rows"] == 30 and v["state"] == "running")
    assert rows(world, "copy")['["o7"]']["email"] == "canary7@example.org"
    assert len(world.records(f"{orders}-copy")) == 30
    world.apply(MASK)
    done = world.until("copy", lambda v: v["generation"] == 2 and v["building"] is None and v["rows"] == 30)
    assert done["columns"] == [
        {"name": "id", "type": "string"}, {"name": "email", "type": "string"}, {"name": "amount", "type": "bigint"},
    ]  # fmt: skip
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
    world.until("copy", lambda _: not world.services.views._states.get("copy")["retired"])
    assert bytes_under(world.folder, b"canary7@") == []


def test_a_view_whose_subject_loses_access_loses_its_rows(world: ViewWorld, orders: str) -> None:
    world.apply(view("lost", f"SELECT id, amount FROM `{orders}`", "  key: [id]\n", "out"))
    world.until("lost", lambda v: v["rows"] == len(PEOPLE))
    topic = world.services.views._states.get("lost")["active"]["topic"]
    world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: out}\nspec: {roles: []}\n")
    ended = world.until("lost", lambda v: v["state"] == "failed" and v["generation"] is None, 30)
    assert (ended["error"]["code"] == "not_allowed" and "out" in ended["error"]["message"]) or ended["error"]["details"]
    world.until("lost", lambda _: not world.services.views._states.get("lost")["retired"])
    assert rows(world, "lost") == {} and not (world.folder / "views" / "lost" / "1").exists()
    from confluent_kafka.admin import AdminClient

    assert topic not in AdminClient({"bootstrap.servers": world.kafka}).list_topics(timeout=10).topics
    world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: out}\nspec: {roles: [reporting]}\n")
    world.until("lost", lambda v: v["rows"] == len(PEOPLE) and v["generation"] == 2)


def test_another_sql_takes_the_place_of_the_old_one(world: ViewWorld, orders: str) -> None:
    world.apply(view("swap", f"SELECT region, count(*) AS n FROM `{orders}` GROUP BY region"))
    world.until("swap", lambda v: v["rows"] == 3 and v["lag"]["records"] == 0)
    world.apply(view("swap", f"SELECT region, max(amount) AS top FROM `{orders}` GROUP BY region"))
    seen: list[set[str]] = []

    def replaced(shown: Any) -> bool:
        found = rows(world, "swap")
        seen.append({name for row in found.values() for name in row})
        return bool(shown["generation"] == 2)

    world.until("swap", replaced)
    assert all(each in ({"region", "n"}, {"region", "top"}) for each in seen), "readers get one generation at a time"
    assert rows(world, "swap")['["r2"]'] == {"region": "r2", "top": 59}


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
    state = world.services.views._states.get(name)["active"]
    assert world.admin.delete(f"/api/v1/declared/View/{name}").status_code == 200
    assert world.admin.get(f"/api/v1/views/{name}").status_code == 404
    import time

    deadline = time.monotonic() + 60
    while name in world.services.views._states.all():
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert world.services.views._serving.generations(name) == [] and not Path(state["checkpoint"]).exists()


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT id FROM nowhere_at_all", "nowhere_at_all"),
        ("SELECT id, sum(missing) AS s FROM `{orders}` GROUP BY id", "missing"),
    ],
)
def test_what_cannot_start_says_why(world: ViewWorld, orders: str, sql: str, sentence: str) -> None:
    name = f"wrong{abs(hash(sql)) % 1000}"
    world.apply(view(name, sql.replace("{orders}", orders)))
    failed = world.until(name, lambda v: v["state"] == "failed", 60)
    assert sentence in failed["error"]["message"]
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
