"""Where is this field, kind of personal data or term: every place, who reads it, where it goes, what is unknown.

The report lists what was not looked at as plainly as what was found.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any, Protocol, TypeVar

from catalog.datasets.clusters import Clusters
from catalog.datasets.terms import term_tags
from catalog.entities import tag_matches
from catalog.errors import DatasetNotFound, InvalidInput, Unavailable
from catalog.model import DatasetId, SchemaVersion
from catalog.near_names import did_you_mean
from catalog.ports import CatalogStore, Clock
from catalog.records import ClassificationRecord, DatasetFilter, DatasetRecord, rfc3339
from catalog.where_is.places import Gap, Place, PlaceQuestion, Report, gaps_of, no_field, paths_of, places_in

_T = TypeVar("_T")
_Key = TypeVar("_Key")


class Flows(Protocol):
    """The sliver of lineage that the report needs."""

    def downstream_of_each(
        self, fields: Collection[tuple[DatasetId, str]], as_of: datetime | None
    ) -> Mapping[tuple[DatasetId, str], Sequence[Mapping[str, Any]]]:
        """Where each field goes next, any number of hops: {id: nodeId, raw: False once it was masked on the way}. Fields that
        go nowhere are left out."""


class Readers(Protocol):
    def readers_of_each(
        self, datasets: Collection[DatasetId], as_of: datetime | None
    ) -> Mapping[DatasetId, Sequence[Mapping[str, Any]]]:
        """Jobs and consumer groups that read each dataset: {kind, name, lastSeen...}; those without any are left out."""


class Access(Protocol):
    """The sliver of the policies that the report needs."""

    def who_may_read(
        self, dataset: DatasetId, paths: Sequence[str], as_of: datetime | None
    ) -> Sequence[Iterable[Mapping[str, Any]]]:
        """Who sees each of these fields of one dataset: {user | group | role, via, masked...}."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the catalog. `has`: whether it has a `CLUSTER/TOPIC`; `words`: what the rest is, in a sentence."""

    has: Callable[[str], bool]
    words: str


class WhereIs:
    """Makes the report. A room that is not given, or does not answer, becomes a gap and not an error."""

    def __init__(
        self,
        store: CatalogStore,
        clusters: Clusters,
        clock: Clock,
        flows: Flows | None = None,
        readers: Readers | None = None,
        access: Access | None = None,
        part: Part | None = None,
    ) -> None:
        """`part`: the datasets that the report is about; None: all."""
        self._part = part
        self._store = store
        self._clusters = clusters
        self._clock = clock
        self._flows = flows
        self._readers = readers
        self._access = access

    def of(self, part: Part, flows: Flows | None, readers: Readers | None) -> WhereIs:
        """The same over a part of the catalog: what is elsewhere, or not there at all, makes no difference to it."""
        return WhereIs(self._store, self._clusters, self._clock, flows, readers, self._access, part)

    def report(
        self,
        *,
        field: str | None = None,
        entity: str | None = None,
        term: str | None = None,
        as_of: datetime | None = None,
        access: bool = True,
    ) -> Report:
        """field: a path (`value.customer.email`), its end (`customer.email`), a name (`email`), any of them with `*`,
        or one dataset's as `prod/orders:value.email`; entity: a tag, `PII` for every kind of personal data;
        term: a glossary term, with those below it. as_of: how it was known then. access: whether the report has who may
        see each place, which takes longer than everything else together.

        Raises InvalidInput unless exactly one is given; DatasetNotFound for a dataset that is not there.
        """
        asked = PlaceQuestion(field, entity, term)
        now = self._clock()
        if as_of is not None and as_of > now:
            raise InvalidInput("asOf is in the future; give a moment of the past or leave it out.")
        datasets = [each for each in self._datasets(as_of) if self._holds(each)]
        wanted = asked
        if field and ":" in field and (only := self._only(field)) is not None:
            datasets = [d for d in datasets if d.id == only[0]]
            wanted = PlaceQuestion(field=only[1])
        gaps = [] if self._part is None else [Gap("elsewhere", self._part.words)]
        there = {each.id for each in datasets}
        tags = {dataset: each for dataset, each in self._tags(as_of).items() if self._part is None or dataset in there}
        if as_of is not None and (asked.term or asked.entity):
            gaps.append(Gap("terms", "Glossary terms are not kept over time; the present ones were used."))
        direct, states = self._places(datasets, wanted, tags, gaps, as_of)
        if asked.entity and not direct:
            gaps.insert(0, Gap("tag", _nothing_carries(asked.entity, tags)))
        places = self._reached(direct, gaps, as_of, access)
        inputs = [asked.to_json(), rfc3339(as_of), states, [p.to_json() for p in places], [g.to_json() for g in gaps]]
        digest = hashlib.sha256(json.dumps(inputs, sort_keys=True, default=str).encode()).hexdigest()
        return Report(
            asked=asked, as_of=as_of, places=places, gaps=tuple(gaps), generated_at=now, inputs_hash=f"sha256:{digest}"
        )

    def _places(
        self,
        datasets: Sequence[DatasetRecord],
        wanted: PlaceQuestion,
        tags: Mapping[DatasetId, Sequence[ClassificationRecord]],
        gaps: list[Gap],
        as_of: datetime | None,
    ) -> tuple[list[Place], list[Any]]:
        """The places in these datasets, and of each dataset what its answer rests on; what was not looked at goes to `gaps`."""
        direct: list[Place] = []
        states: list[Any] = []
        unseen: list[str] = []
        paths: set[str] = set()
        terms = term_tags(self._store)
        versions = self._store.schema_versions()
        below = self._below(wanted.term)
        noted = frozenset(self._noted(wanted, below, terms, as_of))
        # A question to the store for each of thousands of datasets takes half a minute, so only those that matter are asked.
        reads_schemas = wanted.field is not None or as_of is not None
        for record in datasets:
            schema = self._schema(record, as_of) if reads_schemas and record.id in versions else None
            version = versions.get(record.id) if as_of is None else schema and schema.version
            notes = self._store.notes(record.id) if record.id in noted else []
            direct += places_in(record, schema, tags.get(record.id, []), notes, terms, below, wanted)
            paths |= paths_of(schema, tags.get(record.id, []), notes)
            gaps += gaps_of(record, schema, as_of)
            if record.source == "lineage":
                unseen.append(record.reference)
            states.append([str(record.id), version, record.scan.get("at")])
        if unseen:
            gaps.append(_known_from_lineage(unseen))
        if wanted.field and not direct:
            gaps.insert(0, Gap("field", no_field(wanted.field, paths)))
        return direct, states

    def _noted(
        self,
        wanted: PlaceQuestion,
        below: frozenset[str],
        terms: Mapping[str, Sequence[str]],
        as_of: datetime | None,
    ) -> Collection[DatasetId]:
        """Datasets whose notes matter for a question. `below`: the term that is asked for, with those below it."""
        if wanted.field is not None or as_of is not None:
            return self._store.noted()
        if wanted.term is not None:
            return self._store.term_carriers(below)
        asked = wanted.entity or ""
        return self._store.term_carriers(
            [term for term, tags in terms.items() if any(tag_matches(asked, tag) for tag in tags)]
        )

    def _holds(self, record: DatasetRecord) -> bool:
        return self._part is None or self._part.has(record.reference)

    def _datasets(self, as_of: datetime | None) -> list[DatasetRecord]:
        """Those that were there: not yet deleted and already known."""
        if as_of is None:
            return list(self._store.datasets(DatasetFilter()).items)
        return [
            d
            for d in self._store.datasets(DatasetFilter(deleted=None)).items
            if (d.created_at is None or d.created_at <= as_of) and (d.deleted_at is None or d.deleted_at > as_of)
        ]

    def _only(self, field: str) -> tuple[DatasetId, str] | None:
        reference, _, path = field.rpartition(":")
        if not path.startswith(("key", "value", "headers")):
            return None
        if self._part is None:
            return self._clusters.find(reference).id, path
        # One that is elsewhere is not there for this report, and no message names its neighbours.
        matches = [each for each in (self._clusters.named(reference)) if self._holds(each)]
        if len(matches) != 1:
            raise DatasetNotFound(
                f"This report is about no dataset {reference!r}; write CLUSTER/TOPIC of one that it is about.",
                details={"reference": reference, "nearest": []},
            )
        return matches[0].id, path

    def _tags(self, as_of: datetime | None) -> dict[DatasetId, list[ClassificationRecord]]:
        """The classifications as they were at that moment."""
        by_dataset: dict[DatasetId, dict[tuple[str, str], ClassificationRecord]] = {}
        if as_of is None:
            for dataset, record in self._store.all_classifications():
                by_dataset.setdefault(dataset, {})[record.key] = record
        else:
            for dataset, event in self._store.classification_history(None, as_of):
                records = by_dataset.setdefault(dataset, {})
                if event.record is None:
                    records.pop((event.path, event.entity), None)
                else:
                    records[event.path, event.entity] = event.record
        return {d: [record for _, record in sorted(records.items())] for d, records in by_dataset.items()}

    def _schema(self, record: DatasetRecord, as_of: datetime | None) -> SchemaVersion | None:
        if as_of is None:
            return self._store.current_schema(record.id)
        limit = rfc3339(as_of) or ""
        older = [
            s
            for s in self._store.schemas(record.id)
            if s.baseline.created_at and datetime.fromisoformat(s.baseline.created_at) <= as_of and limit
        ]
        return older[-1].baseline if older else None

    def _below(self, term: str | None) -> frozenset[str]:
        """A term and every term whose parents lead to it."""
        if term is None:
            return frozenset()
        parents = {d.key: d.spec.get("parent") for d in self._store.documents("GlossaryTerm")}
        if term not in parents:
            raise InvalidInput(
                f"There is no glossary term {term!r}; known: {', '.join(sorted(parents)) or 'none yet'}.",
                details={"term": term},
            )
        below = {term}
        while more := {name for name, parent in parents.items() if parent in below and name not in below}:
            below |= more
        return frozenset(below)

    def _reached(
        self, places: Sequence[Place], gaps: list[Gap], as_of: datetime | None, with_access: bool
    ) -> tuple[Place, ...]:
        """The places with where they flow to, who reads them and, where it is asked for, who may."""
        if not places:
            return ()
        datasets = list(dict.fromkeys(place.dataset.id for place in places))
        fields = list(dict.fromkeys((place.dataset.id, place.path) for place in places))
        reading = partial(self._readers.readers_of_each, datasets, as_of) if self._readers else None
        flowing = partial(self._flows.downstream_of_each, fields, as_of) if self._flows else None
        readers = _Asking("readers", "who reads", gaps).mapping(reading)
        flows = _Asking("lineage", "where fields flow to", gaps).mapping(flowing)
        access = _Asking("access", "who may read", gaps)
        reached = []
        for dataset, of_dataset in groupby(places, key=lambda place: place.dataset.id):
            here = list(of_dataset)
            who: dict[str, Iterable[Mapping[str, Any]]] = {}
            if with_access:
                paths = list(dict.fromkeys(place.path for place in here))
                may = access.ask(partial(self._access.who_may_read, dataset, paths, as_of) if self._access else None)
                who = dict(zip(paths, may, strict=False))
            for place in here:
                seen_by = tuple(who.get(place.path, ())) if with_access else None
                flow = tuple(flows.get((dataset, place.path), ()))
                reached.append(replace(place, flows=flow, readers=tuple(readers.get(dataset, ())), access=seen_by))
        return tuple(reached)


def _known_from_lineage(references: Sequence[str]) -> Gap:
    """One gap for all of them: a company has many more tables than topics."""
    more = f" and {len(references) - 20:,} more" if len(references) > 20 else ""
    message = (
        f"{len(references):,} datasets are known from lineage only, nobody has looked into their data:"
        f" {', '.join(references[:20])}{more}."
    )
    return Gap("lineage_only", message, datasets=tuple(references))


def _nothing_carries(tag: str, tags: Mapping[DatasetId, Sequence[ClassificationRecord]]) -> str:
    """That nothing was found, which for a misspelt tag must not read as "there is none"."""
    entities = sorted({record.entity for records in tags.values() for record in records})
    near = difflib.get_close_matches(tag.upper(), entities, 1, 0.5)
    if not entities:
        return f"No field in the catalog carries the tag {tag!r}, nor any other yet."
    advice = did_you_mean(near, f"tags there are: {', '.join(entities)}.")
    return f"No field in the catalog carries the tag {tag!r}; {advice}"


class _Asking:
    """Asks another room until it does not answer, then reports that once."""

    def __init__(self, kind: str, what: str, gaps: list[Gap]) -> None:
        self._kind = kind
        self._what = what
        self._gaps = gaps
        self._failed = False

    def ask(self, call: Callable[[], Iterable[_T]] | None) -> tuple[_T, ...]:
        if self._failed:
            return ()
        if call is None:
            return self._fail(f"It is not known {self._what}: this is not connected.")
        try:
            return tuple(call())
        except Unavailable as error:
            return self._fail(f"It is not known {self._what}: {error.message}")

    def mapping(self, call: Callable[[], Mapping[_Key, _T]] | None) -> dict[_Key, _T]:
        """The same for what is asked by key."""
        return dict(self.ask((lambda: call().items()) if call is not None else None))

    def _fail(self, message: str) -> tuple[Any, ...]:
        self._failed = True
        self._gaps.append(Gap(self._kind, message))
        return ()
