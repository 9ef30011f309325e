"""A person whom the directory deactivates is cut within 5 seconds: a query, a live query, a view, sign-ins, decisions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from api.wiring.duties import Duties
from policies.access.directory import DirectoryPeople
from tests.api_world import ApiWorld, orders, world
from tests.features.queries.test_rights_while_running import SlowEngine
from tests.scim_world import Directory
from tests.twins.views import MemoryServingTable, MemoryViewStates
from tests.view_twins import Fate, TwinStreams, TwinTopics, rows
from tests.waiting import until

CUT_S = 5.0
BASE = """
apiVersion: weir/v1
kind: DirectoryRights
metadata: {name: company}
spec: {adopt: [ana, otto]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/orders"}], seesUnscanned: true}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: View
metadata: {name: clean}
spec: {sql: "SELECT order_id, region FROM prod.orders", key: [order_id], runAs: {user: ana}}
"""


class Running:
    """A world in which ana, whom the directory keeps, has a query, a live query and a view."""

    def __init__(self, folder: Path) -> None:
        fate = Fate()
        self.topics = TwinTopics(fate)
        self.topics.records["orders"] = rows({"order_id": f"O-{n}", "region": "EU"} for n in range(3))
        self.topics.begins["orders"] = 0
        self.streams = TwinStreams(fate, self.topics, columns_of=(("order_id", "string"), ("region", "string")))
        self.engine, self.serving = SlowEngine(), MemoryServingTable()
        self._context = world(
            folder,
            {"orders": orders(20)},
            engine=self.engine,
            window=self.engine,
            streams=self.streams,
            view_topics=self.topics,
            serving=self.serving,
            view_states=MemoryViewStates(),
        )
        self.weir: ApiWorld = self._context.__enter__()
        self.weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        self.weir.apply(BASE)
        self.directory = Directory(self.weir)
        self.ana = self.directory.user("ana")
        self._stop = threading.Event()
        self._runner = threading.Thread(
            target=self.weir.services[Duties].view_runner().run, args=(self._stop,), daemon=True
        )
        self._runner.start()
        self.pool = ThreadPoolExecutor(4)

    def close(self) -> None:
        self._stop.set()
        self.engine.go.set()
        self._runner.join(20)
        self._context.__exit__(None, None, None)

    def view(self) -> dict[str, Any]:
        view: dict[str, Any] = self.weir.admin.get("/api/v1/views/clean").json()
        return view

    def asks(self, client: Any, path: str, **more: Any) -> Future[Any]:
        """A request that runs, answered with (status, text, when it ended)."""

        def ask() -> tuple[int, str, float]:
            answer = client.request("GET" if path.endswith("stream") else "POST", path, **more)
            return answer.status_code, answer.text, time.monotonic()

        return self.pool.submit(ask)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path)
    try:
        yield running
    finally:
        running.close()


def awaited(holds: Callable[[], bool], what: str, seconds: float = 60) -> float:
    """When that was so."""
    until(holds, what, seconds)
    return time.monotonic()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", ["deactivated", "removed", "elsewhere"])
def test_query_live_query_and_view_are_cut(there: Running, how: str) -> None:
    weir, client = there.weir, there.weir.user("ana")
    if how == "elsewhere":  # the change is there in another process: only what decides again can see it
        weir.services[DirectoryPeople]._offboarding.stop_queries = lambda user, why: 0
    live = there.asks(client, "/api/v1/query/stream", params={"sql": "SELECT order_id FROM prod.orders EMIT CHANGES"})
    assert there.engine.started.wait(30), live.exception(0) if live.done() else "the live query"
    there.engine.started.clear()
    query = there.asks(client, "/api/v1/query", json={"sql": "SELECT order_id FROM prod.orders"})
    assert there.engine.started.wait(30), query.result(0) if query.done() else "the query"
    awaited(lambda: any(each.alive for each in there.streams.running), f"the view: {there.view()}")
    begun = time.monotonic()
    if how == "removed":
        assert there.directory.call("DELETE", f"/Users/{there.ana}").status_code == 204
    else:
        there.directory.deactivate(there.ana)
    answered = time.monotonic()
    assert client.get("/api/v1/me").status_code == 401
    refused = time.monotonic()
    view = awaited(lambda: not any(each.alive for each in there.streams.running), "the view's stream")
    (status, text, query_end), (_, events, live_end) = query.result(30), live.result(30)
    assert status == 401 and ("User ana was" in text or "The directory" in text), text
    assert "event: end" in events and "not_signed_in" in events, events
    failed = awaited(lambda: there.view()["state"] == "failed", "the view's state")
    assert "ana was deactivated by the directory" in str(there.view()) or how == "removed", there.view()
    times = {
        "answer": answered,
        "new request": refused,
        "query": query_end,
        "live query": live_end,
        "view": view,
        "view failed": failed,
    }
    shown = {name: round(at - begun, 2) for name, at in times.items()}
    print(how, shown)
    assert all(seconds < CUT_S for seconds in shown.values()), shown


def test_what_waited_for_a_person_goes_to_others(there: Running) -> None:
    weir, directory = there.weir, there.directory
    otto = directory.user("otto")
    asked = weir.user("petra").post(
        "/api/v1/access-requests", json={"dataset": "prod/orders", "purpose": "analysis", "fields": ["*"]}
    )
    assert asked.status_code == 201, asked.text
    waits = weir.admin.get("/api/v1/access-requests?toDecide=true").json()["requests"]
    assert weir.user("otto").get("/api/v1/access-requests?toDecide=true").json()["requests"]
    assert not [each for each in waits if each["id"] == asked.json()["id"]]
    directory.deactivate(otto)
    waits = weir.admin.get("/api/v1/access-requests?toDecide=true").json()["requests"]
    assert [each["id"] for each in waits] == [asked.json()["id"]]
    audit = weir.admin.get("/api/v1/audit", params={"action": "request.readdress"}).json()["entries"]
    assert len(audit) == 1 and audit[0]["reasons"] == ["otto is gone"]
    assert weir.admin.post(f"/api/v1/access-requests/{asked.json()['id']}/approve", json={}).status_code == 200
