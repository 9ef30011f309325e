"""Places of a registered Avro schema, see `scanners.schemas.known.place`.

The types are those in which the decoder gives the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.datasets.learned_types import LONGEST
from catalog.paths import FieldPath
from scanners.schemas.connect_types import NANO_TIME, NANOS
from scanners.schemas.known.place import MOST_REPEATS, Places

_SQL = {
    "boolean": "BOOLEAN",
    "int": "INT",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "bytes": "BINARY",
    "fixed": "BINARY",
    "enum": "STRING",
}
_LOGICAL = {
    ("int", "date"): "DATE",
    ("long", "timestamp-millis"): "TIMESTAMP",
    ("long", "timestamp-micros"): "TIMESTAMP",
    ("long", "local-timestamp-millis"): "TIMESTAMP_NTZ",
    ("long", "local-timestamp-micros"): "TIMESTAMP_NTZ",
    ("long", NANOS): "TIMESTAMP_NTZ",
    ("long", NANO_TIME): "STRING",
    ("int", "time-millis"): "STRING",
    ("long", "time-micros"): "STRING",
    ("string", "uuid"): "STRING",
}


def add_avro(places: Places, schema: Any, at: FieldPath) -> None:
    """Take in a parsed schema with full names everywhere (`scanners.schemas.registered.Schemas.avro`)."""
    _Walk(places).type(schema, at, ())


class _Walk:
    def __init__(self, places: Places) -> None:
        self._places = places
        self._named: dict[str, Mapping[str, Any]] = {}

    def type(self, schema: Any, at: FieldPath, above: tuple[str, ...]) -> None:
        if isinstance(schema, list):
            for branch in schema:
                self.type(branch, at, above)
            branches = [_name(branch) for branch in schema if branch != "null"]
            self._places.describe(
                at, nullable="null" in schema, type=" | ".join(branches), union=branches if len(branches) > 1 else None
            )
        elif isinstance(schema, str):
            if schema in self._named:
                self.type(self._named[schema], at, above)
            elif schema != "null":
                self._places.add(at, "scalar", _SQL.get(schema, "STRING"), type=schema)
        elif isinstance(schema, Mapping):
            self._complex(schema, at, above)

    def _complex(self, schema: Mapping[str, Any], at: FieldPath, above: tuple[str, ...]) -> None:
        kind = schema.get("type")
        words = {
            "type": _name(schema),
            "doc": schema.get("doc"),
            "aliases": list(schema.get("aliases") or ()),
            "symbols": list(schema.get("symbols") or ()),
            "name": schema.get("name"),
        }
        if isinstance(schema.get("name"), str):
            self._named[schema["name"]] = schema
        match kind:
            case "record" | "error":
                self._record(schema, at, above, words)
            case "array":
                if self._places.add(at, "array", type="array"):
                    self.type(schema.get("items"), at.elements(), above)
            case "map":
                if self._places.add(at, "map", type="map"):
                    self.type(schema.get("values"), at.values(), above)
            case str():
                self._places.add(at, "scalar", _sql(schema, kind), **words)
            case _:
                self.type(kind, at, above)

    def _record(self, schema: Mapping[str, Any], at: FieldPath, above: tuple[str, ...], words: dict[str, Any]) -> None:
        name = str(schema.get("name"))
        if not self._places.add(at, "object", **words) or above.count(name) >= MOST_REPEATS:
            return
        for field in schema.get("fields") or ():
            place = at.field(str(field["name"]))
            self.type(field.get("type"), place, (*above, name))
            self._places.describe(place, doc=field.get("doc"), aliases=list(field.get("aliases") or ()))
            if "default" in field:
                self._places.describe(place, hasDefault=True, default=field["default"])


def _sql(schema: Mapping[str, Any], kind: str) -> str:
    logical = str(schema.get("logicalType") or "")
    if logical == "decimal" and kind in ("bytes", "fixed"):
        precision, scale = int(schema.get("precision") or 0), int(schema.get("scale") or 0)
        return f"DECIMAL({precision},{scale})" if 0 < precision <= LONGEST and 0 <= scale <= precision else "STRING"
    return _LOGICAL.get((kind, logical)) or _SQL.get(kind, "STRING")


def _name(schema: Any) -> str:
    """A type in a word: its logical type with what belongs to it, its name, or its kind."""
    if isinstance(schema, str):
        return schema
    if isinstance(schema, list):
        return "union"
    logical = schema.get("logicalType")
    if logical == "decimal":
        return f"decimal({schema.get('precision')},{schema.get('scale', 0)})"
    if logical:
        return str(logical)
    kind = schema.get("type")
    return f"{kind} {schema['name']}" if "name" in schema else _name(kind) if not isinstance(kind, str) else kind
