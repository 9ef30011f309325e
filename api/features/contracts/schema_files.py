"""A schema in a file as a profile that nobody wrote records by: what contracts are checked against before a release."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from api.features.contracts.protobuf_files import from_protobuf, require_protobuf
from catalog.contracts.field_checks import broken, holds, undecided
from catalog.contracts.rules import Result, Rule
from catalog.errors import InvalidInput
from catalog.model import FieldProfile, ScanWindow, SchemaVersion
from catalog.paths import VALUE, FieldPath

Form = Mapping[str, Any]
"""What a schema expects of a value, see `scanners.schemas.expect`."""

_TYPES = {
    "BOOLEAN": "boolean",
    "INT": "int32",
    "BIGINT": "int64",
    "FLOAT": "double",
    "DOUBLE": "double",
    "STRING": "string",
    "BINARY": "binary",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_NTZ": "timestamp",
    "DECIMAL": "decimal",
}
_SCALARS = {
    **{name: name for name in ("boolean", "string", "date", "decimal", "uuid")},
    **{"int": "int32", "long": "int64", "float": "double", "double": "double"},
    **{"bytes": "binary", "fixed": "binary", "enum": "string"},
    **{f"{kind}timestamp-{unit}": "timestamp" for kind in ("", "local-") for unit in ("millis", "micros")},
    **{"integer": "int64", "number": "double"},
}
"""Types of Avro, with its logical ones, and of JSON Schema -> as profiles name them."""
_FORMATS = {"AVRO": "avro", "JSON": "json-schema", "PROTOBUF": "protobuf"}
_MOST_PROBLEMS = 5
_PROTOBUF = re.compile(r"^\s*(?:syntax\s*=|message\s+\w+\s*\{)", re.MULTILINE)


def read_schema(path: Path) -> tuple[str, str]:
    """(AVRO, JSON or PROTOBUF, its text) of a file. Raises InvalidInput with the file and why."""
    try:
        text = path.read_text()
        if path.suffix == ".proto" or _PROTOBUF.search(text):
            return "PROTOBUF", text
        parsed = json.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidInput(f"{path} cannot be read: {why}.") from None
    except (ValueError, RecursionError):
        raise InvalidInput(
            f"{path} is not JSON; give an Avro schema (.avsc), a JSON Schema or Protobuf (.proto)."
        ) from None
    is_avro = isinstance(parsed, list | str) or (
        isinstance(parsed, dict) and ("fields" in parsed or "symbols" in parsed)
    )
    return ("AVRO" if is_avro or path.suffix == ".avsc" else "JSON"), text


def profile_of(kind: str, text: str, name: str) -> SchemaVersion:
    """Every field of the schema as if one record had it. Raises InvalidInput for a schema that cannot be read."""
    from scanners.model import RegisteredSchema
    from scanners.schemas.known.places import places_of
    from scanners.schemas.registered import Schemas

    _require_readable(kind, text, name)
    schema = RegisteredSchema(1, kind, text)
    # Of several messages in a Protobuf file the first one counts.
    places = places_of("value", [schema], Schemas({1: schema}), () if kind == "PROTOBUF" else None)
    form = _form(kind, text)
    optional, scalars = set(_optional(form, VALUE, always=kind == "AVRO")), _scalars(form)
    fields = tuple(_profile(each, optional, scalars.get(each.path, set())) for each in places.overlay(()))
    if not fields:
        raise InvalidInput(f"{name} describes no field.")
    return SchemaVersion({"value": _FORMATS[kind]}, fields, window=ScanWindow(records=1, complete=True))


def compatibility_result(rule: Rule, old: Sequence[tuple[str, str]], new: tuple[str, str]) -> Result:
    """Whether the new schema keeps a level of the registry, by the rules of the schemas' own format. `old`: the versions before
    it, the oldest first."""
    from scanners.model import RegisteredSchema
    from scanners.schemas.compatible import judged
    from scanners.schemas.registered import Schemas

    versions = [RegisteredSchema(n, kind, text, version=n) for n, (kind, text) in enumerate((*old, new), 1)]
    level = str(rule.params["level"])
    if level == "NONE":
        return holds("no level is promised")
    try:
        verdict = judged(versions, Schemas({each.id: each for each in versions}))
    except Exception:
        return undecided("one of the schemas cannot be read")
    is_transitive = level.endswith("_TRANSITIVE")
    compared = f", compared with the {len(old)} given by --old" if is_transitive else ""
    if level in verdict.levels:
        return holds(f"the new schema is {level}{compared}")
    ways = ("backward", "forward") if level.startswith("FULL") else (level.partition("_")[0].lower(),)
    before = range(1, len(versions)) if is_transitive else (len(old),)
    texts = [each.text for each in verdict.problems if each.way in ways and each.version in before]
    texts = list(dict.fromkeys(texts))
    more = f"; and {len(texts) - _MOST_PROBLEMS} more" if len(texts) > _MOST_PROBLEMS else ""
    stated = f": {'; '.join(texts[:_MOST_PROBLEMS])}{more}" if texts else ""
    return broken(f"the new schema is not {level}{stated}")


def _require_readable(kind: str, text: str, name: str) -> None:
    if kind == "PROTOBUF":
        require_protobuf(text, name)
    if kind != "AVRO":
        return
    from avro.errors import AvroException

    from scanners.schemas.avro_differences import parsed

    try:
        parsed(json.loads(text))
    except (AvroException, ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidInput(f"{name} is not an Avro schema: {str(error)[:200].rstrip('.')}.") from None


def leaves_open(kind: str, text: str) -> bool:
    """Whether a schema allows fields of the value that it does not name, as a JSON Schema does by default."""
    form = _form(kind, text)
    return any(each["kind"] == "struct" and not each["closed"] for each in (form, *form.get("of", ())))


def places_left_open(kind: str, text: str) -> list[FieldPath]:
    """Places at which a schema allows anything, or refers to a schema that is not in the file."""
    return list(_open(_form(kind, text), VALUE))


def _open(form: Form, at: FieldPath) -> Iterator[FieldPath]:
    if form["kind"] == "open":
        yield at
    for place, child in _inside(form, at):
        yield from _open(child, place)


def _inside(form: Form, at: FieldPath) -> Iterator[tuple[FieldPath, Form]]:
    match form["kind"]:
        case "struct":
            yield from ((at.field(name), child) for name, child in form["fields"].items())
        case "list":
            yield at.elements(), form["items"]
        case "map":
            yield at.values(), form["values"]
        case "any":
            yield from ((at, each) for each in form["of"])


def _profile(profile: FieldProfile, optional: set[str], scalars: set[str]) -> FieldProfile:
    registered: Mapping[str, Any] = profile.details["registered"]
    kinds = [kind for kind in registered.get("kinds", ()) if kind != "scalar"]
    sql = str(registered.get("sql") or "").partition("(")[0]
    if "scalar" in registered.get("kinds", ()):
        # One SQL type for a union is wide enough for all its members, so it hides which these are.
        exact = len(scalars) > 1 or scalars == {"uuid"}
        kinds += sorted(scalars) if exact else [_TYPES.get(sql, "double" if not sql else "string")]
    nulls = 0.5 if registered.get("nullable") or profile.path in optional else 0.0
    share = (1 - nulls) / max(1, len(kinds))
    types = dict.fromkeys(kinds, share) | ({"null": nulls} if nulls else {})
    return replace(profile, types=types, count=1, presence=1.0, null_share=nulls)


def _form(kind: str, text: str) -> Form:
    from scanners.schemas.expect_registered import from_avro, from_json_schema

    if kind == "PROTOBUF":
        return from_protobuf(text)
    return from_avro(text) if kind == "AVRO" else from_json_schema(text)


def _optional(form: Form, at: FieldPath, always: bool) -> Iterator[str]:
    """Paths that a schema lets be missing or null. `always`: a field is written even where it has a default, as in Avro."""
    if form["kind"] == "struct" and not always:
        yield from (str(at.field(name)) for name in form["fields"] if name not in form["required"])
    if form["kind"] == "any":
        records = [set(each["fields"]) for each in form["of"] if each["kind"] == "struct"]
        yield from (str(at.field(name)) for name in set().union(*records) if any(name not in r for r in records))
    for place, child in _inside(form, at):
        if place != at and child.get("nullable"):
            yield str(place)
        yield from _optional(child, place, always)


def _scalars(form: Form) -> dict[str, set[str]]:
    """Path -> types of its scalars; without paths that have one whose type has no name in profiles."""
    by_path: dict[str, set[str | None]] = {}
    for path, name in _leaves(form, VALUE):
        by_path.setdefault(path, set()).add(_SCALARS.get(name))
    return {path: {each for each in names if each} for path, names in by_path.items() if None not in names}


def _leaves(form: Form, at: FieldPath) -> Iterator[tuple[str, str]]:
    if form["kind"] == "leaf" and form["is"]:
        yield str(at), form["type"]
    for place, child in _inside(form, at):
        yield from _leaves(child, place)
