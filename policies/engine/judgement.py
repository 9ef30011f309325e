"""Whether an engine that lives is to be replaced, and why.

A new engine takes a minute's work of every processor, on a machine that has none to spare the more. So what others take of
the processors does not count against the engine, up to a point; and where they are taken, no engine is replaced for the
reason that the one before it was, until there was time to see whether that had helped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from policies.engine.jobs import Job
from policies.engine.leftovers import Leftovers
from policies.engine.probe import Probe
from policies.plan.ports import EngineProcess
from policies.plan.settings import QuerySettings

_log = structlog.get_logger(__name__)
_STARVED = 4.0
APART_SECONDS = 300.0
"""Between two replacements for one reason, on a machine whose processors others have."""


@dataclass(frozen=True)
class Reason:
    """how: what the engine did, as in "did not stop a query"; culprits: the jobs it did it with, None where unknown."""

    how: str
    culprits: Sequence[Job] | None = None


class Judgement:
    """Asked several times a second, by one thread; `suspect` is safe for threads."""

    def __init__(
        self,
        process: EngineProcess,
        probe: Probe,
        settings: QuerySettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._process, self._probe, self._settings, self._clock = process, probe, settings, clock
        self._leftovers = Leftovers(settings.engine_stop_seconds, clock)
        self._last: tuple[str, float] | None = None
        self._spared = False

    def suspect(self, job: Job) -> None:
        """A job that did not end by itself may have left tasks behind."""
        self._leftovers.suspect(job)

    def forget(self) -> None:
        """Another engine, other tasks. Why the one before was replaced is remembered."""
        self._leftovers.forget()
        self._spared = False

    def patience(self) -> float:
        """How many times as long as usual the engine may take just now."""
        return _STARVED if self._process.starved() else 1.0

    def reason(self, jobs: Sequence[Job]) -> Reason | None:
        """Why the engine is to be replaced now; None when it is not. `jobs`: those it works on."""
        patience = self.patience()
        reason = self._why(jobs, patience)
        if reason is None:
            return None
        now = self._clock()
        if patience > 1 and self._last is not None:
            how, at = self._last
            if how == reason.how and now - at < APART_SECONDS:
                if not self._spared:
                    _log.warning("engine_spared", how=how, seconds=round(APART_SECONDS - (now - at)))
                self._spared = True
                return None
        self._last = (reason.how, now)
        return reason

    def _why(self, jobs: Sequence[Job], patience: float) -> Reason | None:
        deaf, left = self._leftovers.look(self._process.threads, jobs, self._probe.since(), patience)
        if deaf:
            return Reason("did not stop a query", deaf)
        if left:
            return Reason("went on with a query that had been stopped", left)
        if self._probe.unanswered() > self._settings.engine_answer_seconds * patience:
            return Reason("left the smallest query without an answer")
        return None
