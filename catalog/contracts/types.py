"""Types of contracts: those of ODCS and those that scans see, one by the other. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

NAMES = frozenset(
    {
        *("boolean", "int32", "int64", "integer", "double", "decimal", "string"),
        *("date", "timestamp", "uuid", "binary", "object", "array", "map"),
    }
)
"""Types as profiles name them; see `catalog.model.FieldProfile`."""

_LOGICAL: dict[str, tuple[str, ...]] = {
    "string": ("string", "uuid"),
    "date": ("date", "string"),
    "timestamp": ("timestamp", "string", "int64"),
    "time": ("string", "int32", "int64"),
    "number": ("double", "decimal", "integer", "int64", "int32"),
    "integer": ("integer", "int64", "int32"),
    "object": ("object", "map"),
    "array": ("array",),
    "vector": ("array",),
    "map": ("map", "object"),
    "boolean": ("boolean",),
}
"""What each logical type may be in a topic: JSON has texts and numbers for days and times."""

_OF_TYPE = {
    "int32": "integer",
    "int64": "integer",
    "integer": "integer",
    "double": "number",
    "decimal": "number",
    "string": "string",
    "uuid": "string",
    "binary": "string",
    "date": "date",
    "timestamp": "timestamp",
    "boolean": "boolean",
    "object": "object",
    "map": "object",
    "array": "array",
}

_TAKES = {
    "int64": {"int32"},
    "integer": {"int32", "int64"},
    "double": {"int32", "int64"},
    "decimal": {"int32", "int64", "integer"},
    "string": {"uuid"},
}
"""Who is promised the one reads the other, too."""


def promised_types(logical: str | None, physical: str | None) -> tuple[str, ...]:
    """The types that a property may have; empty where it states none. `physical` is used where it names types of profiles
    (`int64`, `int64 | string`), since it is the closer one."""
    names = [each.strip() for each in (physical or "").split("|")]
    if physical and all(name in NAMES or name == "null" for name in names):
        return tuple(name for name in names if name != "null")
    return _LOGICAL.get(logical or "", ())


def logical_type(types: Iterable[str]) -> str | None:
    """The logical type of ODCS for the types of a field; None where they have no single one."""
    logical = {_OF_TYPE[name] for name in types if name in _OF_TYPE}
    if logical == {"integer", "number"}:
        return "number"
    return logical.pop() if len(logical) == 1 else None


def physical_type(types: Iterable[str]) -> str:
    return " | ".join(sorted(types))


def beyond(seen: Iterable[str], promised: Collection[str]) -> list[str]:
    """The types among those seen that a reader of the promised ones does not read."""
    readable = set(promised).union(*(_TAKES.get(name, set()) for name in promised))
    return sorted(name for name in seen if name not in readable)
