"""What a declared or registered schema expects of a value, in one small form.

The form is JSON, so that it travels to Spark's workers:

    {"kind": "struct", "fields": {NAME: form}, "required": [NAME], "closed": bool}     closed: no other fields
    {"kind": "list", "items": form}     {"kind": "map", "values": form}     {"kind": "any", "of": [form]}
    {"kind": "leaf", "is": [a key of `checker.IS`]}     {"kind": "open"}                      open: whatever it is

each with "type", its name in the schema, and "nullable". Only names of the schema are ever reported; what a
record has beyond them may be data, and is reported from the sealed profile alone (`undeclared`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from catalog.model import FieldProfile
from catalog.paths import FieldPath, StepKind

Form = Mapping[str, Any]
OPEN: Form = {"kind": "open", "nullable": True}

# --- from Spark's DDL -------------------------------------------------------------------------------------------------

_DDL = {
    "BOOLEAN": "boolean",
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INT": "int32",
    "INTEGER": "int32",
    "BIGINT": "int64",
    "LONG": "int64",
    "FLOAT": "number",
    "DOUBLE": "number",
    "STRING": "string",
    "BINARY": "binary",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_NTZ": "timestamp",
    "DECIMAL": "number",
    "VARCHAR": "string",
    "CHAR": "string",
}


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
            kind_name = _DDL.get(name.partition("(")[0])
            return {"kind": "leaf", "type": name, "nullable": True, "is": [kind_name]} if kind_name else OPEN


# --- what is not in the schema ----------------------------------------------------------------------------------------


def undeclared(form: Form, root: str, fields: Sequence[FieldProfile]) -> Iterator[FieldProfile]:
    """Fields of a sealed profile that a closed struct does not name; the outermost of each."""
    outermost: list[FieldPath] = []
    for profile in fields:
        path = profile.field_path
        if path.root != root or any(outer.contains(path) for outer in outermost):
            continue
        if profile.details.get("insideText") or not _outside(form, path):
            continue
        outermost.append(path)
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
                    pass  # of another type, which is reported as such
        if not below:
            return all(one["kind"] == "struct" for one in forms)
        forms = below
    return False
