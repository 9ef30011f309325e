"""Decoders of binary documents that carry their own structure: Avro containers, MessagePack, CBOR, XML.

Each is bounded: what would unpack to far more than it weighs is refused by name. Runs in Spark's workers.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from scanners.containers.plain_tree import TooLarge, plain_tree

MAX_UNPACKED = 64 * 1024 * 1024
"""Bytes one compressed block may become."""

MAX_CONTAINER_RECORDS = 100_000


class PackedRefusal(ValueError):
    """The reason as a short word, for counting; never holds data."""


def msgpack_loads(body: bytes) -> Any:
    import msgpack

    value = msgpack.unpackb(body, strict_map_key=False, raw=False, timestamp=3, ext_hook=lambda _code, data: data)
    return _tree(value, body)


def cbor_loads(body: bytes) -> Any:
    import cbor2

    stream = io.BytesIO(body)
    value = cbor2.CBORDecoder(stream).decode()
    if stream.read(1):
        raise PackedRefusal("left_over_bytes")
    return _tree(value, body)


def _tree(value: Any, body: bytes) -> Any:
    try:
        return plain_tree(value, len(body))
    except TooLarge:
        raise PackedRefusal("unpacks_too_large") from None


def xml_loads(body: bytes) -> Any:
    """An element as a dict of its attributes and children; repeated children are lists; a leaf is its text.

    The root's name is the first level, so that `<order><id>7</id></order>` has the path `value.order.id`.
    """
    # Entities can be made to grow a thousandfold; a message needs none.
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        raise PackedRefusal("xml_doctype")
    root = ElementTree.fromstring(body)  # noqa: S314 - entities are refused above
    return {_local(root.tag): _element(root, 0)}


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"


def _element(node: ElementTree.Element, depth: int) -> Any:
    if depth > 100:
        raise PackedRefusal("too_deep")
    # In mixed content there is text after each child, too.
    text = " ".join(part for part in map(str.strip, (node.text or "", *(child.tail or "" for child in node))) if part)
    if not len(node) and not node.attrib:
        return text or None
    if node.attrib.get(_NIL) in ("true", "1"):
        return None
    content: dict[str, object] = {_local(k): v for k, v in node.attrib.items()}
    for child in node:
        name, value = _local(child.tag), _element(child, depth + 1)
        if name in content:
            before = content[name]
            content[name] = [*before, value] if isinstance(before, list) else [before, value]
        else:
            content[name] = value
    if text:
        content["_text"] = text
    return content


def may_claim_anything(schema: Any) -> bool:
    """Whether a parsed Avro schema has an array whose elements may take no bytes.

    A body of ten bytes could then claim two billion elements, and a reader would make them all.
    """
    return any(_least(part["items"], 0) == 0 for part in _parts(schema) if part.get("type") == "array")


def _parts(schema: Any) -> Iterator[dict[str, object]]:
    if isinstance(schema, list):
        for branch in schema:
            yield from _parts(branch)
    elif isinstance(schema, dict):
        yield schema
        for below in (schema.get("items"), schema.get("values"), schema.get("type")):
            if isinstance(below, (dict, list)):
                yield from _parts(below)
        for field in schema.get("fields") or ():
            yield from _parts(field["type"])


def _least(schema: Any, depth: int) -> int:
    """Bytes that a value takes at least: 0, or 1 for any number above it."""
    if isinstance(schema, dict) and depth < _MAX_DEPTH:
        kind = schema.get("type")
        if kind in ("record", "error"):
            return max((_least(field["type"], depth + 1) for field in schema["fields"]), default=0)
        if kind == "fixed":
            return min(1, int(schema["size"]))
        return 1 if kind in ("array", "map", "enum") else _least(kind, depth + 1)
    return 0 if schema == "null" else 1


_MAX_DEPTH = 100

_HEADER = {
    "type": "record",
    "name": "org.apache.avro.file.Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}


def avro_container_loads(body: bytes) -> Any:
    """The records of an Avro object container file; a single record as it is, several as a list.

    Blocks are unpacked with a limit: fastavro's own reader would unpack whatever a few bytes of deflate ask for.
    """
    from fastavro import schemaless_reader
    from fastavro.schema import parse_schema

    stream = io.BytesIO(body)
    header = schemaless_reader(stream, parse_schema(_HEADER), None)
    schema = parse_schema(json.loads(header["meta"]["avro.schema"]))
    if may_claim_anything(schema):
        raise PackedRefusal("unusable_schema")
    codec = header["meta"].get("avro.codec", b"null").decode()
    records: list[Any] = []
    while stream.tell() < len(body):
        count, size = _varint(stream), _varint(stream)
        if size < 0 or size > len(body) or count < 0 or len(records) + count > MAX_CONTAINER_RECORDS:
            raise PackedRefusal("avro_container_block")
        block = io.BytesIO(_unpack(stream.read(size), codec))
        records += [schemaless_reader(block, schema, None) for _ in range(count)]
        if stream.read(16) != header["sync"]:
            raise PackedRefusal("avro_container_sync")
    return records[0] if len(records) == 1 else records


def _varint(stream: io.BytesIO) -> int:
    """Avro's zig-zag long."""
    shift, number = 0, 0
    while True:
        byte = stream.read(1)
        if not byte or shift > 63:
            raise PackedRefusal("avro_container_block")
        number |= (byte[0] & 0x7F) << shift
        if not byte[0] & 0x80:
            return (number >> 1) ^ -(number & 1)
        shift += 7


def _unpack(block: bytes, codec: str) -> bytes:
    if codec == "null":
        return block
    if codec == "deflate":
        inflate = zlib.decompressobj(-15)
        body = inflate.decompress(block, MAX_UNPACKED)
        if inflate.unconsumed_tail:
            raise PackedRefusal("unpacks_too_large")
        return body
    if codec == "snappy":
        import cramjam

        if cramjam.snappy.decompress_raw_len(block[:-4]) > MAX_UNPACKED:
            raise PackedRefusal("unpacks_too_large")
        return bytes(cramjam.snappy.decompress_raw(block[:-4]))
    if codec == "zstandard":
        import zstandard

        return (
            zstandard.ZstdDecompressor().decompressobj().decompress(block[:MAX_UNPACKED]) if _zstd_fits(block) else b""
        )
    raise PackedRefusal("avro_container_codec")


def _zstd_fits(block: bytes) -> bool:
    import zstandard

    size = zstandard.get_frame_parameters(block).content_size
    if size > MAX_UNPACKED or size in (zstandard.CONTENTSIZE_UNKNOWN, zstandard.CONTENTSIZE_ERROR):
        raise PackedRefusal("unpacks_too_large")
    return True
