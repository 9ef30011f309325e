"""Why a reader of one Avro schema cannot read what another wrote: a sentence for each place. Pure.

By Avro's schema resolution. Beyond it, logical types with which the reader takes the same bytes for another number: a decimal
of another scale, a time in another unit.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType, lookup_writer_field
from avro.errors import IgnoredLogicalType
from avro.schema import Schema, make_avsc_object

_TIMES = frozenset(
    {
        *("date", "time-millis", "time-micros"),
        *("timestamp-millis", "timestamp-micros", "timestamp-nanos"),
    }
)
_NAMED = ("record", "enum", "fixed", "error")


def parsed(document: Any) -> Schema:
    """A schema of the library. Raises AvroException and what else the library raises for one that is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredLogicalType)
        return make_avsc_object(_with_full_aliases(document, ""))


def differences(reader: Schema, writer: Schema) -> list[str]:
    """Empty where the reader reads all that was written."""
    sentences = list(dict.fromkeys(_between(reader, writer, "", set())))
    return sentences or _of_library(reader, writer)


def _of_library(reader: Any, writer: Any) -> list[str]:
    checker: Any = ReaderWriterCompatibilityChecker  # untyped
    result = checker().get_compatibility(reader, writer)
    if result.compatibility is not SchemaCompatibilityType.incompatible:
        return []
    return sorted(str(each) for each in result.messages) or ["the schemas do not resolve"]


def _between(reader: Any, writer: Any, at: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    """`seen`: pairs of schemas that were compared; a type that is in several places is compared at the first one."""
    if (id(reader), id(writer)) in seen:
        return
    seen.add((id(reader), id(writer)))
    if writer.type == "union":
        for branch in writer.schemas:
            yield from _between(reader, branch, at, seen)
    elif reader.type == "union":
        yield from _in_union(reader, writer, at, seen)
    elif reader.type != writer.type:
        if _of_library(reader, writer):
            yield f"{_place(at)} is {_name(writer)} in what was written, which is not read as {_name(reader)}"
    elif reader.type in _NAMED and not _same_name(reader, writer):
        yield f"{_place(at)} is the {reader.type} {writer.fullname} in what was written, not {reader.fullname}"
    else:
        yield from _of_type(reader, writer, at, seen)


def _in_union(reader: Any, writer: Any, at: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    alike = [each for each in reader.schemas if each.type == writer.type]
    named = [each for each in alike if writer.type not in _NAMED or _same_name(each, writer)]
    readable = [each for each in [*named, *reader.schemas] if not _of_library(each, writer)]
    if readable or named:
        yield from _between((readable or named)[0], writer, at, seen)
    else:
        yield f"{_place(at)} is {_name(writer)} in what was written, which is none of {_names(reader.schemas)}"


def _of_type(reader: Any, writer: Any, at: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    match reader.type:
        case "record" | "error":
            yield from _of_fields(reader, writer, at, seen)
        case "array":
            yield from _between(reader.items, writer.items, f"{at}[]", seen)
        case "map":
            yield from _between(reader.values, writer.values, f"{at}{{}}", seen)
        case "enum":
            gone = [each for each in writer.symbols if each not in reader.symbols]
            if gone and reader.props.get("default") not in reader.symbols:
                more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
                yield f"{_place(at)} may be {', '.join(gone[:3])}{more}, which the reader does not know, without a default"
        case "fixed" if reader.size != writer.size:
            yield f"{_place(at)} has {writer.size} bytes in what was written, not {reader.size}"
    yield from _of_meaning(reader.props, writer.props, at)


def _of_fields(reader: Any, writer: Any, at: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    for field in reader.fields:
        place = f"{at}.{field.name}" if at else str(field.name)
        written: Any = lookup_writer_field(writer_schema=writer, reader_field=field)
        if written is not None:
            yield from _between(field.type, written.type, place, seen)
        elif not field.has_default:
            yield f"{place} is not in what was written, and has no default"


def _of_meaning(reader: Mapping[str, Any], writer: Mapping[str, Any], at: str) -> Iterator[str]:
    ours, theirs = str(reader.get("logicalType") or ""), str(writer.get("logicalType") or "")
    if ours == theirs == "decimal":
        digits, others = reader.get("precision") or 0, writer.get("precision") or 0
        scale, other = reader.get("scale") or 0, writer.get("scale") or 0
        if scale != other:
            yield f"{_place(at)} is a decimal of scale {other} in what was written, and read with scale {scale}"
        elif digits < others:
            yield f"{_place(at)} is a decimal of {others} digits in what was written, and read with {digits}"
    ours, theirs = ours.removeprefix("local-"), theirs.removeprefix("local-")
    if ours != theirs and {ours, theirs} <= _TIMES:
        yield f"{_place(at)} is {theirs} in what was written, and read as {ours}"


def _same_name(reader: Any, writer: Any) -> bool:
    return reader.name == writer.name or writer.fullname in (reader.props.get("aliases") or ())


def _name(schema: Any) -> str:
    return f"{schema.type} {schema.fullname}" if schema.type in _NAMED else str(schema.type)


def _names(schemas: Iterable[Any]) -> str:
    return ", ".join(map(_name, schemas))


def _place(at: str) -> str:
    return at or "the value"


def _with_full_aliases(schema: Any, space: str) -> Any:
    """Aliases with the namespace of what they are of, which the library compares as they are written."""
    if isinstance(schema, list):
        return [_with_full_aliases(each, space) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    answer = dict(schema)
    if schema.get("type") in _NAMED and isinstance(schema.get("name"), str):
        space = schema["name"].rpartition(".")[0] or str(schema.get("namespace", space) or "")
        if isinstance(schema.get("aliases"), list) and space:
            answer["aliases"] = [f"{space}.{each}" if "." not in str(each) else each for each in schema["aliases"]]
    for below in ("type", "items", "values"):
        if below in answer:
            answer[below] = _with_full_aliases(answer[below], space)
    if isinstance(answer.get("fields"), list):
        answer["fields"] = [_with_full_aliases(each, space) for each in answer["fields"]]
    return answer
