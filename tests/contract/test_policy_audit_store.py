"""What any `AuditStore` must do."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from catalog.adapters.sql.database import Database
from policies.adapters.stores.audit import SqlAuditStore
from policies.adapters.stores.sql import SqlPolicyStore
from policies.audit.log import AuditLog
from policies.audit.ports import AuditEntry, AuditFilter, AuditHead, AuditStore
from policies.ports import Change
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.stores import MemoryAuditStore

T0 = datetime(2026, 1, 1, 0, 0, 0, 5, tzinfo=UTC)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[AuditStore]:
    if request.param == "memory":
        yield MemoryAuditStore()
        return
    with own_database(request.param, request) as database:
        yield SqlAuditStore(database)


def add(store: AuditStore, actor: str = "ana", action: str = "query", at: datetime = T0, **more: object) -> AuditEntry:
    def make(seq: int, prev: str) -> AuditEntry:
        return AuditEntry(seq, at, actor, action, "prod/orders", "allow", ("a", "ü"), more, prev, f"h{seq}")

    return store.append(make)


def test_entries_count_from_one_and_name_the_one_before(store: AuditStore) -> None:
    assert store.head().seq == 0 and store.head().hash == ""
    first, second = add(store), add(store)
    assert (first.seq, first.prev, second.seq, second.prev) == (1, "", 2, "h1")
    head = store.head()
    assert (head.seq, head.hash) == (2, "h2") and head.chain


def test_an_entry_comes_back_as_it_went_in(store: AuditStore) -> None:
    given = add(store, rows=3, share=0.25, text="\x00'\ud800", none=None, at=T0 + timedelta(microseconds=1))
    assert store.chain(0, 10) == [given]
    assert store.entries(AuditFilter(), None, 10) == [given]


def test_entries_are_read_newest_first_and_the_chain_oldest_first(store: AuditStore) -> None:
    for _ in range(5):
        add(store)
    assert [e.seq for e in store.entries(AuditFilter(), None, 2)] == [5, 4]
    assert [e.seq for e in store.entries(AuditFilter(), 4, 2)] == [3, 2]
    assert [e.seq for e in store.chain(0, 3)] == [1, 2, 3]
    assert [e.seq for e in store.chain(3, 9)] == [4, 5]


def test_entries_can_be_filtered(store: AuditStore) -> None:
    add(store, "ana", "query")
    add(store, "otto", "query", T0 + timedelta(hours=1))
    add(store, "ana", "apply", T0 + timedelta(hours=2))

    def seqs(**where: object) -> list[int]:
        return [e.seq for e in store.entries(AuditFilter(**where), None, 10)]  # type: ignore[arg-type]

    assert seqs(actor="ana") == [3, 1]
    assert seqs(actor="ana", action="query") == [1]
    assert seqs(target="prod/orders", decision="allow") == [3, 2, 1]
    assert seqs(decision="deny") == [] and seqs(target="prod/x") == []
    assert seqs(since=T0 + timedelta(hours=1)) == [3, 2]
    assert seqs(until=T0 + timedelta(hours=1)) == [1]


def test_entries_of_some_actions_can_be_left_out(store: AuditStore) -> None:
    for action in ("query", "query.check", "query.checked", "grant.revoke"):
        add(store, action=action)

    def seen(*without: str, action: str | None = None) -> list[str]:
        return [each.action for each in store.entries(AuditFilter(without=without, action=action), None, 9)]

    assert seen("query.check") == ["grant.revoke", "query.checked", "query"]
    assert seen("query") == ["grant.revoke"]
    assert seen("query.check", "grant", action="query") == ["query.checked", "query"]


def test_the_head_is_told_once_the_entry_is_there(store: AuditStore) -> None:
    heads: list[AuditHead] = []
    store.append(lambda seq, prev: AuditEntry(seq, T0, "a", "b", "c", "allow", (), {}, prev, "x"), heads.append)
    assert [(h.seq, h.hash) for h in heads] == [(1, "x")] and heads[0] == store.head()


def test_an_entry_that_cannot_be_made_leaves_nothing(store: AuditStore) -> None:
    def fail(seq: int, prev: str) -> AuditEntry:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.append(fail)
    assert add(store).seq == 1


def test_threads_write_one_chain(store: AuditStore) -> None:
    log = AuditLog(store, lambda: T0)
    threads = [
        threading.Thread(target=lambda n=n: [log.record(f"u{n}", "query", "t") for _ in range(10)]) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.verify().holds and log.verify().entries == 40


@pytest.fixture(params=["sqlite", "postgresql"])
def shared(request: pytest.FixtureRequest) -> Iterator[Database]:
    with own_database(request.param, request) as database:
        yield database


def _write(url: str, count: int) -> None:
    other = Database(url)
    log = AuditLog(SqlAuditStore(other), lambda: T0)
    for _ in range(count):
        log.record("someone", "query", "prod/orders", details={"n": 1})
    other.close()


@pytest.mark.sampled(1)
def test_processes_write_one_chain(shared: Database) -> None:
    context = multiprocessing.get_context("spawn")
    url = shared.url.render_as_string(hide_password=False)
    writers = [context.Process(target=_write, args=(url, 25)) for _ in range(3)]
    for writer in writers:
        writer.start()
    _write(url, 25)
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    verified = AuditLog(SqlAuditStore(shared), lambda: T0).verify()
    assert verified.holds and verified.entries == 100


def test_a_transaction_that_fails_takes_its_entry_along_and_tells_no_head(shared: Database) -> None:
    audit, documents = SqlAuditStore(shared), SqlPolicyStore(shared)
    heads: list[AuditHead] = []

    def make(seq: int, prev: str) -> AuditEntry:
        return AuditEntry(seq, T0, "a", "b", "c", "allow", (), {}, prev, "x")

    with pytest.raises(RuntimeError), documents.transaction():
        documents.apply([Change("Role", "a", {})], T0)
        audit.append(make, heads.append)
        raise RuntimeError
    assert heads == [] and audit.head().seq == 0 and audit.chain(0, 9) == [] and documents.documents() == []
    with documents.transaction():
        audit.append(make, heads.append)
        assert heads == []
    assert [h.seq for h in heads] == [1]
