"""Records that no format reads, among others that one does: they are counted and named, and the others give a schema."""

from __future__ import annotations

import io
import json

import fastavro
import pytest

from catalog.problems import sentence, unread
from scanners.model import ClusterConnection, RawRecord, RegisteredSchema, SampleRequest
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryDeadLetters, MemoryOffsets, MemoryRegistry, MemorySampler

WIRE = {"type": "record", "name": "Paid", "fields": [{"name": "id", "type": "long"}, {"name": "sum", "type": "double"}]}


def framed(first: int, numbers: range) -> list[bytes]:
    """Avro records as a registry's serializer writes them, with this first byte."""
    bodies = []
    for number in numbers:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, WIRE, {"id": number, "sum": number * 1.7})
        bodies.append(bytes([first, 0, 0, 0, 7]) + out.getvalue())
    return bodies


@pytest.mark.parametrize("hidden", [(), (7,)], ids=["by the topic's name", "by the id alone"])
@pytest.mark.parametrize("good", [10, 200])
def test_avro_behind_records_with_a_wrong_first_byte_is_read(hidden: tuple[int, ...], good: int) -> None:
    bodies = [*framed(1, range(1000)), *framed(0, range(good))]
    topics = {"paid": [RawRecord(None, body, [], 0, n, 1000 + n) for n, body in enumerate(bodies)]}
    registry = MemoryRegistry({7: RegisteredSchema(7, "AVRO", json.dumps(WIRE))}, hidden)
    letters = MemoryDeadLetters(topics)
    scanner = Scanner(
        MemorySampler(topics), MemoryOffsets(topics), registry, ScannerSettings(detect=False), letters=letters
    )
    cluster = ClusterConnection("prod", "kafka://k:9092", "k:9092", {}, "http://registry")
    (done,) = scanner.scan(cluster, ["paid"], SampleRequest(max_records=5000, dead_letter="_dead"))
    assert done.schema.format["value"] == "avro"
    fields = {field.path: field for field in done.schema.fields}
    assert (fields["value.id"].count, fields["value.sum"].count) == (good, good)
    assert fields["value"].types == {"binary": round(1000 / (1000 + good), 6), "object": round(good / (1000 + good), 6)}
    problems = {problem["reason"]: problem for problem in done.problems}
    assert problems["several_formats"]["formats"] == {"binary": 1000, "avro": good}
    assert problems["several_formats"]["unread"] == 1000 and "avro" in problems["several_formats"]["tried"]
    assert "1000 are bytes that no format reads (tried: avro, " in sentence(problems["several_formats"])
    assert unread(done.problems) == 1000
    assert len(letters.sent["_dead"]) == 1000 and problems["dead_letters"]["count"] == 1000


def test_avro_among_bytes_whose_schema_nobody_has_is_named() -> None:
    bodies = [*framed(1, range(1000)), *framed(0, range(50))]
    topics = {"paid": [RawRecord(None, body, [], 0, n, 1000 + n) for n, body in enumerate(bodies)]}
    scanner = Scanner(MemorySampler(topics), MemoryOffsets(topics), MemoryRegistry(), ScannerSettings(detect=False))
    (done,) = scanner.scan(ClusterConnection("prod", "kafka://k:9092", "k:9092", {}, "http://registry"), ["paid"])
    problems = {problem["reason"]: problem for problem in done.problems}
    assert problems["unknown_schema_id"]["count"] > 0 and problems["schema_ids_not_found"]["ids"] == [7]
