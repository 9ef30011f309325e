"""Dead letters: which records, with what; only when asked for, and never to a topic that a pattern finds."""

from __future__ import annotations

import json

import pytest

from catalog.errors import InvalidInput, Unavailable
from catalog.model import DatasetScan
from scanners.decode.dead_letters import PREFIX
from scanners.model import ClusterConnection, RawRecord, SampleRequest
from scanners.ports import Cancelled, ProfileJob
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryDeadLetters, MemoryOffsets, MemoryRegistry, MemorySampler

CLUSTER = ClusterConnection("c", "kafka://c", "c:1")


def record(n: int, value: bytes | None, key: bytes | None = b"k") -> RawRecord:
    return RawRecord(key, value, [("h", b"v")], 0, n, 1_760_000_000_000 + n)


def scan(
    values: list[bytes | None], dead_letter: str | None, name: str = "orders"
) -> tuple[DatasetScan, dict[str, list]]:
    topics = {name: [record(n, v) for n, v in enumerate(values)]}
    letters = MemoryDeadLetters(topics)
    scanner = Scanner(
        MemorySampler(topics), MemoryOffsets(topics), MemoryRegistry(), ScannerSettings(detect=False), letters=letters
    )
    (done,) = scanner.scan(CLUSTER, [name], SampleRequest(dead_letter=dead_letter))
    return done, letters.sent


VALUES: list[bytes | None] = [b'{"a":%d}' % n for n in range(60)]
BROKEN: list[bytes | None] = [
    *VALUES[:20],
    b'{"broken',
    *VALUES[20:40],
    b"\x00\x00\x00\x00\x09rest",
    None,
    *VALUES[40:],
]


def test_broken_records_go_there_as_they_are_with_place_and_reason() -> None:
    done, sent = scan(BROKEN, "_weir.dead-letters")
    first, second = sent["_weir.dead-letters"]
    assert (first["key"], first["value"]) == (b"k", b'{"broken')
    headers = dict(first["headers"])
    assert headers["h"] == b"v"
    by_name = {name.removeprefix(PREFIX): value.decode() for name, value in headers.items() if name.startswith(PREFIX)}
    assert by_name == {
        "topic": "orders",
        "partition": "0",
        "offset": "20",
        "timestamp": "1760000000020",
        "reason": "value:not_json",
    }
    assert dict(second["headers"])[PREFIX + "reason"] == b"value:unknown_schema_id"
    (problems,) = [p for p in done.problems if p["reason"] == "dead_letters"]
    assert (problems["count"], problems["topic"]) == (2, "_weir.dead-letters")
    assert "broken" not in json.dumps(done.schema.to_json())


@pytest.mark.parametrize(("values", "asked"), [(BROKEN, None), (VALUES, "_dead")])
def test_nothing_is_sent_unasked_or_without_need(values: list[bytes | None], asked: str | None) -> None:
    done, sent = scan(values, asked)
    assert sent == {} and not [p for p in done.problems if p["reason"].startswith("dead_letters")]


def test_dead_letters_of_dead_letters_are_not_sent_to_themselves() -> None:
    assert scan(BROKEN, "_dead", name="_dead")[1] == {}


def test_a_topic_that_may_not_be_written_is_told_and_the_scan_goes_on() -> None:
    class Refusing:
        def send(self, job: ProfileJob, target: str, cancelled: Cancelled) -> None:
            raise Unavailable("The topic _dead cannot be made.")

    topics = {"orders": [record(n, v) for n, v in enumerate(BROKEN)]}
    scanner = Scanner(
        MemorySampler(topics),
        MemoryOffsets(topics),
        MemoryRegistry(),
        ScannerSettings(detect=False),
        letters=Refusing(),
    )
    (done,) = scanner.scan(CLUSTER, ["orders"], SampleRequest(dead_letter="_dead"))
    assert "_dead cannot be made" in next(p["message"] for p in done.problems if p["reason"] == "dead_letters_failed")
    assert done.schema.window.records == len(BROKEN)


@pytest.mark.parametrize("name", ["dead", "shop.dead", "", "_", "_a/b", "_" + "x" * 249, "_a\n"])
def test_a_dead_letter_topic_is_one_that_no_pattern_finds(name: str) -> None:
    with pytest.raises(InvalidInput):
        SampleRequest(dead_letter=name)
