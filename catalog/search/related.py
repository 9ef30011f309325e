"""Datasets that belong with a dataset, and why: keys they share, queries that read both, lineage that is near."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from catalog.datasets.key_fields import KeyField, key_fields, key_words, type_families
from catalog.errors import Unavailable
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock, SearchIndex
from catalog.records import DatasetRecord
from catalog.search.documents import entries
from catalog.search_model import IndexHit, Needle, SearchQuery, Unseen, Way

STEPS = 2
"""How far away in lineage a dataset may be."""

_KEYS = 12  # of a dataset with more keys, the first are compared
_SAME = 200  # fields looked at for a key; a key in more datasets says little
_SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class Step:
    """Where a dataset is in lineage, seen from another. direction: upstream | downstream; distance: datasets away."""

    direction: str
    distance: int


class Near(Protocol):
    def near(self, dataset: DatasetId, steps: int) -> Mapping[DatasetId, Step]:
        """Datasets at most so many steps away. Empty where lineage knows nothing of it. Raises Unavailable."""


@dataclass(slots=True)
class _Found:
    score: float = 0.0
    reasons: list[dict[str, object]] = field(default_factory=list)

    def add(self, score: float, reason: Mapping[str, Any]) -> None:
        self.score += score
        self.reasons.append(dict(reason))


@dataclass(frozen=True, slots=True)
class RelatedDataset:
    """reasons: shared_key {field, other, type, tags}, read_together {queries}, lineage {direction, distance}."""

    record: DatasetRecord
    score: float
    reasons: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RelatedAnswer:
    """`missing`: which kinds of reasons could not be looked for, with the cause."""

    datasets: Sequence[RelatedDataset]
    total: int
    missing: Sequence[Mapping[str, str]] = ()


class Related:
    """Finds related datasets. Only those that search finds, too, are answered: what is deleted is not."""

    def __init__(
        self, store: CatalogStore, index: SearchIndex, near: Near, clock: Clock, unseen: Unseen | None = None
    ) -> None:
        """`unseen`: what the reader does not find, of whom `store` and `near` are, too."""
        self._unseen = unseen
        self._store = store
        self._index = index
        self._near = near
        self._clock = clock

    def of(self, record: DatasetRecord, limit: int = 10) -> RelatedAnswer:
        """The datasets most related, the most first. What a server that is away would add is named in `missing`."""
        related: dict[DatasetId, _Found] = {}
        missing: list[dict[str, str]] = []
        looks = (("shared_key", self._shared), ("read_together", self._together), ("lineage", self._lineage))
        for kind, look in looks:
            try:
                look(record, related)
            except Unavailable as error:
                missing.append({"kind": kind, "message": str(error)})
        related.pop(record.id, None)
        ordered = sorted(related.items(), key=lambda pair: (-pair[1].score, pair[0]))
        listed = [
            RelatedDataset(other, each.score, each.reasons)
            for dataset, each in ordered
            if (other := self._store.dataset(dataset)) is not None and other.deleted_at is None
        ]
        return RelatedAnswer(listed[:limit], len(listed), missing)

    def _shared(self, record: DatasetRecord, related: dict[DatasetId, _Found]) -> None:
        schema = self._store.current_schema(record.id)
        tags, notes = self._store.classifications(record.id), self._store.notes(record.id)
        sources = [entry.source for entry in entries(record, schema, tags, notes, {})[1:]]
        shared: dict[DatasetId, list[tuple[float, dict[str, object]]]] = {}
        for key in key_fields(sources)[:_KEYS]:
            same: dict[DatasetId, Mapping[str, Any]] = {}
            for other in self._same(key):
                same.setdefault(DatasetId(other["namespace"], other["name"]), other)
            same.pop(record.id, None)
            for dataset, other in same.items():
                reason = {
                    "kind": "shared_key",
                    "field": key.path,
                    "other": other["path"],
                    "type": ", ".join(sorted(key.types & type_families(other["types"]))),
                    "tags": sorted(key.tags),
                }
                shared.setdefault(dataset, []).append((1 / math.log2(1 + len(same)), reason))
        for dataset, reasons in shared.items():
            ordered = sorted(reasons, key=lambda pair: -pair[0])
            for score, reason in ordered[:_SHOWN_KEYS]:
                related.setdefault(dataset, _Found()).add(score, reason)

    def _same(self, key: KeyField) -> list[Mapping[str, Any]]:
        """Fields of any dataset with the words, a type and the tags of a key."""
        ways = [Way(("".join(key.words),))] + ([Way(key.words)] if len(key.words) > 1 else [])
        query = SearchQuery(
            (Needle(" ".join(key.words), tuple(ways)),),
            None,
            {"kind": ("field",)},
            _SAME,
            counted=False,
            unseen=self._unseen,
        )
        hits: Sequence[IndexHit] = self._index.search(query).hits
        return [hit.source for hit in hits if _is(hit.source, key)]

    def _together(self, record: DatasetRecord, related: dict[DatasetId, _Found]) -> None:
        for dataset, together in self._store.together(record.id, self._clock()).items():
            reason = {"kind": "read_together", "queries": together.queries}
            related.setdefault(dataset, _Found()).add(math.log2(1 + together.weight), reason)

    def _lineage(self, record: DatasetRecord, related: dict[DatasetId, _Found]) -> None:
        for dataset, step in self._near.near(record.id, STEPS).items():
            reason = {"kind": "lineage", "direction": step.direction, "distance": step.distance}
            related.setdefault(dataset, _Found()).add(1 / step.distance, reason)


def _is(source: Mapping[str, Any], key: KeyField) -> bool:
    return (
        key_words(source["path"]) == key.words
        and bool(key.types & type_families(source.get("types") or ()))
        and key.tags == frozenset(source.get("entities") or ())
    )
