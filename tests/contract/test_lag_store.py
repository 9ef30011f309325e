"""What any record store promises of lag over time and of saved queries; memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from catalog.errors import Conflict
from catalog.lags import GroupLag
from catalog.ports import CatalogStore
from catalog.saved_queries import SavedQuery
from tests.catalog_stores import STORES, catalog_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


def lag(n: int, group: str = "g", topic: str = "orders", cluster: str = "prod") -> GroupLag:
    return GroupLag(cluster, topic, group, n)


def test_samples_come_back_by_group_in_order(store: CatalogStore) -> None:
    store.add_lags([lag(5), lag(7, "h"), lag(9, topic="other"), lag(1, cluster="eu")], NOW)
    store.add_lags([lag(3)], NOW - MINUTE)
    store.add_lags([], NOW)
    assert store.lags("prod", "orders", NOW - MINUTE) == {"g": [(NOW - MINUTE, 3), (NOW, 5)], "h": [(NOW, 7)]}
    assert store.lags("prod", "orders", NOW) == {"g": [(NOW, 5)], "h": [(NOW, 7)]}
    assert store.lags("prod", "nothing", NOW - MINUTE) == {}


def test_a_second_sample_of_a_moment_replaces_the_first(store: CatalogStore) -> None:
    store.add_lags([lag(5), lag(6)], NOW)
    store.add_lags([lag(2**40)], NOW)
    assert store.lags("prod", "orders", NOW) == {"g": [(NOW, 2**40)]}


def test_names_may_have_any_character(store: CatalogStore) -> None:
    store.add_lags([lag(1, "a\x00'b/ü", "Orders"), lag(2, "A\x00'b/ü", "orders")], NOW)
    assert store.lags("prod", "Orders", NOW) == {"a\x00'b/ü": [(NOW, 1)]}


def test_old_samples_are_forgotten_by_age_and_by_number(store: CatalogStore) -> None:
    for n in range(10):
        store.add_lags([lag(n), lag(n, "h")], NOW + n * MINUTE)
    assert store.forget_lags(NOW + 2 * MINUTE, 1000) == 4
    assert store.forget_lags(NOW, 1000) == 0
    assert store.forget_lags(NOW, 16) == 0
    assert store.forget_lags(NOW, 7) == 10  # three moments of two stay: of the fourth there is no room for both
    assert [n for _, n in store.lags("prod", "orders", NOW)["g"]] == [7, 8, 9]
    assert store.forget_lags(NOW, 0) == 6
    assert store.lags("prod", "orders", NOW) == {}


def test_the_newest_sample_of_each_group_and_topic(store: CatalogStore) -> None:
    older = [GroupLag("prod", "orders", "billing", 9), GroupLag("prod", "clicks", "audience", 4)]
    store.add_lags(older, NOW - MINUTE)
    store.add_lags([GroupLag("prod", "orders", "billing", 2)], NOW)
    store.add_lags([GroupLag("prod", "orders", "gone", 1)], NOW - 60 * MINUTE)
    newest = store.newest_lags(NOW - 5 * MINUTE)
    assert newest == [GroupLag("prod", "clicks", "audience", 4), GroupLag("prod", "orders", "billing", 2)]
    assert store.newest_lags(NOW + MINUTE) == []


def query(name: str, owner: str = "ana", id: str | None = None) -> SavedQuery:
    return SavedQuery(id or uuid4().hex, owner, name, "SELECT 1 FROM prod.orders", NOW, NOW)


def test_queries_are_kept_under_their_ids_those_that_changed_last_first(store: CatalogStore) -> None:
    full = replace(
        query("full"),
        purpose="fraud",
        description="d",
        shared={"users": ["otto"]},
        chart={"kind": "bar"},
        updated_at=NOW + MINUTE,
    )
    plain = query("plain")
    store.put_saved_query(plain)
    store.put_saved_query(full)
    assert store.saved_queries("ana") == [full, plain]
    assert store.saved_query(full.id) == full
    assert store.saved_query("no such") is None
    store.put_saved_query(replace(full, sql="SELECT 2", shared={}))
    assert store.saved_query(full.id) == replace(full, sql="SELECT 2", shared=None)
    store.delete_saved_query(full.id)
    store.delete_saved_query(full.id)
    assert store.saved_queries("ana") == [plain]


def test_a_name_is_one_owners_once(store: CatalogStore) -> None:
    first = query("orders")
    store.put_saved_query(first)
    store.put_saved_query(query("orders", "otto"))
    store.put_saved_query(query("Orders"))
    with pytest.raises(Conflict, match="another name"):
        store.put_saved_query(query("orders"))
    store.put_saved_query(first)
    assert {(each.owner, each.name) for each in store.saved_queries("ana")} == {("ana", "orders"), ("ana", "Orders")}


def test_what_others_share_is_listed_and_what_they_do_not_is_not(store: CatalogStore) -> None:
    store.put_saved_query(query("own"))
    store.put_saved_query(query("hidden", "otto"))
    store.put_saved_query(replace(query("shown", "otto"), shared={"everyone": True}))
    assert {each.name for each in store.saved_queries("ana")} == {"own", "shown"}


def test_who_a_query_opens_to() -> None:
    mine = query("q")
    assert mine.opens_to("ana", [])
    assert not mine.opens_to("otto", ["team"])
    assert replace(mine, shared={"groups": ["team"]}).opens_to("otto", ["team"])
    assert replace(mine, shared={"users": ["otto"]}).opens_to("otto", [])
    assert not replace(mine, shared={"users": ["otto"]}).opens_to("Otto", [])
    assert replace(mine, shared={"everyone": True}).opens_to("eve", [])
