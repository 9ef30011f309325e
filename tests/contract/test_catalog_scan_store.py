"""What any record store promises of scans and of where they are."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from catalog.ports import CatalogStore
from catalog.scan_store import ScanPosition, ScanRecord, ScanState
from tests.catalog_records import NOW, put
from tests.catalog_samples import ORDERS
from tests.catalog_stores import STORES, catalog_store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


def scan(scan_id: str, minutes: int = 0, state: ScanState = ScanState.QUEUED) -> ScanRecord:
    return ScanRecord(scan_id, state, {"cluster": scan_id, "topics": ["a.*"]}, NOW + timedelta(minutes=minutes))


def test_scans_are_claimed_once_oldest_first(store: CatalogStore) -> None:
    store.put_scan(scan("b", 1))
    store.put_scan(scan("a", 0))
    store.put_scan(scan("c", -1, ScanState.DONE))
    before = NOW - timedelta(minutes=5)
    first = store.claim_scan("w1", NOW, before)
    assert first is not None
    assert (first.id, first.state, first.worker, first.started_at) == ("a", ScanState.RUNNING, "w1", NOW)
    second = store.claim_scan("w2", NOW, before)
    assert second is not None and second.id == "b"
    assert store.claim_scan("w3", NOW, before) is None
    assert [s.id for s in store.scans(10)] == ["b", "a", "c"] and [s.id for s in store.scans(1, 1)] == ["a"]


def test_a_scan_whose_worker_fell_silent_is_claimed_again(store: CatalogStore) -> None:
    store.put_scan(scan("a"))
    store.claim_scan("w1", NOW, NOW - timedelta(minutes=1))
    later = NOW + timedelta(minutes=2)
    again = store.claim_scan("w2", later, later - timedelta(minutes=1))
    assert again is not None and (again.worker, again.started_at, again.heartbeat_at) == ("w2", NOW, later)


def test_scans_of_one_topic_do_not_run_over_each_other(store: CatalogStore) -> None:
    def asked(scan_id: str, minutes: int, cluster: str, *topics: str, by: str | None = None) -> None:
        request = {"cluster": cluster, "topics": list(topics)}
        store.put_scan(replace(scan(scan_id, minutes), request=request, requested_by=by))

    asked("all", 0, "prod", "*", by="schedule:prod")
    asked("one", 1, "prod", "orders")
    asked("other", 2, "test", "orders")
    asked("again", 3, "prod", "*", by="schedule:prod")

    def claim(at: timedelta = timedelta()) -> str | None:
        got = store.claim_scan("w", NOW + at, NOW + at - timedelta(minutes=1))
        return got.id if got else None

    assert [claim(), claim(), claim()] == ["all", "other", None]
    store.update_scan("all", {"state": ScanState.DONE})
    asked("two", 4, "prod", "payments")
    assert [claim(), claim(), claim()] == ["one", "two", None]
    newest = store.last_scan("schedule:prod")
    assert newest is not None and newest.id == "again" and store.last_scan("nobody") is None
    assert claim(timedelta(minutes=5)) == "one", "a silent worker's scan is taken before those that wait for it"


def test_a_scan_is_changed_in_parts(store: CatalogStore) -> None:
    store.put_scan(scan("a"))
    store.update_scan("a", {"cancel_requested": True})
    changed = store.update_scan("a", {"progress": 0.5, "datasets": ({"name": "x"},), "state": ScanState.CANCELLED})
    assert changed == store.scan("a")
    assert changed is not None and changed.cancel_requested and changed.datasets == ({"name": "x"},)
    assert changed.state is ScanState.CANCELLED
    assert store.update_scan("none", {"progress": 1.0}) is None and store.scan("none") is None


def test_many_workers_never_share_a_scan(store: CatalogStore) -> None:
    for n in range(20):
        store.put_scan(scan(f"s{n:02}", n))
    claimed: list[str] = []

    def work(worker: str) -> None:
        while (got := store.claim_scan(worker, NOW, NOW - timedelta(hours=1))) is not None:
            claimed.append(got.id)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == [f"s{n:02}" for n in range(20)]


def test_positions_are_kept_by_partition(store: CatalogStore) -> None:
    put(store)
    store.put_positions(ORDERS, [ScanPosition(1, 5), ScanPosition(0, 2**40, {"ranges": [[0, 5]]})])
    store.put_positions(ORDERS, [ScanPosition(1, 9)])
    assert store.positions(ORDERS) == [ScanPosition(0, 2**40, {"ranges": [[0, 5]]}), ScanPosition(1, 9)]
