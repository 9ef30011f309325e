"""Figures about a dataset's records, cut to what a reader may see: its schema, scans, problems, changes and classifications."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from api.visibility.sight import Sight, withheld
from catalog.datasets.departures import REASON, Departure, departure_of, departures_of
from catalog.model import FieldProfile, SchemaVersion, Shape
from catalog.problems import sentence
from catalog.records import ClassificationRecord, DatasetRecord

_PLAIN_DETAILS = ("registered", "description", "note", "embedded", "insideText", "schemaIds")
"""Details of a profile that are about its type, not about what it holds."""
_PLAIN_EVIDENCE = ("recognizers", "fieldName", "locale", "freeText", "note")
"""Evidence of a classification that counts nothing."""
_COUNTING = frozenset(
    {
        "count",
        "records",
        "matched",
        "sampled",
        "validated",
        "rate",
        "candidates",
        "window",
        "fits",
        "lag",
        "share",
        "shares",
        "presence",
        "nullShare",
        "first",
        "firstSeen",
        "last",
        "timeFrom",
        "timeTo",
        "offset",
        "offsets",
        "partition",
        "partitions",
        "retained",
        "size",
        "message",
    }
)
"""Keys of events, changes and problems that count records or name the place of one."""


def dataset(record: DatasetRecord, sight: Sight) -> DatasetRecord:
    """A dataset without what counts records, where that is withheld."""
    if sight.counts:
        return record
    topic = {k: v for k, v in record.topic.items() if k not in ("offsets", "retained", "size")}
    scan = {k: v for k, v in record.scan.items() if k not in ("records", "timeFrom", "timeTo")}
    if "problems" in scan:
        scan["problems"] = [_uncounted(problem) for problem in scan["problems"]]
    return replace(record, topic=topic, scan=scan)


def scanned(record: DatasetRecord, sight: Sight) -> DatasetRecord:
    """As `dataset`, with the problems of its last scan as sentences."""
    kept = record.scan.get("problems") or []
    shown = dataset(record, sight)
    return replace(shown, scan={**shown.scan, "problems": problems(kept, sight)})


def types(version: SchemaVersion, sight: Sight) -> SchemaVersion:
    """A schema for exports of its types, which queries show too: what distinguishes its shapes may be a value."""
    return replace(version, shapes=tuple(_shape(each, sight) for each in version.shapes))


def _shape(shape: Shape, sight: Sight) -> Shape:
    when = shape.when if shape.when and all(map(sight.clear, shape.when)) else None
    return replace(shape, share=shape.share if sight.counts else round(shape.share, 1), when=when)


@dataclass(frozen=True, slots=True)
class SeenField:
    """One field as a reader sees it. Figures that they may not see are None, and named in `withheld`."""

    path: str
    types: Mapping[str, float]
    count: int | None
    presence: float | None
    null_share: float | None
    distinct: int | None
    lengths: tuple[int, int] | None
    details: Mapping[str, Any]
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenDeparture:
    """Where records depart from what was declared, in a sentence that counts only where that may be seen."""

    departure: Departure
    message: str
    counted: bool


@dataclass(frozen=True, slots=True)
class SeenSchema:
    """A schema as a reader sees it. `version`: its shapes, window, problems and envelopes are cut; `fields` are its fields.

    `counts`: whether the reader may see how many records there are; `withheld`: what is left out of the whole.
    """

    version: SchemaVersion
    fields: tuple[SeenField, ...]
    departures: tuple[SeenDeparture, ...]
    counts: bool
    withheld: list[Literal["rows", "fields"]]


def schema(version: SchemaVersion, sight: Sight) -> SeenSchema:
    """A schema cut to what a reader may see of it."""
    fields = tuple(_field(each, sight) for each in version.fields)
    shown = replace(types(version, sight), problems=tuple(problems(version.problems, sight)))
    if not sight.counts:
        window = replace(version.window, partitions=(), records=0, time_from=None, time_to=None)
        envelopes = {part: _uncounted(each) for part, each in version.envelopes.items()}
        shown = replace(shown, window=window, envelopes=envelopes)
    return SeenSchema(
        version=shown,
        fields=fields,
        departures=departures(version, sight),
        counts=sight.counts,
        withheld=withheld(sight, fields=any(each.withheld for each in fields)),
    )


def _field(profile: FieldProfile, sight: Sight) -> SeenField:
    if sight.clear(profile.path):
        return SeenField(
            path=profile.path,
            types=profile.types,
            count=profile.count,
            presence=profile.presence,
            null_share=profile.null_share,
            distinct=profile.distinct,
            lengths=profile.lengths,
            details=profile.details,
        )
    counted = sight.counts
    rounded = {name: max(0.1, round(share, 1)) for name, share in profile.types.items()}
    return SeenField(
        path=profile.path,
        types=profile.types if counted else rounded,
        count=profile.count if counted else None,
        presence=profile.presence if counted else None,
        null_share=None,
        distinct=None,
        lengths=None,
        details={k: v for k, v in profile.details.items() if k in _PLAIN_DETAILS},
        withheld=("distinct", "lengths", "nullShare", "details", *(() if counted else ("count", "presence"))),
    )


def classification(record: ClassificationRecord, sight: Sight, own: Collection[str] = ()) -> ClassificationRecord:
    """A classification, its evidence cut. `own`: recognizers that the reader declared, whose counts would answer a question of
    theirs about values they may not read."""
    named = {str(each.get("name")) for each in record.evidence.get("recognizers") or () if isinstance(each, Mapping)}
    if sight.counts and (not named & set(own) or sight.reads(record.path)):
        return record
    evidence = {k: v for k, v in record.evidence.items() if k in _PLAIN_EVIDENCE}
    return replace(record, evidence={**evidence, "withheld": True})


def problems(rows: Iterable[Mapping[str, Any]], sight: Sight) -> list[dict[str, object]]:
    """Problems of a scan, each with its sentence, which counts only where that may be seen."""
    shown = [dict(problem) if sight.counts else _uncounted(problem) for problem in rows]
    return [{**problem, "message": _message(problem, sight)} for problem in shown]


def _message(problem: Mapping[str, Any], sight: Sight) -> str:
    if problem.get("reason") == REASON and not sight.counts:
        return departure_of(problem).sentence(counted=False)
    return sentence(problem)


def departures(version: SchemaVersion, sight: Sight) -> tuple[SeenDeparture, ...]:
    """Where records depart from what was declared."""
    return tuple(SeenDeparture(each, each.sentence(sight.counts), sight.counts) for each in departures_of(version))


def changes(rows: Iterable[Mapping[str, Any]], sight: Sight) -> list[dict[str, object]]:
    """Changes between two versions of a schema, without how often and where first, where rows are hidden."""
    return [
        dict(each) if sight.counts else {**_stripped(each), **({} if each.get("change") != "presence" else _MOVED)}
        for each in rows
    ]


_MOVED = {"before": None, "after": None}


def without_counts(value: Any, sight: Sight) -> Any:
    """Data of an event, of a change or of a scan without what counts records."""
    return value if sight.counts else _stripped(value)


def _uncounted(problem: Mapping[str, Any]) -> dict[str, object]:
    return {**_stripped(problem), "withheld": True}


def _stripped(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _stripped(each) for key, each in value.items() if key not in _COUNTING}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_stripped(each) for each in value]
    return value
