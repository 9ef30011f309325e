"""Governed queries on Spark, by Spark Connect.

One session per query. It holds, as temporary views, the governed tables (`governed_views`) and nothing else. They are
analysed with ANSI mode off; the mode is then switched on for the query itself. Spark fixes the mode of an expression when
it is analysed.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from catalog.errors import Unavailable
from catalog.spans import leaf
from policies.adapters.spark.batches import Ending, SparkBatches
from policies.adapters.spark.counts import Drift
from policies.adapters.spark.errors import translate
from policies.adapters.spark.governed_views import GovernedViews
from policies.adapters.spark.position_results import PositionReader, position_result
from policies.adapters.spark.records import WindowReader, frame_of, kafka_frame, records_frame, rows_of
from policies.adapters.spark.sessions import MANY, Sessions, configure
from policies.plan.errors import QueryFailed
from policies.plan.model import Batches, QueryPlan, Result
from policies.plan.ports import Decoder
from policies.plan.weights import FEW, makes_more, rows


class SparkEngine:
    """Implements `policies.plan.ports.Engine`."""

    def __init__(
        self,
        sessions: Sessions,
        decoder: Decoder | None = None,
        windows: WindowReader | None = None,
        positions: PositionReader | None = None,
    ) -> None:
        """`windows` reads small windows in place of Spark's Kafka source; `positions` counts records in place of Spark."""
        self._sessions = sessions
        self._views = GovernedViews(decoder)
        self._windows = windows
        self._positions = positions
        self._drift = Drift()

    def run(self, plan: QueryPlan) -> Result:
        begun = time.monotonic()
        if plan.positions and self._positions is not None:
            plan.stop.check()
            counted = position_result(self._positions, plan)
            if counted is not None:
                return counted
        records = self._read(plan)
        if not self._drift.seen(plan):
            with self._open(plan, records, exact=False) as batches:
                rows = batches.rows(list(batches))
            if not batches.odd:
                return Result(batches.columns, rows, batches.limit is not None, batches.limit, batches.unreadable)
            # A value may not fit: the records are read again, each value by its own form.
            self._drift.note(plan)
        left = max(1.0, plan.seconds - (time.monotonic() - begun))
        with self._open(plan, records, exact=True, seconds=left) as batches:
            rows = batches.rows(list(batches))
        return Result(batches.columns, rows, batches.limit is not None, batches.limit, batches.unreadable)

    @contextlib.contextmanager
    def open(self, plan: QueryPlan) -> Iterator[Batches]:
        with self._open(plan, self._read(plan), exact=True) as batches:
            yield batches

    @contextlib.contextmanager
    def _open(
        self, plan: QueryPlan, records: Mapping[str, Any], exact: bool, seconds: float | None = None
    ) -> Iterator[SparkBatches]:
        """`seconds`: what is left of the plan's."""
        plan.stop.check()
        with leaf("spark query", sources=len(plan.tables), exact=exact), self._sessions.one() as session:
            session.registerProgressHandler(_telling(plan))
            ending = Ending(session, plan, seconds)
            with ending.watching():
                try:
                    frame = self._frame(session, plan, records, exact)
                    batches = SparkBatches(session, frame, plan, ending.failure, exact)
                except Exception as error:
                    raise ending.failure(error) from None
                try:
                    yield batches
                finally:
                    # Closing the stream, and then the session, ends what still runs of it.
                    batches.close()

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        with leaf("spark check", sources=len(plan.tables)), self._sessions.one() as session:
            try:
                schema = self._frame(session, plan, {}).schema
            except Exception as error:
                raise translate(error) from None
        return [(field.name, field.dataType.simpleString()) for field in schema.fields]

    def _read(self, plan: QueryPlan) -> dict[str, object]:
        """View -> the records of its window, for those that need not be read by Spark."""
        if self._windows is None:
            return {}
        read = {table.view: self._windows.read(table, plan.stop) for table in plan.tables}
        return {view: records for view, records in read.items() if records is not None}

    def _frame(self, session: Any, plan: QueryPlan, records: Mapping[str, Any], exact: bool = False) -> Any:
        avro = self._views.prepare(session, plan.tables)
        for table in plan.tables:
            if table.case_sensitive:
                session.conf.set("spark.sql.caseSensitive", "true")
            try:
                source = (
                    records_frame(session, records[table.view])
                    if table.view in records
                    else kafka_frame(session, table)
                )
                source = rows_of(source, table.rows)
                self._views.governed(table, avro, source, exact).createOrReplaceTempView(table.view)
            except Exception as error:
                failure = translate(error)
                if isinstance(failure, Unavailable):
                    raise failure from None
                # The words of this error are about masks and stored fields, not about the query.
                raise QueryFailed(
                    f"A mask or row filter does not fit the records of {table.topic!r}; its owner must fix the policy.",
                    details={"condition": "view"},
                ) from None
        ansi = {"spark.sql.ansi.enabled": str(plan.ansi).lower()}
        configure(session, ansi if _few(plan, records) else ansi | MANY)
        return frame_of(session, plan.sql)


def _few(plan: QueryPlan, records: Mapping[str, Any]) -> bool:
    """Whether the query is over so few records that planning is its cost: at most `FEW` rows even when every table is
    joined with every other, and no function that makes rows or long values of its own. Interpreted loops over such rows
    are slow, and do not look whether they were stopped."""
    if makes_more(plan):
        return False
    if any(table.window.records and table.view not in records for table in plan.tables):
        return False
    return rows(plan) <= FEW


def _telling(plan: QueryPlan) -> Any:
    """What Spark Connect calls every two seconds with its stages; it passes the share that is done on to the plan."""

    def report(stages: Iterable[Any] | None, **_: Any) -> None:
        all_stages = list(stages or ())
        tasks = sum(stage.num_tasks for stage in all_stages)
        if tasks:
            plan.progress(sum(stage.num_completed_tasks for stage in all_stages) / tasks)

    return report
