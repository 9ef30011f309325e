"""The audit chain: what it records, and that no tampering passes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.features.audit.answers import AuditEntries
from catalog.errors import InvalidInput, Unavailable
from policies.audit.log import AuditLog
from policies.audit.ports import AuditEntry, AuditFilter, AuditHead
from policies.audit.text import digest
from tests.twins.policies.stores import MemoryAuditStore
from tests.unit.policies.world import START, World


@pytest.fixture
def world() -> World:
    world = World()
    for number in range(6):
        world.audit.record("ana", "query", "prod/orders", "allow", ["role analyst"], {"rows": number})
        world.sleep(seconds=1)
    return world


def test_an_untouched_chain_holds(world: World) -> None:
    verified = world.audit.verify()
    assert verified.holds and verified.entries == 6 and verified.head_checked
    assert verified.head == AuditHead(verified.head.chain, 6, world.entries.rows[-1].hash)
    assert World().audit.verify().holds


def test_an_entry_has_the_shape_of_the_api(world: World) -> None:
    page = AuditEntries.of(world.audit.list(limit=1)).model_dump()
    entry = page["entries"][0]
    assert (entry["seq"], entry["at"], entry["actor"]) == (6, "2026-06-01T12:00:05Z", "ana")
    assert (entry["action"], entry["target"], entry["decision"]) == ("query", "prod/orders", "allow")
    assert entry["reasons"] == ["role analyst"] and len(entry["hash"]) == 64 and page["next"] == "6"


Tamper = Callable[[MemoryAuditStore], None]


def edit(**change: object) -> Tamper:
    def tamper(store: MemoryAuditStore) -> None:
        store.rows[2] = replace(store.rows[2], **change)  # type: ignore[arg-type]

    return tamper


def edit_and_rehash(store: MemoryAuditStore) -> None:
    changed = replace(store.rows[2], actor="otto")
    store.rows[2] = replace(changed, hash=digest(changed))


def rewrite_all(store: MemoryAuditStore) -> None:
    """The whole tail made again with right hashes, and the noted head with it: only the published one differs."""
    prev = store.rows[1].hash
    for i in range(2, len(store.rows)):
        changed = replace(store.rows[i], actor="otto", prev=prev)
        store.rows[i] = replace(changed, hash=digest(changed))
        prev = store.rows[i].hash
    store.noted = replace(store.noted, hash=prev)


def cut(store: MemoryAuditStore, *, head_too: bool = False) -> None:
    del store.rows[4:]
    if head_too:
        store.noted = replace(store.noted, seq=4, hash=store.rows[-1].hash)


@pytest.mark.parametrize(
    ("tamper", "first_bad", "words"),
    [
        (edit(actor="otto"), 3, "changed"),
        (edit(decision="deny"), 3, "changed"),
        (edit(reasons=()), 3, "changed"),
        (edit(details={}), 3, "changed"),
        (edit(at=START), 3, "changed"),
        (edit(prev="x"), 3, "does not follow"),
        (edit(hash="x"), 3, "changed"),
        (edit_and_rehash, 3, "published"),
        (rewrite_all, 3, "published"),
        (lambda s: s.rows.pop(0), 1, "missing"),
        (lambda s: s.rows.pop(3), 4, "missing"),
        (cut, 5, "missing at the end"),
        (lambda s: cut(s, head_too=True), 5, "missing at the end"),
        (lambda s: s.rows.clear(), 1, "missing at the end"),
        (lambda s: s.rows.append(replace(s.rows[-1], seq=7)), 7, "does not follow"),
    ],
)
def test_tampering_is_found(world: World, tamper: Tamper, first_bad: int, words: str) -> None:
    tamper(world.entries)
    verified = world.audit.verify()
    assert not verified.holds and verified.first_bad == first_bad
    assert words in str(verified.problem)


def test_without_published_heads_the_store_is_still_checked(world: World) -> None:
    world.heads.reachable = False
    verified = world.audit.verify()
    assert verified.holds and not verified.head_checked and "cannot be read" in str(verified.note)
    cut(world.entries)
    assert not world.audit.verify().holds
    alone = AuditLog(world.entries, world.clock)
    assert not alone.verify().holds and "not published" in str(alone.verify().note)


def test_a_chain_begun_anew_is_told_by_its_published_head(world: World) -> None:
    fresh = MemoryAuditStore()
    fresh.noted = AuditHead("another", 0, "")
    verified = AuditLog(fresh, world.clock, world.heads).verify()
    assert not verified.holds and "begun again" in str(verified.problem)


def test_a_head_published_late_does_no_harm(world: World) -> None:
    random.Random(1).shuffle(world.heads.heads)
    assert world.audit.verify().holds


def test_pages_follow_one_another(world: World) -> None:
    seen: list[int] = []
    cursor: str | None = None
    while True:
        page = world.audit.list(cursor=cursor, limit=4)
        seen += [e.seq for e in page.entries]
        cursor = page.next
        if cursor is None:
            break
        world.audit.record("otto", "apply", "Policy x")  # what comes later does not shift the pages
    assert seen == [6, 5, 4, 3, 2, 1]
    with pytest.raises(InvalidInput, match="cursor"):
        world.audit.list(cursor="x'y")


def test_filters(world: World) -> None:
    world.audit.record("otto", "apply", "Policy x", "deny")
    assert [e.seq for e in world.audit.list(AuditFilter(actor="otto")).entries] == [7]
    assert [e.seq for e in world.audit.list(AuditFilter(action="query"), limit=2).entries] == [6, 5]
    since = AuditFilter(since=START + timedelta(seconds=4), until=START + timedelta(seconds=6))
    assert [e.seq for e in world.audit.list(since).entries] == [6, 5]


def test_a_store_that_does_not_answer_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> AuditEntry:
        raise Unavailable("The record store does not answer.")

    monkeypatch.setattr(world.entries, "append", fail)
    with pytest.raises(Unavailable):
        world.audit.record("ana", "query", "prod/orders")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(st.tuples(st.text(), st.text(), st.dictionaries(st.text(), JSON, max_size=3)), min_size=1, max_size=8))
def test_whatever_is_recorded_verifies(entries: list[tuple[str, str, dict[str, object]]]) -> None:
    world = World()
    for actor, target, details in entries:
        world.audit.record(actor, "query", target, "allow", [actor, target], details)
    assert world.audit.verify().holds
    position = len(entries) // 2
    world.entries.rows[position] = replace(world.entries.rows[position], actor=entries[position][0] + "x")
    assert world.audit.verify().first_bad == position + 1
