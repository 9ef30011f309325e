"""A topic is read again when anything changed that its result depends on, and else not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from catalog.model import DatasetScan
from scanners.model import (
    ClusterConnection,
    PartFormat,
    RawRecord,
    Recognizer,
    RegisteredSchema,
    SampleRequest,
    Strategy,
    TopicFormat,
)
from scanners.ports import RegistryAnswer
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler

CLUSTER = ClusterConnection("prod", "kafka://k:9092", "k:9092")


def record(offset: int, value: bytes | None = None) -> RawRecord:
    body = json.dumps({"id": offset, "mail": f"p{offset}@example.org"}).encode() if value is None else value
    return RawRecord(None, body, [], 0, offset, 1000 + offset)


class World:
    """A topic that changes between scans."""

    def __init__(self) -> None:
        self.topics: dict[str, list[RawRecord]] = {"orders": [record(n) for n in range(20)], "other": [record(0)]}
        self.ids: dict[str, str] = {}
        self.registry: Any = MemoryRegistry()
        self.settings = ScannerSettings(detect=True)
        self.cluster = CLUSTER
        self.options: dict[str, Any] = {}
        self.sample = SampleRequest(max_records=5)

    def scans(self, bases: Mapping[str, str] | None = None) -> dict[str, DatasetScan]:
        tools = MemorySampler(self.topics), MemoryOffsets(self.topics, self.ids), self.registry, self.settings
        results = Scanner(*tools).scan(self.cluster, ["*"], self.sample, last_bases=bases, **self.options)
        return {each.dataset.name: each for each in results}

    def bases(self) -> dict[str, str]:
        return {name: scan.basis for name, scan in self.scans().items()}


def test_nothing_changed_and_nothing_is_read() -> None:
    world = World()
    bases = world.bases()
    again = world.scans(bases)
    assert all(bases.values()) and len(set(bases.values())) == 2
    assert [(name, scan.unchanged, scan.basis) for name, scan in sorted(again.items())] == [
        ("orders", True, bases["orders"]),
        ("other", True, bases["other"]),
    ]
    assert not again["orders"].schema.fields and not again["orders"].classifications


def new_record(world: World) -> None:
    world.topics["orders"].append(record(20))


def expired_record(world: World) -> None:
    del world.topics["orders"][0]


def made_again(world: World) -> None:
    world.ids["orders"] = "another"


def more_records(world: World) -> None:
    world.sample = SampleRequest(max_records=6)


def other_strategy(world: World) -> None:
    world.sample = SampleRequest(Strategy.LATEST, max_records=5)


def declared_format(world: World) -> None:
    world.options["formats"] = {"orders": TopicFormat(PartFormat("string"), PartFormat("json"))}


def declared_columns(world: World) -> None:
    world.options["declared"] = {"orders": "id BIGINT"}


def recognizer(world: World) -> None:
    world.options["recognizers"] = [Recognizer("tickets", "TICKET", ({"name": "t", "regex": "T-1", "score": 0.9},))]


def registered(world: World) -> None:
    world.registry = MemoryRegistry({7: RegisteredSchema(7, "JSON", "{}", subject="orders-value", version=1)})


def registry_of_the_cluster(world: World) -> None:
    world.cluster = replace(CLUSTER, registry="http://r:8081")


def other_regions(world: World) -> None:
    world.settings = world.settings.model_copy(update={"phone_regions": ["DE"]})


def dead_letters(world: World) -> None:
    world.sample = replace(world.sample, dead_letter="_dead")


CHANGES = (
    new_record,
    expired_record,
    made_again,
    more_records,
    other_strategy,
    declared_format,
    declared_columns,
    recognizer,
    registered,
    registry_of_the_cluster,
    other_regions,
    dead_letters,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_the_result_depends_on_is_read_again(change: Callable[[World], None]) -> None:
    world = World()
    bases = world.bases()
    change(world)
    again = world.scans(bases)["orders"]
    assert not again.unchanged and again.schema.fields


@pytest.mark.parametrize(
    "change", [new_record, expired_record, made_again, declared_format, declared_columns, registered]
)
def test_a_change_of_one_topic_is_none_of_the_others(change: Callable[[World], None]) -> None:
    world = World()
    bases = world.bases()
    change(world)
    assert world.scans(bases)["other"].unchanged


def test_a_changed_pattern_under_the_same_version_is_another_recognizer() -> None:
    world = World()
    recognizer(world)
    bases = world.bases()
    world.options["recognizers"] = [Recognizer("tickets", "TICKET", ({"name": "t", "regex": "T-2", "score": 0.9},))]
    assert not world.scans(bases)["orders"].unchanged


class DownRegistry(MemoryRegistry):
    """Does not answer."""

    def for_topics(self, *_: Any, **__: Any) -> RegistryAnswer:
        return RegistryAnswer({}, ({"part": "registry", "reason": "registry_unavailable"},))


def test_a_registry_that_does_not_answer_settles_nothing() -> None:
    world = World()
    bases = world.bases()
    world.registry = DownRegistry()
    again = world.scans(bases)["orders"]
    assert not again.unchanged and not again.basis


def test_without_an_id_of_the_topic_it_is_read() -> None:
    world = World()
    world.ids = {"orders": ""}
    assert not world.bases()["orders"]


@pytest.mark.parametrize(
    ("value", "sample"),
    [
        (b"\x00\x00\x00\x00\x09body", SampleRequest(max_records=100)),  # by a schema that the registry does not have
        (json.dumps({"long": "x" * 5000}).encode(), SampleRequest(max_records=100, max_bytes=4000)),
    ],
    ids=["schema that is not there", "skipped bytes"],
)
def test_what_was_not_read_whole_is_read_again(value: bytes, sample: SampleRequest) -> None:
    world = World()
    world.topics["orders"] = [record(n, value) for n in range(8)]
    world.sample = sample
    cluster = replace(CLUSTER, registry="http://r:8081")
    tools = MemorySampler(world.topics), MemoryOffsets(world.topics), world.registry, world.settings
    [scan] = Scanner(*tools).scan(cluster, ["orders"], sample)
    assert not scan.basis
