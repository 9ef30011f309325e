"""What producers of lineage report of one dataset -> what the catalog shows of it. Pure.

People and scans come first: a description that somebody wrote, a schema that a scan or a declaration gave. What is
reported fills what they leave open, and is shown beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from catalog.columns import path_of
from catalog.field_names import FieldNames
from catalog.model import DatasetId, FieldProfile, ScanWindow, SchemaVersion
from catalog.records import rfc3339
from catalog.report_store import Fact, hour

STRATEGY = "reported"
"""`window.strategy` of a schema that nobody but producers vouches for: no record was looked at."""


@dataclass(frozen=True, slots=True)
class Reported:
    """`summary`: what a dataset's record keeps of it; `schema`: its columns, None where none were named."""

    summary: Mapping[str, Any]
    schema: SchemaVersion | None = None


def is_reported(schema: SchemaVersion) -> bool:
    """Whether a schema is known from producers only."""
    return schema.window.strategy == STRATEGY


def newest(facts: Iterable[Fact]) -> dict[str, Fact]:
    """Key -> the newest of its facts, under whatever name of the dataset it was reported; withdrawn ones are left out."""
    facts_by_key: dict[str, Fact] = {}
    for fact in facts:
        before = facts_by_key.get(fact.key)
        if before is None or fact.newer_than(before):
            facts_by_key[fact.key] = fact
    return {key: fact for key, fact in sorted(facts_by_key.items()) if fact.value is not None}


def project(dataset: DatasetId, facts: Iterable[Fact]) -> Reported:
    """All facts of a dataset, under all its names. The same for the same facts in any order."""
    latest = newest(facts)
    value = {key: fact.value for key, fact in latest.items()}
    tags = value.get("tags", {}).get("tags", [])
    life = value.get("lifecycleStateChange", {})
    kind = value.get("datasetType", {})
    summary: dict[str, object] = {
        "description": value.get("documentation", {}).get("description"),
        "owners": value.get("ownership", {}).get("owners"),
        "tags": [tag for tag in tags if not tag.get("field")],
        "type": kind.get("datasetType"),
        "subType": kind.get("subType"),
        "lifecycle": life.get("state"),
        "columns": None,
        "columnsLeftOut": value.get("schema", {}).get("cut"),
    }
    schema = _schema(dataset, latest, tags)
    if schema is not None:
        summary["columns"] = len(schema.fields)
    return Reported({key: content for key, content in summary.items() if content not in (None, [], "")}, schema)


def _schema(dataset: DatasetId, latest: Mapping[str, Fact], tags: Iterable[Mapping[str, Any]]) -> SchemaVersion | None:
    fields: dict[str, FieldProfile] = {}
    reported = latest.get("schema")
    moments = [reported.time] if reported is not None else []
    for top, below, kind, description in reported.value.get("fields", ()) if reported is not None else ():
        path = path_of(dataset, top)
        if path is not None:
            fields.setdefault(path + below, _field(path + below, kind, description))
    if reported is None:  # columns that jobs name are all there is
        for key, fact in latest.items():
            if key.startswith("columns@"):
                moments.append(fact.time)
                for column in fact.value.get("columns", ()):
                    if (path := path_of(dataset, column)) is not None:
                        fields.setdefault(path, _field(path, "", ""))
    if not fields:
        return None
    names = FieldNames(fields)
    for tag in tags:
        column = path_of(dataset, tag["field"]) if tag.get("field") else None
        tagged = names.fitting(column) if column is not None else None
        if tagged in fields:
            details = fields[tagged].details
            entry = {key: tag[key] for key in ("key", "value", "source") if tag.get(key)}
            fields[tagged] = _with(fields[tagged], {**details, "tags": [*details.get("tags", []), entry]})
    at = rfc3339(_moment(hour(max(moments))))
    window = ScanWindow(strategy=STRATEGY)
    return SchemaVersion({}, tuple(fields[path] for path in sorted(fields)), window=window, version=1, created_at=at)


def _field(path: str, kind: str, description: str) -> FieldProfile:
    details = {"reportedType": kind, "description": description}
    type_name = type_of(kind)
    return FieldProfile(
        path, {type_name: 1.0} if type_name else {}, 0, 1.0, details={k: v for k, v in details.items() if v}
    )


def _with(field: FieldProfile, details: Mapping[str, Any]) -> FieldProfile:
    return FieldProfile(field.path, field.types, field.count, field.presence, details=details)


_TYPES: tuple[tuple[str, str], ...] = (
    (r"(tiny|small|medium)?int(eger)?|int(8|16|32|2|4)|u?int(8|16)|short|byte|serial", "int32"),
    (r"big ?int|int64|long|int8|bigserial|uint(32|64)", "int64"),
    (r"decimal|numeric|number|bignumeric|money", "decimal"),
    (r"float(4|8|32|64)?|double( precision)?|real", "double"),
    (r"bool(ean)?|bit", "boolean"),
    (r"string|text|(var|n|nvar|b)?char(acter)?( varying)?|varchar2|clob|citext|enum|utf8", "string"),
    (r"date", "date"),
    (r"timestamp(_(ntz|ltz|tz))?( with(out)? time zone)?|timestamptz|datetime(2|offset)?", "timestamp"),
    (r"uuid|uniqueidentifier", "uuid"),
    (r"(var)?binary|bytea|bytes|blob|raw", "binary"),
    (r"array|list|repeated", "array"),
    (r"map", "map"),
    (r"struct|record|row|object|json|jsonb|variant|super", "object"),
)
_KNOWN = tuple((re.compile(pattern), name) for pattern, name in _TYPES)


def type_of(text: str) -> str | None:
    """A producer's name of a type in the catalog's words; None for one that is not known."""
    plain = re.sub(r"\s*[(<\[].*", "", text.strip().lower(), flags=re.S).strip()
    return next((name for pattern, name in _KNOWN if pattern.fullmatch(plain)), None)


def _moment(time: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(time / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
