"""An engine whose queries are each bounded by our own clock, whatever it does: see `jobs` and `keeper`.

A query whose engine ended through another's fault is asked once more, where nothing of its answer was given yet.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from catalog.errors import Unavailable
from policies.engine.jobs import END, Job
from policies.engine.keeper import Keeper
from policies.plan.checked_batches import PassedOn
from policies.plan.model import Batches, QueryPlan, Result
from policies.plan.ports import Engine

Answer = TypeVar("Answer")
Work = Callable[[Job, QueryPlan], object]


class KeptEngine:
    """Implements `policies.plan.ports.Engine` over another one. Also raises LimitExceeded for a statement that is
    refused for a while, and Unavailable with `retry_after` while the engine is starting again."""

    def __init__(self, engine: Engine, keeper: Keeper) -> None:
        self._engine, self._keeper = engine, keeper

    def run(self, plan: QueryPlan) -> Result:
        return self._one(plan, self._engine.run)

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        return self._one(plan, self._engine.check)

    @contextlib.contextmanager
    def open(self, plan: QueryPlan) -> Iterator[Batches]:
        def work(job: Job, inner: QueryPlan) -> None:
            with self._engine.open(inner) as batches:
                if job.give(batches):
                    for batch in batches:
                        if not job.give(batch):
                            return

        attempts = _Attempts(self._keeper, plan, work)
        try:
            yield _Given(attempts, attempts.first())
        finally:
            attempts.leave()

    def _one(self, plan: QueryPlan, ask: Callable[[QueryPlan], Answer]) -> Answer:
        answer: Answer = _Attempts(self._keeper, plan, lambda job, inner: job.give(ask(inner))).first()
        return answer


class _Attempts:
    """The jobs of one query: one, and another where the engine ended through another's fault. For one thread."""

    def __init__(self, keeper: Keeper, plan: QueryPlan, work: Work) -> None:
        self._keeper, self._plan, self._work = keeper, plan, work
        self._until = time.monotonic() + plan.seconds
        self._job, self._asked_again = self._begin(plan), False

    def _begin(self, plan: QueryPlan, again: bool = False) -> Job:
        job = self._keeper.begin(plan, again)
        self._keeper.start_job(job, partial(self._work, job))
        return job

    def first(self) -> Any:
        """The first of what the work gives."""
        try:
            return self._job.take()
        except Unavailable as error:
            return self.again(error)

    def take(self) -> Any:
        """The next of what the work gives, END after the last. Raises what the job ended with."""
        return self._job.take()

    def again(self, error: Unavailable) -> Any:
        """Ask once more; the first of what the work gives. Raises the error where the query itself may be why the engine
        ended, and where it was asked again before."""
        left = self._until - time.monotonic()
        if self._asked_again or not self._job.again or left <= 0:
            raise error
        self._asked_again = True
        self._job = self._begin(replace(self._plan, seconds=left), again=True)
        return self._job.take()

    def leave(self) -> None:
        self._job.leave()


class _Given(PassedOn):
    """Those that the engine's thread hands over."""

    def __init__(self, attempts: _Attempts, batches: Batches) -> None:
        super().__init__(batches)
        self._attempts = attempts

    def __iter__(self) -> Iterator[Any]:
        try:
            batch = self._attempts.take()
        except Unavailable as error:
            self._batches = self._attempts.again(error)
            batch = self._attempts.take()
        while batch is not END:
            yield batch
            batch = self._attempts.take()
