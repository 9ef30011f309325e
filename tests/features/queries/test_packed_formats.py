"""Records that are packed (compressed, in another encoding, several in one) are not read by Spark itself, but unpacked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

import pytest

from api.joins.query_tables import Decoder, _part
from catalog.datatypes import parse_ddl
from policies.adapters.spark.decode import by_python
from scanners.adapters.spark.carried_code import carried
from scanners.model import PartFormat
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
    plain, packed = (
        _part("value", PartFormat(name, {**options, **more}), KIND, nothing) for more in ({}, {"packed": ["gzip"]})
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


def test_a_part_with_a_registered_schema_is_read_by_the_header_too() -> None:
    assert _part("key", PartFormat("avro"), KIND, nothing).schemas["header"] == "__key_schema_id"
    assert _part("value", PartFormat("protobuf"), KIND, nothing).schemas["header"] == "__value_schema_id"
    assert "header" not in _part("value", PartFormat("csv"), KIND, nothing).schemas
