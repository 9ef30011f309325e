"""Bytes of a record to a Python tree, and to the JSON text that Spark's from_json reads.

A body that shows its own format is read by it even where its neighbours have another: topics are mixed. Nothing here
raises; what cannot be read is a `problem`, a short word without data. Runs in Spark's workers and in the decoder of the
governed query engine.

Trees hold dict (text keys), list, str, int, float, bool, None, and from binary formats bytes, Decimal, date, time,
datetime, UUID.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from scanners.containers import packed
from scanners.containers.wrapping import unwrapped
from scanners.decode import json_form, json_text
from scanners.decode.alternatives import Reshape
from scanners.decode.csv_text import rows
from scanners.decode.formats import SELF_EVIDENT, WIRE_UNKNOWN, as_text, sniff, text_of
from scanners.model import PartFormat
from scanners.schemas.connect_types import read_by_schema
from scanners.schemas.registered import Schemas, SchemaUnusable


@dataclass(frozen=True, slots=True)
class Decoded:
    """A tree, the format it was read by, and what was wrong (None: nothing; there may be a value and a problem).

    `wrapped`: what the body was packed in, see `scanners.containers.wrapping`.
    """

    value: Any
    format: str
    problem: str | None = None
    wrapped: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """False when the body could not be read at all."""
        return self.problem is None or self.value is not None


def decode(part: bytes | None, format: PartFormat, schemas: Schemas | Mapping[Any, Any] | None = None) -> Decoded:
    """Read one body by the format of its part, or by its own when it shows another. Never raises."""
    if part is None:
        return Decoded(None, "null")
    registry = Schemas.of(schemas)
    try:
        plain, wrapped = unwrapped(part)
    except packed.PackedRefusal as refused:
        return Decoded(None, format.name, str(refused))
    decoded = _decode(plain, format, registry)
    return replace(decoded, wrapped=wrapped) if wrapped else decoded


def _decode(part: bytes, format: PartFormat, schemas: Schemas) -> Decoded:
    name = format.name
    evident = sniff(part, schemas)
    if evident == WIRE_UNKNOWN and name == "binary":
        # Bytes all the same, and a registry may know the schema that they name.
        return replace(_read(name, part, format, schemas), problem="unknown_schema_id")
    if evident == WIRE_UNKNOWN or (name in _WIRE_ALL and _id_unknown(part, schemas)):
        return Decoded(None, name, "unknown_schema_id")
    if evident != name and (evident in SELF_EVIDENT or evident in format.options.get("also", ())):
        decoded = _read(evident, part, format, schemas)
        # Prose may begin with a bracket: then the format of the neighbours has the last word.
        if decoded.usable or name in _SELF_EVIDENT_ONLY:
            return decoded
    if evident != name and name in _SELF_EVIDENT_ONLY:
        return Decoded(None, name, _not(name))
    return _read(name, part, format, schemas)


_WIRE_ALL = frozenset({"avro", "protobuf", "json-schema", WIRE_UNKNOWN})


def _id_unknown(part: bytes, schemas: Schemas) -> bool:
    """Whether a body begins as the wire format does, with an id no schema is known for."""
    return part[:1] == b"\0" and len(part) > 5 and int.from_bytes(part[1:5], "big") not in schemas


def _read(name: str, part: bytes, format: PartFormat, schemas: Schemas) -> Decoded:
    try:
        return _READERS[name](part, format, schemas)
    except SchemaUnusable:
        return Decoded(None, name, "unusable_schema")
    except packed.PackedRefusal as refused:
        return Decoded(None, name, str(refused))
    except (RecursionError, MemoryError):
        return Decoded(None, name, "too_deep")
    except Exception:
        # A decoder's message may quote the data, so only the fact is kept.
        return Decoded(None, name, _not(name))


def _not(name: str) -> str:
    return f"not_{name.replace('-', '_')}"


def to_json_text(
    part: bytes | None,
    format: PartFormat,
    schemas: Schemas | Mapping[Any, Any] | None = None,
    reshape: Reshape | None = None,
) -> str | None:
    """The body as JSON text in the form `scanners.decode.json_form` states, or None when it is absent or cannot be read.

    A governed query reads every format through this, so that one way of masking serves all. Text that is not a document
    is a JSON string. `reshape` changes the value before it is written, see `scanners.decode.alternatives`.
    """
    decoded = decode(part, format, schemas)
    if decoded.format == "null" or not decoded.usable:
        return None
    try:
        return json_form.dumps(decoded.value if reshape is None else reshape(decoded.value))
    except (ValueError, TypeError, RecursionError):
        return None


def schema_id(part: bytes | None) -> int | None:
    """The schema id of a body in Confluent's wire format, as far as the bytes show it."""
    return int.from_bytes(part[1:5], "big") if part and part[0] == 0 and len(part) >= 5 else None


def _json(part: bytes, format: PartFormat, _schemas: Schemas) -> Decoded:
    value, problem = json_text.loads(part)
    if not format.options.get("connect"):
        return Decoded(value, "json", problem)
    typed, fits = read_by_schema(value)
    return Decoded(typed, "json", problem if fits else "not_its_logical_type")


def _json_schema(part: bytes, _format: PartFormat, _schemas: Schemas) -> Decoded:
    value, problem = json_text.loads(part[5:])
    return Decoded(value, "json-schema", problem)


def _avro(part: bytes, _format: PartFormat, schemas: Schemas) -> Decoded:
    from fastavro import schemaless_reader

    stream = io.BytesIO(part)
    stream.seek(5)
    value = schemaless_reader(stream, schemas.avro(int.from_bytes(part[1:5], "big")), None)
    # fastavro leaves what it did not read; left-over bytes mean that the schema is not the one it was written with.
    if stream.tell() != len(part):
        return Decoded(None, "avro", "left_over_bytes")
    return Decoded(value, "avro")


def _protobuf(part: bytes, _format: PartFormat, schemas: Schemas) -> Decoded:
    return Decoded(schemas.protobuf(int.from_bytes(part[1:5], "big"))(part[5:]), "protobuf")


_CELL_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,37})\Z")
_CELL_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,37})\.[0-9]{1,38}\Z")


def cell(text: str) -> Any:
    """A CSV cell as a number where it is written like one (not 007, not 1e5), None where it is empty, else as text."""
    if _CELL_INTEGER.match(text):
        return int(text)
    if _CELL_DECIMAL.match(text):
        return json_text.number(text)
    return text if text else None


def _csv(part: bytes, format: PartFormat, _schemas: Schemas) -> Decoded:
    text = text_of(part)
    if text is None:
        return Decoded(None, "binary", "not_csv")
    options = format.options
    table = rows(text, options.get("delimiter", ","))
    names = list(options.get("columns") or ())
    if options.get("header") and table:
        table = table[1:]
    elif names and len(table) == 1 and [cell.strip() for cell in table[0]] == names:
        return Decoded(None, "csv")
    width = int(options.get("width") or len(names) or 0)
    if not table or (width and any(len(row) != width for row in table)):
        return Decoded(None, "csv", "not_csv")
    names += [f"c{i + 1}" for i in range(len(names), max(map(len, table)))]
    records = [dict(zip(names, map(cell, row), strict=False)) for row in table]
    return Decoded(records[0] if len(records) == 1 else records, "csv")


def _xml(part: bytes, _format: PartFormat, _schemas: Schemas) -> Decoded:
    return Decoded(packed.xml_loads(part), "xml")


def _text(part: bytes, _format: PartFormat, _schemas: Schemas) -> Decoded:
    text = text_of(part)
    if text is None:
        return Decoded(part, "binary")
    return Decoded(text, "string", None if as_text(part) is not None else json_text.OTHER_ENCODING)


def _number(code: str, name: str) -> Callable[[bytes, PartFormat, Schemas], Decoded]:
    size = struct.calcsize(code)

    def read(part: bytes, _format: PartFormat, schemas: Schemas) -> Decoded:
        if len(part) != size:
            return _text(part, PartFormat("string"), schemas)
        return Decoded(struct.unpack(code, part)[0], name)

    return read


def _uuid(part: bytes, _format: PartFormat, schemas: Schemas) -> Decoded:
    return Decoded(UUID(bytes=part), "uuid") if len(part) == 16 else _text(part, _format, schemas)


def _binary(part: bytes, _format: PartFormat, _schemas: Schemas) -> Decoded:
    return Decoded(part, "binary")


_SELF_EVIDENT_ONLY = frozenset({"avro-container", "xml", "avro", "protobuf", "json-schema", WIRE_UNKNOWN})
"""Formats that no body can have without showing it."""

_READERS: dict[str, Callable[[bytes, PartFormat, Schemas], Decoded]] = {
    "json": _json,
    "json-schema": _json_schema,
    "avro": _avro,
    "protobuf": _protobuf,
    "avro-container": lambda part, _f, _s: Decoded(packed.avro_container_loads(part), "avro-container"),
    "msgpack": lambda part, _f, _s: Decoded(packed.msgpack_loads(part), "msgpack"),
    "cbor": lambda part, _f, _s: Decoded(packed.cbor_loads(part), "cbor"),
    "csv": _csv,
    "xml": _xml,
    "string": _text,
    "long": _number(">q", "long"),
    "int": _number(">i", "int"),
    "double": _number(">d", "double"),
    "uuid": _uuid,
    "binary": _binary,
    "null": _binary,
    WIRE_UNKNOWN: _binary,
}
