"""Finding audit entries by the people, datasets, fields and grants they are about: any `AuditStore`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, update

from catalog.adapters.sql.database import Database
from policies.adapters.stores.audit import SqlAuditStore
from policies.adapters.stores.tables import AuditNamedRow, AuditNameRow
from policies.audit.ports import AuditEntry, AuditFilter, AuditStore, AuditUse
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.stores import MemoryAuditStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[AuditStore]:
    if request.param == "memory":
        yield MemoryAuditStore()
        return
    with own_database(request.param, request) as opened:
        yield SqlAuditStore(opened)


def add(store: AuditStore, actor: str, action: str = "query", target: str = "prod/orders", **details: Any) -> None:
    def make(seq: int, prev: str) -> AuditEntry:
        at = T0 + timedelta(hours=seq)
        return AuditEntry(seq, at, actor, action, target, "allow", (), details, prev, f"h{seq}")

    store.append(make)


def filled(store: AuditStore) -> AuditStore:
    add(store, "ana", fields={"prod/orders": ["value.customer"]}, grants=["g1"])
    add(
        store,
        "otto",
        fields={"prod/orders": ["value.customer.email"], "prod/pay": ["value.card"]},
        target="prod/orders, prod/pay",
    )
    add(store, "otto", "grant.revoke", grant="g1", users=["ana"])
    add(store, "petra", "classification.review", "prod/pay#value.card")
    return store


def seqs(store: AuditStore, **where: Any) -> list[int]:
    collected = [e.seq for e in store.entries(AuditFilter(**where), None, 10)]
    assert [e.seq for e in store.matching(AuditFilter(**where), 0, 10)] == collected[::-1]
    return collected


def test_entries_are_found_by_what_they_are_about(store: AuditStore) -> None:
    filled(store)
    assert seqs(store, person="ana") == [3, 1] and seqs(store, person="otto") == [3, 2]
    assert seqs(store, dataset="prod/pay") == [4, 2] and seqs(store, grant="g1") == [3, 1]
    assert seqs(store, field="value.customer.email") == [2, 1]
    assert seqs(store, field="value.customer.name") == [1] and seqs(store, field="value.card") == [4, 2]
    assert seqs(store, field="value.card", dataset="prod/orders") == []
    assert seqs(store, field="value", person="otto", action="query") == [2]
    assert seqs(store, action="grant") == [3] and seqs(store, action="gran") == []
    assert seqs(store, person="nobody") == []


def test_a_page_goes_on_where_the_one_before_ended(store: AuditStore) -> None:
    filled(store)
    assert [e.seq for e in store.entries(AuditFilter(person="ana"), 3, 10)] == [1]
    assert [e.seq for e in store.matching(AuditFilter(person="ana"), 1, 1)] == [3]


def test_the_last_use_of_each_name(store: AuditStore) -> None:
    filled(store)
    assert store.uses("grant", ["query"], T0) == [AuditUse("ana", "g1", T0 + timedelta(hours=1))]
    assert [(u.actor, u.name) for u in store.uses("dataset", ["query"], T0 + timedelta(hours=2))] == [
        ("otto", "prod/orders"),
        ("otto", "prod/pay"),
    ]


@pytest.mark.parametrize("kind", STORES[1:])
def test_entries_of_before_the_index_are_indexed_when_they_are_asked_for(
    request: pytest.FixtureRequest, kind: str
) -> None:
    with own_database(kind, request) as opened:
        store = filled(SqlAuditStore(opened))
        _as_before(opened)
        add(store, "ana")
        assert seqs(store, person="ana") == [5]
        assert store.unnamed() == 0 and seqs(store, person="ana") == [5, 3, 1]


def _as_before(opened: Database) -> None:
    with opened.begin() as session:
        session.execute(delete(AuditNameRow))
        session.execute(update(AuditNamedRow).values(done=0, until=4))


def test_an_entry_of_long_names_and_many_fields_is_written_and_found(store: AuditStore) -> None:
    long = "value." + "".join(
        chr(0x4E00 + n % 9999) for n in range(4000)
    )  # too long for a key of PostgreSQL, and not compressible
    add(store, "ana", fields={"prod/orders": [long, *(f"value.a{n}.b.c.d" for n in range(3000))]})
    add(store, "otto", fields={"prod/orders": ["value.n"]})
    assert seqs(store, field=long) == [1] and seqs(store, field="value.a2999.b.c.d", dataset="prod/orders") == [1]
    assert seqs(store, field="value.n") == [2, 1] and seqs(store, field="value.n", dataset="prod/pay") == []
