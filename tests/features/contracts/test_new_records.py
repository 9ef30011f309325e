"""Checks of new records: each breach is an incident with the offset of the record that broke it, counted once whatever happens."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.features.contracts.checker import NewRecordChecker
from api.joins.connections import Connections
from catalog.contracts.new_records import NewRecordContracts
from catalog.contracts.service import Contracts
from catalog.incident_store import Incident, IncidentFilter, IncidentState
from catalog.incidents.service import Incidents
from catalog.ports import CatalogStore
from scanners.model import RawRecord
from scanners.scan.new_records import LookLimits, NewRecords
from tests.api_world import ApiWorld, world
from tests.twins.scanners import MemoryOffsets, MemoryRecords, MemoryRegistry

START = 1_772_366_400_000
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: olga}]}
"""
PROPERTIES: list[dict[str, Any]] = [
    {"name": "id", "logicalType": "string", "required": True, "logicalTypeOptions": {"format": "uuid"}},
    {"name": "amount", "physicalType": "int64", "logicalTypeOptions": {"minimum": 0, "maximum": 99999}},
    {"name": "region", "logicalType": "string", "logicalTypeOptions": {"maxLength": 10}},
    {"name": "at", "logicalType": "string", "required": True, "logicalTypeOptions": {"format": "timestamp"}},
    {"name": "note", "quality": [{"metric": "nullValues", "mustBeLessThan": 1, "unit": "percent"}]},
    {"name": "channel", "customProperties": [{"property": "presence", "value": 0.99}]},
    {"name": "lines", "logicalType": "array", "logicalTypeOptions": {"maxItems": 5}},
]


def contract(*more: dict[str, Any], **levels: Any) -> str:
    element = {
        "name": "orders",
        "properties": PROPERTIES,
        "customProperties": [
            {"property": "dataset", "value": "prod/orders"},
            {"property": "checkEvery", "value": "1m"},
            {"property": "additionalFields", "value": False},
            {"property": "key", "value": {"types": ["string"], "required": True}},
            {"property": "headers", "value": [{"name": "trace", "required": True}]},
            *more,
        ],
    }
    spec = {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": "orders",
        "name": "orders",
        "version": "1.0.0",
        "status": "active",
        "schema": [element],
        "servers": [{"server": "prod", "type": "kafka", "host": "localhost:9092", "format": "json"}],
        **levels,
    }
    return yaml.safe_dump({"apiVersion": "weir/v1", "kind": "Contract", "metadata": {"name": "orders"}, "spec": spec})


def good(offset: int, partition: int = 0) -> RawRecord:
    value = {
        "id": f"{offset:08x}-0000-4000-8000-000000000000",
        "amount": offset % 90_000,
        "region": "EU",
        "at": "2026-03-01T12:00:00Z",
        "note": "x",
        "channel": "web",
        "lines": [1, 2],
    }
    headers = [("trace", b"t1")]
    return RawRecord(f"k{offset}".encode(), json.dumps(value).encode(), headers, partition, offset, START + offset)


def changed(record: RawRecord, **fields: Any) -> RawRecord:
    value = {**json.loads(record.value or b"{}"), **fields}
    return record._replace(value=json.dumps({k: v for k, v in value.items() if v is not Ellipsis}).encode())


KINDS: dict[str, tuple[str, Callable[[RawRecord], RawRecord]]] = {
    "type": ("value.region:type", lambda r: changed(r, region=7)),
    "missing": ("value.id:required", lambda r: changed(r, id=...)),
    "null": ("value.at:required", lambda r: changed(r, at=None)),
    "negative": ("value.amount:range", lambda r: changed(r, amount=-1)),
    "large": ("value.amount:range", lambda r: changed(r, amount=5_000_000)),
    "long": ("value.region:length", lambda r: changed(r, region="x" * 40)),
    "form": ("value.id:form", lambda r: changed(r, id="no uuid")),
    "day": ("value.at:form", lambda r: changed(r, at="yesterday")),
    "additional": ("closed", lambda r: changed(r, further=1)),
    "key": ("key:required", lambda r: r._replace(key=None)),
    "header": ("headers.trace:required", lambda r: r._replace(headers=[])),
    "items": ("value.lines:length", lambda r: changed(r, lines=[1, 2, 3, 4, 5, 6, 7])),
}
"""Kind of a breach -> the rule that it breaks, and how one record does."""


class Checks:
    """A Weir with a checker of new records, over topics in memory and clocks that the test sets."""

    def __init__(self, weir: ApiWorld, topics: dict[str, list[RawRecord]]) -> None:
        self.weir, self.topics = weir, topics
        self.seconds, self.now = 1000.0, datetime.now(UTC)
        self.records = MemoryRecords(topics, {"orders": "id-1"})
        self.store = weir.services[CatalogStore]
        self.limits = LookLimits()
        self.checker = self.another()

    def another(self, limits: LookLimits | None = None) -> NewRecordChecker:
        contracts = Contracts(
            self.store, self.clock, self._clusters, self._events, Incidents(self.store, self.clock, self._events)
        )
        look = NewRecords(self.records, MemoryOffsets(self.topics), MemoryRegistry(), limits=limits or self.limits)
        return NewRecordChecker(
            self.store,
            NewRecordContracts(self.store, self.clock, contracts),
            look,
            self.weir.services[Connections],
            self.clock,
            lambda: self.seconds,
        )

    @property
    def _clusters(self) -> Any:
        from catalog.datasets.clusters import Clusters

        return self.weir.services[Clusters]

    @property
    def _events(self) -> Any:
        from catalog.events.events import Events

        return self.weir.services[Events]

    def clock(self) -> datetime:
        return self.now

    def wait(self, seconds: float = 60) -> None:
        self.seconds += seconds
        self.now += timedelta(seconds=seconds)

    def check(self, checker: NewRecordChecker | None = None) -> None:
        """Some time passes, and what is due is checked."""
        self.wait()
        checker = checker or self.checker
        while checker.step():
            pass
        assert checker.problems == {}

    def add(self, *records: RawRecord) -> None:
        self.topics["orders"].extend(records)

    def incidents(self, **where: Any) -> dict[str, Incident]:
        """Rule -> incident that is not resolved."""
        states = where.pop("states", (IncidentState.OPEN,))
        return {each.key.rule: each for each in self.store.incidents(IncidentFilter(states=states, **where), 100)}


@pytest.fixture
def checks(tmp_path: Path) -> Iterator[Checks]:
    topics: dict[str, list[RawRecord]] = {"orders": [good(n) for n in range(50)]}
    with world(tmp_path, topics) as weir:
        weir.apply(DECLARED)
        weir.scan(cluster="prod", topics=["orders"])
        weir.apply(contract())
        created = Checks(weir, topics)
        created.check()
        assert created.incidents() == {}
        yield created


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_breach_is_found_at_its_offset_and_nothing_else_is(checks: Checks, kind: str) -> None:
    planted(checks, kind, 50, random.Random(kind))


@pytest.mark.tail
def test_a_hundred_planted_breaches_are_found_and_nothing_else_is(checks: Checks) -> None:
    draw = random.Random(2026)
    for number in range(100):
        planted(checks, draw.choice(list(KINDS)), 50 + number * 1100, draw)


def planted(checks: Checks, kind: str, begin: int, draw: random.Random) -> None:
    """A thousand records, three of them bad, are one incident of one rule; a hundred good ones end it."""
    rule, breaks = KINDS[kind]
    records = [good(n) for n in range(begin, begin + 1000)]
    bad = sorted(draw.sample(range(len(records)), 3))
    for at in bad:
        records[at] = breaks(records[at])
    checks.add(*records)
    checks.check()
    (incident,) = checks.incidents().values()
    assert incident.key.rule == rule, kind
    assert incident.first is not None
    assert incident.last is not None
    assert (incident.first.offset, incident.last.offset) == (begin + bad[0], begin + bad[-1]), kind
    assert incident.records in (3, None), kind
    checks.add(*(good(n) for n in range(begin + 1000, begin + 1100)))
    checks.check()
    assert checks.incidents() == {}, kind
    checks.wait(3600)


def test_what_breaks_again_is_counted_once_more_and_its_last_offset_grows(checks: Checks) -> None:
    for start in (50, 60, 70):
        checks.add(
            *(changed(good(n), region=1) for n in range(start, start + 5)),
            *(good(n) for n in range(start + 5, start + 10)),
        )
        checks.check()
    incident = checks.incidents()["value.region:type"]
    assert (incident.records, incident.checks) == (15, 3)
    assert incident.first is not None and incident.last is not None
    assert (incident.first.offset, incident.last.offset) == (50, 74)
    checks.check()
    checks.check()
    assert checks.incidents()["value.region:type"].records == 15  # nothing new came


def test_a_short_recovery_is_the_same_incident(checks: Checks) -> None:
    checks.add(changed(good(50), region=1))
    checks.check()
    first = checks.incidents()["value.region:type"]
    checks.add(good(51))
    checks.check()
    assert checks.incidents() == {}
    checks.add(changed(good(52), region=1))
    checks.check()
    assert checks.incidents()["value.region:type"].id == first.id
    checks.add(good(53))
    checks.check()
    checks.wait(3600)
    checks.add(changed(good(54), region=1))
    checks.check()
    assert checks.incidents()["value.region:type"].id != first.id


def test_a_look_is_bounded_and_what_is_left_is_read_by_the_next(checks: Checks) -> None:
    small = checks.another(LookLimits(records=100))
    checks.add(*(good(n) for n in range(50, 1000)), changed(good(1000), region=1))
    checks.records.reads = 0
    checks.check(small)
    assert checks.records.reads >= 10
    assert checks.incidents()["value.region:type"].first.offset == 1000  # type: ignore[union-attr]
    state = checks.weir.admin.get("/api/v1/contracts/orders").json()["promises"][0]
    assert (state["checkEvery"], state["unread"]) == (60.0, 0)


def test_a_check_that_is_late_is_shown_and_what_came_meanwhile_is_counted_once(checks: Checks) -> None:
    contracts = checks.weir.services[Contracts]
    contracts._clock = checks.clock

    def shown() -> Any:
        return checks.weir.admin.get("/api/v1/contracts/orders").json()["promises"][0]

    assert shown()["late"] is False
    checks.add(*(changed(good(n), region=1) for n in range(50, 60)))
    checks.wait(300)
    assert shown()["late"] is True
    checks.check()
    checks.check()
    assert (shown()["late"], shown()["unread"]) == (False, 0)
    incident = checks.incidents()["value.region:type"]
    assert (incident.records, incident.first.offset, incident.last.offset) == (10, 50, 59)  # type: ignore[union-attr]
    checks.weir.apply(contract().replace("status: active", "status: retired"))
    checks.wait(300)
    assert shown()["late"] is None


def test_a_clock_that_is_set_back_counts_nothing_twice(checks: Checks) -> None:
    checks.add(*(changed(good(n), region=1) for n in range(50, 60)))
    checks.check()
    checks.now -= timedelta(days=1)
    checks.add(*(changed(good(n), region=1) for n in range(60, 65)))
    checks.check()
    incident = checks.incidents()["value.region:type"]
    assert (incident.records, incident.first.offset, incident.last.offset) == (15, 50, 64)  # type: ignore[union-attr]


def test_a_backlog_that_is_too_large_is_left_out_and_counted(checks: Checks) -> None:
    checks.add(*(good(n) for n in range(50, 1050)))
    checks.check(checks.another(LookLimits(records=100, most_behind=300)))
    state = checks.weir.admin.get("/api/v1/contracts/orders").json()["promises"][0]
    assert state["unread"] == 700


def test_offsets_that_retention_took_are_counted(checks: Checks) -> None:
    checks.topics["orders"][:] = [good(n) for n in range(80, 100)]
    checks.check()
    state = checks.weir.admin.get("/api/v1/contracts/orders").json()["promises"][0]
    assert state["unread"] == 30


@pytest.mark.parametrize("known", [True, False])
def test_a_topic_that_was_made_again_is_read_from_its_first_record(checks: Checks, known: bool) -> None:
    checks.records.ids = {"orders": "id-2" if known else ""}
    count = 60 if known else 20
    checks.topics["orders"][:] = [changed(good(n), region=1) for n in range(count)]
    checks.check()
    incident = checks.incidents()["value.region:type"]
    assert (incident.records, incident.first.offset) == (count, 0)  # type: ignore[union-attr]


def test_a_partition_that_is_gone_is_left_alone_and_the_others_are_checked(checks: Checks) -> None:
    checks.add(*(good(n, 1) for n in range(20)))
    checks.check()
    checks.topics["orders"][:] = [each for each in checks.topics["orders"] if each.partition == 0]
    checks.add(changed(good(50), region=1))
    checks.check()
    assert checks.checker.problems == {}
    incident = checks.incidents()["value.region:type"]
    assert (incident.records, incident.first.partition, incident.first.offset) == (1, 0, 50)  # type: ignore[union-attr]


def test_of_two_checkers_at_once_one_counts(checks: Checks) -> None:
    checks.add(*(changed(good(n), region=1) for n in range(50, 60)))
    other = checks.another()
    keep = checks.checker._contracts.keep

    def late(*given: Any) -> bool:
        other.step()
        return keep(*given)

    checks.checker._contracts.keep = late  # type: ignore[method-assign, assignment]
    checks.check()
    assert checks.incidents()["value.region:type"].records == 10


def test_a_checker_that_is_killed_leaves_nothing_and_the_next_one_counts_once(checks: Checks) -> None:
    checks.add(*(changed(good(n), region=1) for n in range(50, 60)))
    put = checks.store.put_check_position

    class Kill(BaseException):
        pass

    def killed(_: Any) -> None:
        raise Kill

    checks.store.put_check_position = killed  # type: ignore[method-assign, assignment]
    checks.wait()
    with pytest.raises(Kill):
        checks.checker.step()
    checks.store.put_check_position = put  # type: ignore[method-assign]
    assert checks.incidents() == {}
    checks.check(checks.another())
    assert checks.incidents()["value.region:type"].records == 10


def test_a_clock_that_jumps_is_no_late_topic(checks: Checks) -> None:
    checks.weir.apply(contract(slaProperties=[{"property": "latency", "value": 10, "unit": "m"}]))
    checks.add(replace_time(good(50), checks.now))
    checks.check()
    checks.now += timedelta(hours=5)
    checks.check()
    assert checks.incidents() == {}
    checks.wait(3600)
    checks.check()
    assert list(checks.incidents()) == ["sla:latency"]


def replace_time(record: RawRecord, at: datetime) -> RawRecord:
    return record._replace(timestamp=int(at.timestamp() * 1000))


def test_the_rate_is_counted_over_minutes(checks: Checks) -> None:
    checks.weir.apply(contract(slaProperties=[{"property": "throughput", "value": 1, "unit": "records/s"}]))
    offset = 50
    for per_minute in (120, 120, 120, 0, 0, 0, 0, 0):
        checks.add(*(good(n) for n in range(offset, offset + per_minute)))
        offset += per_minute
        checks.check()
        if per_minute:
            assert checks.incidents() == {}
    assert list(checks.incidents()) == ["sla:throughput"]


def test_a_scan_of_older_records_does_not_contradict_a_check_of_all_new_ones(checks: Checks) -> None:
    checks.add(changed(good(50), region=1), good(51))
    checks.check()
    checks.add(good(52))
    checks.check()
    assert checks.incidents() == {}
    checks.weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})
    assert checks.incidents() == {}


@pytest.mark.parametrize("stated", ["1s", "2d", "often", 5, ""])
def test_a_time_that_cannot_be_kept_is_refused(checks: Checks, stated: Any) -> None:
    text = contract().replace("value: 1m", f"value: {json.dumps(stated)}")
    answer = checks.weir.admin.post("/api/v1/apply", content=text, headers={"Content-Type": "application/yaml"})
    assert "checkEvery is a time from 1m to 1d" in answer.text
