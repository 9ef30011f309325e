"""Partitions that cannot be read, such as one without a leader: the rest of the topic and the other topics are scanned."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from catalog.errors import Unavailable
from catalog.model import DatasetScan
from catalog.problems import sentence
from scanners.model import ClusterConnection, RawRecord, SampleRequest, Strategy, Topic
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler, Records

CLUSTER = ClusterConnection("prod", "kafka://k:9092", "k:9092")
REASON = "leader not available"


def rows(count: int) -> list[RawRecord]:
    return [RawRecord(None, json.dumps({"id": i}).encode(), [], i % 2, i // 2, 1000 + i) for i in range(count)]


class Leaderless(MemoryOffsets):
    """Some partitions have no leader just now."""

    def __init__(self, topics: Records, lost: Mapping[str, Sequence[int]]) -> None:
        super().__init__(topics)
        self.lost = lost

    def offsets(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[Topic]:
        return [
            replace(
                topic,
                partitions=tuple(p for p in topic.partitions if p.partition not in self.lost.get(topic.name, ())),
                unreadable=tuple((p, REASON) for p in self.lost.get(topic.name, ())),
            )
            for topic in super().offsets(cluster, topics)
        ]


def scanner(topics: Records, lost: Mapping[str, Sequence[int]]) -> Scanner:
    return Scanner(MemorySampler(topics), Leaderless(topics, lost), MemoryRegistry(), ScannerSettings(detect=False))


TOPICS: Records = {"good": rows(10), "half": rows(10), "lost": rows(10)}
LOST = {"half": [1], "lost": [0, 1]}


def test_the_others_are_scanned_and_the_topic_is_named() -> None:
    failures: dict[str, Exception] = {}
    scans: dict[str, DatasetScan] = {
        each.dataset.name: each
        for each in scanner(TOPICS, LOST).scan(CLUSTER, on_failure=lambda name, error: failures.update({name: error}))
    }
    assert set(scans) == {"good", "half"} and set(failures) == {"lost"}
    assert scans["good"].schema.window.complete and not scans["good"].problems
    error = failures["lost"]
    assert isinstance(error, Unavailable) and "lost" in error.message and REASON in error.message


def test_partitions_that_were_not_read_are_counted_and_named() -> None:
    (scan,) = scanner(TOPICS, LOST).scan(CLUSTER, ["half"])
    assert scan.schema.window.records == 5 and not scan.schema.window.complete
    (problem,) = scan.problems
    assert (problem["reason"], problem["count"], problem["partitions"]) == ("partitions_unreadable", 1, [1])
    text = sentence(problem)
    assert "1" in text and REASON in text


def test_without_a_place_for_failures_the_error_is_raised() -> None:
    with pytest.raises(Unavailable, match="lost"):
        list(scanner(TOPICS, LOST).scan(CLUSTER, ["lost"]))


def test_a_scan_of_what_is_new_goes_on_where_the_partition_was() -> None:
    first = {each.dataset.name: each.schema.window for each in scanner(TOPICS, {}).scan(CLUSTER, ["half"])}
    more: Records = {"half": rows(14)}
    request = SampleRequest(strategy=Strategy.SINCE_LAST)
    (second,) = scanner(more, LOST).scan(CLUSTER, ["half"], request, last_windows=first)
    places = {each["partition"]: (each["end"], each["read"]) for each in second.schema.window.partitions}
    assert places[0] == (7, 7) and places[1] == (5, 0), "the partition that was away keeps its place"
    assert not [each for each in second.problems if each["reason"] == "offsets_without_record"]
