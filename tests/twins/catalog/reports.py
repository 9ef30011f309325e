"""Facts of producers in memory; see `catalog.report_store.ReportStore`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from catalog.model import DatasetId
from catalog.report_store import DATASET, RUN, Fact, Subject


class MemoryReports:
    _state: Any

    def put_facts(self, facts: Sequence[Fact], stamp: int, since: int | None = None) -> None:
        rows, reports = self._state.facts, self._state.reports
        for fact in facts:
            before = rows.get(fact.id)
            if before is None or fact.newer_than(before[0]) or (since is not None and before[1] < since):
                rows[fact.id] = (fact, stamp)
                if fact.subject.kind == DATASET:
                    written = DatasetId(fact.subject.namespace, fact.subject.name)
                    home, changes, taken = reports.get(written, (None, 0, 0))
                    reports[written] = (home, changes + 1, taken)

    def facts(self, subjects: Collection[Subject], prefix: str = "") -> dict[Subject, list[Fact]]:
        by_subject: dict[Subject, list[Fact]] = {subject: [] for subject in subjects}
        for fact, _ in self._state.facts.values():
            if fact.subject in by_subject and fact.key.startswith(prefix):
                by_subject[fact.subject].append(fact)
        return {
            subject: sorted(rows, key=lambda fact: (fact.part, fact.key))
            for subject, rows in by_subject.items()
            if rows
        }

    def changed_reports(self, limit: int) -> list[tuple[DatasetId, int]]:
        behind = [(name, changes) for name, (_, changes, taken) in self._state.reports.items() if changes > taken]
        return sorted(behind)[:limit]

    def settle_reports(self, homes: Mapping[DatasetId, DatasetId], taken: Iterable[tuple[DatasetId, int]]) -> None:
        reports = self._state.reports
        for written, home in homes.items():
            if written in reports:
                reports[written] = (home, *reports[written][1:])
        for written, changes in taken:
            reports[written] = (*reports[written][:2], changes)

    def report_homes(self, written: Collection[DatasetId]) -> dict[DatasetId, DatasetId]:
        reports = self._state.reports
        return {name: reports[name][0] for name in written if name in reports and reports[name][0] is not None}

    def report_members(self, homes: Collection[DatasetId]) -> dict[DatasetId, list[DatasetId]]:
        members: dict[DatasetId, list[DatasetId]] = {home: [] for home in homes}
        for written, (home, _, _) in sorted(self._state.reports.items()):
            if home in members:
                members[home].append(written)
        return members

    def report_namespaces(self) -> set[str]:
        return {home.namespace for home, _, _ in self._state.reports.values() if home is not None}

    def touch_reports(self, namespace: str) -> None:
        for written, (home, changes, taken) in list(self._state.reports.items()):
            if home is not None and home.namespace == namespace:
                self._state.reports[written] = (home, changes + 1, taken)

    def forget_reports(self, before: int) -> int:
        gone = [key for key, (_, stamp) in self._state.facts.items() if stamp < before]
        for key in gone:
            fact, _ = self._state.facts.pop(key)
            written = DatasetId(fact.subject.namespace, fact.subject.name)
            if fact.subject.kind == DATASET and written in self._state.reports:
                home, changes, taken = self._state.reports[written]
                self._state.reports[written] = (home, changes + 1, taken)
        return len(gone)

    def forget_runs(self, job: Subject, kept: int) -> None:
        times: dict[str, int] = {}
        mine = {key: fact for key, (fact, _) in self._state.facts.items() if fact.subject == job}
        for fact in mine.values():
            times[fact.part] = max(times.get(fact.part, fact.time), fact.time)
        assert job.kind == RUN
        oldest = set(sorted(times, key=lambda run: (times[run], run))[: max(0, len(times) - kept)])
        for key, fact in mine.items():
            if fact.part in oldest:
                del self._state.facts[key]
