import contextlib
import pickle
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from scanners.decode.formats import choose
from scanners.decode.records import decode, to_json_text
from scanners.model import PartFormat, RegisteredSchema
from scanners.schemas.protobuf.messages import compile_decoder
from scanners.schemas.protobuf.names import resolve, symbols
from scanners.schemas.protobuf.parser import ProtoError, parse
from scanners.schemas.registered import Schemas

SHOP = """
// A comment; with { marks }
syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "common.proto";
option java_package = "x.y";
option (my.option) = { a: 1 };

message Order {
  reserved 50, 60 to 70;
  string id = 1 [json_name = "ID", deprecated = true];
  sint32 qty = 2;
  optional string note = 3;
  repeated Line lines = 4;
  map<string, Line> by_sku = 5;
  oneof paid { string card = 6; common.Money cash = 7; }
  Status status = 8;
  google.protobuf.Timestamp at = 9;
  bytes raw = 10;
  message Line { string sku = 1; Kind kind = 2; enum Kind { A = 0; B = 1 [(x) = "y"]; } }
  /* block
     comment */
  enum Status { option allow_alias = true; NEW = 0; DONE = 1; FINISHED = 1; BAD = -1; }
}
message Other { uint64 n = 1; }
service S { rpc Get (Order) returns (Other) { option (a) = "b"; } }
"""
COMMON = 'syntax = "proto3"; package common; message Money { int64 cents = 1; }'
SCHEMAS = Schemas.of(
    {
        1: {"type": "PROTOBUF", "schema": COMMON},
        2: {"type": "PROTOBUF", "schema": SHOP, "references": [["common.proto", "1"]]},
    }
)


def classes():
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(Timestamp.DESCRIPTOR.file.serialized_pb)
    pool.Add(parse(COMMON, "common.proto"))
    file = parse(SHOP, "s.proto")
    names = {
        **symbols(file),
        ".common.Money": 11,
        ".google.protobuf.Timestamp": 11,
    }
    resolve(file, names)
    pool.Add(file)
    return lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def body(message, path=b"\x00"):
    return b"\x00\x00\x00\x00\x02" + path + message.SerializeToString()


def test_a_message_becomes_a_tree():
    order = classes()("shop.v1.Order")(id="o1", qty=-3, card="c", status=1, raw=b"\xff")
    order.lines.add(sku="a", kind=1)
    order.by_sku["a"].sku = "a"
    order.at.FromDatetime(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    got = decode(body(order), PartFormat("protobuf"), SCHEMAS)
    assert got.problem is None
    assert got.value == {
        "id": "o1",
        "qty": -3,
        "lines": [{"sku": "a", "kind": "B"}],
        "by_sku": {"a": {"sku": "a", "kind": "A"}},
        "card": "c",
        "status": "DONE",
        "at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "raw": b"\xff",
    }
    assert choose([body(order)], SCHEMAS).name == "protobuf"
    assert '"at":"2026-01-02T03:04:05Z"' in (to_json_text(body(order), PartFormat("protobuf"), SCHEMAS) or "")


def test_defaults_are_values_and_optional_ones_are_absent():
    got = decode(body(classes()("shop.v1.Order")()), PartFormat("protobuf"), SCHEMAS).value
    assert got["qty"] == 0 and got["lines"] == [] and got["status"] == "NEW"
    assert "note" not in got and "card" not in got and "at" not in got


def test_the_path_picks_the_message_type():
    other = classes()("shop.v1.Other")(n=7)
    assert decode(body(other, b"\x02\x02"), PartFormat("protobuf"), SCHEMAS).value == {"n": 7}
    line = classes()("shop.v1.Order.Line")(sku="x")
    assert decode(body(line, b"\x04\x00\x00"), PartFormat("protobuf"), SCHEMAS).value == {"sku": "x", "kind": "A"}


@pytest.mark.parametrize("broken", [b"\x02\x63", b"\x00\xff\xff\xff", b""])
def test_a_body_that_does_not_fit_is_a_problem(broken):
    assert decode(b"\x00\x00\x00\x00\x02" + broken, PartFormat("protobuf"), SCHEMAS).problem == "not_protobuf"


@pytest.mark.parametrize(
    "text", ["message {", "syntax = proto3", "message A { B b = 1; }", 'import "gone.proto";', "%%"]
)
def test_text_that_cannot_be_compiled(text):
    schemas = Schemas({2: RegisteredSchema(2, "PROTOBUF", text)})
    assert decode(b"\x00\x00\x00\x00\x02\x00", PartFormat("protobuf"), schemas).problem == "unusable_schema"


def test_schemas_travel_by_pickle_after_use():
    decode(body(classes()("shop.v1.Order")()), PartFormat("protobuf"), SCHEMAS)
    again = pickle.loads(pickle.dumps(SCHEMAS))
    assert decode(body(classes()("shop.v1.Order")(id="z")), PartFormat("protobuf"), again).value["id"] == "z"


def test_proto2_labels():
    text = (
        "message M { required string a = 1; optional int32 b = 2 [default = 5]; repeated int32 c = 3 [packed = true]; }"
    )
    assert compile_decoder(text)(b"\x00\x0a\x01x") == {"a": "x", "c": []}


def compiled(text, **imports):
    """The decoder of a text, and the classes of its messages by name."""
    decoder = compile_decoder(text, imports)
    return decoder, lambda name: message_factory.GetMessageClass(decoder._pool.FindMessageTypeByName(name))


def test_well_known_types_are_what_they_stand_for():
    known = ("any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers")
    text = 'syntax = "proto3"; package w;' + "".join(f'import "google/protobuf/{name}.proto";' for name in known)
    kinds = {
        "a": "Any",
        "b": "Any",
        "d": "Duration",
        "e": "Empty",
        "m": "FieldMask",
        "s": "Struct",
        "v": "Value",
        "l": "ListValue",
        "t": "Timestamp",
        "late": "Timestamp",
        "x": "StringValue",
        "n": "Int64Value",
        "f": "BoolValue",
    }
    fields = "".join(f" google.protobuf.{kind} {name} = {i};" for i, (name, kind) in enumerate(kinds.items(), 1))
    decoder, of = compiled(text + f" message M {{{fields} }} message Told {{ string what = 1; }}")
    message = of("w.M")()
    message.a.Pack(of("w.Told")(what="known"))
    message.b.type_url, message.b.value = "type.googleapis.com/gone.Type", b"\xff"
    message.d.seconds = 61
    message.e.SetInParent()
    message.m.paths.append("a.b")
    message.s.update({"whole": 5, "part": 1.5, "none": None, "list": [1, {"deep": True}]})
    message.v.number_value = float("nan")
    message.l.extend(["x", 2])
    message.t.FromDatetime(datetime(2026, 1, 2, tzinfo=UTC))
    message.late.seconds = 1_764_000_000_000
    message.x.value = ""
    message.n.value = -(2**63)
    message.f.value = False
    got = decoder(b"\0" + message.SerializeToString())
    assert got.pop("v") != 0
    assert got == {
        "a": {"@type": "type.googleapis.com/w.Told", "what": "known"},
        "b": {"type_url": "type.googleapis.com/gone.Type", "value": b"\xff"},
        "d": timedelta(seconds=61),
        "e": {},
        "m": {"paths": ["a.b"]},
        "s": {"whole": 5, "part": 1.5, "none": None, "list": [1, {"deep": True}]},
        "l": ["x", 2],
        "t": datetime(2026, 1, 2, tzinfo=UTC),
        "late": {"seconds": 1_764_000_000_000, "nanos": 0},
        "x": "",
        "n": -(2**63),
        "f": False,
    }


def test_files_that_registries_know_without_a_reference():
    text = """
    syntax = "proto3";
    import "confluent/meta.proto";
    import "confluent/type/decimal.proto";
    import "google/type/date.proto";
    message M {
      confluent.type.Decimal price = 1 [(confluent.field_meta) = { params: [ { key: "precision", value: "8" } ] }];
      google.type.Date day = 2;
    }
    """
    decoder, of = compiled(text)
    message = of("M")()
    message.price.value, message.price.scale = (-1250).to_bytes(4, "big", signed=True), 2
    message.day.year = 2026
    got = decoder(b"\0" + message.SerializeToString())
    assert got == {"price": Decimal("-12.50"), "day": {"year": 2026, "month": 0, "day": 0}}


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffmessage M { optional string a = 1; }",
        'edition = "2023"; message M { string a = 1; }',
        "message M { extensions 100 to max [declaration = { number: 100, full_name: '.x' }]; optional string a = 1; }",
        "message M { enum E { option (x) = { y: 1; z: 2 }; A = 0; } optional string a = 1; }",
        'option (x) = { list: [1, 2] inner { b: "}" } }; message M { reserved "b", "c"; optional string a = 1; }',
        "message M { oneof o { string a = 1; group G = 2 { optional int32 n = 3; } } }",
        'syntax = "proto3"; message M { string a = 1; map<string, string> fooBar = 2; map<string, string> foobar = 3; }',
    ],
)
def test_odd_texts(text):
    assert compile_decoder(text)(b"\0\x0a\x01x")["a"] == "x"


def test_a_group_is_a_message():
    decoder, of = compiled("message M { repeated group Line = 1 { required string sku = 2; } }")
    message = of("M")()
    message.line.add(sku="s")
    assert decoder(b"\0" + message.SerializeToString()) == {"line": [{"sku": "s"}]}


NESTED = """
syntax = "proto3";
message Out {
  map<string, int32> counts = 1;
  message First { string first = 1; }
  map<string, int32> sums = 2;
  message Second { int64 second = 2; }
  message Third { double third = 3; message Deep { bool deep = 4; } }
}
"""


@pytest.mark.parametrize(
    ("path", "name"),
    [
        # Without the entries of maps among the types, as Java counts, and with them, as Python and Go do.
        ((0, 0), "Out.First"),
        ((0, 1), "Out.Second"),
        ((0, 2), "Out.Third"),
        ((0, 2, 0), "Out.Third.Deep"),
        ((0, 1), "Out.First"),
        ((0, 3), "Out.Second"),
        ((0, 4), "Out.Third"),
        ((0, 4, 0), "Out.Third.Deep"),
    ],
)
def test_nested_types_beside_maps_are_counted_as_either_kind_of_client_does(path, name):
    decoder, of = compiled(NESTED)
    field = name.rpartition(".")[2].lower()
    message = of(name)(**{field: {"first": "x", "second": 5, "third": 0.5, "deep": True}[field]})
    body = bytes([2 * len(path), *(2 * index for index in path)]) + message.SerializeToString()
    assert decoder(body) == {field: getattr(message, field)}
    assert decoder.name(body) == name


def test_indexes_without_zig_zag_as_old_clients_wrote_them():
    decoder, _ = compiled('syntax = "proto3"; message A { int32 a = 1; } message B { string b = 1; } message C {}')
    assert decoder(b"\x01\x01\x0a\x01x") == {"b": "x"}
    assert decoder(b"\x01\x02") == {}


@given(st.binary(max_size=40))
def test_any_body_is_read_or_refused(body):
    decoded = decode(b"\x00\x00\x00\x00\x02" + body, PartFormat("protobuf"), SCHEMAS)
    assert decoded.problem in (None, "not_protobuf")
    SCHEMAS.label(b"\x00\x00\x00\x00\x02" + body)


@given(st.text(alphabet='message{}=;"1 oneofmap<,>string[]option/*.-\n', max_size=60))
def test_any_text_is_compiled_or_refused(text):
    with contextlib.suppress(ProtoError):
        compile_decoder(text)
