"""What any record store promises of counts of what people do with datasets; memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from catalog import signals
from catalog.adapters.sql import signals as sql_signals
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord
from tests.catalog_stores import STORES, catalog_store
from tests.twins.catalog import signals as memory_signals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MONTH = timedelta(days=30)
ORDERS, PAYMENTS, CLICKS = (DatasetId("kafka://a:9092", name) for name in ("orders", "payments", "clicks"))


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield filled(kept)


def filled(store: CatalogStore) -> CatalogStore:
    for dataset in (ORDERS, PAYMENTS, CLICKS):
        store.put_dataset(DatasetRecord(dataset, cluster="prod", created_at=NOW))
    return store


def test_clicks_are_counted_by_query_and_dataset(store: CatalogStore) -> None:
    for _ in range(3):
        store.add_click("k1", ORDERS, NOW)
    store.add_click("k1", PAYMENTS, NOW)
    store.add_click("k2", CLICKS, NOW)
    assert store.clicks("k1", NOW) == pytest.approx({ORDERS: 3.0, PAYMENTS: 1.0})
    assert store.clicks("k2", NOW) == pytest.approx({CLICKS: 1.0})
    assert store.clicks("k3", NOW) == {}


def test_half_of_a_click_is_left_after_a_month(store: CatalogStore) -> None:
    store.add_click("k", ORDERS, NOW)
    store.add_click("k", ORDERS, NOW + MONTH)
    assert store.clicks("k", NOW + MONTH) == pytest.approx({ORDERS: 1.5})
    assert store.clicks("k", NOW + 3 * MONTH) == pytest.approx({ORDERS: 0.375})


def test_what_is_unknown_or_deleted_has_no_clicks(store: CatalogStore) -> None:
    store.add_click("k", DatasetId("kafka://a:9092", "nowhere"), NOW)
    for dataset in (ORDERS, PAYMENTS):
        store.add_click("k", dataset, NOW)
    store.put_dataset(DatasetRecord(PAYMENTS, cluster="prod", created_at=NOW, deleted_at=NOW))
    store.delete_dataset(ORDERS)
    assert store.clicks("k", NOW) == {}


def test_the_weakest_clicks_are_forgotten(store: CatalogStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sql_signals, memory_signals):
        monkeypatch.setattr(module, "CLICKS_KEPT", 5)
    for _ in range(2):
        store.add_click("often", ORDERS, NOW)
    store.add_click("old", ORDERS, NOW - 12 * MONTH)
    for number in range(20):
        store.add_click(f"k{number}", PAYMENTS, NOW + timedelta(seconds=number))
    kept = [key for key in ("often", "old", *(f"k{n}" for n in range(20))) if store.clicks(key, NOW)]
    assert len(kept) <= 5 and "often" in kept and "old" not in kept and "k19" in kept


def test_datasets_read_together_count_for_each_other(store: CatalogStore) -> None:
    store.add_together([ORDERS, PAYMENTS], NOW - MONTH)
    store.add_together([ORDERS, PAYMENTS, CLICKS, DatasetId("x", "nowhere")], NOW)
    scores = store.together(ORDERS, NOW)
    assert {dataset: each.queries for dataset, each in scores.items()} == {PAYMENTS: 2, CLICKS: 1}
    assert scores[PAYMENTS].weight == pytest.approx(1.5)
    assert {dataset: each.queries for dataset, each in store.together(CLICKS, NOW).items()} == {ORDERS: 1, PAYMENTS: 1}


def test_counts_move_with_a_dataset_and_go_with_it(store: CatalogStore) -> None:
    store.add_click("k", ORDERS, NOW)
    store.add_together([ORDERS, PAYMENTS], NOW)
    store.rename_namespace("kafka://a:9092", "kafka://b:9092")
    orders, payments = (DatasetId("kafka://b:9092", each.name) for each in (ORDERS, PAYMENTS))
    assert list(store.clicks("k", NOW)) == [orders]
    assert list(store.together(orders, NOW)) == [payments]
    store.delete_dataset(payments)
    assert store.together(orders, NOW) == {}
    assert store.together(payments, NOW) == {}


def test_a_failed_transaction_counts_nothing(store: CatalogStore) -> None:
    with pytest.raises(ValueError), store.transaction():
        store.add_click("k", ORDERS, NOW)
        store.add_together([ORDERS, PAYMENTS], NOW)
        raise ValueError
    assert (store.clicks("k", NOW), store.together(ORDERS, NOW)) == ({}, {})


def test_scores_order_counts_alike_at_every_moment() -> None:
    twice = signals.added(signals.added(None, NOW), NOW)
    once_later = signals.added(None, NOW + timedelta(days=20))
    for at in (NOW, NOW + 2 * MONTH, NOW + 40 * MONTH):
        assert (signals.weight(twice, at) > signals.weight(once_later, at)) is (twice > once_later)
