"""Schema ids that a header carries and the body does not, put before the body, where the wire format has them.

Confluent's clients write them so when configured to (`schema.id.serializer`): `__key_schema_id` and `__value_schema_id` hold
a byte 0 and the id, or a byte 1 and the schema's GUID (16 bytes), and for Protobuf the path to the message type after it.
Source: confluent_kafka.schema_registry.common.serde.SchemaId, and Kafka's HeaderSchemaIdSerializer. In Spark's workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard
from uuid import UUID

from scanners.decode.batch import Batch, Header
from scanners.model import RawRecord
from scanners.schemas.registered import Schemas

NAMES = {"key": "__key_schema_id", "value": "__value_schema_id"}
_BOTH = frozenset(NAMES.values())
_HEADS = {0: 5, 1: 17}
"""First byte -> bytes up to the path to the message type."""


def framed(batch: Batch, schemas: Schemas) -> Batch:
    """The batch with its bodies in the wire format, where headers name schemas; those headers as text."""
    if not any(name in _BOTH for headers in batch.headers for name, _ in headers):
        return batch
    rows = range(len(batch))
    return replace(
        batch,
        keys=[_framed("key", batch.keys[row], batch.headers[row], schemas) for row in rows],
        values=[_framed("value", batch.values[row], batch.headers[row], schemas) for row in rows],
        headers=[
            [(name, _shown(body) if name in _BOTH else body) for name, body in batch.headers[row]] for row in rows
        ],
    )


def framed_record(record: RawRecord, schemas: Schemas) -> RawRecord:
    """The same for one record."""
    batch = framed(Batch.of([record]), schemas)
    return record._replace(key=batch.keys[0], value=batch.values[0], headers=(batch.headers or [()])[0])


def _framed(part: str, body: bytes | None, headers: Sequence[Header], schemas: Schemas) -> bytes | None:
    if body is None:
        return None
    head = next((text for name, text in headers if name == NAMES[part]), None)
    if not _known(head):
        return body
    number = head[1:5] if head[0] == 0 else schemas.number_of(str(UUID(bytes=head[1:17]))).to_bytes(4, "big")
    return b"\0" + number + head[_HEADS[head[0]] :] + body


def _known(head: bytes | None) -> TypeGuard[bytes]:
    return bool(head) and head is not None and len(head) >= _HEADS.get(head[0], len(head) + 1)


def _shown(head: bytes | None) -> bytes | None:
    """The id or the GUID as text: it is nobody's data."""
    if not _known(head):
        return head
    return (str(int.from_bytes(head[1:5], "big")) if head[0] == 0 else str(UUID(bytes=head[1:17]))).encode()
