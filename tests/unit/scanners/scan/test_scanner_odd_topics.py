"""Topics as strange as real ones, each with the answer written by hand. Every topic is profiled whole, in two tasks and in
three with another order: the answer must not depend on how the records were split."""

# ruff: noqa: E501
from __future__ import annotations

import base64
import fractions
import gzip
import io
import ipaddress
import json
import math
import random
import struct
import uuid
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cbor2
import fastavro
import msgpack
import pytest
import zstandard

from catalog.model import ScanWindow, SchemaVersion
from scanners.model import RawRecord, RegisteredSchema
from scanners.scan.to_schema import schema_of
from scanners.schemas.registered import Schemas
from scanners.worker.profile import TopicProfiler
from tests.twins.scanners import sealed

ANY: Any = object()


@dataclass
class Case:
    """`value`, `key`: bodies. `fields`: path -> what its profile must have. `absent`: paths that must not be there."""

    name: str
    value: Sequence[Any] = ()
    fields: dict[str, dict[str, Any]] = field(default_factory=dict)
    absent: Sequence[str] = ()
    key: Sequence[bytes | None] | None = None
    headers: Sequence[list[tuple[str, bytes | None]]] | None = None
    format: dict[str, str | None] = field(default_factory=dict)
    problems: dict[str, int] = field(default_factory=dict)
    schemas: dict[int, RegisteredSchema] = field(default_factory=dict)
    shapes: int | None = None


def types(**shares: float) -> dict[str, Any]:
    return {"types": shares}


def j(*values: Any) -> list[bytes]:
    return [json.dumps(v).encode() for v in values]


def many(make: Callable[[int], Any], count: int = 40) -> list[bytes]:
    return [json.dumps(make(i)).encode() for i in range(count)]


def avro(schema: Any, *records: Any, number: int = 1) -> list[bytes]:
    bodies = []
    for record in records:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, schema, record)
        bodies.append(b"\x00" + number.to_bytes(4, "big") + out.getvalue())
    return bodies


def container(schema: Any, *records: Any, codec: str = "null") -> bytes:
    out = io.BytesIO()
    fastavro.writer(out, schema, list(records), codec=codec)
    return out.getvalue()


POINT = {
    "type": "record",
    "name": "Point",
    "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": ["null", "double"]}],
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(number: int) -> str:
    """A key without a digit, different for each number."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = LETTERS[rest] + text
    return "k" + text


CASES = [
    # numbers
    Case("int32 and int64", j({"n": 1}, {"n": 2**31}), {"value.n": types(int32=0.5, int64=0.5)}),
    Case("edges of int32", j({"n": -(2**31)}, {"n": 2**31 - 1}), {"value.n": types(int32=1.0)}),
    Case("edges of int64", j({"n": -(2**63)}, {"n": 2**63 - 1}), {"value.n": types(int64=1.0)}),
    Case("beyond 2^63", j({"n": 2**63}, {"n": -(2**63) - 1}), {"value.n": types(integer=1.0)}),
    Case("beyond 2^64", [b'{"n":18446744073709551616}', b'{"n":1}'], {"value.n": types(integer=0.5, int32=0.5)}),
    Case("ids of 19 digits", many(lambda i: {"n": 1_000_000_000_000_000_000 + i}), {"value.n": types(int64=1.0)}),
    Case("numbers of 500 digits", [b'{"n":' + b"9" * 500 + b"}"], {"value.n": types(decimal=1.0)}),
    Case("integers and floats", j({"n": 1}, {"n": 1.5}), {"value.n": types(int32=0.5, double=0.5)}),
    Case("floats with 17 digits stay floats", [b'{"n":0.30000000000000004}'], {"value.n": types(double=1.0)}),
    Case(
        "decimals that a double cannot hold", [b'{"n":1234567890123456.789012}'],
        {"value.n": {"types": {"decimal": 1.0}, "precision": 22, "scale": 6}},
    ),
    Case("1e400 is not infinity", [b'{"n":1e400}', b'{"n":1}'], {"value.n": types(decimal=0.5, int32=0.5)}),
    Case("NaN and infinities", [b'{"n":NaN}', b'{"n":Infinity}', b'{"n":-Infinity}', b'{"n":2.5}'],
         {"value.n": {"types": {"double": 1.0}, "notFinite": 3}}),
    Case("negative zero", [b'{"n":-0.0}', b'{"n":0.0}'], {"value.n": {"types": {"double": 1.0}, "distinct": 1}}),
    Case("numbers in strings", j({"n": "42"}, {"n": "-7"}), {"value.n": {"types": {"string": 1.0}, "formats": {"integer": 1.0}}}),
    Case("numbers with leading zeros are texts", [b'{"n":007}', b'{"n":7}'], {"value.n": types(int32=1.0)}, problems={"not_json": 1}),
    # texts
    Case("dates, timestamps, times", many(lambda i: {"d": f"2026-01-{i % 28 + 1:02}", "t": f"2026-01-01T10:00:{i % 60:02}Z", "u": f"10:{i:02}"}),
         {"value.d": {"formats": {"date": 1.0}}, "value.t": {"formats": {"timestamp": 1.0}}, "value.u": {"formats": {"time": 1.0}}}),
    Case("timestamps with offsets and without zone", j({"t": "2026-01-01T10:00:00+02:00"}, {"t": "2026-01-01 10:00:00.123456"}),
         {"value.t": {"formats": {"timestamp": 1.0}}}),
    Case("dates of other lands", j({"d": "31.12.2026"}, {"d": "12/31/2026"}), {"value.d": {"formats": {"date_local": 1.0}}}),
    Case("durations", j({"d": "P1DT2H"}, {"d": "PT5M"}, {"d": "P"}), {"value.d": {"formats": {"duration": round(2 / 3, 6)}}}),
    Case("UUIDs", many(lambda i: {"u": str(uuid.UUID(int=i))}), {"value.u": {"formats": {"uuid": 1.0}, "distinct": 40}}),
    Case("ULIDs and 26 digits", j({"u": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, {"u": "0" * 26}), {"value.u": {"formats": {"ulid": 0.5, "integer": 0.5}}}),
    Case("enum-like texts are a count", many(lambda i: {"c": ["red", "green", "blue"][i % 3]}, 300), {"value.c": {"distinct": 3, "lengths": (3, 5)}}),
    Case("empty texts", j({"s": ""}, {"s": "x"}), {"value.s": {"formats": {"empty": 0.5}, "lengths": (0, 1)}}),
    Case("unicode lengths are characters", j({"s": "é" * 3}, {"s": "😀"}), {"value.s": {"lengths": (1, 3)}}),
    Case("half a surrogate pair", [b'{"s":"\\ud800x"}', b'{"s":"y"}'], {"value.s": types(string=1.0)}),
    Case("a NUL in a text", [b'{"s":"a\\u0000b"}'], {"value.s": {"lengths": (3, 3)}}),
    Case("booleans in texts", j({"b": "true"}, {"b": "False"}), {"value.b": {"formats": {"boolean": 1.0}}}),
    # presence, nulls, unions
    Case("absent and null are two things", j({"a": None}, {"a": 1}, {}, {}), {"value.a": {"presence": 0.5, "null_share": 0.5}}),
    Case("always null", j({"a": None}, {"a": None}), {"value.a": types(null=1.0)}),
    Case("scalar or object", j({"a": "x"}, {"a": {"b": 1}}), {"value.a": types(string=0.5, object=0.5), "value.a.b": {"presence": 1.0}}),
    Case("scalar or array", j({"a": 1}, {"a": [1, 2]}), {"value.a": types(int32=0.5, array=0.5), "value.a[]": {"count": 2}}),
    Case("five types in one field", j({"a": 1}, {"a": "x"}, {"a": True}, {"a": None}, {"a": []}),
         {"value.a": types(int32=0.2, string=0.2, boolean=0.2, null=0.2, array=0.2)}),
    Case("booleans are not integers", j({"a": True}, {"a": 1}), {"value.a": types(boolean=0.5, int32=0.5)}),
    # arrays
    Case("mixed elements", j({"a": [1, "x", None, {"b": 1}]}), {"value.a[]": {"types": {"int32": 0.25, "string": 0.25, "null": 0.25, "object": 0.25}}, "value.a[].b": {"presence": 1.0}}),
    Case("arrays at the top", j([{"a": 1}, {"a": 2}], []), {"value": types(array=1.0), "value[].a": {"count": 2}}),
    Case("arrays in arrays", j({"m": [[1], [2, 3]]}), {"value.m[][]": {"count": 3}}),
    Case("presence in elements is of the elements", j({"i": [{"a": 1}, {"a": 1, "b": 2}]}), {"value.i[].b": {"presence": 0.5}}),
    Case("newline-delimited documents in one record", [b'{"a":1}\n{"a":2}\n', b'{"a":3}\n{"a":4}'], {"value": types(array=1.0), "value[].a": {"count": 4}}),
    # top-level scalars
    Case("bare scalars", [b"1", b'"x"', b"null", b"{}"], {"value": {"count": 4}}, problems={"several_formats": 1}),
    # names
    Case("empty, dotted, quoted names", j({"": 1, "a.b": 2, "c`d": 3}), {"value.``": ANY, "value.`a.b`": ANY, "value.`c``d`": ANY}),
    Case("names that differ in case", j({"Id": 1, "id": "x"}), {"value.Id": types(int32=1.0), "value.id": types(string=1.0)}),
    Case("names with brackets and blanks", j({"a[0]": 1, "b c": 2, "$set": 3, "@type": "T"}), {}),
    Case("unicode names", j({"größe": 1, "日本": 2}), {"value.größe": ANY, "value.日本": ANY}),
    Case("a name with a dot beside its nesting", j({"a.b": 1, "a": {"b": "x"}}), {"value.`a.b`": types(int32=1.0), "value.a.b": types(string=1.0)}),
    Case("duplicate keys", [b'{"a":1,"a":"x"}', b'{"a":"y"}'], {"value.a": types(string=1.0)}, problems={"duplicate_key": 1}),
    Case("duplicate keys further down, spaced", [b'{ "o" : { "a" : 1, "a" : 2 } }', b'{ "o" : { "a" : 1 } }'], {"value.o.a": ANY}, problems={"duplicate_key": 1}),
    Case("a marked text is not a duplicate", j({"a": 'x":y', "b": '" :'}, {"a": "z", "b": "w"}), {"value.a": ANY}, problems={}),
    # maps
    Case("keyed by UUIDs", many(lambda i: {"m": {str(uuid.uuid4()): i}}), {"value.m": types(map=1.0), "value.m{}": types(int32=1.0)}),
    Case("keyed by e-mail addresses", many(lambda i: {"m": {f"u{i}@example.com": True}}), {"value.m": types(map=1.0)}, absent=["value.m{u1@example.com}"]),
    Case("keyed by dates", many(lambda i: {"by_day": {f"2026-01-{i % 28 + 1:02}": i}}), {"value.by_day": types(map=1.0)}),
    Case("keyed by numbers", many(lambda i: {"m": {str(i): {"v": 1}}}), {"value.m": types(map=1.0), "value.m{}.v": ANY}),
    Case("keyed by languages", many(lambda i: {"title": {["en", "de", "fr", "it"][i % 4]: "x"}}), {"value.title": types(map=1.0)}),
    Case("ten thousand different keys", many(lambda i: {"m": {word(i): i}}, 10_000), {"value.m": types(map=1.0), "value.m{}": {"count": 10_000}}),
    Case("ten thousand different keys at the top", many(lambda i: {word(i): i}, 10_000), {"value": types(map=1.0), "value{}": {"count": 10_000}}),
    Case("a map of maps", many(lambda i: {"m": {str(uuid.uuid4()): {str(uuid.uuid4()): i}}}), {"value.m{}": types(map=1.0), "value.m{}{}": ANY}),
    Case("a struct of optional fields stays one", many(lambda i: {"c": {"id": i, "name": "x", **({"vat": "y"} if i % 3 == 0 else {})}}), {"value.c": types(object=1.0), "value.c.vat": ANY}),
    Case("a wide struct stays one", many(lambda i: {f"{word(n)}": n for n in range(300)}), {"value": types(object=1.0), "value.kab": ANY}),
    Case("empty objects", j({"o": {}}, {"o": {}}), {"value.o": types(object=1.0)}),
    # depth
    Case("sixty levels", [b'{"d":' * 60 + b"1" + b"}" * 60], {"value.d.d.d": ANY}),
    Case("ten thousand levels of arrays", [b"[" * 10_000 + b"]" * 10_000, b'{"a":1}'], {"value.a": ANY}, problems={"too_deep": 1}),
    Case("ten thousand levels of objects", [b'{"a":' * 10_000 + b"1" + b"}" * 10_000, b'{"a":1}'], {"value.a": {"count": 1}}, problems={"too_deep": 1}),
    Case("a hundred levels are cut and reported", [b'{"d":' * 100 + b"1" + b"}" * 100], {"value.d.d": ANY}, problems={"too_deep": 1}),
    # documents within
    Case("JSON in a text", many(lambda i: {"p": json.dumps({"id": i, "tags": ["a"]})}), {"value.p": types(string=1.0), "value.p.id": {"insideText": "value.p"}, "value.p.tags[]": ANY}),
    Case("JSON in JSON in JSON", many(lambda i: {"p": json.dumps({"q": json.dumps({"r": i})})}), {"value.p.q.r": types(int32=1.0)}),
    Case("JSON in base64", many(lambda i: {"b": base64.b64encode(json.dumps({"id": i, "name": "someone"}).encode()).decode()}), {"value.b.id": ANY, "value.b": {"embedded": "base64 json"}}),
    Case("the whole record a JSON text", many(lambda i: json.dumps({"id": i})), {"value": types(string=1.0), "value.id": types(int32=1.0)}),
    Case("JSON in gzip in base64", [json.dumps({"awslogs": {"data": base64.b64encode(gzip.compress(json.dumps({"id": i, "owner": "1234"}).encode())).decode()}}).encode() for i in range(30)], {"value.awslogs.data.id": {"insideText": "value.awslogs.data"}}),
    Case("text in base64", many(lambda i: {"b": base64.b64encode(f"some plain words {i}".encode()).decode()}), {"value.b": {"formats": {"base64": 1.0}}}),
    Case("brackets in prose", many(lambda i: {"s": f"[note {i}] call back"}), {"value.s": types(string=1.0)}, absent=["value.s[]"]),
    # formats
    Case("CSV without header", [f"{i},x{i},{i}.5,2026-01-01".encode() for i in range(40)], {"value.c1": types(int32=1.0), "value.c4": {"formats": {"date": 1.0}}}, format={"value": "csv"}),
    Case("CSV with a header in every record", [b"id;name\n%d;n%d" % (i, i) for i in range(40)], {"value.id": types(int32=1.0), "value.name": types(string=1.0)}, format={"value": "csv"}),
    Case("CSV with quotes", [f'{i},"a, b",{i},z'.encode() for i in range(40)], {"value.c2": {"lengths": (4, 4)}}, format={"value": "csv"}),
    Case("XML", [f'<o id="{i}"><l>a</l><l>b</l></o>'.encode() for i in range(20)], {"value.o.id": {"formats": {"integer": 1.0}}, "value.o.l[]": {"count": 40}}, format={"value": "xml"}),
    Case("MessagePack", [msgpack.packb({"id": i, "raw": b"\xff\x00"}) for i in range(20)], {"value.id": types(int32=1.0), "value.raw": types(binary=1.0)}, format={"value": "msgpack"}),
    Case("CBOR", [cbor2.dumps({"id": i, "at": [1.5]}) for i in range(20)], {"value.id": types(int32=1.0), "value.at[]": types(double=1.0)}, format={"value": "cbor"}),
    Case("Avro by the registry", avro(POINT, *({"x": i, "y": None if i % 2 else 0.5} for i in range(20))), {"value.x": types(int32=1.0), "value.y": types(null=0.5, double=0.5)},
         format={"value": "avro"}, schemas={1: RegisteredSchema(1, "AVRO", json.dumps(POINT))}),
    Case("Avro of two schemas", [*avro(POINT, *({"x": i, "y": None} for i in range(10))), *avro("string", *["x"] * 10, number=2)],
         {"value": types(object=0.5, string=0.5)}, schemas={1: RegisteredSchema(1, "AVRO", json.dumps(POINT)), 2: RegisteredSchema(2, "AVRO", '"string"')}),
    Case("Avro of an id that nobody knows", [*avro(POINT, *({"x": i, "y": 1.0} for i in range(19))), *avro(POINT, {"x": 1, "y": None}, number=9)], {"value.x": {"count": 19}},
         schemas={1: RegisteredSchema(1, "AVRO", json.dumps(POINT))}, problems={"unknown_schema_id": 1}),
    Case("Avro containers", [container(POINT, {"x": i, "y": None}) for i in range(10)], {"value.x": types(int32=1.0)}, format={"value": "avro-container"}),
    Case("Avro containers of many records", [container(POINT, *({"x": n, "y": 0.5} for n in range(5)), codec="deflate") for _ in range(10)], {"value[].x": {"count": 50}}),
    Case("plain text", [b"hello there", b"how are you", b"well, thanks"] * 5, {"value": types(string=1.0)}, format={"value": "string"}),
    Case("unknown bytes", [bytes(random.Random(i).choices(range(128, 256), k=33)) for i in range(20)], {"value": {"types": {"binary": 1.0}, "lengths": (33, 33)}}, format={"value": "binary"}),
    Case("JSON and text mixed", [*j(*({"a": i} for i in range(10))), *[b"some words"] * 10], {"value.a": {"count": 10}, "value": types(object=0.5, string=0.5)}, problems={"several_formats": 10}),
    Case("JSON and Avro mixed", [*j(*({"a": i} for i in range(10))), *avro(POINT, *({"x": i, "y": None} for i in range(10)))], {"value.a": {"count": 10}, "value.x": {"count": 10}},
         schemas={1: RegisteredSchema(1, "AVRO", json.dumps(POINT))}, format={"value": "avro", "value.options": '{"mixed": ["json"]}'}, problems={"several_formats": 10}),
    Case("one document among texts", [*[b"some words"] * 30, *j({"a": 1})], {"value.a": {"count": 1}}, format={"value": "string", "value.options": '{"mixed": ["json"]}'}, problems={"several_formats": 1}),
    Case("one in a hundred broken", [*many(lambda i: {"a": i}, 198), b"{oops", b'{"a":'], {"value.a": {"count": 198, "presence": 1.0}}, problems={"not_json": 2}),
    Case("nothing but broken records", [b'{"a"', b"{oops", b"[1,2"], {}, problems={"not_json": 3}),
    Case("a byte order mark", [b"\xef\xbb\xbf" + b'{"a":1}', b'{"a":2}'], {"value.a": {"count": 2}}),
    Case("pretty-printed", [json.dumps({"a": {"b": i}}, indent=2).encode() for i in range(10)], {"value.a.b": {"count": 10}}, problems={}),
    Case("tombstones", [None, b'{"a":1}', None, None], {"value": {"presence": 0.25}}),
    Case("nothing but tombstones", [None, None], {}, format={"value": "null"}),
    Case("empty values", [b"", b""], {"value": ANY}),
    # texts that begin like documents
    Case("log lines in brackets", [f"[2026-01-11 10:00:{i:02}] INFO [main] c.a.Foo - started in {i} ms".encode() for i in range(30)], {"value": types(string=1.0)}, format={"value": "string"}),
    Case("lines of a kernel", [f"[{i:5}.000017] eth0: link up".encode() for i in range(30)], {"value": types(string=1.0)}, format={"value": "string"}),
    Case("templates in braces", [f"{{user}} opened {i}".encode() for i in range(30)], {"value": types(string=1.0)}, format={"value": "string"}),
    Case("log lines among JSON", [*j(*({"a": i} for i in range(20))), *[b"[WARN] disk is nearly full"] * 10], {"value.a": {"count": 20}, "value": types(object=0.666667, string=0.333333)}, format={"value": "json"}, problems={"several_formats": 10}),
    Case("documents cut off", [b'{"a":1,"b":[1,', b'["x","y', b"[1, 2"] * 10, {}, problems={"not_json": 30}),
    Case("HTML pages", [f"<html><body><p>{i}<br></body></html>".encode() for i in range(20)], {"value": types(string=1.0)}, format={"value": "string"}),
    Case("HTML with a document type", [f"<!DOCTYPE html>\n<html><p>{i}</html>".encode() for i in range(20)], {"value": types(string=1.0)}, problems={}),
    Case("tags that are not XML", [f"<p>{i}<br>x</p>".encode() for i in range(20)], {"value": types(string=1.0)}, problems={}),
    # several documents in a record
    Case("documents right after another", [b'{"a":1}{"a":2}{"a":3}'] * 5, {"value": types(array=1.0), "value[].a": {"count": 15}}, problems={}),
    Case("pretty documents one after another", [b'{\n "a": 1\n}\n{\n "a": 2\n}\n'] * 5, {"value[].a": {"count": 10}}, problems={}),
    Case("text sequences of RFC 7464", [b'\x1e{"a":1}\n'] * 5, {"value.a": {"count": 5}}, format={"value": "json", "value.options": '{"packed": ["documents"]}'}, problems={}),
    Case("a NUL at the end", [b'{"a":1}\0'] * 5, {"value.a": {"count": 5}}, problems={}),
    # wrapped
    *(Case(f"JSON in {name}", [pack(b) for b in many(lambda i: {"id": i, "at": "x" * i})], {"value.id": {"count": 40}, "value.at": {"lengths": (0, 39)}},
           format={"value": "json", "value.options": json.dumps({"packed": [name]})})
      for name, pack in (("gzip", gzip.compress), ("zlib", zlib.compress), ("zstd", zstandard.compress), ("utf-16", lambda b: b.decode().encode("utf-16")))),
    Case("JSON in UTF-16 without a mark", [b.decode().encode(f"utf-16-{e}") for e in ("le", "be") for b in many(lambda i: {"id": i})], {"value.id": {"count": 80}}),
    Case("gzip in gzip", [gzip.compress(gzip.compress(b)) for b in many(lambda i: {"id": i})], {"value.id": {"count": 40}}),
    Case("a few compressed ones", [*many(lambda i: {"id": i}, 39), gzip.compress(b'{"id":7}')], {"value.id": {"count": 40}}, format={"value": "json", "value.options": None}, problems={"packed_gzip": 1}),
    Case("text in UTF-16", [f"größe {i}".encode("utf-16") for i in range(20)], {"value": {"lengths": (7, 8)}}, format={"value": "string"}),
    Case("text in UTF-16 without a mark", [f"größe {i}".encode("utf-16-le") for i in range(20)], {"value": {"lengths": (7, 8)}}, format={"value": "string", "value.options": '{"packed": ["utf-16"]}'}),
    Case("JSON in UTF-16 after a blank", [f' {{"größe": {i}}}'.encode("utf-16-be") for i in range(20)], {"value.größe": types(int32=1.0)}, format={"value": "json"}),
    Case("one of many in UTF-16", [*many(lambda i: {"id": i % 5}, 99), '{"id":7}'.encode("utf-16")], {"value.id": {"count": 100}}, format={"value": "json", "value.options": None}, problems={"packed_utf-16": 1}),
    Case("two documents in a few", [*many(lambda i: {"id": i % 5}, 99), b'{"id":1}{"id":2}'], {"value.id": {"count": 99}, "value[].id": {"count": 2}}, problems={"several_documents": 1}),
    Case("two documents in all", [b'{"id":1}{"id":2}'] * 20, {"value[].id": {"count": 40}}, format={"value.options": '{"packed": ["documents"]}'}),
    Case("a thousand poisoned among a few good ones", [*(random.Random(i).randbytes(5 + i % 60) for i in range(1000)), *many(lambda i: {"id": i}, 46)], {"value.id": {"count": 46}, "value": types(object=46 / 1046, binary=1000 / 1046)}, format={"value": "json", "value.options": '{"also": ["binary"]}'}, problems={"several_formats": 1000}),
    Case("nothing but random bytes", [random.Random(i).randbytes(5 + i % 60) for i in range(1000)], {"value": types(binary=1.0)}, format={"value": "binary"}, problems={}),
    Case("numbers of eight bytes are not text", [struct.pack(">q", 0x0041_0000_0000_0000 + i) for i in range(40)], {}, absent=["value.a"]),
    Case("JSON in ISO 8859-1", [f'{{"n":"Müller {i}"}}'.encode("latin-1") for i in range(20)], {"value.n": {"lengths": (8, 9)}}, problems={"other_encoding": 20}),
    Case("text in ISO 8859-1", [f"Grüße aus Köln {i}".encode("latin-1") for i in range(20)], {"value": types(string=1.0)}, format={"value": "string"}, problems={"other_encoding": 20}),
    Case("CSV in ISO 8859-1", [f"{i};Müller;{i}".encode("latin-1") for i in range(20)], {"value.c2": {"lengths": (6, 6)}}, format={"value": "csv"}),
    Case("CSV with a byte order mark", [f"\ufeffid,name,at\n{i},n,{i}".encode() for i in range(20)], {"value.id": types(int32=1.0)}, format={"value": "csv"}),
    Case("XML with text between its elements", [f"<p>write <b>soon</b> to m{i}@gmx.net</p>".encode() for i in range(20)], {"value.p._text": {"lengths": (19, 20)}, "value.p.b": ANY}),
    Case("XML with what is nil", [f'<o xmlns:x="http://www.w3.org/2001/XMLSchema-instance"><n x:nil="true"/><m>{i}</m></o>'.encode() for i in range(20)], {"value.o.n": types(null=1.0)}),
    Case("XML with a byte order mark", [f'\ufeff<?xml version="1.0"?><o><n>{i}</n></o>'.encode() for i in range(20)], {"value.o.n": {"count": 20}}, format={"value": "xml"}),
    Case("XML in ISO 8859-1", [f'<?xml version="1.0" encoding="ISO-8859-1"?><o><n>Müller {i}</n></o>'.encode("latin-1") for i in range(20)], {"value.o.n": {"lengths": (8, 9)}}, problems={}),
    Case("XML in UTF-16", [f'<?xml version="1.0" encoding="UTF-16"?><o><n>{i}</n></o>'.encode("utf-16") for i in range(20)], {"value.o.n": {"count": 20}}, problems={}),
    Case("a bomb in gzip", [gzip.compress(b'{"a":"' + b" " * 70000000 + b'"}'), *many(lambda i: {"a": i}, 30)], {"value.a": {"count": 30}}, problems={"unpacks_too_large": 1}),
    Case("gzip cut off", [gzip.compress(b'{"a":1}')[:-5]] * 20, {"value": types(binary=1.0)}, format={"value": "binary"}),
    # what JSON has no names for
    Case("MessagePack with keys of any kind", [msgpack.packb({"id": i, b"raw": 1, "in": {1: 1, None: 2}}) for i in range(20)], {"value.id": types(int32=1.0), "value.raw": ANY, "value.in{}": {"count": 40}}, problems={}),
    Case("CBOR with keys of any kind, tags, sets and numbers of its own", [
        cbor2.dumps({"id": i, "tag": cbor2.CBORTag(4711, [1]), "set": {2}, "u": cbor2.undefined, "s": cbor2.CBORSimpleValue(99),
                     "half": fractions.Fraction(1, 3), "ip": ipaddress.ip_address("2001:db8::1"), "in": {-2: 1}}) for i in range(20)],
         {"value.tag[]": types(int32=1.0), "value.set[]": types(int32=1.0), "value.u": types(null=1.0), "value.s": types(int32=1.0),
          "value.half": types(string=1.0), "value.ip": types(string=1.0), "value.in{}": types(int32=1.0)}, problems={}),
    Case("CBOR that contains itself", [cbor2.dumps({"id": i}) for i in range(19)] + [bytes.fromhex("d81c8281d81dffd81d00".replace("ff", "00"))], {"value.id": {"count": 19}}, problems={"unpacks_too_large": 1}),
    Case("texts of MessagePack", [msgpack.packb(f"hello {i}") for i in range(30)], {"value": {"lengths": (7, 8)}}, format={"value": "msgpack"}),
    # keys
    Case("UUID keys in bytes", key=[uuid.uuid4().bytes for _ in range(40)], fields={"key": types(uuid=1.0)}, format={"key": "uuid"}),
    Case("UUID keys as text", key=[str(uuid.uuid4()).encode() for _ in range(40)], fields={"key": {"formats": {"uuid": 1.0}}}, format={"key": "string"}),
    Case("long keys", key=[struct.pack(">q", i * 977) for i in range(40)], fields={"key": ANY}, format={"key": "long"}),
    Case("int keys", key=[struct.pack(">i", i) for i in range(40)], fields={"key": types(int32=1.0)}, format={"key": "int"}),
    Case("double keys", key=[struct.pack(">d", i * 1.7 + 2) for i in range(40)], fields={"key": types(double=1.0)}, format={"key": "double"}),
    Case("JSON keys", key=j(*({"id": i} for i in range(40))), fields={"key.id": types(int32=1.0)}, format={"key": "json"}),
    Case("keys that only some records have", key=[b"k", None, None, None], fields={"key": {"presence": 0.25}}),
    # headers
    Case("headers of every kind", value=j(*({"a": 1} for _ in range(4))), headers=[[("t", b"x"), ("j", b'{"q":1}'), ("n", None), ("b", b"\xff\xfe\x01")]] * 4,
         fields={"headers.t": types(string=1.0), "headers.j.q": types(int32=1.0), "headers.n": types(null=1.0), "headers.b": types(binary=1.0)}),
    Case("a header twice in a record", value=j({"a": 1}, {"a": 2}), headers=[[("h", b"x"), ("h", b"y")], []], fields={"headers.h": {"count": 2, "presence": 0.5}}),
    # shapes
    Case("one shape", many(lambda i: {"a": i, "b": "x"}), {"value.a": ANY}, shapes=1),
    Case("two shapes", many(lambda i: {"a": i} if i % 2 else {"b": i}), {"value.a": {"presence": 0.5}}, shapes=2),
]  # fmt: skip


def records(case: Case) -> list[RawRecord]:
    count = max(len(case.value), len(case.key or ()))
    value = [*case.value, *([b"{}"] * (count - len(case.value)))]
    return [
        RawRecord(case.key[i] if case.key else None, value[i], case.headers[i] if case.headers else [], 0, i, 1000 + i)
        for i in range(count)
    ]


def schema(case: Case, *batches: Sequence[RawRecord]) -> SchemaVersion:
    sketches = []
    for batch in batches:
        profiler = TopicProfiler("t", Schemas(case.schemas), "salt")
        profiler.add(batch)
        sketches.append(profiler.sketch)
    return schema_of(sealed("t", sketches), ScanWindow())


@pytest.mark.sampled(50)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_odd_topics(case: Case) -> None:
    rows = records(case)
    version = schema(case, rows)
    by_path = {f.path: f for f in version.fields}
    for path, wanted in case.fields.items():
        assert path in by_path, (path, sorted(by_path)[:40])
        if wanted is ANY:
            continue
        for name, value in wanted.items():
            got = getattr(by_path[path], name) if hasattr(by_path[path], name) else by_path[path].details.get(name)
            if name == "types":
                assert got == pytest.approx(value, abs=1e-5), (path, got)
            else:
                assert got == (pytest.approx(value, abs=1e-5) if isinstance(value, (float, dict)) else value), (
                    path,
                    name,
                    got,
                )
    assert not set(case.absent) & set(by_path)
    assert {p: version.format.get(p) for p in case.format} == case.format
    problems = {p["reason"]: p["count"] for p in version.problems if "count" in p}
    assert problems == case.problems
    if case.shapes is not None:
        assert len(version.shapes) == case.shapes
    assert not any(math.isnan(share) for f in version.fields for share in f.types.values())
    # What a part's format is may need all records; what is in it may not depend on who read which.
    half = len(rows) // 2
    if half >= 20:
        draw = random.Random(1)
        mixed = [rows[i::3] for i in range(3)]
        draw.shuffle(mixed)
        assert schema(case, *mixed) == schema(case, rows[:half], rows[half:])
