"""Records that are packed (compressed, in another encoding, several in one) are not read by Spark itself, but unpacked."""

from __future__ import annotations

import gzip
import json

import pytest

from api.tables import Decoder, _part
from catalog.datatypes import parse_ddl
from policies.adapters.spark_decode import json_sql
from scanners.model import PartFormat

KIND = parse_ddl("a INT")
PACKED = {
    "gzip": gzip.compress(b'{"a":1}'), "utf-16": '{"a":1}'.encode("utf-16"), "latin-1": '{"a":1,"ü":0}'.encode("latin-1"),
    "documents": b'{"a":1}{"a":1}',
}  # fmt: skip


@pytest.mark.parametrize("name", ["json", "csv", "string"])
def test_the_decoder_reads_what_is_packed(name: str) -> None:
    plain = json_sql("value", _part("value", PartFormat(name, {"delimiter": ","} if name == "csv" else {}), KIND, dict))
    packed = _part(
        "value", PartFormat(name, {"packed": ["gzip"], **({"delimiter": ","} if name == "csv" else {})}), KIND, dict
    )
    assert plain is not None and json_sql("value", packed) is None


@pytest.mark.parametrize(("wrapping", "body"), PACKED.items())
def test_it_gives_the_json_of_the_record(wrapping: str, body: bytes) -> None:
    function = Decoder(str).function("value", _part("value", PartFormat("json", {"packed": [wrapping]}), KIND, dict))
    read = json.loads(function(body) or "null")
    assert (read if isinstance(read, dict) else read[0])["a"] == 1


def test_a_part_with_a_registered_schema_is_read_by_the_header_too() -> None:
    assert _part("key", PartFormat("avro"), KIND, dict).schemas["header"] == "__key_schema_id"
    assert _part("value", PartFormat("protobuf"), KIND, dict).schemas["header"] == "__value_schema_id"
    assert "header" not in _part("value", PartFormat("csv"), KIND, dict).schemas
