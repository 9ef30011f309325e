"""What was sent and acknowledged, and its comparison with what is there afterwards."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome for one kind of input. `lost`, `doubled`: the keys, with what is there in place of what should be."""

    tried: int
    acknowledged: int
    present: int
    lost: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()


@dataclass
class Ledger:
    """Inputs of one kind. Safe for many threads.

    A key that is acknowledged again with another value has that value from then on (a tag that was replaced, a request
    that was decided).
    """

    _tried: set[str] = field(default_factory=set)
    _acknowledged: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def tried(self, key: str) -> None:
        with self._lock:
            self._tried.add(key)

    def acknowledged(self, key: str, value: str = "") -> None:
        """`value`: what must be there, "" where being there is enough."""
        with self._lock:
            self._tried.add(key)
            self._acknowledged[key] = value

    def all_acknowledged(self) -> dict[str, str]:
        with self._lock:
            return dict(self._acknowledged)

    def compare(self, present: Mapping[str, Sequence[str]]) -> Tally:
        """`present`: for each key the value of every copy that is there. What was not acknowledged may be there or not,
        but not twice."""
        with self._lock:
            return compare(self._tried, self._acknowledged, present)


def compare(tried: set[str], acknowledged: Mapping[str, str], present: Mapping[str, Sequence[str]]) -> Tally:
    """Which of the acknowledged are there with their value, which are not, and which of the tried are there twice."""
    lost, there = [], 0
    for key, value in sorted(acknowledged.items()):
        copies = present.get(key, ())
        if any(value in ("", copy) for copy in copies):
            there += 1
        else:
            lost.append(f"{key}: {'nothing' if not copies else ', '.join(copies)}, not {value or 'there'}")
    doubled = [
        f"{key}: {len(present[key])} times"
        for key in sorted(tried | set(acknowledged))
        if len(present.get(key, ())) > 1
    ]
    return Tally(len(tried | set(acknowledged)), len(acknowledged), there, tuple(lost), tuple(doubled))
