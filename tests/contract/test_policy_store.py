"""What any `PolicyStore` must do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from catalog.errors import Conflict
from policies.adapters.stores.sql import SqlPolicyStore
from policies.ports import Change, PolicyStore
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.stores import MemoryPolicyStore

T0 = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[PolicyStore]:
    if request.param == "memory":
        yield MemoryPolicyStore()
        return
    with own_database(request.param, request) as database:
        yield SqlPolicyStore(database)


def role(name: str, *, read: str = "prod/*", expect: int | None = None) -> Change:
    return Change("Role", name, {"read": [{"dataset": read}]}, {"team": "a"}, "admin", None, expect)


def test_an_empty_store_holds_nothing(store: PolicyStore) -> None:
    assert store.version(["Role"]) == 0
    assert store.get("Role", "a") is None
    assert store.documents() == [] and store.history("Role", "a") == [] and store.deleted("Role") == frozenset()


def test_a_document_comes_back_as_it_went_in(store: PolicyStore) -> None:
    spec = {"text": "ä\x00\ud800 'x'", "list": [1, 2.5, None, True], "nested": {"a": {}}}
    store.apply([Change("Policy", "p\x00", spec, {"m": 1}, "ana", "label")], T0)
    answer = store.get("Policy", "p\x00")
    assert answer is not None
    assert (answer.spec, answer.metadata, answer.by, answer.label, answer.at) == (spec, {"m": 1}, "ana", "label", T0)


def test_every_change_raises_the_version_of_its_kind_alone(store: PolicyStore) -> None:
    first = store.apply([role("a"), role("b")], T0)
    second = store.apply([Change("User", "ana", {})], T0)
    assert first < second
    assert store.version(["Role"]) == first
    assert store.version(["Role", "User"]) == second
    assert store.version(["Grant"]) == 0
    third = store.apply([Change("Role", "a", None)], T0)
    assert store.version(["Role"]) == third > second


def test_documents_are_listed_by_kind_and_name(store: PolicyStore) -> None:
    store.apply([role("b"), role("B"), role("a"), Change("User", "c", {}, label="x")], T0)
    assert [(d.kind, d.name) for d in store.documents()] == [("Role", "B"), ("Role", "a"), ("Role", "b"), ("User", "c")]
    assert [d.name for d in store.documents("Role")] == ["B", "a", "b"]
    assert [d.name for d in store.documents(label="x")] == ["c"]
    assert store.documents("Role", label="x") == []


def test_a_new_state_replaces_the_old_one_and_its_label(store: PolicyStore) -> None:
    store.apply([Change("AccessRequest", "r", {"n": 1}, label="pending")], T0)
    store.apply([Change("AccessRequest", "r", {"n": 2}, label="approved")], T0)
    assert store.documents("AccessRequest", label="pending") == []
    assert [d.spec for d in store.documents("AccessRequest", label="approved")] == [{"n": 2}]
    assert [d.spec for d in store.history("AccessRequest", "r")] == [{"n": 1}, {"n": 2}]


def test_what_changed_is_given_once_with_its_newest_state(store: PolicyStore) -> None:
    first = store.apply([role("a"), role("b"), Change("User", "ana", {})], T0)
    store.apply([role("a", read="x/2")], T0)
    last = store.apply([Change("Role", "b", None)], T0)
    assert [(d.kind, d.name, d.spec is None) for d in store.changed(["Role", "User"])] == [
        ("User", "ana", False),
        ("Role", "a", False),
        ("Role", "b", True),
    ]
    assert [(d.name, d.spec is None) for d in store.changed(["Role"], first)] == [("a", False), ("b", True)]
    assert store.changed(["Role", "User"], last) == [] and store.changed(["Grant"]) == []


def test_the_past_can_be_read(store: PolicyStore) -> None:
    store.apply([role("a", read="x/1"), role("b")], T0)
    store.apply([role("a", read="x/2")], T0 + timedelta(hours=1))
    store.apply([Change("Role", "a", None)], T0 + timedelta(hours=2))

    def names(at: datetime) -> list[tuple[str, object]]:
        return [(d.name, d.spec and d.spec["read"][0]["dataset"]) for d in store.documents("Role", as_of=at)]

    assert names(T0 - timedelta(seconds=1)) == []
    assert names(T0) == [("a", "x/1"), ("b", "prod/*")]
    assert names(T0 + timedelta(hours=1)) == [("a", "x/2"), ("b", "prod/*")]
    assert names(T0 + timedelta(hours=2)) == [("b", "prod/*")]


def test_what_is_deleted_is_gone_but_remembered(store: PolicyStore) -> None:
    store.apply([role("a")], T0)
    store.apply([Change("Role", "a", None, by="otto")], T0)
    assert store.get("Role", "a") is None and store.documents() == []
    assert store.deleted("Role") == {"a"}
    last = store.history("Role", "a")[-1]
    assert last.spec is None and last.by == "otto"
    store.apply([role("a")], T0)
    assert store.deleted("Role") == frozenset() and store.get("Role", "a") is not None


def test_an_expected_version_that_is_not_there_is_a_conflict(store: PolicyStore) -> None:
    version = store.apply([role("a", expect=0)], T0)
    with pytest.raises(Conflict, match="Role a"):
        store.apply([role("a", expect=0)], T0)
    with pytest.raises(Conflict):
        store.apply([role("a", expect=version + 1)], T0)
    store.apply([role("a", expect=version)], T0)


def test_changes_are_all_made_or_none(store: PolicyStore) -> None:
    version = store.apply([role("a")], T0)
    with pytest.raises(Conflict):
        store.apply([role("new"), role("a", expect=version + 7)], T0)
    assert store.get("Role", "new") is None
    assert store.version(["Role"]) == version


def test_a_transaction_that_fails_leaves_nothing(store: PolicyStore) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.apply([role("a")], T0)
        with store.transaction():
            store.apply([role("b")], T0)
        assert store.get("Role", "b") is not None
        raise RuntimeError
    assert store.documents() == []


def test_of_many_at_once_one_wins(store: PolicyStore) -> None:
    version = store.apply([role("a")], T0)
    won: list[int] = []
    lost: list[int] = []
    barrier = threading.Barrier(6)

    def run(number: int) -> None:
        barrier.wait()
        try:
            store.apply([role("a", read=f"x/{number}", expect=version)], T0)
            won.append(number)
        except Conflict:
            lost.append(number)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and len(lost) == 5
    answer = store.get("Role", "a")
    assert answer is not None and answer.spec == {"read": [{"dataset": f"x/{won[0]}"}]}
