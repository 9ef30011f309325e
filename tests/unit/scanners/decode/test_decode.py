import io
import json
import struct
import uuid
import zlib
from datetime import UTC, datetime
from decimal import Decimal

import cbor2
import fastavro
import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanners.decode.formats import choose, sniff
from scanners.decode.records import Decoded, decode, to_json_text
from scanners.model import PartFormat, RegisteredSchema, TopicFormat
from scanners.schemas.registered import Schemas

JSON = PartFormat("json")
NONE = Schemas()

PERSON = {
    "type": "record",
    "name": "Person",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "email", "type": ["null", "string"], "default": None},
        {"name": "balance", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
        {"name": "born", "type": {"type": "int", "logicalType": "date"}},
        {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "raw", "type": "bytes"},
    ],
}
ANNA = {
    "id": 7,
    "email": "a@b.example",
    "balance": Decimal("12.50"),
    "born": datetime(1990, 1, 2).date(),
    "seen": datetime(2026, 1, 1, tzinfo=UTC),
    "raw": b"\x01\x02",
}


def wire(schema_id, schema, record):
    out = io.BytesIO()
    out.write(b"\x00" + schema_id.to_bytes(4, "big"))
    fastavro.schemaless_writer(out, schema, record)
    return out.getvalue()


AVRO = Schemas({5: RegisteredSchema(5, "AVRO", json.dumps(PERSON))})


@pytest.mark.parametrize(
    ("text", "value", "problem"),
    [
        ('{"a":1}', {"a": 1}, None),
        ('{"a":NaN}', None, None),
        ('{"a":1,"a":2}', {"a": 2}, "duplicate_key"),
        ('{"a" : 1}', {"a": 1}, None),
        ('{"a":"x\\":y"}', {"a": 'x":y'}, None),
        ("\ufeff{}", {}, None),
        ('{"a":18446744073709551616}', {"a": 18446744073709551616}, None),
        ('{"a":-9223372036854775809}', {"a": -9223372036854775809}, None),
        ('{"a":1e400}', {"a": Decimal("1e400")}, None),
        ('{"a":1.2345678901234567890123}', {"a": Decimal("1.2345678901234567890123")}, None),
        ('{"a":1}\n{"a":2}\n', [{"a": 1}, {"a": 2}], "several_documents"),
        ('{"a":1', None, "not_json"),
        ("[" * 10_000 + "]" * 10_000, None, "too_deep"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, None, "too_deep"),
        ('{"":1,"a.b":{"c`d":2}}', {"": 1, "a.b": {"c`d": 2}}, None),
        ('{"a":' + "9" * 5000 + "}", {"a": Decimal("9" * 5000)}, None),
    ],
)
def test_json(text, value, problem):
    got = decode(text.encode(), JSON)
    assert got.problem == problem
    if value is not None:
        assert got.value == value


@settings(deadline=None)
@given(
    st.binary(max_size=200),
    st.sampled_from(["json", "csv", "string", "xml", "msgpack", "cbor", "avro", "long", "uuid", "avro-container"]),
)
def test_decode_never_raises_and_names_no_data(body, name):
    got = decode(body, PartFormat(name), AVRO)
    assert got.problem is None or got.problem.replace("_", "").isalpha()
    to_json_text(body, PartFormat(name), AVRO)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    ).filter(lambda v: isinstance(v, (dict, list)))
)
def test_json_comes_out_as_it_went_in(tree):
    try:
        body = json.dumps(tree).encode()
        json.loads(body)
    except ValueError:
        return
    decoded = decode(body, JSON)
    assert decoded.value == json.loads(body)
    text = to_json_text(body, JSON)
    assert text is None or json.loads(text) == json.loads(body)


def test_avro_by_the_registry_and_its_json_form():
    body = wire(5, PERSON, ANNA)
    assert choose([body], AVRO) == PartFormat("avro")
    assert decode(body, PartFormat("avro"), AVRO).value == ANNA
    assert json.loads(to_json_text(body, PartFormat("avro"), AVRO) or "") == {
        "id": 7,
        "email": "a@b.example",
        "balance": 12.5,
        "born": "1990-01-02",
        "seen": "2026-01-01T00:00:00Z",
        "raw": "AQI=",
    }
    assert '"balance":12.50' in (to_json_text(body, PartFormat("avro"), AVRO) or ""), "no digit is lost"


def test_avro_with_left_over_bytes_an_unknown_id_or_a_broken_schema_is_a_problem():
    body = wire(5, PERSON, ANNA)
    assert decode(body + b"x", PartFormat("avro"), AVRO).problem == "left_over_bytes"
    assert decode(body, PartFormat("avro"), NONE).problem == "unknown_schema_id"
    broken = Schemas({5: RegisteredSchema(5, "AVRO", "{")})
    assert decode(body, PartFormat("avro"), broken).problem == "unusable_schema"
    assert decode(b"hello", PartFormat("avro"), AVRO).problem == "not_avro"


def test_avro_references():
    inner = {"type": "record", "name": "Inner", "fields": [{"name": "x", "type": "int"}]}
    outer = {"type": "record", "name": "Outer", "fields": [{"name": "inner", "type": "Inner"}]}
    schemas = Schemas.of(
        {
            1: {"type": "AVRO", "schema": json.dumps(inner)},
            "2": {"type": "AVRO", "schema": json.dumps(outer), "references": [["Inner", "1"]]},
        }
    )
    out = io.BytesIO(b"\x00\x00\x00\x00\x02" + b"\x08")
    assert decode(out.getvalue(), PartFormat("avro"), schemas).value == {"inner": {"x": 4}}


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy"])
def test_avro_container(codec):
    out = io.BytesIO()
    fastavro.writer(out, PERSON, [ANNA, ANNA], codec=codec)
    assert choose([out.getvalue()], NONE).name == "avro-container"
    assert decode(out.getvalue(), PartFormat("avro-container")).value == [ANNA, ANNA]


def test_an_avro_container_that_is_a_bomb_is_refused():
    schema = {"type": "record", "name": "R", "fields": [{"name": "b", "type": "bytes"}]}
    out = io.BytesIO()
    fastavro.writer(out, schema, [{"b": bytes(80_000_000)}], codec="deflate")
    assert len(out.getvalue()) < 400_000
    assert decode(out.getvalue(), PartFormat("avro-container")).problem == "unpacks_too_large"


def test_json_schema_on_the_wire():
    schemas = Schemas({9: RegisteredSchema(9, "JSON", "{}")})
    body = b"\x00\x00\x00\x00\x09" + b'{"a":1}'
    assert choose([body], schemas).name == "json-schema"
    assert to_json_text(body, PartFormat("json-schema"), schemas) == '{"a":1}'


@pytest.mark.parametrize(("module", "name"), [(msgpack.packb, "msgpack"), (cbor2.dumps, "cbor")])
def test_packed_documents(module, name):
    bodies = [module({"id": i, "name": "x" * i, "tags": [1, 2], "raw": b"\xff\x00"}) for i in range(20)]
    assert choose(bodies, NONE).name == name
    assert decode(bodies[3], PartFormat(name)).value == {"id": 3, "name": "xxx", "tags": [1, 2], "raw": b"\xff\x00"}


def test_csv_without_header_with_one_and_with_one_in_every_record():
    lines = [f"{i},name {i},{i}.5,2026-01-0{i % 9 + 1}".encode() for i in range(30)]
    chosen = choose(lines, NONE)
    assert chosen.name == "csv"
    assert decode(lines[3], chosen).value == {"c1": 3, "c2": "name 3", "c3": 3.5, "c4": "2026-01-04"}
    headed = choose([b"id,name,price,day", *lines], NONE)
    assert headed.options["columns"] == ["id", "name", "price", "day"]
    assert decode(b'id,"name",price,day\r\n', headed) == Decoded(None, "csv"), "the header record is not a row"
    each = [b"id;name\n%d;x" % i for i in range(5)]
    chosen = choose(each, NONE)
    assert decode(each[4], chosen).value == {"id": 4, "name": "x"}
    assert decode(b"1,2", choose(lines, NONE)).problem == "not_csv"
    assert decode(b"007,a,,x", choose(lines, NONE)).value == {"c1": "007", "c2": "a", "c3": None, "c4": "x"}


def test_prose_is_no_csv():
    prose = [b"Hello, I would like, if possible, a refund", b"My van broke down, sorry, no idea, help", b"No"] * 5
    assert choose(prose, NONE).name == "string"
    names = [b"Keller, Anna", b"Smith, Bob", b"Meier, Eva"] * 5
    assert choose(names, NONE).name == "string"


def test_xml_and_its_entities():
    body = b'<?xml version="1.0"?><order id="7"><item>a</item><item>b</item><note/></order>'
    assert choose([body], NONE).name == "xml"
    assert decode(body, PartFormat("xml")).value == {"order": {"id": "7", "item": ["a", "b"], "note": None}}
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>'
    assert decode(bomb, PartFormat("xml")).problem == "xml_doctype"


def test_binary_keys():
    longs = [struct.pack(">q", i * 1000) for i in range(50)]
    assert choose(longs, NONE, "key").name == "long"
    assert decode(longs[5], PartFormat("long")).value == 5000
    doubles = [struct.pack(">d", i * 1.37 + 3) for i in range(50)]
    assert choose(doubles, NONE, "key").name == "double"
    ids = [uuid.uuid4().bytes for _ in range(50)]
    assert choose(ids, NONE, "key").name == "uuid"
    assert to_json_text(ids[0], PartFormat("uuid")) == json.dumps(str(uuid.UUID(bytes=ids[0])))
    assert choose([struct.pack(">i", i) for i in range(50)], NONE, "key").name == "int"
    assert choose([zlib.compress(bytes([i]) * 50) for i in range(50)], NONE, "key").name == "binary"


def test_mixed_topics_are_read_record_by_record():
    mixed = [b'{"a":1}', b'{"b":[2]}', b"[3]", b"plain words", b"[urgent] not json"] * 5 + [b"<x>1</x>"]
    chosen = choose(mixed, NONE)
    assert chosen == PartFormat("json", {"also": ["string"]})
    assert decode(b"plain words", chosen).value == "plain words"
    assert decode(b"[urgent] not json", chosen).value == "[urgent] not json"
    assert decode(b"<x>1</x>", chosen).value == {"x": "1"}
    assert decode(b"[urgent] no json", PartFormat("string")).value == "[urgent] no json"
    assert decode(b'{"a":1}', PartFormat("string")).value == {"a": 1}


def test_a_few_broken_records_do_not_make_a_second_format():
    chosen = choose([b'{"a":1}'] * 99 + [b"oops"], NONE)
    assert chosen == JSON
    assert decode(b"oops", chosen).problem == "not_json"


def test_none_and_empty():
    assert decode(None, JSON).format == "null"
    assert to_json_text(None, JSON) is None
    assert decode(b"", PartFormat("string")).value == ""
    assert sniff(b"", NONE) == "string"


@settings(deadline=None)
@given(
    st.dictionaries(st.text(min_size=1).filter(lambda s: not s.endswith(".options")), st.sampled_from(["json", "avro"]))
)
def test_a_format_survives_being_written_down(headers):
    topic_format = TopicFormat(
        PartFormat("string"), PartFormat("csv", {"delimiter": ";"}), {k: PartFormat(v) for k, v in headers.items()}
    )
    assert TopicFormat.from_mapping(topic_format.to_mapping()) == topic_format
