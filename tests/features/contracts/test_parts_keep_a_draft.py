"""A draft is kept by the records that it was written from, however many of them a check looks at: chance breaks no promise."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from api.demo.generator import topic_plans
from api.demo.plan import TopicPlan
from catalog.contracts.checking import check
from catalog.contracts.draft import draft
from catalog.contracts.observed import Observed
from catalog.contracts.reading import read_contract
from catalog.contracts.rules import Contract, RuleKind, State
from catalog.model import DatasetId
from catalog.records import DatasetRecord
from scanners.model import ClusterConnection, RawRecord, TopicFormat
from scanners.scan.new_records import LookStart, NewLook, NewRecords
from tests.twins.scanners import MemoryOffsets, MemoryRecords, MemoryRegistry

PLANS = {plan.name: plan for plan in topic_plans() if plan.schema is None and next(plan.records(), None)}
SIZES = (1, 2, 5, 20, 100)


def look(plan: TopicPlan, records: list[RawRecord]) -> NewLook:
    topics = {plan.name: records}
    looks = NewRecords(MemoryRecords(topics, {plan.name: "id-1"}), MemoryOffsets(topics), MemoryRegistry())
    return looks.look(
        ClusterConnection("prod", "kafka://localhost:9092", "localhost:9092"), plan.name, LookStart({0: 0}, "id-1")
    )


def raw(plan: TopicPlan, most: int = 1000) -> list[RawRecord]:
    records = list(plan.records())[:most]
    return [RawRecord(r.key, r.value, list(r.headers), 0, n, r.timestamp_ms) for n, r in enumerate(records)]


def contract(plan: TopicPlan, seen: NewLook) -> Contract:
    record = DatasetRecord(DatasetId("kafka://localhost:9092", plan.name), cluster="prod")
    return read_contract(draft(record, seen.schema, ()))


def breaches(promised: Contract, seen: NewLook) -> dict[str, str]:
    rules = [rule for rule in promised.promises[0].rules if rule.kind is not RuleKind.COMPATIBILITY]
    results = check(rules, Observed(seen.schema, datetime.now(UTC), only_new=True))
    return {id: result.reason for id, result in results.items() if result.state is State.BROKEN}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", sorted(PLANS))
def test_parts_of_the_records_keep_what_all_of_them_promise(name: str) -> None:
    plan, records = PLANS[name], raw(PLANS[name])
    whole = look(plan, records)
    promised, draw, broken = contract(plan, whole), random.Random(name), dict[str, Any]()
    known = TopicFormat.from_mapping(whole.schema.format)
    assert breaches(promised, whole) == {}
    for size in SIZES:
        for _ in range(12):
            start = draw.randrange(max(1, len(records) - size))
            part = replace(whole, records=whole.records[start : start + size], known=known)
            broken |= {f"{size} records: {id}": reason for id, reason in breaches(promised, part).items()}
    assert broken == {}
