"""What producers report is kept alike in memory, on SQLite and on PostgreSQL."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.report_store import DATASET, RUN, Fact, Subject
from tests.catalog_stores import STORES, catalog_store

USERS = DatasetId("postgres://h:1", "users")
OTHER = DatasetId("hive://h", "users")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


def of(dataset: DatasetId) -> Subject:
    return Subject(DATASET, dataset.namespace, dataset.name)


def fact(key: str, time: int, value: object, dataset: DatasetId = USERS) -> Fact:
    return Fact(of(dataset), key, time, value)


def kept(store: CatalogStore, dataset: DatasetId = USERS) -> list[tuple[str, int, object]]:
    return [(f.key, f.time, f.value) for f in store.facts([of(dataset)]).get(of(dataset), [])]


def test_the_newest_wins_whatever_comes_first(store: CatalogStore) -> None:
    facts = [
        fact("a", 1, {"x": 1}),
        fact("a", 3, {"x": 3}),
        fact("a", 3, {"x": 4}),
        fact("a", 2, None),
        fact("b", 1, []),
    ]
    store.put_facts(facts, 1)
    first = kept(store)
    assert [key for key, _, _ in first] == ["a", "b"] and first[0][1] == 3
    for seed in range(3):
        shuffled = random.Random(seed).sample(facts, len(facts))
        for one in shuffled:
            store.put_facts([Fact(of(OTHER), one.key, one.time, one.value)], 1)
    assert kept(store, OTHER) == first
    store.put_facts(facts, 2)
    assert kept(store) == first, "once more changes nothing"


def test_odd_names_values_and_prefixes(store: CatalogStore) -> None:
    odd = DatasetId("s3://l%_", "x\x00\ud83d\ude00/2024|ü" + "n" * 3000)
    store.put_facts([fact("w@1", 1, {"\x00": "%"}, odd), fact("w%1", 1, 2**40, odd)], 1)
    assert kept(store, odd) == [("w%1", 1, 2**40), ("w@1", 1, {"\x00": "%"})]
    assert [f.key for f in store.facts([of(odd)], "w@")[of(odd)]] == ["w@1"]
    assert [name for name, _ in store.changed_reports(10)] == [odd]


def test_changes_are_settled_once_and_come_again_when_more_changes(store: CatalogStore) -> None:
    store.put_facts([fact("a", 1, {}), fact("a", 1, {}, OTHER)], 1)
    behind = store.changed_reports(10)
    assert {name for name, _ in behind} == {USERS, OTHER} and len(store.changed_reports(1)) == 1
    store.settle_reports({USERS: USERS, OTHER: USERS}, behind)
    assert store.changed_reports(10) == []
    assert store.report_members([USERS, OTHER]) == {USERS: [OTHER, USERS], OTHER: []}
    assert store.report_homes([OTHER, DatasetId("no", "no")]) == {OTHER: USERS}
    assert store.report_namespaces() == {USERS.namespace}
    store.put_facts([fact("a", 2, {})], 1)
    assert [name for name, _ in store.changed_reports(10)] == [USERS]
    store.settle_reports({}, behind)  # an older count
    assert [name for name, _ in store.changed_reports(10)] == [USERS]
    store.settle_reports({}, store.changed_reports(10))
    store.touch_reports(USERS.namespace)
    assert {name for name, _ in store.changed_reports(10)} == {USERS, OTHER}


def test_a_rebuild_replaces_what_was_before_it_and_forgets_the_rest(store: CatalogStore) -> None:
    store.put_facts([fact("a", 9, "read wrongly"), fact("gone", 1, {}), fact("gone", 1, {}, OTHER)], stamp=10)
    store.settle_reports({}, store.changed_reports(10))
    store.put_facts([fact("a", 3, "old"), fact("a", 5, "right")], stamp=21, since=20)
    store.put_facts([fact("a", 4, "older")], stamp=22, since=20)
    assert store.forget_reports(20) == 2
    assert kept(store) == [("a", 5, "right")] and kept(store, OTHER) == []
    assert {name for name, _ in store.changed_reports(10)} == {USERS, OTHER}


def test_facts_of_the_newest_runs_are_kept(store: CatalogStore) -> None:
    job = Subject(RUN, "jobs", "loader")
    store.put_facts([Fact(job, key, n, {"n": n}, f"r{n}") for n in range(5) for key in ("tags", "test")], 1)
    store.forget_runs(job, 9)
    store.forget_runs(job, 2)
    assert [(f.part, f.key) for f in store.facts([job])[job]] == [
        ("r3", "tags"),
        ("r3", "test"),
        ("r4", "tags"),
        ("r4", "test"),
    ]
    assert store.changed_reports(10) == []


def test_a_transaction_that_fails_keeps_no_fact(store: CatalogStore) -> None:
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.put_facts([fact("a", 1, {})], 1)
        raise ZeroDivisionError
    assert kept(store) == [] and store.changed_reports(10) == []
