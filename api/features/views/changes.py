"""Following the rows of a view: all of them first, then every change, as one reader may see them.

    snapshot (pages of rows)  ->  upsert, delete ...  ->  generation  ->  snapshot ...  ->  end

Versions of the serving table are what is followed: a snapshot is the rows by the version that changed them last, up to the
newest version of its beginning; later versions come as changes. A place in the stream is a version, never a key, so an
event's id holds no value, and it outlives a restart of the process.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from api.features.views.answers import Freshness
from api.features.views.reading import Readable, ViewReading
from catalog.errors import LimitExceeded, WeirError
from policies.model import Subject
from policies.plan.ports import NoAgents, RowBudget
from policies.plan.registry import Running
from policies.query.steps import AGENT_RECHECK_S
from views.row_ports import Change, ServingTable
from views.runner.state import Generation, ViewState
from views.serving.key_order import encode
from views.serving.leaves import NotExact

_LOOK_S = 0.2
_STATE_S = 1.0
_QUIET_S = 5.0
"""After so long without a change `freshness` is sent: how far the rows are, and that the connection is there."""
_PAGE = 500
_BEFORE_ALL = -1
_ID = re.compile(r"([0-9]{1,9}-[0-9a-f]{16})\.([0-9a-f]{8})\.([0-9]{1,18})(?:\.([0-9]{1,18}))?\Z")

CHANGED = "What you may see of the view has changed."


@dataclass(frozen=True, slots=True)
class Event:
    """`id`: where to continue behind it; None: behind the event before."""

    type: str
    data: dict[str, Any]
    id: str | None = None


def _rows_in(event: Event) -> int:
    return len(event.data.get("rows", ())) if event.type == "snapshot" else int(event.type in ("upsert", "delete"))


@dataclass(slots=True)
class Place:
    """What was given: all changes up to the version `at`. `until`: of the newest version in the snapshot that is being
    given, None once it is whole."""

    at: int = _BEFORE_ALL
    until: int | None = None

    def id(self, opened: Readable) -> str:
        rest = f".{self.until}" if self.until is not None else ""
        return f"{opened.active.id}.{opened.seen}.{max(0, self.at)}{rest}"


class ViewChanges:
    """The service behind `GET /views/{name}/changes`. Safe for threads."""

    def __init__(
        self, reading: ViewReading, serving: ServingTable, recheck_seconds: float, budget: RowBudget | None = None
    ) -> None:
        """`recheck_seconds`: how often the decision on an open stream is taken again."""
        self.budget: RowBudget = budget or NoAgents()
        self.reading, self.serving, self.recheck = reading, serving, recheck_seconds

    def follow(self, subject: Subject, name: str, last_id: str | None, live: Running) -> Iterator[list[Event]]:
        """Events, as they are to be sent together, until access ends, the view has no rows any more, or `live` is
        stopped; the last is `end` then. `last_id`: of the last event that the reader has.

        Raises before the first events what `rows` raises.
        """
        self.budget.require_left(subject)
        follower = _Follower(self, subject, name, live, self.reading.open(subject, name, live.purpose))
        first = follower.begin(last_id)  # refusals come before the stream
        return follower.events(first)


class _Follower:
    """One reader's way through one view. Not safe for threads."""

    def __init__(self, of: ViewChanges, subject: Subject, name: str, live: Running, opened: Readable) -> None:
        self._reading, self._serving, self._budget = of.reading, of.serving, of.budget
        self._recheck = of.recheck if subject.agent is None else min(of.recheck, AGENT_RECHECK_S)
        self._subject, self._name, self._live, self._opened = subject, name, live, opened
        self._state: ViewState = opened.state
        self._place = Place()
        self._reason: str | None = None
        self._begun = False
        self._counted = 0
        self._decided = self._looked = self._sent = time.monotonic()

    def begin(self, last_id: str | None) -> list[Event]:
        """The first events: `resumed`, or the beginning of a snapshot."""
        if last_id is None:
            return self._snapshot(None)
        why = self._resume(last_id)
        if why is not None:
            return self._snapshot(why)
        return [Event("resumed", self._header() | self._fresh())]

    def events(self, first: list[Event]) -> Iterator[list[Event]]:
        try:
            self._count(first)
            yield first
            while True:
                if self._live.stop.stopped:
                    raise self._live.stop.error()
                events = self._next()
                if events:
                    self._count(events)
                    self._sent = time.monotonic()
                    self._live.rows += sum(each.type in ("upsert", "delete") for each in events)
                    yield events
                else:
                    time.sleep(_LOOK_S)
        except WeirError as error:
            self._live.ended_by(error)
            reasons = error.details.get("reasons", [])
            yield [Event("end", {"code": error.code, "message": error.message, "reasons": reasons})]

    def _count(self, events: Sequence[Event]) -> None:
        """Count rows before they are sent; of an agent all events are one answer. Raises LimitExceeded."""
        rows = sum(_rows_in(each) for each in events)
        agent = self._subject.agent
        self._counted += rows
        if agent is not None and self._counted > agent.rows:
            raise LimitExceeded(
                f"Agent {agent.name} may have {agent.rows:,} rows in one answer, and these are more.",
                details={"limit": "rows", "most": agent.rows, "reasons": []},
            )
        self._budget.take(self._subject, rows)

    # -- one look -----------------------------------------------------------------------------------------------------

    def _next(self) -> list[Event]:
        """What is to be sent now; nothing where nothing changed. Raises what ends the stream."""
        turned = self._look_again()
        if turned:
            return turned
        if self._place.until is not None:
            return self._snapshot_page()
        versions = self._serving.versions(self._name, self._opened.active.id)
        if versions.newest <= self._place.at:
            quiet = time.monotonic() - self._sent >= _QUIET_S
            return [Event("freshness", {"state": str(self._state.state), **self._fresh()})] if quiet else []
        if versions.forgotten > self._place.at:
            return self._snapshot("Keys that are gone were forgotten before they were sent.")
        return self._changes(versions.newest)

    def _look_again(self) -> list[Event]:
        """Decide again where that is due; what a swap or another decision begins with."""
        now = time.monotonic()
        if now - self._decided >= self._recheck:
            opened = self._reading.open(self._live.now(self._subject), self._name, self._live.purpose, again=True)
            self._decided = self._looked = now
        elif now - self._looked >= _STATE_S:
            self._looked = now
            self._state = self._reading.state(self._name)
            if self._is_same(self._state.active):
                return []
            opened = self._reading.open(self._live.now(self._subject), self._name, self._live.purpose)
            self._decided = now
        else:
            return []
        before, self._opened, self._state = self._opened, opened, opened.state
        if opened.active.id != before.active.id:
            why = opened.active.why
            swapped = {"generation": opened.active.number, "before": before.active.number, "why": why}
            return [Event("generation", swapped), *self._snapshot(f"The view has another generation: {why}.")]
        if opened.seen != before.seen:
            return self._snapshot(CHANGED)
        return []

    def _is_same(self, active: Generation | None) -> bool:
        return active is not None and active.id == self._opened.active.id

    def _still(self) -> bool:
        """Whether what was just read is of the generation that readers get: the rows of one that was replaced may have
        been deleted meanwhile, so that some of them are missing. Raises Conflict for a view without rows."""
        return self._is_same(self._reading.state(self._name).active)

    # -- a snapshot ---------------------------------------------------------------------------------------------------

    def _snapshot(self, reason: str | None) -> list[Event]:
        newest = self._serving.versions(self._name, self._opened.active.id).newest
        self._place, self._reason, self._begun = Place(_BEFORE_ALL, newest), reason, False
        return self._snapshot_page()

    def _snapshot_page(self) -> list[Event]:
        until = self._place.until
        assert until is not None
        page = self._serving.changes(self._name, self._opened.active.id, self._place.at, until, _PAGE, gone=False)
        if not self._still():
            self._decided = -1e9  # the next look turns to what readers get
            return []
        whole = page.end >= until
        self._place = Place(page.end, None if whole else until)
        rows = [(each.key, self._seen(each)) for each in self._ordered(page.changes)]
        data = self._fresh() | {"rows": [row for _, row in rows], "last": whole}
        if not self._begun:
            data |= self._header() | ({"reason": self._reason} if self._reason else {})
        if not self._opened.active.keys and not self._opened.active.single:
            data["keys"] = [json.loads(key) for key, _ in rows]
        self._begun = True
        return [Event("snapshot", data, self._place.id(self._opened))]

    def _header(self) -> dict[str, object]:
        shown = {each.name for each in self._opened.masked.columns}
        return {
            "columns": [each.model_dump() for each in self._opened.shown],
            "key": [name for name in self._opened.active.keys if name in shown],
            "leftOut": list(self._opened.masked.left_out),
        }

    # -- changes ------------------------------------------------------------------------------------------------------

    def _changes(self, newest: int) -> list[Event]:
        fresh = self._fresh()
        page = self._serving.changes(self._name, self._opened.active.id, self._place.at, newest, _PAGE)
        if not self._still():
            self._decided = -1e9
            return []
        self._place = Place(page.end)
        events = [
            Event("delete", {"key": self._key(each)} | fresh)
            if each.row is None
            else Event("upsert", {"key": self._key(each), "row": self._seen(each)} | fresh)
            for each in self._ordered(page.changes)
        ]
        if events:
            events[-1] = Event(events[-1].type, events[-1].data, self._place.id(self._opened))
        return events

    def _ordered(self, changes: Sequence[Change]) -> list[Change]:
        """The changes of a version are stored in the order of their keys; where a key column is masked, that order would
        disclose it, so they are sorted by what the reader sees."""
        masked = self._opened.masked
        if all(masked.unmasked(name) for name in self._opened.active.keys):
            return list(changes)
        return [
            change
            for _, some in groupby(changes, key=lambda each: each.version)
            for change in sorted(some, key=lambda each: (each.row is None, encode([self._key(each), self._seen(each)])))
        ]

    def _key(self, change: Change) -> list[object]:
        """The key as the reader sees it: the shown columns of it; of a view without a key the record's place."""
        values = json.loads(change.key)
        names = self._opened.active.keys
        if not names:
            return list(values)
        seen = self._masked(dict(zip(names, values, strict=True)))
        return [seen[name] for name in names if name in seen]

    def _seen(self, change: Change) -> list[object]:
        """The values of a row in the order of the columns; none of one that is gone."""
        if change.row is None:
            return []
        seen = self._masked(change.row.values)
        return [seen[each.name] for each in self._opened.masked.columns]

    def _masked(self, values: Mapping[str, object]) -> dict[str, object]:
        try:
            return self._opened.masked.row(values)
        except NotExact as reason:
            raise self._opened.by_sql(str(reason)) from None

    def _fresh(self) -> dict[str, object]:
        contained = self._serving.contained(self._name, self._opened.active.id)
        return {
            "generation": self._opened.active.number,
            "freshness": Freshness.of(self._state, contained).model_dump(),
        }

    # -- resuming -----------------------------------------------------------------------------------------------------

    def _resume(self, last_id: str) -> str | None:
        """Take the place of an event's id; why that cannot be, in a sentence."""
        match = _ID.match(last_id.strip())
        if match is None:
            return "The Last-Event-ID is none of this stream."
        generation, seen, at, until = match.groups()
        if generation != self._opened.active.id:
            return "The view has another generation than the Last-Event-ID."
        if seen != self._opened.seen:
            return CHANGED
        place = Place(int(at), int(until) if until else None)
        versions = self._serving.versions(self._name, generation)
        whole = place.until if place.until is not None else place.at
        if whole > versions.newest:
            return "The Last-Event-ID is none of this stream."
        if versions.forgotten > whole:
            return "The Last-Event-ID is older than the keys that are gone are kept."
        self._place, self._begun = place, True
        return None
