"""A result of Spark as it comes, batch by batch, cut where a limit of rows or bytes is reached.

Nothing is gathered here: of a result of any size one batch is kept (Spark sends at most some 4 MiB in one).
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from catalog.errors import WeirError
from policies.adapters.spark import arrow_repair, values
from policies.adapters.spark.counts import Counts
from policies.adapters.spark.errors import translate
from policies.engine.jobs import expired
from policies.plan.model import QueryPlan, ResultColumn, Unreadable

_INTERRUPT_AGAIN_SECONDS = 0.5
_LOST_SECONDS = 4.0
_CLOSED_SECONDS = 7.0
"""An interrupt that did not end a query for so long is followed by the end of its session."""


class SparkBatches:
    """Implements `policies.plan.model.Batches`. Made on the thread that holds the session's tag; iterated on any."""

    def __init__(
        self,
        session: Any,
        frame: Any,
        plan: QueryPlan,
        failure: Callable[[Exception], WeirError],
        exact: bool = True,
    ) -> None:
        self.limit: str | None = None
        self._plan, self._failure = plan, failure
        self._counts, self._ended = Counts(plan, exact), False
        limited = frame.limit(plan.limit + 1)
        plan.stop.check()
        self._tables = session.client.to_table_as_iterator(limited._plan.to_proto(session.client), self._counts.wanted)
        try:
            # The request carries the tags of the thread that asks for the first response, so that is done here. The
            # server answers with the schema once the query is analysed, before it runs.
            self.schema = _arrow_schema(next(self._tables, None))
        except BaseException:
            self._tables.close()
            raise

    def __iter__(self) -> Iterator[Any]:
        rows = size = 0
        try:
            for batch in self._batches():
                self._plan.stop.check()
                left = self._plan.limit - rows
                if batch.num_rows > left:
                    self.limit, batch = "rows", batch.slice(0, left)
                if size + batch.nbytes > self._plan.most_bytes:
                    self.limit, batch = "bytes", _within(batch, self._plan.most_bytes - size)
                rows, size = rows + batch.num_rows, size + batch.nbytes
                if batch.num_rows:
                    yield batch
                if self.limit == "bytes":
                    return  # the rest would have to be read for its counts
                if self.limit is not None:
                    break
            for _ in self._batches():
                self._plan.stop.check()
            self._ended = True
        except GeneratorExit:
            raise
        except Exception as error:
            raise self._failure(error) from None

    def _batches(self) -> Iterator[Any]:
        import pyarrow as pa

        for table in self._tables:
            if isinstance(table, pa.Table):
                yield from arrow_repair.readable(table.cast(self.schema)).to_batches()

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return tuple(ResultColumn(f.name, values.type_name(f.type)) for f in self.schema)

    @property
    def odd(self) -> bool:
        """Whether the quick reading may have lost something."""
        return self._counts.odd

    @property
    def unreadable(self) -> Unreadable | None:
        return self._counts.unreadable if self._ended else None

    def rows(self, batches: Sequence[Any]) -> list[list[object]]:
        import pyarrow as pa

        return values.rows(pa.Table.from_batches(batches, self.schema))

    def close(self) -> None:
        """Release the stream."""
        self._tables.close()


def _arrow_schema(fields: Any) -> Any:
    """One schema for all batches, as DataFrame.toArrow makes it: what the server sends may differ in nullability."""
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    if not isinstance(fields, StructType):
        raise PySparkTypeError(f"The engine answered with {type(fields).__name__} before the schema.")
    return to_arrow_schema(fields, error_on_duplicated_field_names_in_struct=True)


def _within(batch: Any, most: int) -> Any:
    """As many of the first rows as fit into so many bytes."""
    low, high = 0, batch.num_rows
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if batch.slice(0, middle).nbytes <= most else (low, middle - 1)
    return batch.slice(0, low)


class Ending:
    """What ends a running plan before its time: too many seconds, or someone who stops it."""

    def __init__(self, session: Any, plan: QueryPlan, seconds: float | None = None) -> None:
        """`seconds`: what is left of the plan's, where some are spent."""
        self._session, self._plan = session, plan
        self._seconds = plan.seconds if seconds is None else seconds
        self._tag = f"weir-{uuid.uuid4().hex}"
        self._expired = threading.Event()
        self._over = threading.Event()
        self._asked = threading.Lock()

    def interrupt(self) -> None:
        """Stop what runs under the tag, or begins to a moment later; in steps, each only where the one before was in vain.

        A second interrupt must not meet the engine while it cancels the query's tasks, which then run on for ever. But
        one that comes while the query is being planned may be lost, so it is repeated where nothing ended for long. Then
        the session is closed, with everything in it. Spark itself interrupts the tasks, and ends their Python processes.
        """
        if not self._asked.acquire(blocking=False):
            return
        begun = time.monotonic()
        while not self._over.is_set():
            operations: Any = None
            with contextlib.suppress(Exception):
                operations = self._session.interruptTag(self._tag)
            self._plan.stop.reached(operations or ())
            self._over.wait(_LOST_SECONDS if operations else _INTERRUPT_AGAIN_SECONDS)
            if not self._over.is_set() and time.monotonic() - begun > _CLOSED_SECONDS:
                with contextlib.suppress(Exception):
                    self._session.client.release_session()
                    return

    def _expire(self) -> None:
        self._expired.set()
        self.interrupt()

    def failure(self, error: Exception) -> WeirError:
        """The error to raise in place of one of the engine's."""
        if self._plan.stop.stopped:
            return self._plan.stop.error()
        if self._expired.is_set():
            return expired(self._plan.seconds)
        return translate(error)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """For as long as the plan runs; what is run on this thread meanwhile carries the tag."""
        self._session.addTag(self._tag)
        timer = threading.Timer(self._seconds, self._expire)
        timer.daemon = True
        timer.start()
        # Interrupting is a call over the network; whoever stops a query need not wait for it.
        with self._plan.stop.telling(lambda: threading.Thread(target=self.interrupt, daemon=True).start()):
            try:
                yield
            finally:
                self._over.set()
                timer.cancel()
