"""A schema as the source of pydantic models."""

from __future__ import annotations

import keyword
import re

from pydantic import BaseModel

from catalog.model import SchemaVersion
from scanners.export.tree import Place, merged, tree_of

_PYTHON = {
    "boolean": "bool",
    "int32": "int",
    "int64": "int",
    "integer": "int",
    "double": "float",
    "decimal": "Decimal",
    "string": "str",
    "date": "date",
    "timestamp": "datetime",
    "uuid": "UUID",
    "binary": "bytes",
}
_TYPES = {"Any", "BaseModel", "ConfigDict", "Decimal", "Field", "UUID", "None"}
_RESERVED = {*_TYPES, *dir(BaseModel), "bool", "bytes", "date", "datetime", "dict", "float", "int", "list", "str"}
"""Names that a field may not have: inside the class it would hide a type that its neighbours need."""
_FORMS = {"date": "date", "timestamp": "datetime", "uuid": "UUID"}


def pydantic_model(name: str, schema: SchemaVersion) -> str:
    """Python source of pydantic models; the value's own class comes last."""
    classes: list[str] = []
    top = tree_of(schema)
    kind = _python_type(top, _class_name(name), classes)
    lines = [
        "from __future__ import annotations",
        "",
        "from datetime import date, datetime",
        "from decimal import Decimal",
        "from typing import Any",
        "from uuid import UUID",
        "",
        "from pydantic import BaseModel, ConfigDict, Field",
        "",
    ]
    tail = [] if "object" in top.kinds else ["", f"{_class_name(name)} = {kind}"]
    return "\n".join([*lines, *classes, *tail]) + "\n"


def _class_name(text: str) -> str:
    joined = "".join(p[:1].upper() + p[1:] for p in re.split(r"[^A-Za-z0-9]+", text) if p) or "Value"
    return joined if not joined[0].isdigit() else f"T{joined}"


def _python_type(place: Place, name: str, classes: list[str]) -> str:
    kinds = []
    for kind in merged(place.kinds):
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


def _python_class(place: Place, name: str, classes: list[str]) -> str:
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
