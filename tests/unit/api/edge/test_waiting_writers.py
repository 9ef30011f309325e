"""A writer waits for the record store with no lock of its process in hand, and asks no server while others wait for it.

Each call is watched where it begins to write: a thread that waits there with a lock stops all who need that lock, and one
that asks a server in its transaction stops every writer of every process for as long as the server likes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from api.features.access_reviews.service import AccessReviews
from api.features.topics.group_lags import GroupLags
from api.features.views.failures import ViewFailures
from api.joins.connectors.sync import ConnectorSync
from api.joins.observing import Observing
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.store import SqlCatalogStore
from catalog.datasets.tag_propagation import TagFlow
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.ports import CatalogStore
from catalog.scans.scans import Scans
from catalog.scans.schedules import Schedules
from catalog.search.service import Search
from lineage.producers.catalog import ProducerCatalog
from policies.audit.segments import AuditSegments
from policies.requests.escalations import Escalations
from policies.requests.grant_notices import GrantNotices
from tests.api_world import ApiWorld, MemoryBrokers, world
from tests.lineage_samples import dataset, run
from tests.query_door import GOVERNANCE, ArrowEngine, NoOffsets
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.lineage import MemoryEventLog, MemoryGraph
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler

ROOMS = ("api.", "catalog.", "lineage.", "policies.", "scanners.", "views.")
TWINS = "memory"
"""Modules of twins: their locks are a server's."""
SERVERS = (MemorySearchIndex, MemoryBrokers, MemoryEventLog, MemoryGraph, MemoryOffsets, MemoryRegistry, MemorySampler)


class Watched:
    """A lock that knows which thread has it."""

    of_threads = threading.local()

    def __init__(self, lock: Any, name: str) -> None:
        self._lock, self._name = lock, name

    def acquire(self, *given: Any, **more: Any) -> bool:
        got: bool = self._lock.acquire(*given, **more)
        if got:
            Watched.of_thread().append(self._name)
        return got

    def release(self) -> None:
        names = Watched.of_thread()
        if self._name in names:
            names.remove(self._name)
        self._lock.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    @classmethod
    def of_thread(cls) -> list[str]:
        if not hasattr(cls.of_threads, "names"):
            cls.of_threads.names = []
        names: list[str] = cls.of_threads.names
        return names


def watched(make: Callable[[], Any]) -> Callable[[], Any]:
    def lock() -> Any:
        caller = sys._getframe(1).f_globals["__name__"]
        ours = caller.startswith(ROOMS) and TWINS not in caller
        return Watched(make(), f"{caller}:{sys._getframe(1).f_lineno}") if ours else make()

    return lock


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What occurs at the beginning of writes: locks in hand, and servers that were asked within."""
    met: dict[str, list[str]] = {"locks": [], "servers": [], "writes": []}
    monkeypatch.setattr(threading, "Lock", watched(threading.Lock))
    monkeypatch.setattr(threading, "RLock", watched(threading.RLock))
    begin = Database.begin

    @contextmanager
    def noted(self: Database) -> Iterator[Any]:
        if not self.is_writing:
            met["locks"] += Watched.of_thread()
            met["writes"].append("one")
        with begin(self) as session:
            yield session

    monkeypatch.setattr(Database, "begin", noted)
    return met


def watch_servers(weir: ApiWorld, met: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    store = weir.services[CatalogStore]
    assert isinstance(store, SqlCatalogStore)
    database = store._database

    def asked(kind: type, name: str, call: Any) -> Any:
        def noted(*given: Any, **more: Any) -> Any:
            if database.is_writing:
                met["servers"].append(f"{kind.__name__}.{name}")
            return call(*given, **more)

        return noted

    for kind in SERVERS:
        for name, call in list(vars(kind).items()):
            if not name.startswith("_") and callable(call) and not isinstance(call, (staticmethod, classmethod, type)):
                monkeypatch.setattr(kind, name, asked(kind, name, call))


def everything(weir: ApiWorld) -> None:
    """Each kind of call that writes, as clients and the worker make them."""
    ana, otto, admin = weir.user("ana"), weir.user("otto"), weir.admin
    api = "/api/v1"
    for n in range(2):
        weir.scan(cluster="prod", topics=["orders"])
        events = [
            run(n, ["orders"], [dataset(f"mart{n}")], job="etl", run_id=f"r{n}"),
            run(n, ["a"], ["b"], run_id=f"s{n}"),
        ]
        assert admin.post(f"{api}/lineage/batch", json=events).status_code == 200
        weir.fold()
        sql = "SELECT order_id FROM `prod`.`orders`"
        assert ana.post(f"{api}/query", json={"sql": sql}).status_code == 200
        weir.apply(
            "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\n"
            f"spec: {{tags: [n{n}], owners: [{{user: otto}}], format: {{value: json}}}}\n"
        )
        asked = ana.post(
            f"{api}/access-requests",
            json={"dataset": "prod/orders", "fields": ["value.customer.email"], "purpose": "p", "reason": f"r{n}"},
        )
        assert asked.status_code in (200, 201), asked.text
        decided = otto.post(f"{api}/access-requests/{asked.json()['id']}/approve", json={})
        assert decided.status_code in (200, 403), decided.text
        assert admin.get(f"{api}/reports/where-is", params={"entity": "EMAIL_ADDRESS"}).status_code == 200
        assert admin.get(f"{api}/search", params={"q": "orders"}).status_code == 200
        assert admin.get(f"{api}/audit").status_code == 200
        services = weir.services
        steps = (
            services[Schedules].request_due,
            services[Events].prune,
            services[GrantNotices].step,
            services[Escalations].step,
            services[ViewFailures].step,
            services[ProducerCatalog].realign,
            services[Search].reindex_dirty,
            services[TagFlow].sweep,
            services[Deliveries].step,
            services[AuditSegments].step,
            services[Observing].step,
            services[GroupLags].step,
            services[AccessReviews].duty.step,
            services[ConnectorSync].step,
        )
        for step in steps:
            step()


def test_no_writer_waits_with_a_lock_or_asks_a_server(
    tmp_path: Path, met: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ArrowEngine(pa.table({"order_id": ["O-1"]}))
    with world(tmp_path, engine=engine, window=NoOffsets()) as weir:
        watch_servers(weir, met, monkeypatch)
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        weir.apply(GOVERNANCE)
        everything(weir)
        assert met["servers"] == []
    assert len(met["writes"]) > 30
    assert sorted(set(met["locks"])) == []


def test_a_scan_for_drift_waits_without_a_lock(tmp_path: Path, met: dict[str, list[str]]) -> None:
    from api.wiring.clock import now
    from catalog.scans.drift import DriftScans

    with world(tmp_path) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        drift = DriftScans(weir.services[CatalogStore], weir.services[Scans], now, 0)
        met["locks"].clear()
        assert drift.seen("prod/orders") is not None
        assert met["locks"] == []
