"""Keeps an engine of queries alive, and those who wait for it from waiting in vain.

    looks often:  does the process live, how full is its heap, does it answer the smallest query, did it stop what it should
    an engine that ended, hangs, or continues what was stopped is replaced, where it is ours; its queries are answered

docs/decisions/0064-an-engine-for-queries.md argues each of these.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from enum import StrEnum

import structlog

from catalog.errors import LimitExceeded, Unavailable, WeirError
from policies.engine.blame import Blame
from policies.engine.jobs import Job
from policies.engine.judgement import Judgement
from policies.engine.memory import MemoryWatch
from policies.engine.probe import Probe
from policies.plan.model import QueryPlan
from policies.plan.ports import EngineProcess
from policies.plan.settings import QuerySettings

_log = structlog.get_logger(__name__)
_LOOK_SECONDS = 0.2
_USUAL_START_SECONDS = 15.0
_LONGEST_START_SECONDS = 180.0
_SLOW_SECONDS = 5.0
"""The smallest query without an answer for so long: `/readyz` reports it."""
_QUIET_SECONDS = 300.0
"""After a life as long as this, earlier ends of the engine do not delay its next start."""
_PAUSES = (0.0, 0.0, 2.0, 5.0, 10.0, 15.0)


class EngineState(StrEnum):
    READY = "ready"
    STARTING = "starting"
    STUCK = "stuck"
    AWAY = "away"


class Keeper:
    """Safe for threads. Until `start`, nothing is looked at and every query is let through."""

    def __init__(
        self,
        process: EngineProcess,
        blame: Blame,
        settings: QuerySettings,
        started_again: Callable[[], None] = lambda: None,
    ) -> None:
        """`started_again` is called when an engine that was replaced answers."""
        self._process, self._blame, self._settings = process, blame, settings
        self._started_again = started_again
        self._jobs: set[Job] = set()
        self._changed = threading.Condition()
        self._looking = threading.RLock()
        self._over = threading.Event()
        self._watched = False
        self._state, self._since = EngineState.STARTING, time.monotonic()
        self._replaced = False
        self._begin_at: float | None = None
        self._ends: list[float] = []
        self._usual_start = _USUAL_START_SECONDS
        self._looked = time.monotonic()
        self._probe = Probe(process.answer)
        self._memory = MemoryWatch(settings.engine_heap_share)
        self._judgement = Judgement(process, self._probe, settings)

    def start(self) -> None:
        """Look from now on, in the background, until `close`."""
        self._watched = True
        self._since = time.monotonic()
        threading.Thread(target=self._run, name="weir-engine-keeper", daemon=True).start()

    def close(self) -> None:
        self._over.set()

    # What queries ask.

    def begin(self, plan: QueryPlan, again: bool = False) -> Job:
        """A job that the engine may begin now; `start` begins it. Waits a little for an engine that is starting; for one
        that is asked `again`, because its engine ended, as long as its plan may run.

        Raises LimitExceeded for a statement that is refused, Unavailable, QueryCancelled.
        """
        job = Job(plan, self._settings.engine_stop_seconds)
        self._blame.check(job.statement)
        until = time.monotonic() + (plan.seconds if again else min(self._settings.engine_wait_seconds, plan.seconds))
        with self._changed:
            while self._watched and self._state in (EngineState.STARTING, EngineState.AWAY):
                plan.stop.check()
                left = until - time.monotonic()
                if left <= 0:
                    raise self._unready()
                self._changed.wait(min(left, 0.5))
            self._jobs.add(job)
        return job

    def start_job(self, job: Job, work: Callable[[QueryPlan], object]) -> None:
        """Let the engine work on it."""
        job.start(work, self._explained, self._ended)

    def state(self) -> EngineState:
        """As far as it is known by now."""
        with self._changed:
            slow = self._probe.unanswered() > _SLOW_SECONDS
            return EngineState.STUCK if self._state is EngineState.READY and slow else self._state

    def check(self) -> None:
        """Raises Unavailable unless the engine is ready, with the state in its words."""
        if not self._watched:
            if not self._process.alive():
                raise Unavailable("The query engine does not answer.", details={"server": "query"})
            return
        state = self.state()
        if state is EngineState.STUCK:
            seconds = round(self._probe.unanswered())
            raise Unavailable(
                f"The query engine is stuck: it left the smallest query without an answer for {seconds} seconds.",
                details={"server": "query", "state": str(state)},
            )
        if state is not EngineState.READY:
            raise self._unready()

    # What ends.

    def _explained(self, job: Job, error: BaseException) -> BaseException:
        """The error of a job, which may be that of an engine that ended: looked at now, not a moment later."""
        if isinstance(error, Unavailable) and self._watched and job.verdict is None and not job.stop.stopped:
            if self._process.local():
                with self._looking:
                    if job.verdict is None and not self._process.alive():
                        self._end("ended")
            if job.verdict is None and not self._process.local():
                # What a cluster does is not seen from here; a stream that broke is what shows of an end.
                if not job.light:
                    self._blame.strike(job.statement)
                details = {"server": "query", "retryAfter": 5}
                return Unavailable(
                    "The query engine stopped while it ran the query; ask again in a moment.", details=details
                )
        if job.verdict is None and job.light and _is_memory(error):
            # What filled the heap was another one.
            details = {"server": "query", "retryAfter": 2}
            return Unavailable("The query engine is short of memory; ask again in 2 seconds.", details=details)
        return job.verdict or error

    def _ended(self, job: Job) -> None:
        with self._changed:
            self._jobs.discard(job)
        if job.well:
            self._blame.clear(job.statement)
        elif job.verdict is None:
            self._judgement.suspect(job)

    # The watch.

    def _run(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            try:
                with self._looking:
                    self._look()
            except Exception as error:
                _log.error("engine_look_failed", kind=type(error).__name__)

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked > _SLOW_SECONDS:
            # This process itself stood still: what it did not hear meanwhile is nobody's fault.
            self._probe.excuse()
        self._looked = now
        if self._begin_at is not None:
            if now >= self._begin_at:
                self._begin_again()
            return
        alive = self._process.alive()
        if not alive and self._process.local():
            if self._state is not EngineState.AWAY:
                self._end("ended")
            return
        self._probe.step(quick=self._state is not EngineState.READY)
        if self._state is not EngineState.READY:
            self._await(alive, now)
            return
        if not alive:
            self._set(EngineState.AWAY)
        elif self._process.local():
            self._inspect(now)

    def _await(self, alive: bool, now: float) -> None:
        if alive and self._probe.answered_since(self._since):
            self._set(EngineState.READY)
            if self._replaced:
                self._replaced = False
                self._usual_start = now - self._ends[-1] if self._ends else self._usual_start
                _log.info("engine_ready_again", seconds=round(self._usual_start, 1))
                self._started_again()
        elif self._process.local() and now - self._since > _LONGEST_START_SECONDS * self._judgement.patience():
            self._end("did not become ready")

    def _inspect(self, now: float) -> None:
        with self._changed:
            jobs = list(self._jobs)
        reason = self._judgement.reason(jobs)
        if reason is not None:
            self._end(reason.how, reason.culprits)
        else:
            self._memory.look(self._process.heap(), jobs)

    def _end(self, how: str, culprits: Sequence[Job] | None = None) -> None:
        """The engine has ended, or is to be replaced: its queries are answered, then another is started."""
        now = time.monotonic()
        with self._changed:
            jobs, self._jobs = list(self._jobs), set()
            lived = now - self._since if self._state is EngineState.READY else 0.0
            if lived > _QUIET_SECONDS:
                self._ends.clear()
            self._ends.append(now)
            pause = _PAUSES[min(len(self._ends), len(_PAUSES)) - 1]
            self._state, self._since, self._begin_at = EngineState.STARTING, now, now + pause
            self._changed.notify_all()
        for job in [job for job in jobs if not job.light] if culprits is None else culprits:
            self._blame.strike(job.statement)
        _log.warning("engine_ended", how=how, queries=len(jobs), pause=pause)
        error = self._unready(jobs=True)
        for job in jobs:
            # A heavy one may be the cause where the cause is not known.
            job.fail(error, again=job.light if culprits is None else job not in culprits)
        self._probe.forget()
        self._memory.forget()
        self._judgement.forget()
        self._process.forget()
        if not pause:
            self._begin_again()

    def _begin_again(self) -> None:
        self._begin_at = None
        try:
            begun = self._process.replace()
        except WeirError as error:
            _log.warning("engine_not_started", message=error.message)
            self._begin_at = time.monotonic() + 1.0
            return
        with self._changed:
            # Where it is not ours to start, or its owner stops it, its next answer is waited for.
            self._state = EngineState.STARTING if begun else EngineState.AWAY
            self._since, self._replaced = time.monotonic(), True
            self._changed.notify_all()

    def _set(self, state: EngineState) -> None:
        with self._changed:
            self._state, self._since = state, time.monotonic()
            self._changed.notify_all()

    def _unready(self, jobs: bool = False) -> Unavailable:
        now = time.monotonic()
        since = self._ends[-1] if self._ends else self._since
        paused = max(0.0, (self._begin_at or now) - now)
        left = self._usual_start - (now - since)
        # One that takes longer than it did is ready at any moment, or in a while: nobody knows.
        again = max(2, math.ceil(paused + left)) if left > 0 or paused else 5
        details = {"server": "query", "state": str(self._state), "retryAfter": again}
        if self._state is EngineState.AWAY:
            return Unavailable("The query engine does not answer.", details=details)
        if jobs:
            problem = "The query engine was stopped by a query and is starting again"
        elif paused > 1:
            problem = (
                f"The query engine ended {len(self._ends)} times and is started again in {math.ceil(paused)} seconds"
            )
        else:
            problem = "The query engine is starting" + (" again" if self._ends else "")
        return Unavailable(f"{problem}; ask again in {again} seconds.", details=details)


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, LimitExceeded) and error.details.get("limit") == "memory"
