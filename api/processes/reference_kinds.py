"""docs/reference/kinds.md: the fields of every declared kind, from the models that read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from api.joins.declared import KINDS

Schema = Mapping[str, Any]

_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "nothing",
}


def kinds_markdown() -> str:
    """A table for each kind, and behind them one for each part that fields are made of."""
    lines = [
        "# Declared kinds",
        "",
        "The fields of `spec`, as [declared state](declared-state.md) reads them. A field in **bold** is required. A word with a",
        "capital letter is a part, listed under [Parts](#parts).",
    ]
    parts: dict[str, Schema] = {}
    for kind, model in sorted(KINDS.items()):
        schema: Schema = model.model_json_schema()
        parts |= schema.get("$defs", {})
        lines += ["", f"## {kind}", *_description(schema)]
        lines += _fields(schema)
    lines += ["", "## Parts"]
    for name, schema in sorted(parts.items()):
        lines += ["", f"### {_part(name)}", *_description(schema), *_fields(schema)]
    return "\n".join(lines) + "\n"


def _description(schema: Schema) -> list[str]:
    first, _, _ = schema.get("description", "").partition("\n\n")
    return ["", " ".join(first.split())] if first else []


def _fields(schema: Schema) -> Iterator[str]:
    """The table of fields; of a choice between parts, and of a plain value, a sentence."""
    properties = schema.get("properties")
    if not properties:
        yield from ("", f"{_type(schema) or 'No fields'}.".capitalize() if "enum" in schema else f"{_type(schema)}.")
        return
    yield from ("", "| field | value | default |", "|---|---|---|")
    required = schema.get("required", ())
    for name, field in properties.items():
        shown = f"**`{name}`**" if name in required else f"`{name}`"
        yield f"| {shown} | {_type(field)}{_meaning(field)} | {_default(field)} |"


def _type(schema: Schema) -> str:
    """`text`, `list of Match`, `one of a, b`, `text or Secret`."""
    if "$ref" in schema:
        return _part(schema["$ref"].rsplit("/", 1)[-1])
    choices = [each for each in schema.get("anyOf") or schema.get("oneOf") or () if each.get("type") != "null"]
    if choices:
        return " or ".join(dict.fromkeys(map(_type, choices)))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {})) or 'values'}"
    if schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        return f"mapping of names to {_type(inner)}" if isinstance(inner, Mapping) and _type(inner) else "mapping"
    return _TYPES.get(schema.get("type", ""), "")


def _meaning(field: Schema) -> str:
    text = " ".join(field.get("description", "").split())
    return f": {text}" if text else ""


def _default(field: Schema) -> str:
    """Empty for no default, for null, and for what is empty."""
    value = field.get("default")
    if value in (None, "", [], {}):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _part(name: str) -> str:
    return name.removesuffix("Spec") or name
