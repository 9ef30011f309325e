"""Quality over time: each scan adds a point to the series of its dataset, and is compared with what is usual of them."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol
from uuid import uuid4

import numpy as np

from catalog.errors import InvalidInput, NotFound
from catalog.model import DatasetId, SchemaVersion
from catalog.ports import CatalogStore, Clock
from catalog.quality import history as histories
from catalog.quality.check import Change, Checked, check
from catalog.quality.episodes import Episode, Step
from catalog.quality.facts import Facts
from catalog.quality.layout import Layout, extended, layout
from catalog.quality.measuring import flow, lateness, measured
from catalog.quality.points import Course, Flags, course, joined, pack, point, unpack
from catalog.quality.sensitivity import NORMAL, SENSITIVITIES
from catalog.quality.series import Series
from catalog.quality.usual import Usual, usual
from catalog.quality_store import MOST_ANOMALIES, Anomaly, QualityMark, QualityState, Tier
from catalog.records import DatasetRecord, rfc3339

_log = logging.getLogger(__name__)

LEARNED = 2
"""Rows of what is learned: mean deviation, how many it is of."""
MARK_KINDS = ("deploy", "replay", "other")
_USUAL_MARK, _LONGEST_MARK = timedelta(hours=1), timedelta(days=30)


class Alarms(Protocol):
    """Receives anomalies, in the transaction of the scan that saw them."""

    def lasts(self, record: DatasetRecord, anomaly: Anomaly) -> None:
        """An anomaly began, or a scan saw it again."""

    def ended(self, record: DatasetRecord, anomaly: Anomaly) -> None:
        """See `Anomaly.ended_why`."""


class Quality:
    """The service behind quality over time."""

    def __init__(self, store: CatalogStore, clock: Clock, alarms: Alarms | None = None) -> None:
        self._store, self._clock, self._alarms = store, clock, alarms

    # --- checking ----------------------------------------------------------------------------------------------------

    def scanned(self, record: DatasetRecord, scanned: SchemaVersion, before: SchemaVersion | None) -> None:
        """A scan saw a dataset: its figures are kept and compared. Joins the transaction that records the scan."""
        now, state = self._clock(), self._store.quality_state(record.id) or QualityState(record.id)
        if state.checked_at is not None and now <= state.checked_at:
            _log.warning("A scan of %s is not in its quality: the clock is behind the scan before.", record.reference)
            return
        facts = Facts.of(state.facts)
        newest = scanned.window.time_to
        if newest is None and (stored := self._store.current_schema(record.id)) is not None:
            newest = stored.window.time_to
        flowed = flow(scanned.window, now, facts.reach, "compact" in str(record.topic.get("cleanupPolicy") or ""))
        figures_of = measured(scanned, flowed.rate, lateness(scanned, newest, now))
        keys, left_out = extended(state.series, figures_of)
        placed = layout(keys)
        figures = placed.figures(figures_of)
        learned = placed.with_learned(unpack(state.learned, LEARNED, placed.width))
        moments = histories.read(self._store, record.id, now, placed.width, flowed.reach.span)
        marks = self._marks_at(record.id, now) if now.timestamp() <= facts.marked_until else []
        hours = (now - facts.reach.at).total_seconds() / 3600 if facts.reach is not None else 1.0
        sensitivity = SENSITIVITIES.get(self.sensitivity(record))
        if sensitivity is None and facts.episodes:
            self._end_all(record, "off", now)
        checked = check(
            record.id.name,
            figures,
            placed,
            moments.history,
            facts.levels_of(placed),
            learned,
            facts.episodes,
            sensitivity,
            now,
            hours=hours,
            marked=bool(marks),
        )
        facts = replace(facts, reach=flowed.reach, left_out=left_out, episodes=checked.episodes)
        facts = _with_new_levels(facts, marks, placed, checked.unusual, now)
        facts = self._tell(record, facts, checked, now)
        self._store.put_quality_state(
            QualityState(record.id, keys, pack(checked.learned), facts.to_json(), checked_at=now),
            [
                point(Tier.SCAN, now, figures, checked.unusual),
                joined(moments.hour, Tier.HOUR, now, figures, checked.unusual),
                joined(moments.day, Tier.DAY, now, figures, checked.unusual),
            ],
        )

    def _marks_at(self, dataset: DatasetId, now: datetime) -> list[QualityMark]:
        return [each for each in self._store.quality_marks(dataset) if each.starts_at <= now <= each.ends_at]

    def sensitivity(self, record: DatasetRecord) -> str:
        """As declared of the dataset: off, low, normal, high."""
        document = self._store.document("Dataset", record.reference)
        declared = (document.spec.get("quality") or {}) if document else {}
        return str(declared.get("sensitivity") or NORMAL)

    def _tell(self, record: DatasetRecord, facts: Facts, checked: Checked, now: datetime) -> Facts:
        """Anomalies begin, last and end. Gives the facts with the names of anomalies and with what is accepted."""
        changed = [each for each in checked.changes if each.step is not Step.OPEN]
        lasting = {each.id: each for each in self._store.lasting_anomalies(record.id)} if changed else {}
        episodes, levels = dict(facts.episodes), dict(facts.levels)
        for change in checked.changes:
            key = change.series.key
            if change.step is Step.OPEN and change.episode is not None:
                anomaly = _begun(record.id, change, change.episode, now)
                episodes[key] = replace(change.episode, anomaly=anomaly.id)
                self._put(record, anomaly)
                continue
            known = lasting.get((change.before and change.before.anomaly) or "")
            if known is None:
                episodes.pop(key, None)
            elif change.step is Step.LAST:
                self._put(record, _seen_again(known, change, now))
            else:
                if change.step is Step.ACCEPT:
                    levels[key] = (known.began_at.timestamp(), now.timestamp())
                why = "accepted" if change.step is Step.ACCEPT else "usual"
                self._put(record, replace(known, ended_at=now, ended_why=why))
        return replace(facts, episodes=episodes, levels=levels)

    def _end_all(self, record: DatasetRecord, why: str, now: datetime) -> None:
        for each in self._store.lasting_anomalies(record.id):
            self._put(record, replace(each, ended_at=now, ended_why=why))

    def _put(self, record: DatasetRecord, anomaly: Anomaly) -> None:
        self._store.put_anomaly(anomaly)
        if self._alarms is None:
            return
        if anomaly.ended_at is None:
            self._alarms.lasts(record, anomaly)
        else:
            self._alarms.ended(record, anomaly)

    # --- marks -------------------------------------------------------------------------------------------------------

    def mark(
        self,
        record: DatasetRecord,
        kind: str,
        starts_at: datetime | None = None,
        ends_at: datetime | None = None,
        note: str = "",
        by: str | None = None,
    ) -> QualityMark:
        """Nothing of this time is an anomaly: one that began in it is over. By default an hour from now on.

        Raises InvalidInput for a kind that there is not, and for a time that ends before it starts or lasts too long.
        """
        now = self._clock()
        starts = starts_at or min(now, ends_at or now)
        ends = ends_at or starts + _USUAL_MARK
        if kind not in MARK_KINDS:
            raise InvalidInput(f"A mark is one of {', '.join(MARK_KINDS)}, not {kind!r}.", details={"kind": kind})
        if not starts < ends <= starts + _LONGEST_MARK:
            raise InvalidInput(
                f"A mark ends after it starts, and {_LONGEST_MARK.days} days later at most; give another --until.",
                details={"startsAt": rfc3339(starts), "endsAt": rfc3339(ends)},
            )
        mark = QualityMark(uuid4().hex, record.id, kind, starts, ends, note, by)
        with self._store.transaction():
            self._store.put_quality_mark(mark)
            state = self._store.quality_state(record.id) or QualityState(record.id)
            facts = Facts.of(state.facts)
            facts = replace(facts, marked_until=max(facts.marked_until, ends.timestamp()))
            for each in self._store.lasting_anomalies(record.id):
                if starts <= each.began_at <= ends:
                    facts = _without(facts, each, now if kind == "deploy" else None)
                    self._put(record, replace(each, ended_at=now, ended_why="marked"))
            self._store.put_quality_state(replace(state, facts=facts.to_json()))
        return mark

    def unmark(self, record: DatasetRecord, id: str) -> None:
        """Take a mark back: from the next scan on, that time is judged as any other. What it ended stays over.

        Raises NotFound for a mark that the dataset has not.
        """
        with self._store.transaction():
            if not self._store.delete_quality_mark(record.id, id):
                raise NotFound(f"{record.reference} has no mark {id!r}.", details={"dataset": record.reference})
            state = self._store.quality_state(record.id) or QualityState(record.id)
            ends = (each.ends_at.timestamp() for each in self._store.quality_marks(record.id))
            facts = replace(Facts.of(state.facts), marked_until=max(ends, default=0.0))
            self._store.put_quality_state(replace(state, facts=facts.to_json()))

    # --- reading -----------------------------------------------------------------------------------------------------

    def marks(self, dataset: DatasetId) -> list[QualityMark]:
        """Those that end last come first."""
        return self._store.quality_marks(dataset)

    def anomalies(self, dataset: DatasetId, limit: int = MOST_ANOMALIES) -> list[Anomaly]:
        """Those that last, then those that are over; each the newest first."""
        return self._store.anomalies(dataset, limit)

    def courses(self, dataset: DatasetId, tier: Tier, most: int, since: datetime | None = None) -> Courses:
        """Every series of a dataset, with what is usual of it at the last scan; `most` points of each."""
        state = self._store.quality_state(dataset) or QualityState(dataset)
        placed, facts = layout(state.series), Facts.of(state.facts)
        points = self._store.newest_quality_points(dataset, tier, most, since)
        seen = course(points, placed.width)
        if state.checked_at is None:
            return Courses(None, (), seen, None, 0)
        span = facts.reach.span if facts.reach else None
        moments = histories.read(self._store, dataset, state.checked_at, placed.width, span)
        learned = placed.with_learned(unpack(state.learned, LEARNED, placed.width))
        is_usual = usual(moments.history, placed, facts.levels_of(placed), learned, state.checked_at)
        return Courses(state.checked_at, placed.series, seen, is_usual, facts.left_out)


@dataclass(frozen=True, eq=False)
class Courses:
    """The series of a dataset. `seen`: columns are in the order of `series`; `left_out`: series that found no place."""

    checked_at: datetime | None
    series: tuple[Series, ...]
    seen: Course
    usual: Usual | None
    left_out: int


def _with_new_levels(
    facts: Facts, marks: Sequence[QualityMark], placed: Layout, unusual: Flags, now: datetime
) -> Facts:
    """What is unusual after a deploy is usual from it on."""
    deploys = [each for each in marks if each.kind == "deploy"]
    if not deploys or not unusual.any():
        return facts
    since = min(each.starts_at for each in deploys).timestamp()
    new = {placed.series[place].key: (since, now.timestamp()) for place in np.flatnonzero(unusual).tolist()}
    return replace(facts, levels={**facts.levels, **new})


def _without(facts: Facts, anomaly: Anomaly, accepted: datetime | None) -> Facts:
    """Without the episode of an anomaly; `accepted`: what it led to is usual, until then as well."""
    over = {key: each for key, each in facts.episodes.items() if each.anomaly == anomaly.id}
    levels = {key: (each.since.timestamp(), accepted.timestamp()) for key, each in over.items()} if accepted else {}
    episodes = {key: each for key, each in facts.episodes.items() if key not in over}
    return replace(facts, episodes=episodes, levels={**facts.levels, **levels})


def _begun(dataset: DatasetId, change: Change, episode: Episode, now: datetime) -> Anomaly:
    written = f"{dataset}\n{change.series.key}\n{rfc3339(episode.since)}"
    return Anomaly(
        id=hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:32],
        dataset=dataset,
        path=change.series.path,
        measure=change.series.name,
        direction="up" if change.upwards else "down",
        reason=change.reason,
        value=change.value,
        low=change.low,
        high=change.high,
        score=change.score,
        began_at=episode.since,
        seen_at=now,
    )


def _seen_again(known: Anomaly, change: Change, now: datetime) -> Anomaly:
    return replace(
        known,
        reason=change.reason,
        value=change.value,
        low=change.low,
        high=change.high,
        score=max(known.score, change.score),
        seen_at=now,
    )
