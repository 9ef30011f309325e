"""Following and operating views on real Kafka and Spark: every change comes, every record is counted, no generation is mixed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from api.features.views.changes import ViewChanges
from api.joins.views.service import Views
from policies.access.identity import Identity
from policies.query.service import GovernedQuery
from tests.integration.test_views import BASE, view
from tests.served_view import Follower
from tests.view_world import ViewWorld, view_world

pytestmark = [pytest.mark.integration, pytest.mark.slow]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, stack: Any) -> Iterator[ViewWorld]:
    with view_world(tmp_path_factory.mktemp("views"), stack) as inputs:
        inputs.apply(BASE % inputs.kafka)
        inputs.run()
        yield inputs


@contextmanager
def following(world: ViewWorld, user: str, name: str, last_id: str | None = None) -> Iterator[Follower]:
    services = world.services
    subject = services[Identity].current(user)
    live = services[GovernedQuery].running.begin(subject, f"SELECT * FROM `{name}` EMIT CHANGES", None, streaming=True)
    live.signed_in = lambda: services[Identity].current(user)
    follower = Follower(services[ViewChanges].follow(subject, name, last_id, live))
    try:
        yield follower
    finally:
        live.stop.stop("was ended by the test")
        follower.close()
        services[GovernedQuery].running.end(live)


@pytest.mark.tail
def test_a_follower_has_the_rows_through_changes_and_a_swap(world: ViewWorld) -> None:
    topic = world.topic("sales")
    world.send(topic, [{"region": f"r{n % 3}", "amount": 1} for n in range(30)])
    world.scan(topic)
    fast = "  trigger: 100 milliseconds\n"
    world.apply(view("follow", f"SELECT region, count(*) AS n FROM `{topic}` GROUP BY region", fast))
    world.until("follow", lambda v: v.get("rows") == 3 and v["lag"]["records"] == 0)
    with following(world, "rep", "follow") as reader:
        reader.until(lambda events: any(each.type == "snapshot" for each in events))
        assert {key: row[1] for key, row in reader.table().items()} == {"r0": 10, "r1": 10, "r2": 10}
        for burst in range(10):
            world.send(topic, [{"region": "r1", "amount": 1}, {"region": f"new{burst}", "amount": 1}])
            time.sleep(0.2)  # so that there are many small batches, more than the runner looks at
        reader.until(lambda _: reader.table().get("r1", [0, 0])[1] == 20 and len(reader.table()) == 13, 90)
        shown = world.until("follow", lambda v: v["counts"].get("recordsIn") == 50)
        assert shown["counts"]["batchesMissed"] == 0 and shown["counts"]["batches"] >= 3
        at = [each.id for each in reader.taken if each.id][-1]
        before = len(reader.taken)
        world.apply(view("follow", f"SELECT region, max(amount) AS top FROM `{topic}` GROUP BY region", fast))
        events = reader.until(lambda shown: any(e.type == "snapshot" and e.data["last"] for e in shown[before:]), 180)
        kinds = [each.type for each in events[before:] if each.type != "freshness"]
        swap = kinds.index("generation")
        assert kinds[swap + 1] == "snapshot" and kinds.count("generation") == 1
        assert {row[1] for row in reader.table().values()} == {1} and len(reader.table()) == 13
        numbers = [each.data["generation"] for each in events if each.type != "end"]
        assert numbers == sorted(numbers) and set(numbers) == {1, 2}
    with following(world, "rep", "follow", at) as reader:
        (first,) = reader.until(lambda events: bool(events))
        assert first.type == "snapshot" and "another generation" in first.data["reason"]
        metrics = world.admin.get("/metrics").text
        assert 'weir_view_state{state="running",view="follow"} 1.0' in metrics
        world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: out}\nspec: {roles: [reporting]}\n")
    with following(world, "out", "follow") as reader:
        reader.until(lambda events: bool(events))
        begun = time.monotonic()
        world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: out}\nspec: {roles: []}\n")
        assert reader.over(10)[-1].type == "end" and time.monotonic() - begun < 5


def test_a_rebuild_from_a_time_reads_from_there_and_the_diff_shows_the_rows(world: ViewWorld) -> None:
    topic = world.topic("visits")
    old, new = 1_760_000_000_000, 1_780_000_000_000
    records: list[dict[str, Any]] = [{"id": f"v{n}", "n": n} for n in range(20)]
    world.send(topic, records, [each["id"] for each in records], [old] * 10 + [new] * 10)
    world.scan(topic)
    world.apply(view("visits", f"SELECT id, n FROM `{topic}`", "  key: [id]\n"))
    world.until("visits", lambda v: v.get("rows") == 20 and v["lag"]["records"] == 0)
    shown = world.admin.post("/api/v1/views/visits/diff", json={}).json()
    assert shown["changed"] is False, shown
    spec = {"sql": f"SELECT id, n, n * 2 AS twice FROM `{topic}`", "runAs": {"user": "rep"}, "key": ["id"]}
    shown = world.admin.post("/api/v1/views/visits/diff", json={"spec": spec}).json()
    assert shown["changed"] and [each["name"] for each in shown["columns"] if each["change"] == "added"] == ["twice"]
    assert world.admin.post("/api/v1/views/visits/rebuild?from=2026-01-01T00:00:00Z").status_code == 200
    world.until("visits", lambda v: v["generation"] == 2 and v["building"] is None and v["rows"] == 10)
    serving = world.services[Views]._serving
    world.until("visits", lambda _: len(serving.generations("visits")) == 1)
    assert serving.count("visits", serving.generations("visits")[0]) == 10
