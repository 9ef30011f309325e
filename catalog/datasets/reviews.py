"""Classifications of all datasets at once: what is to be reviewed, and many reviews in one go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from catalog.datasets.datasets import Datasets
from catalog.entities import tag_matches
from catalog.errors import InvalidInput, WeirError
from catalog.model import DatasetId, ReviewState
from catalog.ports import CatalogStore
from catalog.records import ClassificationRecord

MAX_ITEMS = 10_000
"""Reviews in one call."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which classifications are meant; None = all.

    entity      a tag, or PII for every kind of personal data
    dataset     CLUSTER/TOPIC, may hold *
    path        field path, may hold *
    recognizer  name of a recognizer that found it
    changed     True: only those whose last look differs from the one before (see `catalog.datasets.recheck`)
    """

    state: ReviewState | None = None
    entity: str | None = None
    dataset: str | None = None
    path: str | None = None
    recognizer: str | None = None
    changed: bool | None = None


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One classification and its dataset. `reference` is CLUSTER/TOPIC."""

    dataset: DatasetId
    reference: str
    record: ClassificationRecord

    def to_json(self) -> dict[str, Any]:
        return {
            "namespace": self.dataset.namespace,
            "name": self.dataset.name,
            "dataset": self.reference,
            **self.record.to_json(),
        }


@dataclass(frozen=True, slots=True)
class FoundPage:
    """Part of a list. `total` and `counts` ({state, entity, dataset} -> {value: count}) are of all that fit."""

    items: tuple[ReviewItem, ...]
    total: int
    counts: dict[str, dict[str, int]]

    def to_json(self) -> dict[str, Any]:
        return {
            "total": self.total,
            "counts": self.counts,
            "classifications": [item.to_json() for item in self.items],
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """A reviewer's word on one classification."""

    dataset: DatasetId
    path: str
    entity: str
    state: ReviewState
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a decision: the classification after it, or the sentence why it could not be taken."""

    decision: Decision
    record: ClassificationRecord | None = None
    problem: str | None = None

    def to_json(self) -> dict[str, Any]:
        decision = self.decision
        answer: dict[str, Any] = {
            "namespace": decision.dataset.namespace,
            "name": decision.dataset.name,
            "path": decision.path,
            "entity": decision.entity,
        }
        if self.record is not None:
            return {**answer, "state": str(self.record.state)}
        return {**answer, "problem": self.problem}


class Reviews:
    """Lists classifications across datasets and takes decisions on them."""

    def __init__(self, store: CatalogStore, datasets: Datasets) -> None:
        self._store = store
        self._datasets = datasets

    def page(self, wanted: Wanted, limit: int, offset: int = 0) -> FoundPage:
        """By dataset, path and entity. Datasets that were deleted are left out."""
        clusters = {c.namespace: c.name for c in self._store.clusters()}
        items = [
            ReviewItem(dataset, f"{clusters.get(dataset.namespace, dataset.namespace)}/{dataset.name}", record)
            for dataset, record in self._store.all_classifications()
        ]
        chosen = sorted(
            (f for f in items if _fits(f, wanted)), key=lambda f: (f.reference, f.record.path, f.record.entity)
        )
        counts = {
            "state": _counted(str(f.record.state) for f in chosen),
            "entity": _counted(f.record.entity for f in chosen),
            "dataset": _counted(f.reference for f in chosen),
        }
        return FoundPage(tuple(chosen[offset : offset + limit]), len(chosen), counts)

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
        for dataset, numbers in by_dataset.items():
            with self._store.transaction():
                for number in numbers:
                    choice = decisions[number]
                    if problem := refused(choice):
                        outcomes[number] = Outcome(choice, problem=problem)
                        continue
                    try:
                        after = self._datasets.review(
                            dataset, choice.path, choice.entity, choice.state, choice.reason, by
                        )
                        outcomes[number] = Outcome(choice, after)
                    except WeirError as error:
                        outcomes[number] = Outcome(choice, problem=error.message)
        return [outcomes[number] for number in range(len(decisions))]


def _fits(item: ReviewItem, wanted: Wanted) -> bool:
    record = item.record
    if wanted.state is not None and record.state is not wanted.state:
        return False
    if wanted.entity is not None and not tag_matches(wanted.entity, record.entity):
        return False
    if wanted.dataset is not None and not (
        fnmatchcase(item.reference, wanted.dataset) or fnmatchcase(str(item.dataset), wanted.dataset)
    ):
        return False
    if wanted.path is not None and record.path != wanted.path and not _like(record.path, wanted.path):
        return False
    if wanted.recognizer is not None and wanted.recognizer not in _recognizers(record):
        return False
    return wanted.changed is None or wanted.changed is ("change" in record.evidence)


def _like(path: str, pattern: str) -> bool:
    """`*` matches anything; brackets are part of paths, not of the pattern."""
    return fnmatchcase(path, pattern.replace("[", "[[]"))


def _recognizers(record: ClassificationRecord) -> set[str]:
    return {str(r.get("name", "")) for r in record.evidence.get("recognizers") or () if hasattr(r, "get")}


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
