"""Schemas of the registry made ready to decode with, by id; built once per worker.

Wire format (Confluent): byte 0, the id as four bytes big-endian, then the body; for Protobuf the body begins with the
path to the message type. Source: https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from scanners.containers.packed import may_claim_anything
from scanners.model import PART_SUBJECTS, RegisteredSchema
from scanners.schemas.avro_names import whole
from scanners.schemas.connect_types import avro_readers, with_logical_types

if TYPE_CHECKING:
    from scanners.schemas.protobuf.messages import ProtobufDecoder

FORMAT_OF_TYPE = {"AVRO": "avro", "PROTOBUF": "protobuf", "JSON": "json-schema"}


_Label = str | Callable[[bytes], str | None] | None


MADE = 1 << 31
"""Registries count their ids in a signed 32-bit number."""


def numbered(guid: str) -> int:
    """A number for a schema of which only the GUID is known."""
    return MADE | int.from_bytes(blake2b(guid.encode(), digest_size=4).digest(), "big")


def of_topic(subject: str, topic: str) -> bool:
    """Whether a subject is a topic's by its name: of its key or value, or of one of the records in it."""
    if subject.endswith(PART_SUBJECTS):
        return subject in [topic + part for part in PART_SUBJECTS]
    return subject.startswith(f"{topic}-")


class SchemaUnusable(ValueError):
    """A registered schema cannot be parsed or refers to one that is not there."""


class Schemas:
    """Registered schemas by id."""

    def __init__(self, schemas: Mapping[int, RegisteredSchema] | None = None) -> None:
        self._schemas = dict(schemas or {})
        self._avro: dict[int, Any] = {}
        self._protobuf: dict[int, ProtobufDecoder] = {}
        self._bad: set[int] = set()
        self._labels: dict[int, _Label] = {}
        self._guids = {schema.guid: number for number, schema in self._schemas.items() if schema.guid}

    def __getstate__(self) -> dict[str, object]:
        # Compiled decoders stay where they were built; a worker builds its own.
        return {**self.__dict__, "_avro": {}, "_protobuf": {}, "_bad": set(), "_labels": {}}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    @staticmethod
    def of(data: Mapping[Any, Any] | Schemas | None) -> Schemas:
        """From `{id: {type, schema, references}}` as it travels in JSON, or from what already is one."""
        if isinstance(data, Schemas):
            return data
        schemas: dict[int, RegisteredSchema] = {}
        for key, item in (data or {}).items():
            known = isinstance(item, RegisteredSchema)
            schemas[int(key)] = item if known else RegisteredSchema.from_json(int(key), item)
        return Schemas(schemas)

    def __contains__(self, schema_id: int) -> bool:
        return schema_id in self._schemas

    def __len__(self) -> int:
        return len(self._schemas)

    def number_of(self, guid: str) -> int:
        """The id of the schema with a GUID; for one that is not known a number that no registry gives, see `guid_of`."""
        return self._guids.setdefault(guid, numbered(guid))

    def guid_of(self, number: int) -> str | None:
        """The GUID of a schema that was given this number here."""
        return (
            next((guid for guid, schema_id in self._guids.items() if schema_id == number), None)
            if number >= MADE
            else None
        )

    def format_of(self, schema_id: int) -> str:
        """avro, protobuf or json-schema."""
        return FORMAT_OF_TYPE.get(self._schemas[schema_id].type, "avro")

    def get(self, schema_id: int) -> RegisteredSchema:
        return self._schemas[schema_id]

    def label(self, body: bytes) -> str | None:
        """What distinguishes a body of the wire format from others of its topic: the name of its record where the schema
        has one, else a subject of its schema. None for an id that is not known."""
        number = int.from_bytes(body[1:5], "big")
        if number not in self._labels:
            self._labels[number] = self._labeller(number)
        label = self._labels[number]
        return label(body) if callable(label) else label

    def tell(self, numbers: Collection[int]) -> bool:
        """Whether bodies with these ids may have different labels."""
        return len(numbers) > 1 or any(self._several(number) for number in numbers)

    def _several(self, number: int) -> bool:
        """Whether one schema has records of several names: the branches of a union, the messages of a file."""
        if number not in self._labels:
            self._labels[number] = self._labeller(number)
        return callable(self._labels[number])

    def _labeller(self, number: int) -> _Label:
        schema = self._schemas.get(number)
        if schema is None:
            return None
        usual = schema.subject or f"schema-{number}"
        try:
            if schema.type == "PROTOBUF":
                messages = self.protobuf(number)
                return _guarded(messages.name, 5, usual) if messages.several else messages.name(b"\0")
            read = json.loads(schema.text)
            if isinstance(read, list) and schema.type == "AVRO":
                names = [_record_name(branch) for branch in read]
                return _guarded(lambda body: names[_varint(body)], 0, usual)
        except (ValueError, RecursionError):
            return usual
        return _record_name(read) or usual

    def all(self) -> Mapping[int, RegisteredSchema]:
        """Every schema by its id."""
        return self._schemas

    def imports(self, schema_id: int) -> dict[str, str]:
        """The texts a schema refers to, directly and further down, by the name it refers to them by. Raises
        SchemaUnusable when one is missing."""
        files: dict[str, str] = {}
        self._collect_imports(self._schemas[schema_id], files)
        return files

    def _reference(self, ref: str) -> RegisteredSchema:
        schema = self._schemas.get(int(ref)) if ref.lstrip("-").isdigit() else None
        if schema is None:
            raise SchemaUnusable("a referenced schema is missing")
        return schema

    def avro(self, schema_id: int) -> Any:
        """The parsed Avro schema. Raises SchemaUnusable."""
        if schema_id not in self._avro:
            if schema_id in self._bad:
                raise SchemaUnusable("the registered schema cannot be parsed")
            from fastavro.schema import parse_schema

            try:
                definitions: dict[str, object] = {}
                schema = self._parse_avro(self._schemas[schema_id], definitions, set())
                if self._schemas[schema_id].references:
                    schema = parse_schema(whole(schema, definitions))
                if any(map(may_claim_anything, (schema, *definitions.values()))):
                    raise SchemaUnusable("an array's elements may take no bytes")
                self._avro[schema_id] = schema
            except Exception as error:
                self._bad.add(schema_id)
                raise SchemaUnusable("the registered schema cannot be parsed") from error
        return self._avro[schema_id]

    def _parse_avro(self, schema: RegisteredSchema, definitions: dict[str, object], seen: set[int]) -> Any:
        from fastavro.read import LOGICAL_READERS
        from fastavro.schema import parse_schema

        LOGICAL_READERS.update(avro_readers())
        for _, ref in schema.references:
            below = self._reference(ref)
            if below.id not in seen:
                seen.add(below.id)
                self._parse_avro(below, definitions, seen)
        return parse_schema(with_logical_types(json.loads(schema.text)), named_schemas=definitions)

    def protobuf(self, schema_id: int) -> ProtobufDecoder:
        """What reads bodies (after the id) to trees. Raises SchemaUnusable."""
        if schema_id not in self._protobuf:
            if schema_id in self._bad:
                raise SchemaUnusable("the registered schema cannot be parsed")
            from scanners.schemas.protobuf.messages import compile_decoder

            try:
                self._protobuf[schema_id] = compile_decoder(self._schemas[schema_id].text, self.imports(schema_id))
            except Exception as error:
                self._bad.add(schema_id)
                raise SchemaUnusable("the registered schema cannot be parsed") from error
        return self._protobuf[schema_id]

    def _collect_imports(self, schema: RegisteredSchema, files: dict[str, str]) -> None:
        for name, ref in schema.references:
            if name not in files:
                below = self._reference(ref)
                files[name] = below.text
                self._collect_imports(below, files)


def _record_name(read: Any) -> str:
    """The full name of an Avro record, or the title of a JSON Schema; empty when there is none."""
    if isinstance(read, str):
        return read
    if not isinstance(read, dict):
        return ""
    name, space = str(read.get("name") or read.get("title") or ""), str(read.get("namespace") or "")
    return f"{space}.{name}" if space and name and "." not in name else name


def _guarded(name: Callable[[bytes], str], start: int, usual: str) -> Callable[[bytes], str | None]:
    def label(body: bytes) -> str | None:
        try:
            return name(body[start:]) or usual
        except Exception:
            # The body does not fit its schema, which is counted where it is decoded.
            return None

    return label


def _varint(body: bytes) -> int:
    """The zig-zag number after the head of an Avro body: the branch of a union. Raises IndexError."""
    shift = number = 0
    for byte in body[5:]:
        number |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return number >> 1
        shift += 7
    raise IndexError("no branch")
