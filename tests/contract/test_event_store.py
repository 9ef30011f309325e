"""What the outbox of any record store promises; tested with the memory twin, SQLite and PostgreSQL alike."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from catalog.event_model import DeliveryState, Event, EventFilter
from catalog.ports import CatalogStore
from tests.catalog_stores import STORES, catalog_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


def event(n: int = 0, kind: str = "weir.schema.changed", subject: str = "prod/orders") -> Event:
    return Event(f"id-{n}", kind, subject, NOW + timedelta(minutes=n), {"n": n, "odd": "a\x00b"})


def test_events_come_back_in_order_and_as_they_were(store: CatalogStore) -> None:
    kept = [store.add_event(event(n)) for n in range(5)]
    assert [e.seq for e in kept] == sorted({e.seq for e in kept})
    assert store.events(EventFilter(), 3) == kept[:1:-1]
    assert store.events(EventFilter(after=kept[1].seq), 2) == kept[2:4]
    assert store.newest_event() == kept[-1].seq
    assert store.count_events(kept[2].seq) == 2
    assert store.event_before(NOW + timedelta(minutes=2)) == kept[1].seq
    assert store.event_before(NOW) == 0


def test_filters(store: CatalogStore) -> None:
    store.add_event(event(0))
    store.add_event(event(1, "weir.scan.failed", "abc"))
    store.add_event(event(2, "weir.access.denied", "prod/orders"))
    store.add_event(event(3, "weir.schema.changed", "prod/pay[1]"))

    def found(**where: object) -> list[str]:
        return [e.id for e in store.events(EventFilter(**where), 100)]  # type: ignore[arg-type]

    assert found(types=("schema.*",)) == ["id-3", "id-0"]
    assert found(types=("scan.failed", "weir.access.*")) == ["id-2", "id-1"]
    assert found(subject="prod/*") == ["id-3", "id-2", "id-0"]
    assert found(since=NOW + timedelta(minutes=2)) == ["id-3", "id-2"]
    assert found(open_only=True) == ["id-3", "id-1", "id-0"]
    assert found(types=("schema.changed",), subject="prod/orders", after=0) == ["id-0"]


def test_more_than_a_page_is_searched(store: CatalogStore) -> None:
    with store.transaction():
        store.add_event(event(0, "weir.scan.failed"))
        for n in range(1, 1200):
            store.add_event(event(n))
    assert [e.id for e in store.events(EventFilter(types=("scan.*",)), 10)] == ["id-0"]
    assert len(store.events(EventFilter(after=0), 1100)) == 1100


def test_an_event_of_a_transaction_that_failed_never_was(store: CatalogStore) -> None:
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.add_event(event(1))
        raise ZeroDivisionError
    assert store.events(EventFilter(), 10) == []


def test_pruning_counts_what_a_receiver_missed(store: CatalogStore) -> None:
    kept = [store.add_event(event(n)) for n in range(10)]
    store.put_delivery(DeliveryState("slow", position=kept[1].seq))
    store.put_delivery(DeliveryState("quick", position=kept[9].seq))
    assert store.prune_events(NOW, keep=100) == 0
    assert store.prune_events(NOW, keep=6) == 4
    slow = store.delivery("slow")
    assert slow is not None and (slow.dropped, slow.position) == (2, kept[3].seq)
    assert store.prune_events(NOW + timedelta(minutes=6), keep=100) == 2
    slow, quick = store.delivery("slow"), store.delivery("quick")
    assert slow is not None and (slow.dropped, slow.position) == (4, kept[5].seq)
    assert quick is not None and (quick.dropped, quick.position) == (0, kept[9].seq)
    assert [e.id for e in store.events(EventFilter(after=0), 100)] == ["id-6", "id-7", "id-8", "id-9"]


def test_a_seq_is_never_given_twice(store: CatalogStore) -> None:
    last = [store.add_event(event(n)) for n in range(3)][-1]
    store.prune_events(NOW + timedelta(days=1), keep=10)
    assert store.add_event(event(4)).seq > last.seq


def test_one_worker_at_a_time_has_a_receiver(store: CatalogStore) -> None:
    store.put_delivery(DeliveryState("kafka"))
    taken: list[str] = []

    def take(worker: str) -> None:
        if store.claim_delivery("kafka", worker, NOW, NOW + timedelta(seconds=60)) is not None:
            taken.append(worker)

    threads = [threading.Thread(target=take, args=(f"w{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 1
    later = NOW + timedelta(seconds=61)
    assert store.claim_delivery("kafka", "other", later, later + timedelta(seconds=60)) is not None
    assert store.claim_delivery("nobody", "other", later, later) is None


def test_a_receiver_is_left_alone_until_its_next_try(store: CatalogStore) -> None:
    state = DeliveryState(
        "webhook:a", failures=3, failed_at=NOW, next_try_at=NOW + timedelta(seconds=5), problem="answered 500"
    )
    store.put_delivery(state)
    assert store.deliveries() == [state]
    assert store.claim_delivery("webhook:a", "w", NOW, NOW) is None
    assert store.claim_delivery("webhook:a", "w", NOW + timedelta(seconds=5), NOW) is not None
    store.forget_delivery("webhook:a")
    assert store.deliveries() == []
