"""What a registered Avro schema or JSON Schema expects of a value, as `scanners.schemas.expect` states it.

Schemas may refer to others and to themselves: what is deeper than 20 levels, or beyond 20,000 places, is not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin

from scanners.schemas.expect import OPEN, Form

_DEEPEST = 20
_MOST = 20_000


@dataclass
class _Budget:
    """Places that may still be made: a schema of a few lines that refers to itself unfolds to any number."""

    left: int = _MOST

    def spent(self, depth: int) -> bool:
        self.left -= 1
        return self.left < 0 or depth > _DEEPEST


# --- from Avro --------------------------------------------------------------------------------------------------------

_AVRO = {
    "boolean": "boolean",
    "int": "int32",
    "long": "int64",
    "float": "number",
    "double": "number",
    "string": "string",
    "bytes": "binary",
    "enum": "string",
    "fixed": "binary",
}
_LOGICAL = {
    "date": ["date"],
    "timestamp-millis": ["timestamp"],
    "timestamp-micros": ["timestamp"],
    "decimal": ["number"],
    "local-timestamp-millis": ["timestamp"],
    "local-timestamp-micros": ["timestamp"],
}


class _Named(dict[str, object]):
    """Avro types by name."""

    def __init__(self) -> None:
        super().__init__()
        self.budget = _Budget()

    def add(self, schema: dict[str, object], space: str) -> str:
        """Keep a named type that is in a namespace; its own namespace."""
        inner, name = str(schema.get("namespace", space)), str(schema["name"])
        self[f"{inner}.{name}" if inner else name] = schema
        self.setdefault(name, schema)
        return inner


def from_avro(text: str, others: Mapping[str, str] | None = None) -> Form:
    """Of an Avro schema, for values that are plain JSON; `others` are the texts it refers to. Raises ValueError for text
    that is none."""
    definitions = _Named()
    for other in (others or {}).values():
        _avro(json.loads(other), definitions, "", 0)
    definitions.budget = _Budget()
    return _avro(json.loads(text), definitions, "", 0)


def _avro(schema: Any, definitions: _Named, space: str, depth: int) -> Form:
    if definitions.budget.spent(depth):
        return OPEN
    if isinstance(schema, list):
        options = [_avro(option, definitions, space, depth + 1) for option in schema if option != "null"]
        nullable = "null" in schema
        if len(options) == 1:
            return {**options[0], "nullable": nullable or options[0]["nullable"]}
        return {"kind": "any", "type": "union", "nullable": nullable, "of": options}
    if isinstance(schema, str):
        if schema in _AVRO:
            return _avro_leaf(schema, [_AVRO[schema]])
        definition = definitions.get(schema) or definitions.get(f"{space}.{schema}")
        return _avro(definition, definitions, space, depth + 1) if definition is not None and schema != "null" else OPEN
    if not isinstance(schema, dict):
        return OPEN
    kind = schema.get("type")
    if isinstance(kind, dict | list):
        return _avro(kind, definitions, space, depth)
    if "name" in schema:
        space = definitions.add(schema, space)
    match kind:
        case "record":
            return _avro_record(schema, definitions, space, depth)
        case "array":
            items = _avro(schema.get("items"), definitions, space, depth + 1)
            return {"kind": "list", "type": "array", "nullable": False, "items": items}
        case "map":
            values = _avro(schema.get("values"), definitions, space, depth + 1)
            return {"kind": "map", "type": "map", "nullable": False, "values": values}
    if not isinstance(kind, str):
        return OPEN
    if kind not in _AVRO:
        return _avro(kind, definitions, space, depth + 1)
    logical = str(schema.get("logicalType", ""))
    return _avro_leaf(logical or kind, [_AVRO[kind], *_LOGICAL.get(logical, ())])


def _avro_leaf(name: str, types: list[str]) -> Form:
    return {"kind": "leaf", "type": name, "nullable": False, "is": types}


def _avro_record(schema: Mapping[str, Any], definitions: _Named, space: str, depth: int) -> Form:
    fields = [(str(f["name"]), f) for f in schema.get("fields", ()) if isinstance(f, dict) and "name" in f]
    below = {name: _avro(each.get("type"), definitions, space, depth + 1) for name, each in fields}
    return {
        "kind": "struct",
        "type": "record",
        "nullable": False,
        "fields": below,
        "required": [name for name, each in fields if "default" not in each and not below[name]["nullable"]],
        "closed": True,
    }


# --- from JSON Schema -------------------------------------------------------------------------------------------------

_JSON = {"boolean": "boolean", "integer": "integer", "number": "number", "string": "string"}


@dataclass(frozen=True)
class Document:
    """A JSON Schema, and those it may refer to by the name of the reference."""

    root: Any
    others: Mapping[str, Any]
    name: str = ""
    budget: _Budget = field(default_factory=_Budget)

    def pointed(self, reference: str) -> tuple[Any, Document]:
        """What a `$ref` means, and the document it is in; None when it is not there."""
        name, _, pointer = reference.partition("#")
        document = self._other(name) if name else self
        if document is None:
            return None, self
        target = document.root
        for part in pointer.strip("/").split("/"):
            if part:
                key = part.replace("~1", "/").replace("~0", "~")
                target = target.get(key) if isinstance(target, dict) else None
        return target, document

    def _other(self, name: str) -> Document | None:
        own = str(self.root.get("$id", "")) if isinstance(self.root, dict) else ""
        for address in (name, urljoin(own, name), urljoin(self.name, name)):
            for other, root in self.others.items():
                if address in (other, root.get("$id") if isinstance(root, dict) else None):
                    return replace(self, root=root, name=other)
        return None


def from_json_schema(text: str, others: Mapping[str, str] | None = None) -> Form:
    """Of a JSON Schema: types, properties, required ones, items, references, anyOf and oneOf. Its other keywords (patterns,
    ranges, enumerations, allOf) are not looked at. `others` are the texts it refers to, by the reference's name. Raises
    ValueError for text that is none."""
    document = Document(json.loads(text), {name: json.loads(other) for name, other in (others or {}).items()})
    return _json(document.root, document, 0)


def _json(schema: Any, root: Document, depth: int) -> Form:
    if not isinstance(schema, dict) or root.budget.spent(depth):
        return OPEN
    if "$ref" in schema:
        return _json(*root.pointed(str(schema["$ref"])), depth + 1)
    for word in ("oneOf", "anyOf"):
        if isinstance(schema.get(word), list) and "type" not in schema and "properties" not in schema:
            return _any([_json(option, root, depth + 1) for option in schema[word]])
    types = schema.get("type")
    if isinstance(types, list):
        return _any([_json({**schema, "type": one}, root, depth) for one in types])
    if types is None and "properties" in schema:
        types = "object"
    match types:
        case "null":
            return {"kind": "leaf", "type": "null", "nullable": True, "is": []}
        case "object":
            return _json_object(schema, root, depth)
        case "array":
            items = _json(schema.get("items"), root, depth + 1)
            return {"kind": "list", "type": "array", "nullable": False, "items": items}
        case str() if types in _JSON:
            return {"kind": "leaf", "type": types, "nullable": False, "is": [_JSON[types]]}
    return OPEN


def _json_object(schema: Mapping[str, Any], root: Document, depth: int) -> Form:
    below = schema.get("properties") or {}
    more = schema.get("additionalProperties")
    if not below and isinstance(more, dict):
        return {"kind": "map", "type": "object", "nullable": False, "values": _json(more, root, depth + 1)}
    return {
        "kind": "struct",
        "type": "object",
        "nullable": False,
        "fields": {str(name): _json(child, root, depth + 1) for name, child in below.items()},
        "required": [str(name) for name in schema.get("required") or ()],
        "closed": more is False and not schema.get("patternProperties"),
    }


def _any(options: Sequence[Form]) -> Form:
    real = [o for o in options if o.get("is") != []]
    nullable = any(o["nullable"] for o in options)
    if len(real) == 1:
        return {**real[0], "nullable": nullable}
    return {"kind": "any", "type": "union", "nullable": nullable, "of": real} if real else OPEN
