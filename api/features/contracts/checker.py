"""Checks of new records where contracts ask for them: a duty of the worker. It reads what is new since the last check."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from api.config.logs import frames
from api.joins.connections import Connections
from catalog.check_positions import CheckPosition
from catalog.contracts.new_records import NewRecordContracts, NewRecordsSeen
from catalog.errors import WeirError
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock
from catalog.records import DatasetRecord
from scanners.model import TopicFormat
from scanners.scan.new_records import LookStart, NewLook, NewRecords

log = structlog.get_logger("weir.checks")

_RATE_S = 300.0
"""Over how many seconds arrivals are counted."""
_JUMP_S = 30.0
"""How far the server's clock may move by itself between two checks."""


@dataclass(slots=True)
class _Course:
    """What this process knows of the checks of one dataset."""

    due: float = 0.0
    ends: deque[tuple[float, int]] = field(default_factory=deque)
    """(monotonic seconds, sum of the ends of its partitions), for the last minutes."""
    clocks: tuple[float, datetime] | None = None
    problem: str | None = None


class NewRecordChecker:
    """Does checks that are due, one dataset after another."""

    def __init__(
        self,
        store: CatalogStore,
        contracts: NewRecordContracts,
        records: NewRecords,
        connections: Connections,
        clock: Clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._contracts, self._records = store, contracts, records
        self._connections, self._clock, self._monotonic = connections, clock, monotonic
        self._courses: dict[DatasetId, _Course] = {}

    def step(self) -> bool:
        """Do what is due; True where one of them left records, so that there is more to do at once."""
        more = False
        asking = self._contracts.asking()
        for gone in self._courses.keys() - asking.keys():
            del self._courses[gone]
        for dataset, every in asking.items():
            course = self._courses.setdefault(dataset, _Course())
            if course.due <= self._monotonic():
                # Twice as often as is asked for: what breaks a moment after a check is then found in time by the next one.
                course.due = self._monotonic() + every / 2
                if self._checked(dataset, course):
                    course.due, more = 0.0, True
        return more

    @property
    def problems(self) -> Mapping[DatasetId, str]:
        """Datasets whose last check failed, and why."""
        return {dataset: each.problem for dataset, each in self._courses.items() if each.problem is not None}

    def _checked(self, dataset: DatasetId, course: _Course) -> bool:
        """One check. The failure of one dataset is logged, and leaves the others alone."""
        try:
            more = self._check(dataset, course)
        except WeirError as error:
            log.warning("check_failed", dataset=dataset.name, message=error.message)
            course.problem = error.message
        except Exception as error:
            log.error("check_failed", dataset=dataset.name, kind=type(error).__name__, at=frames(error))
            course.problem = f"The check failed inside Weir ({type(error).__name__}); the worker's log shows where."
        else:
            course.problem = None
            return more
        return False

    def _check(self, dataset: DatasetId, course: _Course) -> bool:
        record = self._store.dataset(dataset)
        if record is None or record.cluster is None or record.deleted_at is not None:
            return False
        before = self._contracts.position(dataset)
        start = LookStart(before.next, before.topic_id) if before is not None else LookStart()
        look = self._records.look(
            self._connections.connection(record.cluster),
            dataset.name,
            start,
            self._formats(record),
            record.declared_ddl,
            self._known(dataset),
        )
        seen = NewRecordsSeen(
            look=look,
            before=before,
            after=CheckPosition(dataset, next=look.next, topic_id=look.topic_id),
            unread=look.unread,
            arrived=self._arrived(course, look, before),
            clock_jumped=self._clock_jumped(course),
        )
        kept = self._contracts.keep(record, seen)
        if not kept:
            log.info("check_dropped", dataset=dataset.name, reason="another checker was first")
        return look.more and kept

    def _arrived(self, course: _Course, look: NewLook, before: CheckPosition | None) -> tuple[int, float] | None:
        """What arrived over the last minutes, by the ends of partitions and a clock that does not jump."""
        now, total = self._monotonic(), sum(look.ends.values())
        if course.ends and (total < course.ends[-1][1] or (before is not None and before.topic_id != look.topic_id)):
            course.ends.clear()
        course.ends.append((now, total))
        while len(course.ends) > 2 and now - course.ends[1][0] >= _RATE_S:
            course.ends.popleft()
        since, first = course.ends[0]
        return (total - first, now - since) if now > since else None

    def _clock_jumped(self, course: _Course) -> bool:
        """Whether the server's clock and one that cannot be set moved differently since the last check."""
        before, course.clocks = course.clocks, (self._monotonic(), self._clock())
        if before is None:
            return False
        passed, shown = course.clocks[0] - before[0], (course.clocks[1] - before[1]).total_seconds()
        return abs(passed - shown) > _JUMP_S

    def _formats(self, record: DatasetRecord) -> TopicFormat | None:
        """The declared formats of a topic, as scans take them."""
        document = self._store.document("Dataset", record.reference)
        declared = document.spec.get("format") if document is not None else None
        return TopicFormat.from_mapping(declared) if declared else None

    def _known(self, dataset: DatasetId) -> TopicFormat | None:
        """The formats by which the last scan read the topic."""
        stored = self._store.current_schema(dataset)
        return TopicFormat.from_mapping(stored.format) if stored is not None else None
