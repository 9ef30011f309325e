"""Bodies of a batch read together, where they are plain; `scanners.decode.records` reads the rest one by one, exactly.

A body that a reader here takes has the value that `decode` would give, and no problem beside it; a test holds them to
that. Runs in Spark's workers.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from scanners.decode import json_text
from scanners.decode.formats import as_text
from scanners.model import PartFormat
from scanners.schemas.registered import Schemas, SchemaUnusable

Bodies = Sequence[bytes]


BulkValues = tuple[list[Any], list[int]]
"""Values, one a body, and the numbers of the bodies that have to be read alone."""


def read(bodies: Bodies, form: PartFormat, schemas: Schemas) -> BulkValues:
    """The values of the bodies, and which of them must be read alone."""
    reader = _READERS.get(form.name)
    return _none(bodies) if reader is None or form.options else reader(bodies, schemas)


def _none(bodies: Bodies) -> BulkValues:
    return [None] * len(bodies), list(range(len(bodies)))


def _json(bodies: Bodies, _schemas: Schemas) -> BulkValues:
    """Objects and arrays; not those with numbers that need all their digits."""
    values: list[Any] = []
    left: list[int] = []
    # A failure ends `extend`, not the iterator, which continues with the next body.
    reading = map(json_text.quick, bodies)
    while len(values) < len(bodies):
        try:
            values.extend(reading)
        except ValueError:
            left.append(len(values))
            values.append(None)
    # What does not begin like a document may be another format.
    if not {body[:1] for body in bodies} <= {b"{", b"["}:
        left += [i for i, body in enumerate(bodies) if body[:1] not in (b"{", b"[")]
    if json_text.long_numbers(b"\n".join(bodies)):
        left += [i for i, body in enumerate(bodies) if json_text.long_numbers(body)]
    return values, sorted(set(left))


def _text(bodies: Bodies, _schemas: Schemas) -> BulkValues:
    """Texts that show no other format."""
    if {body[:1] for body in bodies}.isdisjoint(_OTHER_FORMATS):
        whole = as_text(b"\n".join(bodies))
        texts = [] if whole is None else whole.split("\n")
        if len(texts) == len(bodies):
            return texts, []
    return _none(bodies)


_OTHER_FORMATS = {b"", b"\x00", b" ", b"\t", b"\r", b"{", b"[", b"<", b"\xef", b"O"}
"""First bytes that `formats.sniff` looks at closely."""


def avro(bodies: Bodies, schemas: Schemas) -> BulkValues:
    """Records of registered schemas."""
    from fastavro import schemaless_reader

    parsed: dict[bytes, Any] = {}
    values: list[Any] = []
    left: list[int] = []
    for body in bodies:
        head = body[:5]
        if head not in parsed:
            parsed[head] = avro_schema(head, schemas)
        try:
            stream = io.BytesIO(body)
            stream.seek(5)
            values.append(schemaless_reader(stream, parsed[head], None))
            if stream.tell() != len(body):
                left.append(len(values) - 1)
        except Exception:
            # Read alone, where the reason is counted.
            left.append(len(values))
            values.append(None)
    return values, left


def avro_schema(head: bytes, schemas: Schemas) -> Any:
    """The parsed Avro schema that a body's first five bytes name; None when there is none."""
    number = int.from_bytes(head[1:], "big")
    if len(head) < 5 or head[0] or number not in schemas or schemas.format_of(number) != "avro":
        return None
    try:
        return schemas.avro(number)
    except SchemaUnusable:
        return None


_READERS: dict[str, Callable[[Bodies, Schemas], BulkValues]] = {"json": _json, "string": _text, "avro": avro}
