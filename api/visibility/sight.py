"""What a reader may see of figures about a dataset's records: counts, positions, lengths, magnitudes, distinct values.

They are cut to the reader's decision, as rows are: a figure of a field shows to those who may read the field unmasked, a count of
records to who may read every row. Owners, and those who manage or review, see all of them. What is left out is named in
`withheld`. See docs/decisions/0065-probing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from catalog.datasets.departures import REASON, Departure, departure_of, departures_of
from catalog.errors import InvalidInput, NotFound
from catalog.model import FieldProfile, SchemaVersion, Shape
from catalog.paths import FieldPath
from catalog.problems import sentence
from catalog.records import ClassificationRecord, DatasetRecord
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.decision.places import Places
from policies.model import DatasetFacts, Decision, Effect, Subject
from policies.ports import FactsSource

ROWS: Literal["rows"] = "rows"
FIELDS: Literal["fields"] = "fields"

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

Decide = Callable[[Subject, DatasetFacts, str | None], Decision]


@dataclass(frozen=True, slots=True)
class Sight:
    """One reader's sight of one dataset. `places` None: no field shows unmasked."""

    everything: bool = False
    rows: bool = False
    places: Places | None = None

    def clear(self, path: str) -> bool:
        """Whether the reader may see a field's figures."""
        return self.everything or self.reads(path)

    def reads(self, path: str) -> bool:
        """Whether queries of the reader show the field, and all that is in it, unmasked in every row."""
        if self.places is None or not self.rows:
            return False
        try:
            place = FieldPath.parse(path)
        except InvalidInput:
            return False
        rule = self.places.rule(place)
        return rule.mask is None

    @property
    def counts(self) -> bool:
        """Whether the reader may see how many records there are."""
        return self.everything or self.rows


@dataclass(slots=True)
class Sights:
    """Works out what somebody may see, once a dataset. For one request."""

    subject: Subject
    permissions: Collection[str]
    facts: FactsSource
    decide: Decide
    purpose: str | None = None
    reviews: Callable[[str], bool] = lambda _: False
    """Whether the subject reviews the personal data of a dataset, by its domain."""
    _known: dict[str, Sight] = field(default_factory=dict)

    @property
    def unbounded(self) -> bool:
        return bool({"manage", "review"} & set(self.permissions))

    def of(self, record: DatasetRecord) -> Sight:
        """The sight of a dataset, by what somebody is as well as by what they may read."""
        if self.subject.agent is not None:  # gets no more of figures than of rows
            return self.by_decision(record.reference)
        if self.unbounded or owns(self.subject, record) or self.reviews(record.reference):
            return Sight(True, True)
        return self.by_decision(record.reference)

    def by_decision(self, reference: str) -> Sight:
        """The sight of who reads a dataset by queries; of one nobody can decide on it shows nothing."""
        if reference not in self._known:
            self._known[reference] = self._decided(reference)
        return self._known[reference]

    def _decided(self, reference: str) -> Sight:
        try:
            decision = self.decide(self.subject, self.facts.facts(reference), self.purpose)
        except (NotFound, InvalidInput):
            return Sight()
        if decision.effect is not Effect.ALLOW or decision.gaps:
            return Sight()
        return Sight(False, not decision.filters, Places(decision.columns))


def owns(subject: Subject, record: DatasetRecord) -> bool:
    """True when the subject, or a group of theirs, answers for the dataset."""
    return any(o.name == subject.user if o.kind == "user" else o.name in subject.groups for o in record.owners)


# --- what is shown ------------------------------------------------------------------------------------------------------


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


def withheld(sight: Sight, *, fields: bool) -> list[Literal["rows", "fields"]]:
    """What a reader does not see: figures that count records, figures of some fields."""
    return [*([] if sight.counts else [ROWS]), *([FIELDS] if fields else [])]


def shows_figures(sight: Sight, path: str | None) -> bool:
    """Whether figures that count what a field holds may be seen; `path` None: figures that count records alone."""
    return sight.counts and (path is None or sight.clear(path))


def reads_whole(sight: Sight) -> bool:
    """Whether figures of any record and any field may be seen: what a statement of somebody else's counts may be of all of them."""
    return sight.everything or (sight.rows and sight.places is not None and sight.places.all_clear())


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


class SightRules:
    """Gives the sights of a subject."""

    def __init__(self, identity: Identity, facts: FactsSource, decide: Decide) -> None:
        self._identity, self._facts, self._decide = identity, facts, decide

    def of(self, subject: Subject, purpose: str | None = None) -> Sights:
        """What the subject may see of figures about records."""
        return Sights(
            subject=subject,
            permissions=self._identity.permissions(subject),
            facts=self._facts,
            decide=self._decide,
            purpose=purpose,
            reviews=partial(self._identity.may, subject, Power.REVIEW),
        )


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
