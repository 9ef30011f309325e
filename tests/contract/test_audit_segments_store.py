"""What any `SegmentStore` and `ShippingStore` must do, beside the entries they are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from policies.adapters.signing import Ed25519Signer, verified
from policies.adapters.stores.audit import SqlAuditStore
from policies.adapters.stores.audit_segments import SqlSegmentStore, SqlShippingStore
from policies.audit.log import AuditLog
from policies.audit.ports import AuditFilter, AuditStore, Removal, Segment, SegmentStore, Shipping, ShippingStore
from policies.audit.seals import Trust
from policies.audit.segments import AuditSegments
from policies.audit.verify import Seals
from policies.settings import PolicySettings
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.segments import MemorySegmentStore, MemoryShippingStore
from tests.twins.policies.stores import MemoryAuditStore

T0 = datetime(2026, 1, 1, 0, 0, 0, 5, tzinfo=UTC)
SIGNER = Ed25519Signer(lambda: b"ours")


@dataclass
class Stores:
    audit: AuditStore
    segments: SegmentStore
    shipping: ShippingStore


@pytest.fixture(params=STORES)
def stores(request: pytest.FixtureRequest) -> Iterator[Stores]:
    if request.param == "memory":
        audit = MemoryAuditStore()
        yield Stores(audit, MemorySegmentStore(audit), MemoryShippingStore())
        return
    with own_database(request.param, request) as opened:
        yield Stores(SqlAuditStore(opened), SqlSegmentStore(opened), SqlShippingStore(opened))


def segment(number: int, first: int, last: int) -> Segment:
    return Segment(number, "c", first, last, T0, T0 + timedelta(seconds=1), "b", "h", "p", T0, "k\x00é", "s")


def test_seals_come_back_in_order_and_each_number_once(stores: Stores) -> None:
    noted: list[int] = []
    assert stores.segments.add(segment(2, 11, 20), lambda: noted.append(2))
    assert stores.segments.add(segment(1, 1, 10), lambda: noted.append(1))
    assert not stores.segments.add(segment(1, 1, 5), lambda: noted.append(3))
    assert stores.segments.segments() == [segment(1, 1, 10), segment(2, 11, 20)]
    assert noted == [2, 1]


def test_a_note_that_fails_takes_the_seal_back(stores: Stores) -> None:
    def fail() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        stores.segments.add(segment(1, 1, 10), fail)
    assert stores.segments.segments() == []
    stores.segments.add(segment(1, 1, 10), lambda: None)
    with pytest.raises(RuntimeError):
        stores.segments.remove(1, Removal(T0, "x=1", None, "k"), fail)
    assert stores.segments.segments()[0].removal is None


def test_a_segment_is_removed_once_and_purged_in_parts(stores: Stores) -> None:
    log = AuditLog(stores.audit, lambda: T0)
    for _ in range(12):
        log.record("ana", "query", "prod/orders")
    assert stores.segments.purge(100) == 0
    stores.segments.add(segment(1, 1, 8), lambda: None)
    removal = Removal(T0, "policies.audit_keep_days=9", "file.jsonl", "k")
    assert stores.segments.remove(1, removal, lambda: None)
    assert not stores.segments.remove(1, removal, lambda: None) and not stores.segments.remove(2, removal, lambda: None)
    assert stores.segments.segments()[0].removal == removal
    assert [stores.segments.purge(5) for _ in range(3)] == [5, 3, 0]
    assert [e.seq for e in stores.audit.chain(0, 100)] == [9, 10, 11, 12]
    assert [e.seq for e in stores.audit.entries(AuditFilter(person="ana"), None, 100)] == [12, 11, 10, 9]
    assert log.record("ana", "query", "prod/orders").seq == 13


def test_a_position_moves_only_from_where_it_was(stores: Stores) -> None:
    assert stores.shipping.get("prod/audit") is None
    first = Shipping("prod/audit", "c", 10, T0)
    assert stores.shipping.put(first, 0) and stores.shipping.get("prod/audit") == first
    assert not stores.shipping.put(replace(first, position=12), 11), "another was faster"
    failed = replace(first, failures=2, failed_at=T0, problem="away", cut=3, begins=4, missed=5)
    assert stores.shipping.put(failed, 10) and stores.shipping.get("prod/audit") == failed
    assert stores.shipping.get("prod/other") is None


def test_sealing_and_removing_over_a_real_store(stores: Stores) -> None:
    now = T0
    trust = Trust(verified, frozenset({SIGNER.public_key()}))
    log = AuditLog(stores.audit, lambda: now, None, Seals(stores.segments, trust))
    settings = PolicySettings(audit_keep_days=30)
    work = AuditSegments(stores.audit, stores.segments, log, SIGNER, lambda: now, settings, entries=10)
    for number in range(25):
        log.record("ana", "query", f"prod/t{number}", details={"fields": {"prod/orders": [f"value.f{number}"]}})
    now = T0 + timedelta(days=31)
    while work.step():
        pass
    proven = log.verify()
    assert proven.holds, proven.problem
    assert proven.removed is not None and proven.removed.last == 20
    assert stores.audit.chain(0, 1)[0].seq == 21
