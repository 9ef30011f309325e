"""Contracts over a store: each scan checks them once, breaches begin and end, and a killed worker loses and doubles nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from catalog.contracts.rules import State
from catalog.contracts.service import Contracts
from catalog.datasets.datasets import Datasets
from catalog.errors import InvalidInput, NotFound
from catalog.event_model import EventFilter
from catalog.events.events import Events
from catalog.model import DatasetScan, FieldProfile
from catalog.records import DeclaredDocument
from tests.catalog_samples import ORDERS, World, email, profile, scan


class ContractWorld(World):
    def __init__(self) -> None:
        super().__init__()
        self.outbox = Events(self.store, self.clock)
        self.contracts = Contracts(self.store, self.clock, self.clusters, self.outbox)
        self.datasets = Datasets(self.store, self.search, self.clock, self.clusters, self.outbox, self.contracts)

    def declare(self, document: dict[str, Any], name: str = "orders") -> None:
        self.store.put_document(DeclaredDocument("Contract", name, {"name": name}, document, self.clock()))
        self.contracts.applied(name)

    def events(self, kind: str = "contract.*") -> list[tuple[str, Any]]:
        matches = self.outbox.list(EventFilter(types=[f"weir.{kind}"], after=0))
        return [(each.type, each.data["rule"]) for each in matches]


@pytest.fixture
def world() -> ContractWorld:
    return ContractWorld()


def document(status: str = "active", *properties: dict[str, Any], dataset: str = str(ORDERS)) -> dict[str, Any]:
    element = {
        "name": "orders",
        "properties": list(properties) or [{"name": "id", "logicalType": "string", "required": True}],
        "customProperties": [{"property": "dataset", "value": dataset}],
    }
    return {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": "o",
        "version": "1",
        "status": status,
        "schema": [element],
    }


WRONG = FieldProfile(
    "value.id", {"int64": 0.1, "string": 0.9}, 1000, 1.0,
    details={"typesFirstSeen": {"int64": {"time": "2026-03-01T11:00:00Z", "partition": 1, "offset": 5}}},
)  # fmt: skip


def test_a_contract_waits_for_its_topic_and_is_checked_by_its_first_scan(world: ContractWorld) -> None:
    world.declare(document())
    assert world.contracts.get("orders").state is State.WAITING
    world.datasets.record_scan(scan(ORDERS, ["value.id"]))
    state = world.contracts.get("orders")
    assert state.state is State.HOLDS
    assert {each["state"] for each in state.promises[0].results.values()} == {"holds"}
    assert world.events() == []


def test_a_breach_is_one_event_while_it_lasts_and_one_when_it_ends(world: ContractWorld) -> None:
    world.declare(document())
    for fields in (["value.id"], [WRONG], [WRONG], [replace(WRONG, types={"int64": 1.0})], ["value.id"], [WRONG]):
        world.datasets.record_scan(scan(ORDERS, fields))
    assert world.events() == [
        ("weir.contract.broken", "value.id:type"),
        ("weir.contract.kept", "value.id:type"),
        ("weir.contract.broken", "value.id:type"),
    ]
    open_one, ended = world.contracts.breaches("orders")
    assert (open_one.count, open_one.share, open_one.ended_at) == (100, 0.1, None)
    assert open_one.first == {"time": "2026-03-01T11:00:00Z", "partition": 1, "offset": 5}
    assert ended.ended_at is not None


def test_a_contract_that_nobody_promised_is_checked_and_reported_to_nobody(world: ContractWorld) -> None:
    world.declare(document("draft"))
    world.datasets.record_scan(scan(ORDERS, [WRONG]))
    assert world.contracts.get("orders").state is State.BROKEN
    assert world.events() == []
    world.declare(document("retired"), "old")
    assert world.contracts.get("old").state is State.WAITING


def test_a_worker_that_is_killed_loses_nothing_and_counts_nothing_twice(world: ContractWorld) -> None:
    world.declare(document())
    killed = _KilledAt(world)
    total = killed.writes(lambda: world.datasets.record_scan(scan(ORDERS, [WRONG])))
    assert total > 5
    for n in range(total):
        other = ContractWorld()
        other.declare(document())
        with pytest.raises(_Kill):
            _KilledAt(other, n).writes(partial(other.datasets.record_scan, scan(ORDERS, [WRONG])))
        assert other.events() == []
        assert other.contracts.breaches("orders") == []
        for _ in range(
            2
        ):  # another worker does the scan again, and is killed after it was recorded, so a third one does too
            other.datasets.record_scan(scan(ORDERS, [WRONG]))
        assert other.events() == [("weir.contract.broken", "value.id:type")]
        assert [each.count for each in other.contracts.breaches("orders")] == [100]


class _Kill(BaseException):
    pass


class _KilledAt:
    """Counts the writes to a store, and ends the process's work at the n-th."""

    def __init__(self, world: ContractWorld, at: int | None = None) -> None:
        self._store, self._at, self._count = world.store, at, 0
        for name in dir(self._store):
            if name.startswith(("put_", "add_", "set_current")):
                setattr(self._store, name, self._counted(getattr(self._store, name)))

    def _counted(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            self._count += 1
            if self._count - 1 == self._at:
                raise _Kill
            return write(*given, **named)

        return counted

    def writes(self, work: Callable[[], object]) -> int:
        before = self._count
        work()
        return self._count - before


def test_a_scan_of_nothing_new_changes_no_rule_on_records(world: ContractWorld) -> None:
    world.declare(document())
    world.datasets.record_scan(scan(ORDERS, [WRONG]))
    world.datasets.record_scan(scan(ORDERS, [], records=0))
    assert world.contracts.get("orders").promises[0].results["value.id:type"]["state"] == "broken"
    assert world.events() == [("weir.contract.broken", "value.id:type")]


def test_a_check_between_two_scans_ends_no_breach_of_the_schemas_changes(world: ContractWorld) -> None:
    kept = document("active", {"name": "id"})
    kept["schema"][0]["customProperties"].append({"property": "compatibility", "value": "FULL"})
    world.declare(kept)
    for number in range(2):
        world.datasets.record_scan(scan(ORDERS, ["value.id" if number == 0 else WRONG]))
    assert world.contracts.get("orders").promises[0].results["compatibility"]["state"] == "broken"
    world.contracts.recheck("orders")
    assert world.contracts.get("orders").promises[0].results["compatibility"]["state"] == "broken"
    assert [each.ended_at for each in world.contracts.breaches("orders")] == [None]


def test_a_rule_that_is_taken_out_ends_its_breach_and_a_deleted_contract_leaves_nothing(world: ContractWorld) -> None:
    world.declare(document())
    world.datasets.record_scan(scan(ORDERS, [WRONG]))
    world.declare(document("active", {"name": "id"}))
    assert [each.ended_at is not None for each in world.contracts.breaches("orders")] == [True]
    world.store.delete_document("Contract", "orders")
    world.contracts.deleted("orders")
    assert world.store.contract_checks() == []
    assert world.contracts.breaches("orders") == []
    with pytest.raises(NotFound):
        world.contracts.get("orders")


def test_a_draft_leaves_out_what_was_detected_and_needs_a_scan(world: ContractWorld) -> None:
    world.datasets.record_scan(scan(ORDERS, ["value.mail", profile("value.n", int64=1.0)], [email("value.mail")]))
    draft: Any = world.contracts.draft(world.datasets.get(ORDERS))
    mail, number = draft["schema"][0]["properties"]
    assert mail["classification"] == "personal"
    assert number["name"] == "n"
    world.declare(draft)
    assert world.contracts.get("orders").state is State.HOLDS
    world.datasets.record_scan(DatasetScan(replace(ORDERS, name="empty"), scan(ORDERS, []).schema))
    with pytest.raises(InvalidInput, match="scan it first"):
        world.contracts.draft(world.datasets.get(replace(ORDERS, name="empty")))
