"""The audit shipped to a topic: every entry, in order, from where it stopped, whatever the broker does."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import NotFound
from policies.audit.log import AuditLog
from policies.audit.ports import AuditReceiver
from policies.audit.shipping import MOST_BYTES, AuditShipping, cloud_event
from policies.audit.text import entry_json
from tests.twins.policies.segments import MemoryReceiver, MemoryShippingStore
from tests.twins.policies.stores import MemoryAuditStore
from tests.unit.policies.world import START


class World:
    def __init__(self) -> None:
        self.now = START
        self.store, self.positions, self.receiver = MemoryAuditStore(), MemoryShippingStore(), MemoryReceiver()
        self.audit = AuditLog(self.store, lambda: self.now)
        self.refuse = False
        self.shipping = self.process()

    def process(self) -> AuditShipping:
        """A worker that starts: it knows what is stored alone."""

        def open_(place: str) -> AuditReceiver:
            if self.refuse:
                raise NotFound("There is no cluster 'prod'.")
            return self.receiver

        return AuditShipping(self.store, self.positions, "prod/audit", open_, lambda: self.now)

    def write(self, count: int) -> None:
        for number in range(count):
            self.audit.record("ana", "query", "prod/orders", "allow", [], {"rows": number})

    def ship(self) -> None:
        self.now += timedelta(minutes=5)
        while self.shipping.step():
            pass

    def arrived(self) -> list[int]:
        return [int(json.loads(value)["id"]) for _, value in self.receiver.messages]


def test_an_entry_is_a_cloud_event() -> None:
    world = World()
    world.write(1)
    event = cloud_event("ch/1", world.store.rows[0])
    assert event["data"] == entry_json(world.store.rows[0])
    assert {**event, "data": 0} == {
        "specversion": "1.0",
        "id": "1",
        "source": "/weir/audit/ch%2F1",
        "type": "io.weir.audit.query",
        "subject": "prod/orders",
        "time": "2026-06-01T12:00:00Z",
        "datacontenttype": "application/json",
        "sequence": "00000000000000000001",
        "data": 0,
    }


def test_everything_arrives_in_order_and_once_while_nothing_fails() -> None:
    world = World()
    world.write(1203)
    world.ship()
    assert world.arrived() == list(range(1, 1204))
    assert world.shipping.report().lag == 0 and world.shipping.shipped() == 1203
    assert {key for key, _ in world.receiver.messages} == {b"memory"}
    world.ship()
    assert len(world.receiver.messages) == 1203


def test_a_broken_broker_blocks_nobody_and_its_failures_show() -> None:
    world = World()
    world.receiver.takes = 0
    world.write(3)
    world.ship()
    world.write(2)  # the audit goes on
    world.ship()
    report = world.shipping.report()
    assert (report.lag, report.failures, report.problem) == (5, 2, "The broker does not answer.")
    assert not world.shipping.step() and world.shipping.report().failures == 2, "it pauses before it tries again"
    world.receiver.takes = None
    world.ship()
    assert world.arrived() == [1, 2, 3, 4, 5]
    assert (world.shipping.report().failures, world.shipping.report().problem) == (0, None)


def test_a_cluster_that_is_not_there_is_a_failure_in_a_sentence() -> None:
    world = World()
    world.refuse = True
    world.write(1)
    world.ship()
    assert world.shipping.report().problem == "There is no cluster 'prod'."
    world.refuse = False
    world.ship()
    assert world.arrived() == [1]


def test_another_chain_is_shipped_from_its_first_entry() -> None:
    world = World()
    world.write(5)
    world.ship()
    world.store.rows, world.store.noted = [], world.store.noted.__class__("another", 0, "")
    world.write(2)
    assert world.shipping.report().lag == 2
    world.ship()
    assert world.arrived() == [1, 2, 3, 4, 5, 1, 2]


def test_without_a_place_nothing_is_shipped() -> None:
    world = World()
    shipping = AuditShipping(world.store, world.positions, None, lambda _: world.receiver, lambda: world.now)
    world.write(1)
    assert not shipping.step() and shipping.shipped() is None and shipping.report().place is None


@pytest.mark.parametrize("seed", range(3))
@settings(max_examples=60, deadline=None)
@given(
    events=st.lists(st.sampled_from(["write", "ship", "break", "heal", "restart", "two"]), max_size=40),
    takes=st.integers(0, 9),
)
def test_at_least_once_and_in_order_whatever_happens(seed: int, events: list[str], takes: int) -> None:
    world = World()
    for event in events:
        match event:
            case "write":
                world.write(seed + 3)
            case "ship":
                world.ship()
            case "break":
                world.receiver.takes = takes
            case "heal":
                world.receiver.takes = None
            case "restart":
                world.shipping = world.process()
            case "two":
                other = world.process()
                world.now += timedelta(minutes=5)
                other.step()
    world.receiver.takes = None
    world.ship()
    world.ship()
    arrived = world.arrived()
    first_times = list(dict.fromkeys(arrived))
    assert first_times == list(range(1, world.store.head().seq + 1)), "every entry, in order"


def test_an_entry_that_is_too_large_goes_out_cut_and_holds_up_nothing() -> None:
    world = World()
    world.write(3)
    world.audit.record("ana", "query", "prod/orders", "allow", ["x" * 1_200_000], {"sql": "y"})
    world.write(3)
    world.receiver.most = MOST_BYTES
    world.ship()
    assert world.arrived() == [1, 2, 3, 4, 5, 6, 7], "all of them, each once"
    event = json.loads(world.receiver.messages[3][1])
    entry = world.store.rows[3]
    assert event["data"]["truncated"] is True and event["data"]["details"] == {} and event["data"]["reasons"] == []
    assert (event["data"]["seq"], event["data"]["hash"], event["data"]["prev"]) == (4, entry.hash, entry.prev)
    report = world.shipping.report()
    assert (report.lag, report.failures, report.cut) == (0, 0, 1)


def test_what_the_place_refuses_by_its_own_limit_is_cut_and_what_follows_it_is_sent_again_once_at_most() -> None:
    world = World()
    world.write(3)
    world.audit.record("ana", "query", "prod/orders", "allow", ["x" * 50_000])
    world.write(400)
    world.receiver.most = 20_000
    for _ in range(5):
        world.ship()
    assert list(dict.fromkeys(world.arrived()))[:3] == [1, 2, 3] and set(world.arrived()) == set(range(1, 405))
    assert len(world.arrived()) <= 404 + 400, "only the first try delivered what was behind it"
    report = world.shipping.report()
    assert (report.lag, report.failures, report.cut) == (0, 0, 1)


def test_a_place_that_takes_not_even_the_cut_entry_says_so() -> None:
    world = World()
    world.write(2)
    world.receiver.most = 10
    world.ship()
    world.ship()
    report = world.shipping.report()
    assert report.lag == 2 and "not even without its details" in (report.problem or "")


def test_entries_that_were_removed_before_they_could_be_shipped_are_counted() -> None:
    world = World()
    world.write(20)
    world.store.rows = world.store.rows[7:]
    world.ship()
    report = world.shipping.report()
    assert (report.begins, report.missed, report.position) == (8, 7, 20)
    world.write(5)
    world.store.rows = world.store.rows[-2:]
    world.ship()
    report = world.shipping.report()
    assert (report.begins, report.missed, report.position) == (8, 10, 25)
