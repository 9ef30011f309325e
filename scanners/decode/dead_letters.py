"""Dead letters: records that cannot be decoded, as they are, with where they came from and why in headers.

Key, value and headers are the record's own bytes; that is what a dead letter is for, and the only place where Weir copies
a record's bytes. Runs in Spark's workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict

from scanners.decode.formats import SELF_EVIDENT
from scanners.decode.header_ids import framed_record
from scanners.decode.records import decode
from scanners.model import PartFormat, RawRecord, TopicFormat
from scanners.schemas.registered import Schemas

UNKNOWN_ID = "unknown_schema_id"
UNKNOWN_BYTES = "unknown_bytes"
"""Why a record is a dead letter that no format reads, among others that show what they are."""

PREFIX = "weir.dead-letter."
"""Before each header's name: topic, partition, offset, timestamp (milliseconds), reason (`value:not_json,key:...`)."""


def reasons(record: RawRecord, form: TopicFormat, schemas: Schemas) -> list[str]:
    """`part:reason` of what cannot be read of a record; empty when all of it can."""
    record = framed_record(record, schemas)
    parts: list[tuple[str, bytes | None, PartFormat]] = [
        ("key", record.key, form.key),
        ("value", record.value, form.value),
        *((f"headers.{name}", body, form.part("headers", name)) for name, body in record.headers),
    ]
    problems = []
    for label, body, of in parts:
        decoded = decode(body, _positional(of), schemas)
        if body is None:
            continue
        if not decoded.usable or decoded.problem == UNKNOWN_ID:
            problems.append(f"{label}:{decoded.problem}")
        elif decoded.format == "binary" and of.name in SELF_EVIDENT:
            problems.append(f"{label}:{UNKNOWN_BYTES}")
    return problems


class Letter(TypedDict):
    """A dead letter, as it is sent."""

    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]


def letter(topic: str, record: RawRecord, why: Sequence[str]) -> Letter:
    """The dead letter of a record."""
    details = {
        "topic": topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": "" if record.timestamp is None else record.timestamp,
        "reason": ",".join(why),
    }
    headers = [(PREFIX + name, str(value).encode()) for name, value in details.items()]
    return {"key": record.key, "value": record.value, "headers": [*record.headers, *headers]}


def letters(topic: str, records: Sequence[RawRecord], form: TopicFormat, schemas: Schemas) -> Iterator[Letter]:
    """The dead letters among some records of a topic."""
    for record in records:
        why = reasons(record, form, schemas)
        if why:
            yield letter(topic, record, why)


def _positional(form: PartFormat) -> PartFormat:
    options = {name: value for name, value in form.options.items() if name != "columns"}
    return PartFormat(form.name, options) if form.name == "csv" and not options.get("header") else form
