"""Schema ids in headers, as the registry's own client writes them: its serializers, and an HTTP registry of its answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import httpx
import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient, header_schema_id_serializer
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import struct_pb2

from scanners.adapters.registry import HttpSchemaRegistry
from scanners.model import ClusterConnection, RawRecord, SampleRequest
from scanners.scan.service import Scanner
from scanners.schemas.registered import numbered
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryDeadLetters, MemoryOffsets, MemorySampler

CLUSTER = ClusterConnection("prod", "kafka://b:9092", "b:9092", registry="http://registry")
POINT = {
    "type": "record",
    "name": "Point",
    "namespace": "n",
    "fields": [
        {"name": "x", "type": "int"},
        {"name": "mail", "type": "string"},
    ],
}
JSON_POINT = {"title": "Point", "type": "object", "properties": {"x": {"type": "integer"}, "mail": {"type": "string"}}}


def serializers(client: SchemaRegistryClient) -> dict[str, tuple[Callable[..., Any], Callable[[int], Any]]]:
    conf = {"schema.id.serializer": header_schema_id_serializer}
    point = lambda n: {"x": n, "mail": f"m{n}@gmx.net"}  # noqa: E731

    def message(n: int) -> struct_pb2.Value:
        return struct_pb2.Value(string_value=f"m{n}@gmx.net")

    return {
        "avro": (AvroSerializer(client, json.dumps(POINT), conf=conf), point),
        "json-schema": (JSONSerializer(json.dumps(JSON_POINT), client, conf=conf), point),
        "protobuf": (
            ProtobufSerializer(struct_pb2.Value, client, conf={**conf, "use.deprecated.format": False}),
            message,
        ),
    }


def records(kind: str, client: SchemaRegistryClient, count: int = 30) -> list[RawRecord]:
    write, make = serializers(client)[kind]
    raw_records = []
    for n in range(count):
        headers: list[tuple[str, bytes | None]] = [("trace", b"t")]
        body = write(make(n), SerializationContext("t", MessageField.VALUE, headers))
        raw_records.append(RawRecord(b"k", body, headers, 0, n, 1000 + n))
    return raw_records


class Registry:
    """Answers as Confluent's registry from version 8.0 on; `old` ones neither know GUIDs nor give them."""

    def __init__(self, client: SchemaRegistryClient, by_topic: bool, old: bool = False) -> None:
        self.asked: list[str] = []
        self.old = old
        self.schemas = []
        for subject in client.get_subjects():
            version = client.get_latest_version(subject)
            self.schemas.append((subject if by_topic else "n.Point", 7, version))

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked.append(path)
        for subject, number, schema in self.schemas:
            text = {"schema": schema.schema.schema_str, "schemaType": schema.schema.schema_type}
            named = {} if self.old else {"guid": schema.guid}
            pages: dict[str, Any] = {
                "/subjects": [subject],
                f"/subjects/{subject}/versions": [1],
                f"/subjects/{subject}/versions/1": {"subject": subject, "version": 1, "id": number, **text, **named},
                f"/schemas/ids/{number}": text,
                f"/schemas/ids/{number}/versions": [{"subject": subject, "version": 1}],
            }
            if not self.old:
                pages[f"/schemas/guids/{schema.guid}"] = {**text, **named}
                pages[f"/schemas/guids/{schema.guid}/ids"] = [{"context": ".", "id": number}]
            if path in pages:
                return httpx.Response(200, json=pages[path])
        if path.startswith("/schemas/guids/") and not self.old:
            return httpx.Response(404, json={"error_code": 40403, "message": "Schema not found"})
        return httpx.Response(404)


def scan(raw_records: list[RawRecord], registry: Any, letters: Any = None, **request: Any) -> Any:
    topics = {"t": raw_records}
    http = HttpSchemaRegistry(ScannerSettings(), httpx.MockTransport(registry), sleep=lambda _: None)
    scanner = Scanner(MemorySampler(topics), MemoryOffsets(topics), http, letters=letters(topics) if letters else None)
    (result,) = scanner.scan(CLUSTER, ["t"], SampleRequest(**request))
    return result


@pytest.mark.parametrize("by_topic", [True, False], ids=["found by the topic's name", "found by the GUID"])
@pytest.mark.parametrize("kind", ["avro", "json-schema", "protobuf"])
def test_records_are_read_by_the_schema_their_header_names(kind: str, by_topic: bool) -> None:
    client = SchemaRegistryClient.new_client({"url": "mock://"})
    rows = records(kind, client)
    registry = Registry(client, by_topic)
    result = scan(rows, registry)
    fields = {f.path: f for f in result.schema.fields}
    assert result.schema.format["value"] == kind and not result.problems
    assert fields["value"].details["schemaIds"] == [7]
    assert {c.entity for c in result.classifications} == {"EMAIL_ADDRESS"}
    assert not result.unscanned, "the header itself is nobody's data"
    assert fields["headers.__value_schema_id"].details["formats"] == {"uuid": 1.0}
    assert any(path.startswith("/schemas/guids/") for path in registry.asked) is not by_topic


def test_a_number_in_the_header() -> None:
    client = SchemaRegistryClient.new_client({"url": "mock://"})
    rows = [r._replace(headers=[("__value_schema_id", b"\0\0\0\0\7")]) for r in records("avro", client)]
    for by_topic in (True, False):
        result = scan(rows, Registry(client, by_topic, old=True))
        assert result.schema.format["value"] == "avro" and not result.problems
        assert {f.path for f in result.schema.fields} >= {"value.x", "value.mail"}


def test_a_registry_that_knows_no_guids_is_told_and_the_scan_ends() -> None:
    client = SchemaRegistryClient.new_client({"url": "mock://"})
    rows = records("avro", client)
    result = scan(rows, Registry(client, False, old=True))
    by_reason = {p["reason"]: p for p in result.problems}
    header = dict(rows[0].headers)["__value_schema_id"]
    assert header is not None
    guid = str(UUID(bytes=header[1:17]))
    assert by_reason["guids_not_supported"]["ids"] == [guid] and by_reason["schema_ids_not_found"]["ids"] == [guid]
    assert by_reason["unknown_schema_id"]["count"] == 30
    assert result.unscanned == ("value",)


def test_a_guid_of_no_schema_and_a_registry_that_is_down() -> None:
    client = SchemaRegistryClient.new_client({"url": "mock://"})
    gone = [r._replace(headers=[("__value_schema_id", b"\1" + UUID(int=5).bytes)]) for r in records("avro", client)]
    by_reason = {p["reason"]: p for p in scan(gone, Registry(client, False)).problems}
    assert by_reason["schema_not_found"]["id"] == str(UUID(int=5))
    down = {p["reason"] for p in scan(gone, lambda _: httpx.Response(500)).problems}
    assert down >= {"registry_unavailable", "unknown_schema_id"}


def test_dead_letters_are_only_those_that_no_schema_reads() -> None:
    client = SchemaRegistryClient.new_client({"url": "mock://"})
    rows = records("avro", client)
    rows[3] = rows[3]._replace(value=b"")
    letter_stores: list[MemoryDeadLetters] = []

    def letters(topics: Any) -> MemoryDeadLetters:
        letter_stores.append(MemoryDeadLetters(topics))
        return letter_stores[0]

    scan(rows, Registry(client, True), letters, dead_letter="_dead")
    assert [letter["value"] for letter in letter_stores[0].sent["_dead"]] == [b""]


@pytest.mark.parametrize("head", [None, b"", b"\1short", b"\2" + b"x" * 16, b"\0\0"])
def test_headers_that_name_nothing_change_nothing(head: bytes | None) -> None:
    rows = [RawRecord(None, b'{"a":1}', [("__value_schema_id", head)], 0, n, n) for n in range(20)]
    result = scan(rows, lambda _: httpx.Response(404))
    assert result.schema.format["value"] == "json" and "value.a" in {f.path for f in result.schema.fields}


def test_numbers_of_guids_are_no_registrys() -> None:
    assert all(2**31 <= numbered(str(UUID(int=n))) < 2**32 for n in range(50))
