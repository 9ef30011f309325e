"""`observe(spark)`: from then on every write of the session is reported, with its columns."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
from typing import Any

from weir_lineage.plan import PlanReader, WrittenColumns
from weir_lineage.plan_values import Source
from weir_lineage.report import KEPT, Reporter
from weir_lineage.spark_names import Names

log = logging.getLogger("weir_lineage")


class Unsupported(RuntimeError):
    """The session hides its plans. Spark Connect does: run this where the driver runs."""


class Observer:
    """Listens to one session. `close` ends it, after what was done so far has been reported."""

    def __init__(self, spark: Any, reporter: Reporter) -> None:
        from pyspark.java_gateway import ensure_callback_server_started
        from pyspark.sql.streaming import StreamingQueryListener

        self._spark, self._reporter = spark, reporter
        self._plans, self._names = PlanReader(), Names()
        self._lock = threading.Lock()
        self._queries: dict[str, Any] = {}
        self._heard = 0
        ensure_callback_server_started(spark.sparkContext._gateway)
        self._executions = _Executions(self)
        spark._jsparkSession.listenerManager().register(self._executions)
        observer = self

        class Streams(StreamingQueryListener):  # type: ignore[misc]
            def onQueryStarted(self, event: Any) -> None:
                observer._queries.pop(str(event.id), None)  # begun anew at its checkpoint: the same query, another run
                observer.started(str(event.id))

            def onQueryProgress(self, event: Any) -> None:
                observer.started(str(event.progress.id))

            def onQueryTerminated(self, event: Any) -> None:
                reporter.ended(str(event.runId), event.exception is not None)

        self._streams = Streams()
        spark.streams.addListener(self._streams)

    def started(self, query: str) -> None:
        """Keep a stream's handle: its plan is needed when a function it calls has written something."""
        if query in self._queries:
            return
        try:
            stream = self._spark._jsparkSession.streams().get(query)
            if stream is not None:
                self._queries[query] = stream.streamingQuery()
        except Exception:
            log.debug("a stream ended before it was looked at")
        while len(self._queries) > KEPT:
            self._queries.pop(next(iter(self._queries)), None)

    def executed(self, execution: Any) -> None:
        """A query was carried out."""
        self._heard += 1
        try:
            with self._lock:
                self._read(execution.analyzed())
        except Exception as error:  # lineage must never end a job
            log.warning("a plan was not read: %s", type(error).__name__)

    def _read(self, plan: Any) -> None:
        target = self._names.target(plan)
        if target is None:
            return
        query = _query_of(plan)
        if query is not None:
            self._micro_batch(plan, target, query)
            return
        plan = _child(plan)
        within = self._within(plan)
        written = self._written(plan)
        if within is None:
            self._reporter.batch(written, target)
        else:
            self._reporter.micro_batch(written, target, str(within.runId()), None)

    def _micro_batch(self, plan: Any, target: Source, query: str) -> None:
        self.started(query)
        handle = self._queries.get(query)
        run = str(handle.runId()) if handle is not None else query
        name = handle.name() if handle is not None else None
        self._reporter.micro_batch(self._written(plan), target, run, name)

    def _within(self, plan: Any) -> Any:
        """The stream whose foreachBatch this writes for: the one whose rows it reads; None for a write of its own."""
        wanted = {
            str(attribute)
            for leaf in _each(plan.collectLeaves())
            if leaf.getClass().getSimpleName() == "LogicalRDD"
            for attribute in _each(leaf.output())
        }
        if not wanted:
            return None
        for each in self._spark._jsparkSession.streams().active():
            self.started(str(each.id()))
        for handle in list(self._queries.values()):
            last = handle.lastExecution()
            if last is None:
                continue
            rows = _child(last.analyzed())
            if wanted & {str(attribute) for attribute in _each(rows.output())}:
                self._written(rows)
                return handle
        return None

    def _written(self, plan: Any) -> WrittenColumns:
        return self._plans.read(json.loads(plan.toJSON()), self._names.leaves(plan))

    def _drain(self, seconds: float) -> None:
        """Let what is under way in Spark's own queue of events arrive."""
        with contextlib.suppress(Exception):
            self._spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(int(seconds * 1000))

    def close(self) -> None:
        self._drain(30.0)
        with contextlib.suppress(Exception):
            self._spark._jsparkSession.listenerManager().unregister(self._executions)
            self._spark.streams.removeListener(self._streams)
        deadline = time.monotonic() + 2
        while self._lock.locked() and time.monotonic() < deadline:
            time.sleep(0.01)
        self._reporter.close()

    def __enter__(self) -> Observer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Executions:
    """Spark's QueryExecutionListener, in Python: batch writes, micro-batches, and writes inside foreachBatch."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def onSuccess(self, name: str, execution: Any, nanoseconds: int) -> None:
        self._observer.executed(execution)

    def onFailure(self, name: str, execution: Any, error: Any) -> None:
        """A write that failed wrote nothing that is reported."""

    class Java:
        implements = ["org.apache.spark.sql.util.QueryExecutionListener"]  # noqa: RUF012


def observe(
    spark: Any, namespace: str = "default", client: Any = None, url: str | None = None, api_key: str | None = None
) -> Observer:
    """Report every write of this session, with column lineage, until the observer is closed.

    namespace      of the jobs; a job is named APPLICATION.OUTPUT, a named stream APPLICATION.STREAM
    client         an OpenLineageClient; else one for `url` with `api_key`; else as OPENLINEAGE_* or openlineage.yml configure it

    Raises Unsupported for a Spark Connect session.
    """
    if not hasattr(spark, "_jsparkSession"):
        raise Unsupported("A Spark Connect session hides its plans; call observe() where the driver runs.")
    from openlineage.client import OpenLineageClient

    if client is None and url is not None:
        auth = {"type": "api_key", "apiKey": api_key} if api_key else {}
        client = OpenLineageClient(
            config={"transport": {"type": "http", "url": url, **({"auth": auth} if auth else {})}}
        )
    return Observer(spark, Reporter(client or OpenLineageClient(), namespace, spark.sparkContext.appName))


def _query_of(plan: Any) -> str | None:
    if str(plan.getClass().getSimpleName()).startswith("WriteToMicroBatchDataSource"):
        return str(plan.queryId())
    return None


def _child(plan: Any) -> Any:
    """The rows a command writes."""
    kind = str(plan.getClass().getSimpleName())
    if kind.startswith(
        ("WriteToMicroBatchDataSource", "SaveIntoDataSource", "InsertInto", "CreateDataSourceTableAsSelect")
    ):
        return plan.query()
    if kind in ("AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic"):
        return plan.query()
    return plan


def _each(sequence: Any) -> list[Any]:
    elements, iterator = [], sequence.iterator()
    while iterator.hasNext():
        elements.append(iterator.next())
    return elements
