"""Scans by themselves: what clusters and datasets declare (`scan: {every: 6h}`) becomes scan jobs when it is due."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from catalog.errors import Unavailable, WeirError
from catalog.ports import CatalogStore, Clock
from catalog.scan_store import ScanRecord
from catalog.scans.scans import Scans

_log = logging.getLogger(__name__)

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, slots=True)
class Schedule:
    """One declared schedule. `name` is who asks for its scans: `schedule:prod`, `schedule:prod/orders`."""

    name: str
    cluster: str
    topics: tuple[str, ...]
    exclude: tuple[str, ...]
    every: timedelta
    sample: Mapping[str, Any]


class Schedules:
    """Asks for the scans that are due. Safe to be called by several workers, often."""

    def __init__(self, store: CatalogStore, scans: Scans, clock: Clock, dead_letter_topic: str) -> None:
        self._store = store
        self._scans = scans
        self._clock = clock
        self._letters = dead_letter_topic

    def all(self) -> list[Schedule]:
        """Every declared schedule: of clusters, then of datasets."""
        own: dict[str, list[str]] = {}
        datasets = []
        for document in self._store.documents("Dataset"):
            if document.spec.get("scan"):
                cluster, _, name = document.key.partition("/")
                own.setdefault(cluster, []).append(name)
                datasets.append(self._schedule(document.key, cluster, [name], (), document.spec["scan"]))
        clusters = [
            self._schedule(d.key, d.key, d.spec["scan"].get("topics") or ["*"], own.get(d.key, ()), d.spec["scan"])
            for d in self._store.documents("Cluster")
            if d.spec.get("scan")
        ]
        return [*clusters, *datasets]

    def request_due(self) -> Sequence[ScanRecord]:
        """Queue a scan for every schedule whose last one was asked for long enough ago and is over.

        A schedule that cannot be followed is logged and keeps no other from it. Raises Unavailable.
        """
        due = list(self._due())
        if not due:
            return []
        with self._store.transaction():
            # Looked at again among the other writers: another worker may have asked meanwhile.
            return [scan for schedule in self._due() if (scan := self._request(schedule)) is not None]

    def _request(self, due: Schedule) -> ScanRecord | None:
        try:
            return self._scans.request(due.cluster, due.topics, due.sample, due.name, exclude=due.exclude)
        except Unavailable:
            raise
        except WeirError as error:
            _log.warning("%s cannot be followed: %s", due.name, error.message)
            return None

    def _due(self) -> Iterator[Schedule]:
        now = self._clock()
        for schedule in self.all():
            last = self._store.last_scan(schedule.name)
            waited = last is None or (last.state.over and now - last.created_at >= schedule.every)
            if waited and self._store.cluster(schedule.cluster) is not None:
                yield schedule

    def _schedule(
        self, key: str, cluster: str, topics: Sequence[str], exclude: Sequence[str], spec: Mapping[str, Any]
    ) -> Schedule:
        sample: dict[str, object] = {"strategy": spec.get("strategy", "since-last")}
        if spec.get("records"):
            sample["maxRecords"] = spec["records"]
        if spec.get("deadLetter"):
            sample["deadLetter"] = self._letters if spec["deadLetter"] is True else spec["deadLetter"]
        every = timedelta(**{_UNITS[spec["every"][-1]]: int(spec["every"][:-1])})
        return Schedule(
            name=f"schedule:{key}",
            cluster=cluster,
            topics=tuple(topics),
            exclude=tuple(sorted(exclude)),
            every=every,
            sample=sample,
        )
