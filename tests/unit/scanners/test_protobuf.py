import pickle
from datetime import UTC, datetime

import pytest
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.timestamp_pb2 import Timestamp

from scanners import protobuf
from scanners.decode import decode, to_json_text
from scanners.formats import choose
from scanners.model import PartFormat, RegisteredSchema
from scanners.registered import Schemas

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
SCHEMAS = Schemas.of({
    1: {"type": "PROTOBUF", "schema": COMMON},
    2: {"type": "PROTOBUF", "schema": SHOP, "references": [["common.proto", "1"]]},
})  # fmt: skip


def classes():
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(Timestamp.DESCRIPTOR.file.serialized_pb)
    pool.Add(protobuf.parse(COMMON, "common.proto"))
    file = protobuf.parse(SHOP, "s.proto")
    names = {
        **protobuf._symbols(".shop.v1", file, file.message_type),
        ".common.Money": 11,
        ".google.protobuf.Timestamp": 11,
    }
    protobuf._resolve(file, names)
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
        "id": "o1", "qty": -3, "lines": [{"sku": "a", "kind": "B"}], "by_sku": {"a": {"sku": "a", "kind": "A"}}, "card": "c",
        "status": "DONE", "at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "raw": b"\xff",
    }  # fmt: skip
    assert choose([body(order)], SCHEMAS).name == "protobuf"
    assert '"at":"2026-01-02T03:04:05Z"' in to_json_text(body(order), PartFormat("protobuf"), SCHEMAS)


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
    assert protobuf.compile_decoder(text)(b"\x00\x0a\x01x") == {"a": "x", "c": []}
