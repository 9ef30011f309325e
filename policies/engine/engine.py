"""An engine whose queries are each bounded by our own clock, whatever it does: see `engine_jobs` and `engine_keeper`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from policies.engine.jobs import END, Job
from policies.engine.keeper import Keeper
from policies.plan.checked_batches import PassedOn
from policies.plan.model import Batches, QueryPlan, Result
from policies.plan.ports import Engine

Answer = TypeVar("Answer")


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
        def work(inner: QueryPlan) -> None:
            with self._engine.open(inner) as batches:
                if job.give(batches):
                    for batch in batches:
                        if not job.give(batch):
                            return

        job = self._keeper.begin(plan)
        self._keeper.start_job(job, work)
        try:
            yield _Given(job, job.take())
        finally:
            job.leave()

    def _one(self, plan: QueryPlan, ask: Callable[[QueryPlan], Answer]) -> Answer:
        job = self._keeper.begin(plan)

        def work(inner: QueryPlan) -> None:
            job.give(ask(inner))

        self._keeper.start_job(job, work)
        answer: Answer = job.take()
        return answer


class _Given(PassedOn):
    """Those that the engine's thread hands over."""

    def __init__(self, job: Job, batches: Batches) -> None:
        super().__init__(batches)
        self._job = job

    def __iter__(self) -> Iterator[Any]:
        while (batch := self._job.take()) is not END:
            yield batch
