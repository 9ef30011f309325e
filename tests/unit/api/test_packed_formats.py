"""Records that are packed (compressed, in another encoding, several in one) are not read by Spark itself, but unpacked."""

from __future__ import annotations

import gzip
import json

import pytest

from api.tables import Decoder, _part
from catalog.datatypes import parse_ddl
from policies.adapters.spark_decode import value_sql
from scanners.model import PartFormat

KIND = parse_ddl("a INT")
PACKED = {
    "gzip": gzip.compress(b'{"a":1}'), "utf-16": '{"a":1}'.encode("utf-16"), "latin-1": '{"a":1,"ü":0}'.encode("latin-1"),
    "documents": b'{"a":1}{"a":1}',
}  # fmt: skip


@pytest.mark.parametrize("name", ["json", "csv", "string"])
def test_the_decoder_reads_what_is_packed(name: str) -> None:
    plain = value_sql("value", _part(PartFormat(name, {"delimiter": ","} if name == "csv" else {}), KIND, dict))
    packed = _part(PartFormat(name, {"packed": ["gzip"], **({"delimiter": ","} if name == "csv" else {})}), KIND, dict)
    assert plain is not None and value_sql("value", packed) is None


@pytest.mark.parametrize(("wrapping", "body"), PACKED.items())
def test_it_gives_the_json_of_the_record(wrapping: str, body: bytes) -> None:
    function = Decoder(str).function("value", _part(PartFormat("json", {"packed": [wrapping]}), KIND, dict))
    read = json.loads(function(body) or "null")
    assert (read if isinstance(read, dict) else read[0])["a"] == 1
