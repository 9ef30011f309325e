"""Classifications of all datasets at once: what is to be reviewed, and many reviews in one go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase

from catalog.datasets.datasets import Datasets
from catalog.entities import tag_matches
from catalog.errors import InvalidInput, NotFound, WeirError
from catalog.model import DatasetId, ReviewState
from catalog.paths import FieldPath
from catalog.ports import CatalogStore
from catalog.records import ClassificationRecord, FieldTag

MAX_ITEMS = 10_000
"""Reviews in one call."""


DOUBTFUL_BELOW = 0.65
"""Scores of detections that rest on the name and a loose form alone are lower."""


def is_doubtful(record: ClassificationRecord | FieldTag) -> bool:
    """Whether a suggestion rests on little: a person looks at it more closely."""
    return record.state is ReviewState.SUGGESTED and record.score < DOUBTFUL_BELOW


class DetectionOrder(StrEnum):
    """Of a list: by dataset, path and entity; or the lowest scores first, then so."""

    DATASET = "dataset"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True)
class DetectionFilter:
    """Which classifications are meant; None = all.

    entity      a tag, or PII for every kind of personal data
    dataset     CLUSTER/TOPIC, may hold *
    path        field path, may hold *
    recognizer  name of a recognizer that found it
    changed     True: only those whose last look differs from the one before (see `catalog.datasets.recheck`)
    doubtful    whether it is a suggestion that rests on little
    """

    state: ReviewState | None = None
    entity: str | None = None
    dataset: str | None = None
    path: str | None = None
    recognizer: str | None = None
    changed: bool | None = None
    doubtful: bool | None = None


@dataclass(frozen=True, slots=True)
class Detection:
    """One classification and its dataset. `reference` is CLUSTER/TOPIC."""

    dataset: DatasetId
    reference: str
    record: ClassificationRecord


@dataclass(frozen=True, slots=True)
class DetectionPage:
    """Part of a list. `total` and `counts` ({state, entity, dataset} -> {value: count}) are of all that fit."""

    items: tuple[Detection, ...]
    total: int
    counts: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Decision:
    """A reviewer's word on one classification. `instead`: the kind that it is in truth; it is confirmed with the rejection, both
    or neither."""

    dataset: DatasetId
    path: str
    entity: str
    state: ReviewState
    reason: str | None = None
    instead: str | None = None

    @property
    def parts(self) -> tuple[Decision, ...]:
        """What is written: one decision, or the confirmation of the other kind and then the rejection."""
        plain = replace(self, instead=None)
        if self.instead is None:
            return (plain,)
        return replace(plain, entity=self.instead, state=ReviewState.CONFIRMED), plain


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a decision: the classification after it, or the sentence why it could not be taken."""

    decision: Decision
    record: ClassificationRecord | None = None
    problem: str | None = None


class Reviews:
    """Lists classifications across datasets and takes decisions on them."""

    def __init__(self, store: CatalogStore, datasets: Datasets) -> None:
        self._store = store
        self._datasets = datasets

    def page(
        self, where: DetectionFilter, limit: int, offset: int = 0, order: DetectionOrder = DetectionOrder.DATASET
    ) -> DetectionPage:
        """Datasets that were deleted are left out."""
        clusters = {c.namespace: c.name for c in self._store.clusters()}
        items = [
            Detection(dataset, f"{clusters.get(dataset.namespace, dataset.namespace)}/{dataset.name}", record)
            for dataset, record in self._store.all_classifications()
        ]
        chosen = sorted(
            (f for f in items if _fits(f, where)), key=lambda f: (f.reference, f.record.path, f.record.entity)
        )
        if order is DetectionOrder.DOUBT:
            chosen.sort(key=lambda f: f.record.score)
        counts = {
            "state": _counted(str(f.record.state) for f in chosen),
            "entity": _counted(f.record.entity for f in chosen),
            "dataset": _counted(f.reference for f in chosen),
        }
        return DetectionPage(tuple(chosen[offset : offset + limit]), len(chosen), counts)

    def review(
        self, decisions: Sequence[Decision], by: str, refused: Callable[[Decision], str | None] = lambda _: None
    ) -> list[Outcome]:
        """Take every decision that can be taken, each dataset's together; the outcomes are in the order of the decisions.

        `refused`: why one may not be taken, in a sentence; asked in the transaction that writes it. Raises InvalidInput for more
        than MAX_ITEMS.
        """
        if len(decisions) > MAX_ITEMS:
            raise InvalidInput(f"{len(decisions):,} reviews are too many for one call; send at most {MAX_ITEMS:,}.")
        outcomes: dict[int, Outcome] = {}
        by_dataset: dict[DatasetId, list[int]] = {}
        for number, decision in enumerate(decisions):
            by_dataset.setdefault(decision.dataset, []).append(number)
        for numbers in by_dataset.values():
            with self._store.transaction():
                for number in numbers:
                    choice = decisions[number]
                    if problem := refused(choice):
                        outcomes[number] = Outcome(choice, problem=problem)
                        continue
                    try:
                        outcomes[number] = Outcome(choice, self._take(choice, by))
                    except WeirError as error:
                        outcomes[number] = Outcome(choice, problem=error.message)
        return [outcomes[number] for number in range(len(decisions))]

    def _take(self, choice: Decision, by: str) -> ClassificationRecord:
        """The classification after it. Raises InvalidInput, NotFound, before anything is written."""
        if choice.instead is not None:
            self._require_other_kind(choice)
        for part in choice.parts:
            after = self._datasets.review(part.dataset, part.path, part.entity, part.state, part.reason, by)
        return after

    def _require_other_kind(self, choice: Decision) -> None:
        if choice.state is not ReviewState.REJECTED:
            raise InvalidInput(f"A decision with another kind rejects {choice.entity}: its state is rejected.")
        if choice.instead == choice.entity:
            raise InvalidInput(f"{choice.entity} at {choice.path} has this kind already; name another one.")
        place = str(FieldPath.parse(choice.path))
        record = self._datasets.get(choice.dataset)
        if not any(each.key == (place, choice.entity) for each in self._store.classifications(record.id)):
            raise NotFound(f"{record.reference} has no classification {choice.entity} at {place}.")


def _fits(item: Detection, where: DetectionFilter) -> bool:
    record = item.record
    if where.state is not None and record.state is not where.state:
        return False
    if where.entity is not None and not tag_matches(where.entity, record.entity):
        return False
    if where.dataset is not None and not (
        fnmatchcase(item.reference, where.dataset) or fnmatchcase(str(item.dataset), where.dataset)
    ):
        return False
    if where.path is not None and record.path != where.path and not _like(record.path, where.path):
        return False
    if where.recognizer is not None and where.recognizer not in _recognizers(record):
        return False
    if where.doubtful is not None and where.doubtful is not is_doubtful(record):
        return False
    return where.changed is None or where.changed is ("change" in record.evidence)


def _like(path: str, pattern: str) -> bool:
    """`*` matches anything; brackets are part of paths, not of the pattern."""
    return fnmatchcase(path, pattern.replace("[", "[[]"))


def _recognizers(record: ClassificationRecord) -> set[str]:
    return {str(r.get("name", "")) for r in record.evidence.get("recognizers") or () if hasattr(r, "get")}


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
