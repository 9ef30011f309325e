"""Schemas of the registry made ready to decode with, by id; built once per worker.

Wire format (Confluent): byte 0, the id as four bytes big-endian, then the body; for Protobuf the body begins with the
path to the message type. Source: https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from scanners.model import RegisteredSchema
from scanners.packed import may_claim_anything

FORMAT_OF_TYPE = {"AVRO": "avro", "PROTOBUF": "protobuf", "JSON": "json-schema"}


class SchemaUnusable(ValueError):
    """A registered schema cannot be parsed or refers to one that is not there."""


class Schemas:
    """Registered schemas by id. `missing` counts ids met in the data that are not here."""

    def __init__(self, schemas: Mapping[int, RegisteredSchema] | None = None) -> None:
        self._schemas = dict(schemas or {})
        self._avro: dict[int, Any] = {}
        self._protobuf: dict[int, Callable[[bytes], Any]] = {}
        self._bad: set[int] = set()
        self._labels: dict[int, str] = {}

    def __getstate__(self) -> dict[str, Any]:
        # Compiled decoders stay where they were built; a worker builds its own.
        return {"_schemas": self._schemas, "_avro": {}, "_protobuf": {}, "_bad": set(), "_labels": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @staticmethod
    def of(data: Mapping[Any, Any] | Schemas | None) -> Schemas:
        """From `{id: {type, schema, references}}` as it travels in JSON, or from what already is one."""
        if isinstance(data, Schemas):
            return data
        made: dict[int, RegisteredSchema] = {}
        for key, item in (data or {}).items():
            if isinstance(item, RegisteredSchema):
                made[int(key)] = item
                continue
            references = tuple((str(name), str(ref)) for name, ref in item.get("references") or ())
            made[int(key)] = RegisteredSchema(
                int(key), str(item.get("type") or "AVRO").upper(), str(item.get("schema") or item.get("text") or ""),
                references, str(item.get("subject", "")), int(item.get("version", 0)),
            )  # fmt: skip
        return Schemas(made)

    def __contains__(self, schema_id: int) -> bool:
        return schema_id in self._schemas

    def __len__(self) -> int:
        return len(self._schemas)

    def format_of(self, schema_id: int) -> str:
        """avro, protobuf or json-schema."""
        return FORMAT_OF_TYPE.get(self._schemas[schema_id].type, "avro")

    def get(self, schema_id: int) -> RegisteredSchema:
        return self._schemas[schema_id]

    def label(self, schema_id: int) -> str:
        """What tells this schema from others of a topic: the record's name where the text has one, else its subject."""
        if schema_id not in self._labels:
            schema = self._schemas[schema_id]
            self._labels[schema_id] = _record_name(schema) or schema.subject or f"schema-{schema_id}"
        return self._labels[schema_id]

    def _reference(self, ref: str) -> RegisteredSchema:
        found = self._schemas.get(int(ref)) if ref.lstrip("-").isdigit() else None
        if found is None:
            raise SchemaUnusable("a referenced schema is missing")
        return found

    def avro(self, schema_id: int) -> Any:
        """The parsed Avro schema. Raises SchemaUnusable."""
        if schema_id not in self._avro:
            if schema_id in self._bad:
                raise SchemaUnusable("the registered schema cannot be parsed")
            try:
                named: dict[str, Any] = {}
                made = self._parse_avro(self._schemas[schema_id], named, set())
                if any(map(may_claim_anything, (made, *named.values()))):
                    raise SchemaUnusable("an array's elements may take no bytes")
                self._avro[schema_id] = made
            except Exception as error:
                self._bad.add(schema_id)
                raise SchemaUnusable("the registered schema cannot be parsed") from error
        return self._avro[schema_id]

    def _parse_avro(self, schema: RegisteredSchema, named: dict[str, Any], seen: set[int]) -> Any:
        from fastavro.schema import parse_schema

        for _, ref in schema.references:
            below = self._reference(ref)
            if below.id not in seen:
                seen.add(below.id)
                self._parse_avro(below, named, seen)
        return parse_schema(json.loads(schema.text), named_schemas=named)

    def protobuf(self, schema_id: int) -> Callable[[bytes], Any]:
        """A function from a body (after the id) to a tree. Raises SchemaUnusable."""
        if schema_id not in self._protobuf:
            if schema_id in self._bad:
                raise SchemaUnusable("the registered schema cannot be parsed")
            from scanners.protobuf import compile_decoder

            try:
                files: dict[str, str] = {}
                self._collect_imports(self._schemas[schema_id], files)
                self._protobuf[schema_id] = compile_decoder(self._schemas[schema_id].text, files)
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


def _record_name(schema: RegisteredSchema) -> str:
    """The full name of an Avro record, or the title of a JSON Schema; empty when there is none."""
    try:
        read = json.loads(schema.text)
    except ValueError:
        return ""
    if not isinstance(read, dict):
        return ""
    name, space = str(read.get("name") or read.get("title") or ""), str(read.get("namespace") or "")
    return f"{space}.{name}" if space and name and "." not in name else name
