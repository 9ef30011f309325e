"""One run of an owner: when it began, what it reported, and whether it ended.

Reports of a run that are each complete are `Turns`, as a later one may withdraw or repeat what it lists. They are a set, so
their order of arrival does not matter while there are few. Of very many, those between two equal neighbours are dropped
first: they only confirm.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

Turns = list[tuple[int, str]]
"""Times and the digest of the facts reported then, in order of time, each once."""
TERMINAL = ("COMPLETE", "FAIL", "ABORT")
STREAMING = ("STREAMING", "SERVICE")


@dataclass(slots=True)
class Run:
    """One run: when it began, its last report, and what it reported when (`phases`: facts' digest -> first time)."""

    id: str
    first: int
    last: int
    types: dict[str, int] = field(default_factory=dict)
    """Event type -> time of the newest event of it."""
    processing: str | None = None
    snapshot: bool = False
    parent: str | None = None
    phases: dict[str, int] = field(default_factory=dict)
    turns: Turns = field(default_factory=list)
    """Of a run whose every report is complete: what it reported when, so that a flow that returns is seen."""

    claimed: tuple[int, int] | None = None
    """Of reports dated after their arrival, the latest: (the time it claims, when it arrived)."""
    firsts: dict[str, int] = field(default_factory=dict)
    """Event type -> time of the first event of it."""

    @property
    def heard(self) -> int:
        """Time of the last report; never before the first."""
        return max(self.first, self.last)

    @property
    def streaming(self) -> bool:
        return self.processing in STREAMING

    @property
    def complete(self) -> bool:
        return "COMPLETE" in self.types

    def data_from(self) -> int | None:
        """When what it writes is there: a batch's with its COMPLETE, a stream's from its first RUNNING. None before."""
        firsts = {**self.types, **self.firsts}
        counts = [time for kind, time in firsts.items() if kind == "COMPLETE"]
        if self.streaming or self.snapshot:
            counts += [time for kind, time in firsts.items() if kind in ("RUNNING", "OTHER")]
        elif firsts.keys() <= {"OTHER"}:  # a producer that names no states
            return self.first
        return min(counts, default=None)

    def state(self) -> str:
        """START, RUNNING, COMPLETE, FAIL, ABORT or OTHER: the newest report, where a terminal one wins a tie."""
        if not self.types:
            return "OTHER"
        order = {kind: at for at, kind in enumerate(("OTHER", "START", "RUNNING", "ABORT", "FAIL", "COMPLETE"))}
        if not self.streaming:
            ends = {kind: time for kind, time in self.types.items() if kind in TERMINAL}
            if ends:  # of a batch run, nothing that comes after its end undoes the end
                return max(ends, key=lambda kind: (ends[kind], order[kind]))
        return max(self.types, key=lambda kind: (self.types[kind], order.get(kind, 0)))


def add_turn(turns: Turns, time: int, key: str, limit: int) -> bool:
    """Add a turn; whether it was new. At most `limit` turns, or as many as there are changes, are kept."""
    at = bisect_left(turns, (time, key))
    if at < len(turns) and turns[at] == (time, key):
        return False
    turns.insert(at, (time, key))
    if len(turns) > limit:
        ends = range(len(turns))
        turns[:] = [
            turn
            for n, turn in enumerate(turns)
            if n in (0, ends[-1]) or not turns[n - 1][1] == turn[1] == turns[n + 1][1]
        ]
    return True


def all_turns(first: Mapping[str, int], turns: Turns) -> Turns:
    """The turns with those only known by their first time."""
    return sorted({(time, key) for key, time in first.items()} | set(turns))


def changes(turns: Turns) -> Turns:
    """Only those that differ from the one before."""
    return [turn for at, turn in enumerate(turns) if at == 0 or turns[at - 1][1] != turn[1]]


def newest_changes(turns: Turns, limit: int) -> Turns:
    """The turns of the first and of the newest changes."""
    all_changes = changes(turns)
    if len(all_changes) <= limit:
        return turns
    since = all_changes[len(all_changes) - limit + 1]
    return [all_changes[0], *(turn for turn in turns if turn >= since)]
