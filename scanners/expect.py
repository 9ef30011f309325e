"""What a declared or registered schema expects of a value, in one small form, and whether a decoded value is so.

The form is JSON, so that it travels to Spark's workers:

    {"kind": "struct", "fields": {NAME: form}, "required": [NAME], "closed": bool}     closed: no other fields
    {"kind": "list", "items": form}     {"kind": "map", "values": form}     {"kind": "any", "of": [form]}
    {"kind": "leaf", "is": [a key of `_IS`]}     {"kind": "open"}                      open: whatever it is

each with "type", its name in the schema, and "nullable". Only names that stand in the schema are ever reported; what a
record has beyond them may be data, and is told by the sealed profile alone (`undeclared`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from catalog.model import FieldProfile
from catalog.paths import FieldPath, StepKind

Form = Mapping[str, Any]
Report = Callable[[str, str, str], None]
"""Told (path, why, expected type) of each departure."""

OPEN: Form = {"kind": "open", "nullable": True}
_DEEPEST = 20

_DATE = re.compile(r"[+-]?\d{4,}-\d\d-\d\d\Z")
_MOMENT = re.compile(r"[+-]?\d{4,}-\d\d-\d\d[T ]\d\d:\d\d")

_IS: dict[str, Callable[[Any], bool]] = {
    "boolean": lambda v: type(v) is bool,
    "int8": lambda v: type(v) is int and -(2**7) <= v < 2**7,
    "int16": lambda v: type(v) is int and -(2**15) <= v < 2**15,
    "int32": lambda v: type(v) is int and -(2**31) <= v < 2**31,
    "int64": lambda v: type(v) is int and -(2**63) <= v < 2**63,
    "integer": lambda v: type(v) is int or (type(v) is float and v.is_integer()),
    "number": lambda v: type(v) in (int, float, Decimal),
    "string": lambda v: type(v) in (str, UUID),
    "binary": lambda v: type(v) in (bytes, str),
    "date": lambda v: type(v) is date or (type(v) is str and _DATE.match(v) is not None),
    "timestamp": lambda v: type(v) is datetime or (type(v) is str and _MOMENT.match(v) is not None),
}

# --- from Spark's DDL -------------------------------------------------------------------------------------------------

_DDL = {
    "BOOLEAN": "boolean", "TINYINT": "int8", "SMALLINT": "int16", "INT": "int32", "INTEGER": "int32",
    "BIGINT": "int64", "LONG": "int64", "FLOAT": "number", "DOUBLE": "number", "STRING": "string", "BINARY": "binary",
    "DATE": "date", "TIMESTAMP": "timestamp", "TIMESTAMP_NTZ": "timestamp", "DECIMAL": "number", "VARCHAR": "string",
    "CHAR": "string",
}  # fmt: skip


def from_ddl(kind: DataType) -> Form:
    """Of declared columns: every one may be absent or null, no other is expected."""
    match kind:
        case StructType(fields):
            below = {name: from_ddl(child) for name, child in fields}
            return {"kind": "struct", "type": "STRUCT", "nullable": True, "fields": below, "closed": True}
        case ArrayType(element):
            return {"kind": "list", "type": "ARRAY", "nullable": True, "items": from_ddl(element)}
        case MapType(_, value):
            return {"kind": "map", "type": "MAP", "nullable": True, "values": from_ddl(value)}
        case Primitive(name):
            known = _DDL.get(name.partition("(")[0])
            return {"kind": "leaf", "type": name, "nullable": True, "is": [known]} if known else OPEN


# --- from Avro --------------------------------------------------------------------------------------------------------

_AVRO = {
    "boolean": "boolean", "int": "int32", "long": "int64", "float": "number", "double": "number", "string": "string",
    "bytes": "binary", "enum": "string", "fixed": "binary",
}  # fmt: skip
_LOGICAL = {
    "date": ["date"], "timestamp-millis": ["timestamp"], "timestamp-micros": ["timestamp"], "decimal": ["number"],
    "local-timestamp-millis": ["timestamp"], "local-timestamp-micros": ["timestamp"],
}  # fmt: skip


def from_avro(text: str) -> Form:
    """Of an Avro schema, for values that are plain JSON. Raises ValueError for text that is none."""
    return _avro(json.loads(text), {}, "", 0)


def _avro(schema: Any, named: dict[str, Any], space: str, depth: int) -> Form:
    if depth > _DEEPEST:
        return OPEN
    if isinstance(schema, list):
        options = [_avro(option, named, space, depth + 1) for option in schema if option != "null"]
        nullable = "null" in schema
        if len(options) == 1:
            return {**options[0], "nullable": nullable or options[0]["nullable"]}
        return {"kind": "any", "type": "union", "nullable": nullable, "of": options}
    if isinstance(schema, str):
        if schema in _AVRO:
            return {"kind": "leaf", "type": schema, "nullable": False, "is": [_AVRO[schema]]}
        found = named.get(schema) or named.get(f"{space}.{schema}")
        return _avro(found, named, space, depth + 1) if found is not None and schema != "null" else OPEN
    if not isinstance(schema, dict):
        return OPEN
    kind = schema.get("type")
    if isinstance(kind, dict | list):
        return _avro(kind, named, space, depth)
    if "name" in schema:
        inner = str(schema.get("namespace", space))
        named[f"{inner}.{schema['name']}" if inner else str(schema["name"])] = schema
        named.setdefault(str(schema["name"]), schema)
        space = inner
    match kind:
        case "record":
            fields = [f for f in schema.get("fields", ()) if isinstance(f, dict) and "name" in f]
            below = {str(f["name"]): _avro(f.get("type"), named, space, depth + 1) for f in fields}
            required = [str(f["name"]) for f in fields if "default" not in f and not below[str(f["name"])]["nullable"]]
            return {
                "kind": "struct", "type": "record", "nullable": False, "fields": below, "required": required,
                "closed": True,
            }  # fmt: skip
        case "array":
            items = _avro(schema.get("items"), named, space, depth + 1)
            return {"kind": "list", "type": "array", "nullable": False, "items": items}
        case "map":
            values = _avro(schema.get("values"), named, space, depth + 1)
            return {"kind": "map", "type": "map", "nullable": False, "values": values}
    if not isinstance(kind, str) or kind not in _AVRO:
        return _avro(kind, named, space, depth + 1) if isinstance(kind, str) else OPEN
    logical = str(schema.get("logicalType", ""))
    return {
        "kind": "leaf", "type": logical or kind, "nullable": False, "is": [_AVRO[kind], *_LOGICAL.get(logical, ())],
    }  # fmt: skip


# --- from JSON Schema -------------------------------------------------------------------------------------------------

_JSON = {"boolean": "boolean", "integer": "integer", "number": "number", "string": "string"}


def from_json_schema(text: str) -> Form:
    """Of a JSON Schema: types, properties, required ones, items, references within it, anyOf and oneOf. What else it
    says (patterns, ranges, enumerations, allOf) is not looked at. Raises ValueError for text that is none."""
    root = json.loads(text)
    return _json(root, root, 0)


def _json(schema: Any, root: Any, depth: int) -> Form:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return OPEN
    if "$ref" in schema:
        return _json(_pointed(root, str(schema["$ref"])), root, depth + 1)
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


def _json_object(schema: Mapping[str, Any], root: Any, depth: int) -> Form:
    below = schema.get("properties") or {}
    more = schema.get("additionalProperties")
    if not below and isinstance(more, dict):
        return {"kind": "map", "type": "object", "nullable": False, "values": _json(more, root, depth + 1)}
    return {
        "kind": "struct", "type": "object", "nullable": False,
        "fields": {str(name): _json(child, root, depth + 1) for name, child in below.items()},
        "required": [str(name) for name in schema.get("required") or ()],
        "closed": more is False and not schema.get("patternProperties"),
    }  # fmt: skip


def _any(options: Sequence[Form]) -> Form:
    real = [o for o in options if o.get("is") != []]
    nullable = any(o["nullable"] for o in options)
    if len(real) == 1:
        return {**real[0], "nullable": nullable}
    return {"kind": "any", "type": "union", "nullable": nullable, "of": real} if real else OPEN


def _pointed(root: Any, reference: str) -> Any:
    if not reference.startswith("#"):
        return None
    for part in reference.removeprefix("#").strip("/").split("/"):
        if part:
            root = root.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(root, dict) else None
    return root


# --- checking ---------------------------------------------------------------------------------------------------------


class Checker:
    """Holds decoded values against a form. Built once a worker; one walk a record."""

    def __init__(self, form: Form, root: str) -> None:
        self._check = _compile(form, FieldPath(root))
        self._found: list[tuple[str, str, str]] = []

    def __call__(self, value: Any) -> set[tuple[str, str, str]]:
        """(path, why, expected type) of everything that departs, each once."""
        self._check(value, self._report)
        if not self._found:
            return set()
        found = set(self._found)
        self._found.clear()
        return found

    def _report(self, path: str, why: str, expected: str) -> None:
        self._found.append((path, why, expected))


def _compile(form: Form, path: FieldPath) -> Callable[[Any, Report], None]:
    at, expected = str(path), str(form.get("type", ""))
    if form["kind"] == "open":
        return lambda value, report: None
    if form["kind"] == "leaf":
        return _leaf(form, at)
    inner = _INNER[form["kind"]](form, path)
    nullable = form["nullable"]

    def check(value: Any, report: Report) -> None:
        if value is None:
            if not nullable:
                report(at, "null", expected)
        elif not inner(value, report):
            report(at, "type", expected)

    return check


Inner = Callable[[Any, Report], bool]  # False: of another type altogether


def _struct(form: Form, path: FieldPath) -> Inner:
    fields = {name: _compile(child, path.field(name)) for name, child in form["fields"].items()}
    required = {name: str(path.field(name)) for name in form.get("required") or ()}
    shown = {name: str(form["fields"][name].get("type", "")) for name in required if name in form["fields"]}

    def check(value: Any, report: Report) -> bool:
        if type(value) is not dict:
            return False
        for name, below in value.items():
            known = fields.get(name)
            if known is not None:
                known(below, report)
        for name, at in required.items():
            if name not in value:
                report(at, "missing", shown.get(name, ""))
        return True

    return check


def _list(form: Form, path: FieldPath) -> Inner:
    item = _compile(form["items"], path.elements())

    def check(value: Any, report: Report) -> bool:
        if type(value) is not list:
            return False
        for below in value:
            item(below, report)
        return True

    return check


def _map(form: Form, path: FieldPath) -> Inner:
    entry = _compile(form["values"], path.values())

    def check(value: Any, report: Report) -> bool:
        if type(value) is not dict:
            return False
        for below in value.values():
            entry(below, report)
        return True

    return check


def _leaf(form: Form, at: str) -> Callable[[Any, Report], None]:
    tests = [_IS[name] for name in form["is"]]
    first = tests[0] if tests else _nothing
    others, nullable, expected = tests[1:], form["nullable"], str(form.get("type", ""))

    def check(value: Any, report: Report) -> None:
        if value is None:
            if not nullable:
                report(at, "null", expected)
        elif not first(value) and not any(test(value) for test in others):
            report(at, "type", expected)

    return check


def _nothing(value: Any) -> bool:
    return False


def _union(form: Form, path: FieldPath) -> Inner:
    """The option that fits without a departure, else the first of its kind tells what departs."""
    options = [_compile(option, path) for option in form["of"]]

    def check(value: Any, report: Report) -> bool:
        best: list[tuple[str, str, str]] | None = None
        for option in options:
            found: list[tuple[str, str, str]] = []
            option(value, lambda *departure, found=found: found.append(departure))
            if not found:
                return True
            if found[0][:2] != (str(path), "type") and (best is None or len(found) < len(best)):
                best = found
        for departure in best or ():
            report(*departure)
        return best is not None

    return check


_INNER: dict[str, Callable[[Form, FieldPath], Inner]] = {
    "struct": _struct, "list": _list, "map": _map, "any": _union,
}  # fmt: skip


# --- what is not in the schema ----------------------------------------------------------------------------------------


def undeclared(form: Form, root: str, fields: Sequence[FieldProfile]) -> Iterator[FieldProfile]:
    """Fields of a sealed profile that a closed struct does not name; the outermost of each."""
    found: list[FieldPath] = []
    for profile in fields:
        path = profile.field_path
        if path.root != root or any(outer.contains(path) for outer in found):
            continue
        if profile.details.get("inside_text") or not _outside(form, path):
            continue
        found.append(path)
        yield profile


def _outside(form: Form, path: FieldPath) -> bool:
    forms = [form]
    for step in path.steps:
        forms = [option for one in forms for option in (one["of"] if one["kind"] == "any" else [one])]
        below: list[Form] = []
        for one in forms:
            match one["kind"], step.kind:
                case "struct", StepKind.FIELD | StepKind.MAP_KEY:
                    if step.name in one["fields"]:
                        below.append(one["fields"][step.name])
                    elif not one.get("closed"):
                        return False
                case "struct", _:
                    # Seen as a map: the names of its fields were taken for data.
                    return False
                case "list", StepKind.ELEMENTS:
                    below.append(one["items"])
                case "map", StepKind.VALUES | StepKind.MAP_KEY | StepKind.FIELD:
                    below.append(one["values"])
                case ("open", _) | ("map", StepKind.KEYS):
                    return False
                case _:
                    pass  # of another type, which is told as such
        if not below:
            return all(one["kind"] == "struct" for one in forms)
        forms = below
    return False
