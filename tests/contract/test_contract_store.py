"""What any record store promises of checks and breaches of contracts; memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from catalog import contract_store
from catalog.contract_store import MOST_BREACHES, ContractBreach, ContractCheck
from catalog.ports import CatalogStore
from tests.catalog_stores import STORES, catalog_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLACE = {"time": None, "partition": 3, "offset": 2**40}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


def breach(
    id: str, contract: str = "c", dataset: str = "prod/orders", rule: str = "r", **more: object
) -> ContractBreach:
    return replace(ContractBreach(id, contract, dataset, rule, "text", "reason", NOW, NOW), **more)  # type: ignore[arg-type]


def test_a_check_is_replaced_and_found_by_its_dataset(store: CatalogStore) -> None:
    waiting = ContractCheck("c\x00'/ü", "prod/orders", {})
    done = replace(waiting, results={"r": {"state": "holds", "first": PLACE}}, checked_at=NOW, version=2)
    other = ContractCheck("b", "prod/other", {})
    for each in (waiting, done, other):
        store.put_contract_check(each)
    assert store.contract_checks() == [other, done]
    assert store.contract_checks("b") == [other]
    assert store.contract_checks_of(["prod/orders", "nothing"]) == [done]
    assert store.contract_checks_of([]) == []
    store.forget_contract("b")
    assert store.contract_checks() == [done]


def test_a_breach_lasts_until_it_ends(store: CatalogStore) -> None:
    lasting = breach("1", count=7, share=0.25, first=PLACE, last={**PLACE, "offset": 2**41})
    store.put_contract_breach(lasting)
    store.put_contract_breach(lasting)
    store.put_contract_breach(breach("2", rule="q", dataset="prod/other"))
    assert store.open_contract_breaches("c", "prod/orders") == {"r": lasting}
    ended = replace(lasting, ended_at=NOW + timedelta(hours=1))
    store.put_contract_breach(ended)
    assert store.open_contract_breaches("c", "prod/orders") == {}
    assert [each.id for each in store.contract_breaches("c", 10)] == ["2", "1"]
    assert store.contract_breaches("c", 1)[0].ended_at is None
    store.forget_contract("c", ["prod/other"])
    assert store.contract_breaches("c", 10) == [ended]
    store.forget_contract("c")
    assert store.contract_breaches("c", 10) == []


def test_of_ended_breaches_the_newest_stay_and_those_that_last_are_all_kept(
    store: CatalogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_BREACHES == 500
    for module in ("catalog.adapters.sql.contracts", "tests.twins.catalog.contracts"):
        monkeypatch.setattr(f"{module}.MOST_BREACHES", 5)
    with store.transaction():
        for n in range(4):
            store.put_contract_breach(breach(f"open {n}", rule=f"open {n}"))
        for n in range(9):
            store.put_contract_breach(breach(f"{n}", ended_at=NOW + timedelta(minutes=n)))
    kept = store.contract_breaches("c", 100)
    assert [each.id for each in kept] == ["open 0", "open 1", "open 2", "open 3", "8", "7", "6", "5", "4"]
    assert contract_store.breach_order(kept[0]) < contract_store.breach_order(kept[-1])


def test_checks_are_rolled_back_with_their_transaction(store: CatalogStore) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.put_contract_check(ContractCheck("c", "prod/orders", {}))
        store.put_contract_breach(breach("1"))
        raise RuntimeError
    assert store.contract_checks() == []
    assert store.contract_breaches("c", 10) == []
