"""Records that are packed (compressed, in another encoding, several in one), or of several formats, are not read by Spark
itself, but by the decoder."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

import pytest

from api.joins.query_tables import Decoder, _part
from catalog.datasets.learned_types import from_profile
from catalog.datatypes import STRING, parse_ddl
from catalog.model import FieldProfile
from policies.adapters.spark.decode import by_python
from scanners.adapters.spark.carried_code import carried
from scanners.model import PartFormat, RegisteredSchema
from scanners.schemas.registered import Schemas

KIND = parse_ddl("a INT")
PACKED = {
    "gzip": gzip.compress(b'{"a":1}', mtime=0),
    "utf-16": '{"a":1}'.encode("utf-16"),
    "latin-1": '{"a":1,"ü":0}'.encode("latin-1"),
    "documents": b'{"a":1}{"a":1}',
}


def nothing() -> tuple[Mapping[str, object], Schemas]:
    """No registered schema."""
    return {}, Schemas()


@pytest.mark.parametrize("name", ["json", "csv", "string"])
def test_the_decoder_reads_what_is_packed(name: str) -> None:
    options = {"delimiter": ","} if name == "csv" else {}
    kind = STRING if name == "string" else KIND
    plain, packed = (
        _part("value", PartFormat(name, {**options, **more}), kind, nothing) for more in ({}, {"packed": ["gzip"]})
    )
    assert not by_python("value", plain) and by_python("value", packed)


@pytest.mark.parametrize(("wrapping", "body"), PACKED.items())
def test_it_gives_the_json_of_the_record(wrapping: str, body: bytes) -> None:
    function = Decoder(carried).function(
        "value", _part("value", PartFormat("json", {"packed": [wrapping]}), KIND, nothing)
    )
    read = json.loads(function(body) or "null")
    assert (read if isinstance(read, dict) else read[0])["a"] == 1


CONNECT = {
    "schema": {
        "type": "struct",
        "optional": False,
        "fields": [{"field": "sum", "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal"}],
    },
    "payload": {"sum": "MDk="},
}


def test_json_with_schemas_of_connect_is_read_by_them() -> None:
    kind = parse_ddl("payload STRUCT<sum: DECIMAL(38,0)>")
    read = _part("value", PartFormat("json", {"connect": True}), kind, nothing)
    assert by_python("value", read), "Spark would read the base64 of a decimal as a number"
    text = Decoder(carried).function("value", read)(json.dumps(CONNECT).encode())
    assert json.loads(text or "null")["payload"] == {"sum": 12345}


AVRO = RegisteredSchema(
    7, "AVRO", json.dumps({"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]})
)
EACH = {"json": b'{"a":1}', "avro": b"\0\0\0\0\x07\x02", "xml": b"<a>1</a>"}


@pytest.mark.parametrize(
    ("main", "other"), [("json", "avro"), ("avro", "json"), ("json", "xml"), ("json-schema", "json")]
)
def test_records_that_show_another_format_are_read_by_it(main: str, other: str) -> None:
    read = _part(
        "value", PartFormat(main, {"mixed": [other]}), KIND, lambda: ({"7": AVRO.to_json()}, Schemas({7: AVRO}))
    )
    assert by_python("value", read)
    text = Decoder(carried).function("value", read)(EACH[other])
    assert json.loads(text or "null") == {"a": "1" if other == "xml" else 1}


def test_documents_among_texts_are_no_texts() -> None:
    seen = [
        FieldProfile("key", {"string": 0.5, "object": 0.5}, 2, 1.0),
        FieldProfile("key.a", {"int32": 1.0}, 1, 1.0),
    ]
    kind = from_profile(seen, "key")
    read = _part("key", PartFormat("string", {}), kind, nothing)
    assert by_python("key", read), "Spark has no cast from a text to an object"
    function = Decoder(carried).function("key", read)
    assert [json.loads(function(body) or "null") for body in (b"user-1", EACH["json"])] == [
        {"as_scalar": "user-1"},
        {"as_object": {"a": 1}},
    ]


def test_a_part_with_a_registered_schema_is_read_by_the_header_too() -> None:
    assert _part("key", PartFormat("avro"), KIND, nothing).schemas["header"] == "__key_schema_id"
    assert _part("value", PartFormat("protobuf"), KIND, nothing).schemas["header"] == "__value_schema_id"
    assert "header" not in _part("value", PartFormat("csv"), KIND, nothing).schemas
