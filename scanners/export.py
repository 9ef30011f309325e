"""A schema as other tools want it: JSON Schema, Avro, Spark DDL, a pydantic model. Pure; made from the stored profile.

Every export describes the record's value as it was seen: a field that some records lack is optional, several types are a
union, a map is a map. Key and headers are not part of it.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from catalog.datatypes import StructType, columns_ddl, from_profile, to_ddl
from catalog.errors import InvalidInput
from catalog.model import FieldProfile, SchemaVersion
from catalog.paths import StepKind

_NUMBERS = ("int32", "int64", "integer", "double", "decimal")


@dataclass(slots=True)
class _Place:
    """A place of the value, with what lies below it."""

    profile: FieldProfile | None = None
    fields: dict[str, _Place] = field(default_factory=dict)
    elements: _Place | None = None
    values: _Place | None = None

    @property
    def kinds(self) -> list[str]:
        seen = [k for k, share in (self.profile.types if self.profile else {}).items() if share > 0 and k != "null"]
        if not seen:
            return ["object"] if self.fields else ["array"] if self.elements else ["map"] if self.values else []
        return seen

    @property
    def nullable(self) -> bool:
        return self.profile is not None and self.profile.null_share > 0

    @property
    def always(self) -> bool:
        return self.profile is None or self.profile.presence >= 1.0

    def form(self) -> str | None:
        """The one form all texts have, e.g. date, uuid."""
        formats: Mapping[str, float] = self.profile.details.get("formats", {}) if self.profile else {}
        return next((name for name, share in formats.items() if share >= 0.999), None)


def export(name: str, schema: SchemaVersion, format: str) -> tuple[str, str]:
    """(text, media type) of a dataset's schema as `ddl` (or `spark`), `jsonschema`, `avro` or `pydantic`. Raises InvalidInput."""
    makers: dict[str, tuple[Callable[[str, SchemaVersion], str], str]] = {
        "ddl": (spark_ddl, "text/plain"),
        "spark": (spark_ddl, "text/plain"),
        "jsonschema": (
            lambda n, s: json.dumps(json_schema(n, s), indent=2, ensure_ascii=False),
            "application/schema+json",
        ),
        "avro": (lambda n, s: json.dumps(avro(n, s), indent=2, ensure_ascii=False), "application/json"),
        "pydantic": (pydantic_model, "text/x-python"),
    }
    if format not in makers:
        raise InvalidInput(f"A schema cannot be written as {format!r}; choose one of {', '.join(makers)}.")
    make, media = makers[format]
    return make(name, schema), media


def _tree(schema: SchemaVersion) -> _Place:
    top = _Place()
    for profile in schema.fields:
        path = profile.field_path
        # Documents in texts are described below the text, but they are not part of its type.
        if path.root != "value" or "inside_text" in profile.details:
            continue
        at: _Place | None = top
        for step in path.steps:
            if at is None:
                break
            if step.kind is StepKind.FIELD:
                at = at.fields.setdefault(step.name or "", _Place())
            elif step.kind is StepKind.ELEMENTS:
                at.elements = at.elements or _Place()
                at = at.elements
            elif step.kind is StepKind.VALUES:
                at.values = at.values or _Place()
                at = at.values
            else:
                at = None  # single keys of a map are part of its values
        if at is not None:
            at.profile = profile
    return top


def spark_ddl(_name: str, schema: SchemaVersion) -> str:
    """Columns as `from_json` and `DataFrame.schema` take them; a value that is no object is one column `value`."""
    kind = from_profile(schema.fields, "value")
    return columns_ddl(kind) if isinstance(kind, StructType) else f"`value` {to_ddl(kind)}"


# --- JSON Schema ------------------------------------------------------------------------------------------------------

_JSON_FORMATS = {
    "date": "date",
    "timestamp": "date-time",
    "uuid": "uuid",
    "time": "time",
    "duration": "duration",
    "url": "uri",
}


def json_schema(name: str, schema: SchemaVersion) -> dict[str, Any]:
    """JSON Schema 2020-12 of the value; with several shapes, `oneOf` (or `anyOf`) says which fields go together."""
    top = _tree(schema)
    made: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name, **_json_type(top)}
    shapes = [s for s in schema.shapes if not (s.when and "others" in s.when)]
    if len(shapes) > 1 and top.kinds == ["object"]:
        told = all(s.when and next(iter(s.when)).startswith("value.") for s in shapes)
        made["oneOf" if told else "anyOf"] = [_json_shape(s.paths, s.when if told else None, top) for s in shapes]
        if len(shapes) < len(schema.shapes):
            made.pop("oneOf" if told else "anyOf")
    return made


def _json_shape(paths: Iterable[str], when: Mapping[str, Any] | None, top: _Place) -> dict[str, Any]:
    from catalog.paths import FieldPath

    names = sorted({FieldPath.parse(p).names[0] for p in paths})
    shape: dict[str, Any] = {"properties": {}, "required": names}
    if when:
        # A told shape joins variants, so only what is always there is required, and the field that tells.
        path, value = next(iter(when.items()))
        tells = FieldPath.parse(path).names
        shape["required"] = sorted({tells[0], *(n for n in names if n in top.fields and top.fields[n].always)})
        inner: dict[str, Any] = {"const": value}
        for part in reversed(tells):
            inner = {"properties": {part: inner}, "required": [part]}
        shape["properties"] = inner["properties"]
    else:
        shape.pop("properties")
        absent = sorted(set(top.fields) - set(names))
        if absent:
            shape["properties"] = dict.fromkeys(absent, False)
    return shape


def _json_type(place: _Place) -> dict[str, Any]:
    options = [_json_one(place, kind) for kind in _merged(place.kinds)]
    if place.nullable or not options:
        options.append({"type": "null"} if place.nullable else {})
    unique = [o for i, o in enumerate(options) if o not in options[:i]]
    return unique[0] if len(unique) == 1 else {"anyOf": unique}


def _merged(kinds: Iterable[str]) -> list[str]:
    """Integer widths as one."""
    kinds = set(kinds)
    widest = next((k for k in ("integer", "int64", "int32") if k in kinds), None)
    return sorted((kinds - {"int32", "int64", "integer"}) | ({widest} if widest else set()))


def _json_one(place: _Place, kind: str) -> dict[str, Any]:
    if kind == "object":
        required = sorted(n for n, p in place.fields.items() if p.always)
        made: dict[str, Any] = {"type": "object", "properties": {n: _json_type(p) for n, p in place.fields.items()}}
        return {**made, "required": required} if required else made
    if kind == "array":
        return {"type": "array", "items": _json_type(place.elements) if place.elements else {}}
    if kind == "map":
        return {"type": "object", "additionalProperties": _json_type(place.values) if place.values else True}
    if kind == "string":
        form = _JSON_FORMATS.get(place.form() or "")
        return {"type": "string", "format": form} if form else {"type": "string"}
    return {
        "boolean": {"type": "boolean"}, "int32": {"type": "integer", "format": "int32"},
        "int64": {"type": "integer", "format": "int64"}, "integer": {"type": "integer"}, "double": {"type": "number"},
        "decimal": {"type": "number"}, "date": {"type": "string", "format": "date"},
        "timestamp": {"type": "string", "format": "date-time"}, "uuid": {"type": "string", "format": "uuid"},
        "binary": {"type": "string", "contentEncoding": "base64"},
    }.get(kind, {})  # fmt: skip


# --- Avro -------------------------------------------------------------------------------------------------------------


def avro(name: str, schema: SchemaVersion) -> Any:
    """An Avro schema of the value. A name Avro does not allow is changed and kept as the field's `doc`."""
    return _avro_type(_tree(schema), _avro_name(name) or "Value", set())


def _avro_name(text: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return plain if not plain or not plain[0].isdigit() else f"_{plain}"


def _avro_type(place: _Place, name: str, used: set[str], optional: bool = False) -> Any:
    options = [_avro_one(place, kind, name, used) for kind in _merged(place.kinds)]
    flat: list[Any] = []
    for option in options:
        if option not in flat:
            flat.append(option)
    if place.nullable or optional or not flat:
        flat.insert(0, "null")
    return flat[0] if len(flat) == 1 else flat


def _avro_one(place: _Place, kind: str, name: str, used: set[str]) -> Any:
    details = place.profile.details if place.profile else {}
    match kind:
        case "object":
            unique = name
            while unique in used:
                unique += "_"
            used.add(unique)
            taken: set[str] = set()
            return {
                "type": "record",
                "name": unique,
                "fields": [_avro_field(n, p, unique, used, taken) for n, p in place.fields.items()],
            }
        case "array":
            return {
                "type": "array",
                "items": _avro_type(place.elements, f"{name}_item", used) if place.elements else "null",
            }
        case "map":
            return {
                "type": "map",
                "values": _avro_type(place.values, f"{name}_value", used) if place.values else "string",
            }
        case "decimal" | "integer":
            digits = int(details.get("precision") or 38)
            scale = int(details.get("scale") or 0) if kind == "decimal" else 0
            return {"type": "bytes", "logicalType": "decimal", "precision": max(digits, scale, 1), "scale": scale}
        case "date":
            return {"type": "int", "logicalType": "date"}
        case "timestamp":
            return {"type": "long", "logicalType": "timestamp-millis"}
        case "uuid":
            return {"type": "string", "logicalType": "uuid"}
    return {"boolean": "boolean", "int32": "int", "int64": "long", "double": "double", "binary": "bytes"}.get(
        kind, "string"
    )


def _avro_field(name: str, place: _Place, parent: str, used: set[str], taken: set[str]) -> dict[str, Any]:
    plain = _avro_name(name) or "_"
    while plain in taken:
        plain += "_"
    taken.add(plain)
    kind = _avro_type(place, f"{parent}_{plain}", used, optional=not place.always)
    made: dict[str, Any] = {"name": plain, "type": kind}
    if plain != name:
        made["doc"] = f"named {name!r} in the records"
    if kind == "null" or (isinstance(kind, list) and kind[0] == "null"):
        made["default"] = None
    return made


# --- pydantic ---------------------------------------------------------------------------------------------------------

_PYTHON = {
    "boolean": "bool", "int32": "int", "int64": "int", "integer": "int", "double": "float", "decimal": "Decimal",
    "string": "str", "date": "date", "timestamp": "datetime", "uuid": "UUID", "binary": "bytes",
}  # fmt: skip
_TYPES = {"Any", "BaseModel", "ConfigDict", "Decimal", "Field", "UUID", "None"}
_RESERVED = {*_TYPES, *dir(BaseModel), "bool", "bytes", "date", "datetime", "dict", "float", "int", "list", "str"}
"""Names that a field may not have: inside the class it would hide a type that its neighbours need."""
_FORMS = {"date": "date", "timestamp": "datetime", "uuid": "UUID"}


def pydantic_model(name: str, schema: SchemaVersion) -> str:
    """Python source of pydantic models; the value's own class comes last."""
    classes: list[str] = []
    top = _tree(schema)
    kind = _python_type(top, _class_name(name), classes)
    lines = [
        "from __future__ import annotations", "", "from datetime import date, datetime", "from decimal import Decimal",
        "from typing import Any", "from uuid import UUID", "", "from pydantic import BaseModel, ConfigDict, Field", "",
    ]  # fmt: skip
    tail = [] if "object" in top.kinds else ["", f"{_class_name(name)} = {kind}"]
    return "\n".join([*lines, *classes, *tail]) + "\n"


def _class_name(text: str) -> str:
    joined = "".join(p[:1].upper() + p[1:] for p in re.split(r"[^A-Za-z0-9]+", text) if p) or "Value"
    return joined if not joined[0].isdigit() else f"T{joined}"


def _python_type(place: _Place, name: str, classes: list[str]) -> str:
    kinds = []
    for kind in _merged(place.kinds):
        if kind == "object":
            kinds.append(_python_class(place, name, classes))
        elif kind == "array":
            kinds.append(f"list[{_python_type(place.elements, name + 'Item', classes) if place.elements else 'Any'}]")
        elif kind == "map":
            kinds.append(f"dict[str, {_python_type(place.values, name + 'Value', classes) if place.values else 'Any'}]")
        elif kind == "string":
            kinds.append(_FORMS.get(place.form() or "", "str"))
        else:
            kinds.append(_PYTHON.get(kind, "Any"))
    if place.nullable:
        kinds.append("None")
    return " | ".join(dict.fromkeys(kinds)) or "Any"


def _python_class(place: _Place, name: str, classes: list[str]) -> str:
    lines, taken = [], set()
    for key, below in place.fields.items():
        plain = re.sub(r"\W", "_", key, flags=re.ASCII).lstrip("_") or "field"
        if plain[0].isdigit() or keyword.iskeyword(plain) or plain.startswith("model_") or plain in _RESERVED:
            plain = f"f_{plain}"
        while plain in taken:
            plain += "_"
        taken.add(plain)
        kind = _python_type(below, name + _class_name(key), classes)
        extra = [] if plain == key else [f"alias={key!r}"]
        if not below.always:
            kind = kind if "None" in kind.split(" | ") else f"{kind} | None"
            extra.insert(0, "default=None")
        lines.append(f"    {plain}: {kind}" + (f" = Field({', '.join(extra)})" if extra else ""))
    known = {line.split("(")[0].removeprefix("\nclass ").strip() for line in classes} | _TYPES
    while name in known:
        name += "_"
    body = ["    model_config = ConfigDict(populate_by_name=True)", "", *lines]
    classes.append("\n".join([f"\nclass {name}(BaseModel):", *body, ""]))
    return name
