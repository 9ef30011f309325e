"""Answers of `/datasets/{namespace}/{name}/schema` and below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from api.edge.answer import Answer, FreeForm, OpenAnswer, Time, about, absent
from api.features.datasets.problem_answers import FirstPlace, Problem
from api.visibility import figures
from api.visibility.figures import SeenDeparture, SeenField, SeenSchema
from api.visibility.sight import Sight
from catalog import model
from catalog.datasets import queries
from catalog.datasets.departures import REASON


class FieldProfile(Answer):
    """One field as the sampled records hold it. Figures that the reader may not see are null and named in `withheld`."""

    path: str
    types: dict[str, float] = about("Type -> share of the occurrences, 0 to 1.")
    count: int | None = about("How often the field occurred in the sample; null where nobody looked or it is withheld.")
    presence: float | None = about("Share of the records, or of the parent's occurrences, that hold it, 0 to 1.")
    null_share: float | None = about("Share of the occurrences that are null, 0 to 1.")
    distinct: int | None = about("Estimate of distinct values.")
    lengths: list[int] | None = about(
        "Shortest and longest, in characters, elements or entries.", min_length=2, max_length=2
    )
    details: FreeForm = about("More of the same kind: magnitudes, formats, the registered schema's words.")
    withheld: list[str] = absent("Figures of it that are left out.")

    @classmethod
    def of(cls, field: SeenField, reported: bool) -> FieldProfile:
        """`reported`: by producers, so that how often it occurs is not known."""
        profile = cls.model_construct(
            path=field.path,
            types=dict(field.types),
            count=None if reported else field.count,
            presence=None if reported else field.presence,
            null_share=None if reported else field.null_share,
            distinct=field.distinct,
            lengths=list(field.lengths) if field.lengths is not None else None,
            details=dict(field.details),
        )
        if field.withheld:
            profile.withheld = list(field.withheld)
        return profile


class Shape(Answer):
    """Fields that occur together."""

    share: float = about("Share of the records, 0 to 1.")
    paths: list[str]
    when: FreeForm | None = about("Path -> value that identifies the shape.")


class WindowPartition(Answer):
    """What was read of a partition; offsets, the end exclusive."""

    partition: int
    begin: int = about("Of the records that are retained.")
    end: int
    ranges: list[list[int]] = about("[start, end) of each stretch that was asked for.")
    read: int = about("Records read.")
    skipped: int = absent("Records left out: a limit of bytes or of time was reached.")
    first: int | None = absent("Offset of the first record read.")
    last: int | None = absent("Offset of the last record read.")


class ScanWindow(Answer):
    """What a scan looked at."""

    partitions: list[WindowPartition]
    records: int | None
    time_from: Time | None
    time_to: Time | None
    strategy: str = about("latest, earliest, random, stratified, full, since-last, or reported.")
    complete: bool = about("Every retained record was read.")
    withheld: Literal[True] = absent("Counts and positions are left out.")

    @classmethod
    def of(cls, window: model.ScanWindow, counts: bool) -> ScanWindow:
        """`counts`: whether the reader may see how many records there are."""
        left_out: dict[str, object] = {} if counts else {"withheld": True}
        return cls(
            partitions=[WindowPartition.model_validate(each) for each in window.partitions],
            records=window.records if counts else None,
            time_from=window.time_from,
            time_to=window.time_to,
            strategy=window.strategy,
            complete=window.complete,
            **left_out,
        )


class Envelope(Answer):
    """What the records of a part are wrapped in."""

    layers: list[str] = about("Kinds, outermost first: connect, debezium, cloudevents, ...")
    payload: list[str] = about("Paths of the data, the one to show first in front.")
    discriminator: str | None = about("Path whose values distinguish the records.")
    fits: int = absent("Records that have the envelope.")
    records: int = absent("Records of the part.")
    unlisted: list[str] = about("Paths that only describe the payload.")
    withheld: Literal[True] = absent("Counts are left out.")


class Departure(Answer):
    """Where records depart from a schema that was declared or registered."""

    part: str
    reason: str = about("A word for programs.")
    source: Literal["declared", "registered"]
    path: str
    why: str = about("type, missing, null, undeclared, ...")
    expected: str | None = about("The type by its schema's name.")
    count: int | None = about("How many records; null where that is withheld.")
    first: FirstPlace | None
    message: str
    withheld: Literal[True] = absent("Counts are left out.")

    @classmethod
    def of(cls, seen: SeenDeparture) -> Departure:
        each, counted = seen.departure, seen.counted
        left_out: dict[str, object] = {} if counted else {"withheld": True}
        return cls(
            part=each.path.partition(".")[0],
            reason=REASON,
            source=each.source,
            path=each.path,
            why=each.why,
            expected=each.expected,
            count=each.count if counted else None,
            first=FirstPlace.model_validate(each.first) if counted and each.first else None,
            message=seen.message,
            **left_out,
        )


class Schema(Answer):
    """A schema version as the last scan saw it, or as producers report it."""

    version: int = about("Counts from 1.")
    source: Literal["scan", "lineage"] = about("lineage: reported by producers, nobody has looked.")
    format: dict[str, str] = about("Part (key, value) -> json, avro, ...")
    fields: list[FieldProfile]
    shapes: list[Shape]
    window: ScanWindow
    created_at: Time | None
    problems: list[Problem]
    departures: list[Departure]
    envelopes: dict[str, Envelope] = about("By part: key, value.")
    withheld: list[Literal["rows", "fields"]] = about("rows: counts of records; fields: figures of some fields.")

    @classmethod
    def of(cls, seen: SeenSchema, reported: bool) -> Schema:
        """`reported`: by producers, nobody has looked."""
        version = seen.version
        return cls(
            version=version.version,
            source="lineage" if reported else "scan",
            format=dict(version.format),
            fields=[FieldProfile.of(each, reported) for each in seen.fields],
            shapes=[Shape(share=s.share, paths=list(s.paths), when=_plain(s.when)) for s in version.shapes],
            window=ScanWindow.of(version.window, seen.counts),
            created_at=version.created_at,
            problems=[Problem.of(each) for each in version.problems],
            departures=[Departure.of(each) for each in seen.departures],
            envelopes={part: Envelope.model_validate(each) for part, each in version.envelopes.items()},
            withheld=seen.withheld,
        )


def _plain(when: Mapping[str, Any] | None) -> dict[str, object] | None:
    return dict(when) if when is not None else None


class AvroSchema(OpenAnswer):
    """`format=avro`: an Avro schema, as https://avro.apache.org describes it."""

    type: str
    name: str = absent("Of a record, an enumeration, a fixed.")
    namespace: str = absent()
    doc: str = absent()
    fields: list[FreeForm] = absent("Of a record.")


class SchemaChange(Answer):
    """One difference between two versions."""

    change: str = about("added, removed, type, null, presence, departs (of a field); format, shape (of the records).")
    path: str | None = about("Null where the change is of the records.")
    before: Any = about("Types, a share, a summary: as the kind of change has it.")
    after: Any
    how: str | None = about("widened, narrowed, changed, now optional, now required, moved, now nullable, ...")
    first_seen: FirstPlace | None = absent("The first record that shows it; null where one record cannot.")

    @classmethod
    def all(cls, changes: Iterable[Mapping[str, Any]]) -> list[SchemaChange]:
        """Changes as they are kept."""
        return [cls.model_validate(each) for each in changes]


class SchemaVersionEntry(Answer):
    """One version in the list."""

    version: int
    created_at: Time | None
    fields: int
    shapes: int
    changes: list[SchemaChange] = about("Since the version before.")


class CompatibilityProblem(Answer):
    """Why one version cannot read the data of the other."""

    subject: str = about("The registry's subject.")
    way: Literal["backward", "forward"]
    version: int
    text: str


class Compatibility(Answer):
    """Whether readers of one version read the data of the other; `rule` and below for registered schemas only."""

    backward: bool = about("A reader of the new schema can read the old data.")
    forward: bool = about("A reader of the old schema can read the new data.")
    full: bool
    rule: str = absent("AVRO, PROTOBUF or JSON: by whose rules it was judged.")
    levels: list[str] = absent("The registry's levels that the newest keeps.")
    problems: list[CompatibilityProblem] = absent()


class LookedAtPartition(Answer):
    """The first and last record read of a partition, by offset."""

    partition: int | None = absent()
    first: int | None = absent()
    last: int | None = absent()


class LookedAt(Answer):
    """What a version was learned from; without counts where rows are hidden from the reader."""

    records: int = absent()
    complete: bool = absent()
    time_from: Time | None = absent()
    time_to: Time | None = absent()
    partitions: list[LookedAtPartition] = absent()


class LookedAtBoth(Answer):
    """What both versions were learned from."""

    from_: LookedAt = about("The older version.", alias="from")
    to: LookedAt


class RegistryVerdict(Answer):
    """Whether the schema registry would take the newer version."""

    subject: str
    version: int
    type: str
    compatible: bool
    messages: list[str]


class SchemaDiff(Answer):
    """Two versions compared."""

    from_: int = about("The older version.", alias="from")
    to: int
    changes: list[SchemaChange]
    compatibility: Compatibility
    looked_at: LookedAtBoth
    registry: list[RegistryVerdict] = absent("Where `registry` was asked for.")

    @classmethod
    def of(cls, diff: queries.SchemaDiff, judged: Compatibility | None, seen: Sight) -> SchemaDiff:
        """`judged`: by the rules of the format, where both versions are of registered schemas."""
        learned = diff.compatibility
        return cls(
            from_=diff.before,
            to=diff.after,
            changes=SchemaChange.all(figures.changes((each.to_json() for each in diff.changes), seen)),
            compatibility=judged
            or Compatibility(backward=learned.backward, forward=learned.forward, full=learned.full),
            looked_at=LookedAtBoth.model_validate(figures.without_counts(diff.looked_at, seen)),
        )
