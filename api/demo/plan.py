"""The words of the demo's data: a record, a topic with its records, a planted piece of personal data, a trap."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Record(NamedTuple):
    """One record as it goes to Kafka. `value` lacks the registry's framing where the topic has a `schema`."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    timestamp_ms: int


@dataclass(frozen=True, slots=True)
class Planted:
    """Personal data that the generator put in on purpose: a scan must find `entity` at `path`.

    `share` is about which share of the occurrences hold it (free text and odd fields hold it now and then).
    """

    topic: str
    path: str
    entity: str
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Trap:
    """A field that looks like `entity` and has none: a scan that reports one is wrong."""

    topic: str
    path: str
    entity: str
    why: str


@dataclass(frozen=True, slots=True)
class ValueSchema:
    """A schema for the registry. `kind` is AVRO, JSON or PROTOBUF, as the registry's interface names them."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """A topic of the demo. `format` is that of key and value; `records()` gives the same records every time."""

    name: str
    partitions: int
    format: Mapping[str, str]
    make: Callable[[random.Random], Iterator[Record]]
    seed: str
    config: Mapping[str, str] = field(default_factory=dict)
    schema: ValueSchema | None = None

    def records(self) -> Iterator[Record]:
        return self.make(random.Random(self.seed))  # noqa: S311  the demo's data must be repeatable, not secret


def framed(schema_kind: str, schema_id: int, body: bytes) -> bytes:
    """`body` in the Confluent wire format: a zero byte, the schema id in four bytes, and for Protobuf the index of the
    message in its file (a single 0 means the first)."""
    index = b"\0" if schema_kind == "PROTOBUF" else b""
    return b"\0" + schema_id.to_bytes(4, "big") + index + body


def compact(value: Any) -> bytes:
    """JSON without blanks, as producers send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
