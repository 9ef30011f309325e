"""What producers of lineage report of datasets, jobs and runs, as it is kept: one fact a row.

A fact has a key within its subject (`schema`, `ownership`, `columns@job:...`). The newest report of a key wins; of two at
the same time the one with the greater digest. So the order in which reports come does not matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import cached_property
from hashlib import blake2b
from typing import Any, Protocol

import orjson

from catalog.model import DatasetId

DATASET, JOB, RUN = "dataset", "job", "run"
_HOUR_MS = 3_600_000


def hour(time: int) -> int:
    """The beginning of a time's hour. What is repeated is written once an hour, so a fact's time is exact to the hour."""
    return time - time % _HOUR_MS


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """Whom a fact is about: a dataset or a job, by the name its producer writes. Facts of runs have their job's name."""

    kind: str
    namespace: str
    name: str

    @property
    def id(self) -> str:
        """A digest of the name, of a length that every index takes."""
        return _digest(self.kind, self.namespace, self.name)


@dataclass(frozen=True)
class Fact:
    """One thing reported. `part` is a run's id, else empty; `time` is in milliseconds; `value` is JSON, None = withdrawn."""

    subject: Subject
    key: str
    time: int
    value: Any = attribute(hash=False)
    part: str = ""

    @cached_property
    def id(self) -> str:
        return _digest(self.subject.kind, self.subject.namespace, self.subject.name, self.part, self.key)

    @cached_property
    def digest(self) -> str:
        """Of the value."""
        return blake2b(orjson.dumps(self.value, option=orjson.OPT_SORT_KEYS), digest_size=12).hexdigest()

    def at(self, time: int) -> Fact:
        """The same, reported at another time; what was computed of it is kept."""
        copy: Fact = object.__new__(Fact)
        copy.__dict__.update(self.__dict__)
        copy.__dict__["time"] = time
        return copy

    def newer_than(self, other: Fact) -> bool:
        return (self.time, self.digest) > (other.time, other.digest)


class ReportStore(Protocol):
    """Every method raises Unavailable when the store does not answer."""

    def put_facts(self, facts: Sequence[Fact], stamp: int, since: int | None = None) -> None:
        """Keep those that are newer than what is kept under their keys, and mark the datasets they are about as changed.

        stamp: the present in milliseconds, kept with each. since: what was kept with a smaller stamp is replaced
        whatever its time (a rebuild takes nothing over from before it began).
        """

    def facts(self, subjects: Collection[Subject], prefix: str = "") -> dict[Subject, list[Fact]]:
        """What is kept of these, by part and key; only keys that begin so."""

    def changed_reports(self, limit: int) -> list[tuple[DatasetId, int]]:
        """Datasets as written with facts that the catalog has not taken in, each with its count of changes."""

    def settle_reports(self, homes: Mapping[DatasetId, DatasetId], taken: Iterable[tuple[DatasetId, int]]) -> None:
        """Name as written -> the dataset of the catalog it means by now; and changes that were taken in."""

    def report_homes(self, written: Collection[DatasetId]) -> dict[DatasetId, DatasetId]:
        """Of names as written that have facts: the dataset of the catalog each was last settled to."""

    def report_members(self, homes: Collection[DatasetId]) -> dict[DatasetId, list[DatasetId]]:
        """The names as written that were settled to each of these datasets."""

    def report_namespaces(self) -> set[str]:
        """Namespaces of the datasets that names were settled to."""

    def touch_reports(self, namespace: str) -> None:
        """Everything settled to a dataset of this namespace counts as changed."""

    def forget_reports(self, before: int) -> int:
        """Remove facts with a smaller stamp, and mark their datasets as changed. Gives how many."""

    def forget_runs(self, job: Subject, kept: int) -> None:
        """Keep the facts of a job's newest runs only."""


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()
