"""The leases of one process: it beats, keeps the duties that it holds, and takes those whose holder is gone.

Whether a holder is gone is judged by this process's own monotonic clock: its beat has not changed for `TTL_S`, it has
ended, or it is a process of this machine that is over. A holder judges itself the same way and stops earlier, so a clock
that jumps does no harm. A process that was frozen in the middle of a step is stopped by the number of its lease: the
record store refuses what is written under an old one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar

import structlog

from catalog.errors import Unavailable
from catalog.leases.holder import is_over, this_process
from catalog.leases.ports import Beats, Lease, LeaseLost, LeaseStore

log = structlog.get_logger("weir.leases")

TTL_S = 8.0
"""A holder without a beat for so long has lost its duties to the first that asks."""
LOOK_S = 2.0
"""Between two beats, and two looks at the leases."""
_OWN_S = 0.75 * TTL_S
"""How long a process trusts its own last beat."""
_FORGOTTEN_S = 600.0
"""The beat of a process that ended without a word is removed after so long."""

_ACTING: ContextVar[Lease | None] = ContextVar("weir_lease", default=None)
_process: Lease | None = None


def acting() -> Lease | None:
    """The lease under which this thread writes; None: under none, as requests do."""
    return _ACTING.get() or _process


def act_as(lease: Lease | None) -> None:
    """Have all threads of this process write under a lease."""
    global _process
    _process = lease


class Leases:
    """Safe for threads: `run` in one, `lease_of` and guarded steps in others."""

    def __init__(
        self,
        store: LeaseStore,
        beats: Beats,
        names: Collection[str],
        holder: str | None = None,
        over: Callable[[str], bool] = is_over,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`names`: the duties that this process would do."""
        self._store, self._beats, self._names = store, beats, sorted(names)
        self.holder = holder or this_process()
        self._over, self._monotonic = over, monotonic
        self._lock = threading.Lock()
        self._leases: dict[str, Lease] = {}
        self._until = 0.0
        self._seen: dict[str, tuple[int, float]] = {}

    def run(self, stop: threading.Event) -> None:
        """Until `stop` is set. Steps that have begun may still write then, so the caller gives the duties back after them."""
        away = False
        while not stop.is_set():
            try:
                self.step()
                away = False
            except Unavailable as error:
                if not away:
                    log.warning("leases_wait", message=error.message)
                away = True
            stop.wait(LOOK_S)

    def step(self) -> None:
        """Beat once, and look at every lease. Raises Unavailable; then every lease here ends by itself a little later."""
        began = self._monotonic()
        self._beats.beat(self.holder)
        beats, leases = self._beats.all(), self._store.all()
        self._observe(beats, began)
        mine: dict[str, Lease] = {}
        for name in self._names:
            lease = leases.get(name)
            if lease is None or lease.holder != self.holder:
                if lease is not None and not self._is_gone(lease.holder, beats, began):
                    continue
                lease = self._store.take(name, self.holder, lease)
            if lease is not None:
                mine[name] = lease
        with self._lock:
            for name in sorted(mine.keys() - self._leases.keys()):
                log.info("lease_taken", duty=name, number=mine[name].number)
            for name in sorted(self._leases.keys() - mine.keys()):
                log.warning("lease_lost", duty=name)
            self._leases, self._until = mine, began + _OWN_S

    def _observe(self, beats: Mapping[str, int], now: float) -> None:
        self._seen = {
            holder: before if (before := self._seen.get(holder)) is not None and before[0] == number else (number, now)
            for holder, number in beats.items()
        }
        for holder, (_, since) in self._seen.items():
            if now - since >= _FORGOTTEN_S:
                self._beats.end(holder)

    def _is_gone(self, holder: str, beats: Mapping[str, int], now: float) -> bool:
        if holder not in beats or self._over(holder):
            return True
        return now - self._seen[holder][1] >= TTL_S

    def lease_of(self, name: str) -> Lease | None:
        """The lease of a duty, None where this process may not do it now."""
        with self._lock:
            return self._leases.get(name) if self._monotonic() < self._until else None

    def keeps(self, lease: Lease) -> bool:
        """Whether no look has shown another holder of this lease."""
        with self._lock:
            return self._leases.get(lease.name) == lease

    def guarded(self, name: str, step: Callable[[], object]) -> Callable[[], bool]:
        """The same step, done while this process holds the duty; what it writes is refused once another one holds it.

        Raises ValueError for a duty that is not among `names`: nobody would ever do it.
        """
        if name not in self._names:
            raise ValueError(f"The duty {name!r} is not among those that have leases.")

        def leased_step() -> bool:
            lease = self.lease_of(name)
            if lease is None:
                return False
            token = _ACTING.set(lease)
            try:
                return bool(step())
            except LeaseLost:
                self._drop(lease)
                return False
            finally:
                _ACTING.reset(token)

        return leased_step

    def _drop(self, lease: Lease) -> None:
        with self._lock:
            if self._leases.get(lease.name) != lease:
                return
            del self._leases[lease.name]
        log.warning("lease_lost", duty=lease.name)

    def give_back(self) -> None:
        """Let others have the duties at once; where the store does not answer, they wait until the beat is old."""
        with self._lock:
            mine, self._leases = list(self._leases.values()), {}
        try:
            for lease in mine:
                self._store.give_back(lease)
            self._beats.end(self.holder)
        except Unavailable as error:
            log.warning("leases_wait", message=error.message)
