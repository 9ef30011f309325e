"""One run of an owner: when it began, what it reported, and whether it ended."""

from __future__ import annotations

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
