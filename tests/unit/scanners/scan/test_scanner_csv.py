"""Rows of CSV under a header record: detectors know the columns by their names, whichever task met that record."""

from __future__ import annotations

import pytest

from scanners.model import ClusterConnection, PartFormat, RawRecord, SampleRequest, TopicFormat
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler

HEADER = b"id;geburtsdatum;passwort;vorname"
NAMED = {("value.geburtsdatum", "DATE_OF_BIRTH"), ("value.passwort", "PASSWORD"), ("value.vorname", "PERSON")}
CLUSTER = ClusterConnection("prod", "kafka://k:9092", "k:9092", {})


def row(i: int) -> bytes:
    day = f"{i % 28 + 1:02}.{i % 12 + 1:02}.{1950 + i % 50}"
    return f"{i};{day};x{i * 7919}_Q!{i % 7};{('Anna', 'Jens', 'Lena', 'Tomas', 'Ute')[i % 5]}".encode()


def scan(records: list[RawRecord], form: TopicFormat | None = None, detect: bool = True):
    topics = {"people": records}
    scanner = Scanner(MemorySampler(topics), MemoryOffsets(topics), MemoryRegistry(), ScannerSettings(detect=detect))
    (done,) = scanner.scan(CLUSTER, ["people"], SampleRequest(), formats={"people": form} if form else {})
    return done


def records(*partitions: list[bytes]) -> list[RawRecord]:
    return [
        RawRecord(None, body, [], number, offset, 1000 + offset)
        for number, bodies in enumerate(partitions)
        for offset, body in enumerate(bodies)
    ]


def test_columns_are_looked_at_by_the_names_of_a_header_record() -> None:
    done = scan(records([HEADER, *map(row, range(100))]))
    assert {(each.path, each.entity) for each in done.classifications} == NAMED


def test_so_are_those_of_partitions_without_it() -> None:
    done = scan(records([HEADER, *map(row, range(20))], [row(i) for i in range(20, 200)]))
    evidence = {(each.path, each.entity): each.evidence for each in done.classifications}
    assert evidence.keys() == NAMED
    assert evidence["value.passwort", "PASSWORD"]["sampled"] == 200
    fields = {field.path: field for field in done.schema.fields}
    assert {fields[path].count for path, _ in NAMED} == {200}
    assert [(p["reason"], p["count"]) for p in done.problems] == [("header_record", 1)]


@pytest.mark.parametrize("detect", [True, False])
def test_the_schema_is_the_same_without_detectors(detect: bool) -> None:
    done = scan(records([HEADER, *map(row, range(100))]), detect=detect)
    assert [field.path for field in done.schema.fields] == [
        "value", "value.geburtsdatum", "value.id", "value.passwort", "value.vorname",
    ]  # fmt: skip
    assert TopicFormat.from_mapping(done.schema.format).value.options["columns"] == HEADER.decode().split(";")


def test_declared_names_of_columns_count_too() -> None:
    options = {"delimiter": ";", "columns": HEADER.decode().split(";"), "width": 4}
    done = scan(records([row(i) for i in range(100)]), TopicFormat(PartFormat("null"), PartFormat("csv", options)))
    assert {(each.path, each.entity) for each in done.classifications} == NAMED
