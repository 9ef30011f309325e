"""The words of the scanners: what is asked of a scan, what is read, and how the bytes of a topic are to be read.

Standard library only: this module travels to Spark's Python workers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from catalog.dead_letters import RULE, is_for_dead_letters
from catalog.errors import InvalidInput


class Strategy(StrEnum):
    """Which of the retained records are read."""

    LATEST = "latest"
    EARLIEST = "earliest"
    RANDOM = "random"
    STRATIFIED = "stratified"
    FULL = "full"
    SINCE_LAST = "since-last"


PART_SUBJECTS = ("-key", "-value")
"""How subjects end that are named by a topic and its part; others are named by a record, with or without a topic."""


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """How much of each topic is read.

    max_records   records planned per topic; `full` and `since-last` ignore it unless it is given on purpose
    max_bytes     bytes of key + value + headers profiled per topic and Spark task; what is beyond is skipped and reported
    max_seconds   wall-clock seconds for one Spark job (a handful of topics); what is beyond is skipped and reported
    seed          makes the random windows repeatable
    dead_letter   topic of the same cluster that records are sent to which cannot be decoded, raw; None: nowhere
    """

    strategy: Strategy = Strategy.STRATIFIED
    max_records: int = 1000
    max_bytes: int = 64 * 1024 * 1024
    max_seconds: float = 300.0
    seed: int = 0
    dead_letter: str | None = None

    def __post_init__(self) -> None:
        if self.max_records < 1 or self.max_bytes < 1 or self.max_seconds <= 0:
            raise InvalidInput("A sample needs maxRecords, maxBytes and maxSeconds above zero.")
        if self.dead_letter is not None and not is_for_dead_letters(self.dead_letter):
            raise InvalidInput(f"{self.dead_letter!r} is not a topic for dead letters: {RULE}.")

    @staticmethod
    def parse(data: Mapping[str, Any]) -> SampleRequest:
        """Read `{strategy, maxRecords, maxBytes, maxSeconds, seed, deadLetter}`. Raises InvalidInput naming the field."""
        settings = {"strategy", "maxRecords", "maxBytes", "maxSeconds", "seed", "deadLetter"}
        unknown = sorted(set(data) - settings)
        if unknown:
            raise InvalidInput(f"A sample has no setting {unknown[0]!r}; it has {', '.join(sorted(settings))}.")
        try:
            strategy = Strategy(data.get("strategy", Strategy.STRATIFIED))
        except ValueError as error:
            raise InvalidInput(
                f"{data['strategy']!r} is not a sampling strategy; choose one of {', '.join(Strategy)}."
            ) from error
        try:
            return SampleRequest(
                strategy=strategy,
                max_records=int(data.get("maxRecords", 1000)),
                max_bytes=int(data.get("maxBytes", 64 * 1024 * 1024)),
                max_seconds=float(data.get("maxSeconds", 300.0)),
                seed=int(data.get("seed", 0)),
                dead_letter=str(data["deadLetter"]) if data.get("deadLetter") else None,
            )
        except (TypeError, ValueError) as error:
            raise InvalidInput("maxRecords, maxBytes, maxSeconds and seed of a sample are numbers.") from error


@dataclass(frozen=True, slots=True)
class Partition:
    """Retained offsets of a partition: the first record still there, and one past the newest."""

    partition: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with the offsets of its partitions at the time of the request.

    unreadable  (partition, why) of those whose offsets Kafka did not give, such as one without a leader
    id          Kafka's, which a topic that is made again does not keep; "" where the brokers give none
    """

    name: str
    partitions: tuple[Partition, ...]
    unreadable: tuple[tuple[int, str], ...] = ()
    id: str = ""

    @property
    def retained(self) -> int:
        """Offsets between begin and end. Compaction and transactions leave holes, so records may be fewer."""
        return sum(max(0, p.end - p.begin) for p in self.partitions)


@dataclass(frozen=True, slots=True, order=True)
class OffsetRange:
    """Offsets `start` (inclusive) to `end` (exclusive) of one partition."""

    topic: str
    partition: int
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


class RawRecord(NamedTuple):
    """One record as Kafka holds it. `timestamp` is milliseconds since 1970, or None."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]]
    partition: int
    offset: int
    timestamp: int | None

    @property
    def size(self) -> int:
        return (
            len(self.key or b"")
            + len(self.value or b"")
            + sum(len(name) + len(body or b"") for name, body in self.headers)
        )


@dataclass(frozen=True, slots=True)
class PartFormat:
    """How the bytes of a key, a value or one header are read.

    name      null json avro protobuf json-schema avro-container csv xml msgpack cbor uuid long int double string binary
              (avro, protobuf, json-schema: Confluent's wire format, a zero byte and a schema id before the body)
    options   csv: {"delimiter": ",", "width": n, "columns": [...], "header": bool}; any: {"also": [formats]} that some
              records of the part have and that their bytes do not show by themselves, {"mixed": [formats]} that some have
              and show by themselves, {"packed": [names]} what they are wrapped in, see `scanners.containers.wrapping`
    """

    name: str = "binary"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TopicFormat:
    """The formats of a topic's parts. `headers` holds only those that are not plain text."""

    key: PartFormat = field(default_factory=PartFormat)
    value: PartFormat = field(default_factory=PartFormat)
    headers: Mapping[str, PartFormat] = field(default_factory=dict)

    def part(self, name: str, header: str | None = None) -> PartFormat:
        """The format of `key`, `value` or, for `headers`, of one header."""
        if name == "headers":
            return self.headers.get(header or "", PartFormat("string"))
        return self.key if name == "key" else self.value

    def of(self, label: str) -> PartFormat:
        """The format of `key`, `value` or `headers.NAME`; text for any other word."""
        part, _, header = label.partition(".")
        return self.part(part, header) if part in ("key", "value", "headers") else PartFormat("string")

    def to_mapping(self) -> dict[str, str]:
        """Text to text, as SchemaVersion.format holds it: {"key": "string", "value": "csv", "value.options": "{...}"}."""
        answer: dict[str, str] = {}
        parts = {"key": self.key, "value": self.value, **{f"headers.{n}": p for n, p in sorted(self.headers.items())}}
        for name, part in parts.items():
            answer[name] = part.name
            if part.options:
                answer[f"{name}.options"] = json.dumps(part.options, sort_keys=True, ensure_ascii=False)
        return answer

    @staticmethod
    def from_mapping(data: Mapping[str, str]) -> TopicFormat:
        """The inverse of `to_mapping`; a part that is missing is read as JSON (value) or text (key)."""

        def part(name: str, default: str) -> PartFormat:
            format = ALIASES.get(data.get(name, default), data.get(name, default))
            return PartFormat(format, json.loads(data.get(f"{name}.options", "{}")))

        headers = [n for n in data if n.startswith("headers.") and not n.endswith(".options")]
        return TopicFormat(
            part("key", "string"),
            part("value", "json"),
            {n.removeprefix("headers."): part(n, "string") for n in headers},
        )


ALIASES = {"text": "string", "jsonschema": "json-schema", "json_schema": "json-schema", "bytes": "binary"}
"""Names people write for formats, and ours."""


@dataclass(frozen=True, slots=True)
class RegisteredSchema:
    """A schema of the registry.

    references      (name as the schema imports it, the schema's id or text)
    subject         a subject that has it, and its version there; a text has the same id under all its subjects
    also            further ones: (subject, version)
    guid            its name in every registry, where this one gives it
    """

    id: int
    type: str  # AVRO | PROTOBUF | JSON
    text: str
    references: tuple[tuple[str, str], ...] = ()
    subject: str = ""
    version: int = 0
    also: tuple[tuple[str, int], ...] = ()
    guid: str = ""

    @property
    def subjects(self) -> dict[str, int]:
        """Subject -> the version this schema is of it."""
        return {**({self.subject: self.version} if self.subject else {}), **dict(self.also)}

    def under(self, subjects: Mapping[str, int]) -> RegisteredSchema:
        """The same schema, known under these subjects too."""
        first, *others = sorted({**self.subjects, **subjects}.items()) or [("", 0)]
        return replace(self, subject=first[0], version=first[1], also=tuple(others))

    def to_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "type": self.type,
            "schema": self.text,
            "references": [list(r) for r in self.references],
            "subject": self.subject,
            "version": self.version,
            "also": [list(each) for each in self.also],
            "guid": self.guid,
        }

    @staticmethod
    def from_json(number: int, data: Mapping[str, Any]) -> RegisteredSchema:
        """From what `to_json` gives; what is missing is empty, and the type AVRO."""
        return RegisteredSchema(
            id=number,
            type=str(data.get("type") or "AVRO").upper(),
            text=str(data.get("schema") or data.get("text") or ""),
            references=tuple((str(name), str(ref)) for name, ref in data.get("references") or ()),
            subject=str(data.get("subject", "")),
            version=int(data.get("version", 0)),
            also=tuple((str(subject), int(version)) for subject, version in data.get("also") or ()),
            guid=str(data.get("guid") or ""),
        )


@dataclass(frozen=True, slots=True)
class ClusterConnection:
    """How a Kafka cluster is reached.

    name        the cluster's name in Weir (`prod`)
    namespace   OpenLineage's namespace of its topics (`kafka://host:9092`)
    bootstrap   `host:port`, several separated by commas
    kafka       client settings by librdkafka's names (`security.protocol`, `sasl.username`, `ssl.ca.location`...);
                may hold secrets, so it is never printed
    registry    URL of the schema registry (Confluent's API), or None
    registry_auth   (user, password) or None
    """

    name: str
    namespace: str
    bootstrap: str
    kafka: Mapping[str, str] = field(default_factory=dict, repr=False)
    registry: str | None = None
    registry_auth: tuple[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Recognizer:
    """A recognizer of the user's own, in presidio's pattern recognizer fields (`kind: Recognizer`)."""

    name: str
    supported_entity: str
    patterns: tuple[Mapping[str, Any], ...] = ()
    context: tuple[str, ...] = ()
    deny_list: tuple[str, ...] = ()
    version: str = "1"

    def to_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "supported_entity": self.supported_entity,
            "patterns": [dict(p) for p in self.patterns],
            "context": list(self.context),
            "deny_list": list(self.deny_list),
            "version": self.version,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Recognizer:
        return Recognizer(
            name=str(data["name"]),
            supported_entity=str(data["supported_entity"]),
            patterns=tuple(data.get("patterns") or ()),
            context=tuple(data.get("context") or ()),
            deny_list=tuple(data.get("deny_list") or ()),
            version=str(data.get("version") or "1"),
        )


@dataclass(frozen=True, slots=True)
class ScanProgress:
    """How far a scan is: topics done of all, records profiled so far, and the topic that ended last."""

    done: int
    total: int
    records: int
    topic: str | None = None
