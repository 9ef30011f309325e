"""What the bytes of a key, a value or a header look like.

`sniff` judges one body by itself; `choose` judges a column of them and decides what one alone does not show (CSV or prose,
a long or a double). Nothing here keeps or reports data. Runs in Spark's workers.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence

from scanners.containers.packed import PackedRefusal, xml_loads
from scanners.containers.wrapping import LATIN, latin_text, unwrapped
from scanners.decode.csv_text import csv_options
from scanners.decode.json_text import loads, readable, several
from scanners.model import PartFormat
from scanners.schemas.connect_types import marked
from scanners.schemas.registered import Schemas

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_XML = re.compile(rb"\s*<(?:\?xml|!DOCTYPE|!--|[A-Za-z_][\w.:-]*[\s/>])")
_LEADING_SPACE = b" \t\r\n"

WIRE_UNKNOWN = "wire-unknown"
"""A zero byte and an id no schema is known for."""

SELF_EVIDENT = frozenset({"avro", "protobuf", "json-schema", "avro-container", "json", "xml"})
"""Formats a body shows by itself, whatever its neighbours are."""

_FIXED = (8, 16)
_IDS = 10_000_000
"""Schema ids are counted up from 1 or, by hosted registries, from 100001; a larger number is taken for none."""

_ALSO = frozenset({"string", "binary", "msgpack", "cbor"})
"""Formats that count as a second one of a topic when a twentieth of the bodies has them, and as broken below that."""


_JSON = re.compile(
    rb'\s*(?:\{\s*["}]|\[\s*(?:["{\[]|\]\s*(?:\Z|[\[{])|(?:-?[0-9][0-9.eE+-]*|true|false|null|NaN|-?Infinity)'
    rb"\s*(?:,|\]\s*(?:\Z|[\[{])))|[\[{]\s*\Z)"
)
"""How documents begin, also such as are cut off; `[INFO] started` and `{user} said` do not."""
_CLOSED = {b"{": b"}", b"[": b"]"}
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


def sniff(body: bytes | None, schemas: Schemas) -> str:
    """The name of the format one body seems to have, when it is `wrapping.unwrapped`. Cheap; never raises."""
    if body is None:
        return "null"
    if body[:1] == b"\x00" and len(body) >= 5:
        schema_id = int.from_bytes(body[1:5], "big")
        if schema_id in schemas:
            return schemas.format_of(schema_id)
        # A number of eight bytes, big-endian, begins like this too, and so may a UUID: `choose` settles those.
        if len(body) > 5 and len(body) not in _FIXED and 0 < schema_id < _IDS:
            return WIRE_UNKNOWN
        if schemas.guid_of(schema_id) is not None:
            return WIRE_UNKNOWN
    if body[:4] == b"Obj\x01":
        return "avro-container"
    start = body.lstrip(_LEADING_SPACE)[:1] if body[:1] in (b" ", b"\t", b"\r", b"\n") else body[:1]
    if start in _CLOSED and (_JSON.match(body) or _CLOSED[start] not in body):
        return "json"
    if body[:1] == b"\x1e" and _JSON.match(body, 1):
        return "json"
    if as_text(body) is not None:
        return "xml" if start == b"<" and _is_xml(body) else "string"
    if len(body) in (4, 8, 16):
        return {4: "int", 8: "long", 16: "uuid"}[len(body)]
    if text_of(body) is not None:
        return "xml" if start == b"<" and _is_xml(body) else "string"
    return _packed(body)


def _is_xml(body: bytes) -> bool:
    return bool(_XML.match(body)) and body.rstrip()[-1:] == b">" and not _HTML.match(body)


def as_text(body: bytes) -> str | None:
    """The body as text, or None when it is not UTF-8 or holds control characters."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def text_of(body: bytes) -> str | None:
    """The body as text in UTF-8 or ISO 8859-1, or None. What is packed in another way is not text, however much of it
    can be printed."""
    text = as_text(body)
    return latin_text(body) if text is None and body and _packed(body) == "binary" else text


def _packed(body: bytes) -> str:
    """msgpack or cbor when the whole body is one map or array of it, or a text of msgpack, else binary."""
    lead = body[0]
    # Lead bytes of maps and arrays: msgpack 0x80-0x9f, 0xdc-0xdf; CBOR 0x80-0xbf, and tag 55799 (d9 d9 f7). Those of
    # short texts in msgpack begin with their length, 0xa0-0xbf.
    if 0xA0 < lead <= 0xBF and len(body) == lead - 0x9F and as_text(body[1:]) is not None:
        return "msgpack"
    if 0x80 <= lead <= 0x9F or 0xDC <= lead <= 0xDF:
        import msgpack

        try:
            if isinstance(msgpack.unpackb(body, strict_map_key=False, raw=False, timestamp=3), (dict, list)):
                return "msgpack"
        except Exception:  # noqa: S110 - any failure only means: not this format
            pass
    if 0x80 <= lead <= 0xBF or body[:3] == b"\xd9\xd9\xf7":
        from scanners.containers.packed import cbor_loads

        try:
            if isinstance(cbor_loads(body), (dict, list)):
                return "cbor"
        except Exception:  # noqa: S110
            pass
    return "binary"


def choose(bodies: Sequence[bytes | None], schemas: Schemas, part: str = "value") -> PartFormat:
    """The format of most of these bodies, with its options. `part` is key, value or headers."""
    plain: list[bytes | None] = []
    wrappings: Counter[str] = Counter()
    for body in bodies:
        content, names = _opened(body)
        plain.append(content)
        wrappings.update(names)
    form = _choose(plain, schemas, part)
    if form.name in _TEXTS:
        wrappings[LATIN] += sum(body is not None and not _is_utf8(body) for body in plain)
    if form.name == "json":
        wrappings[DOCUMENTS] += sum(body is not None and several(body) for body in plain)
    if form.name == "json" and any(body is not None and marked(body) for body in plain):
        form = PartFormat("json", {**form.options, "connect": True})
    packed = sorted(name for name, count in wrappings.items() if count * 20 >= len(bodies))
    return PartFormat(form.name, {**form.options, "packed": packed}) if packed else form


_TEXTS = frozenset({"json", "csv", "string"})
DOCUMENTS = "documents"
"""Several in one record: no other reader of JSON takes those."""


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _opened(body: bytes | None) -> tuple[bytes | None, tuple[str, ...]]:
    try:
        return unwrapped(body) if body else (body, ())
    except PackedRefusal:
        return body, ()


def _choose(bodies: Sequence[bytes | None], schemas: Schemas, part: str) -> PartFormat:
    counts = Counter(sniff(body, schemas) for body in bodies if body is not None)
    if not counts:
        return PartFormat("null")
    if ("long" in counts or "uuid" in counts) and _are_wire([b for b in bodies if b], schemas):
        return PartFormat(WIRE_UNKNOWN)
    # Ties fall to the name, so that the order of the records does not matter.
    present = [b for b in bodies if b]
    if "binary" in counts:
        # Of bytes drawn at random, one body in a hundred begins as a document does.
        counts -= Counter(n for b in present if (n := sniff(b, schemas)) in ("json", "xml") and not _reads(n, b))
    name = main_format(counts)
    if name == "xml" and not any(map(_parses, [b for b in present if sniff(b, schemas) == "xml"][:20])):
        return PartFormat("string")
    also = sorted(n for n, c in counts.items() if n in _ALSO and n != name and c * 20 >= sum(counts.values()))
    if also and name in ("json", "xml", "avro", "protobuf", "json-schema", "avro-container"):
        return PartFormat(name, {"also": also})
    if name == "string" and present and all(b[:1] == b'"' and b[-1:] == b'"' and readable(b) for b in present):
        return PartFormat("json")
    if name == "string" and part == "value":
        options = csv_options([t for t in map(text_of, present) if t is not None])
        if options:
            return PartFormat("csv", options)
    if name == "long":
        return PartFormat(_long_or_double([b for b in present if len(b) == 8]))
    if name == "uuid":
        sixteen = [b for b in present if len(b) == 16]
        return PartFormat("uuid" if sum(map(_is_uuid, sixteen)) * 10 >= len(sixteen) * 9 else "binary")
    return PartFormat(name)


def main_format(counts: Mapping[str, int]) -> str:
    """The format of most records; that of other records, where most are bytes of no known format and those others show
    what they are."""
    evident = {name: count for name, count in counts.items() if name in SELF_EVIDENT}
    name = min(counts, key=lambda n: (-counts[n], n))
    return min(evident, key=lambda n: (-evident[n], n)) if name == "binary" and evident else name


def _reads(name: str, body: bytes) -> bool:
    return loads(body)[0] is not None if name == "json" else _parses(body)


def _are_wire(bodies: Sequence[bytes], schemas: Schemas) -> bool:
    """Whether all bodies have ids of schemas that are not known, though some are as long as a number or a UUID.

    Evidence of an id: other bodies have it with another length, or what follows it is one number as Avro writes it.
    """
    ids = {int.from_bytes(body[1:5], "big") for body in bodies if body[0] == 0 and len(body) > 5}
    if any(body[0] or len(body) < 6 for body in bodies) or not all(0 < i < _IDS and i not in schemas for i in ids):
        return False
    if len(ids) > 3 or len(bodies) < 3:
        return False
    return any(len(body) not in _FIXED for body in bodies) or all(map(_is_varint, bodies))


def _is_varint(body: bytes) -> bool:
    return len(body) == 8 and bool(body[5] & body[6] & 0x80) and not body[7] & 0x80


def _parses(body: bytes) -> bool:
    """Whether a body is XML, be it of a kind that is refused; what only begins like it is a text."""
    try:
        xml_loads(body)
    except PackedRefusal:
        return True
    except Exception:
        return False
    return True


def _is_uuid(body: bytes) -> bool:
    """Version 1 to 8 and the RFC 4122 variant."""
    return 1 <= body[6] >> 4 <= 8 and body[8] >> 6 == 0b10


def _long_or_double(bodies: Sequence[bytes]) -> str:
    """Numbers people count with leave a long's first byte 00 or ff; a double's holds sign and exponent."""
    small = sum(b[0] in (0x00, 0xFF) for b in bodies)
    if small * 2 >= len(bodies):
        return "long"
    likely = sum(1e-9 < abs(x) < 1e15 or x == 0 for (x,) in map(struct.Struct(">d").unpack, bodies))
    return "double" if likely * 10 >= len(bodies) * 9 else "binary"
