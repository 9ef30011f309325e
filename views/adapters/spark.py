"""Views on Spark Structured Streaming, by Spark Connect. One session a view: it keeps the query alive, and ends it.

followed topics -> governed views (`policies`) -> watermark -> the view's SQL -> the view's topic
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from catalog.adapters.spark_connect import connect, release
from catalog.datatypes import quote_identifier
from catalog.errors import Unavailable, WeirError
from policies.adapters.spark.errors import translate
from policies.adapters.spark.governed_views import GovernedViews, reads_headers
from policies.adapters.spark.records import frame_of, newest, of_generation
from policies.adapters.spark.sessions import PINNED, configure
from policies.plan.model import TablePlan
from policies.plan.ports import Decoder
from views.adapters.checkpoints import delete_checkpoint, delete_empty_folders, local_path
from views.adapters.sink import COPIED, copied, copies, records, schema_of
from views.adapters.spark_failures import failure
from views.adapters.spark_progress import Reports
from views.durations import spark_interval
from views.errors import ViewFailed
from views.model import Progress, Start, StreamPlan, StreamTable, Unfit
from views.ports import StreamingQuery
from views.shape import errors

_CALL_SECONDS = 60.0
_FORGOTTEN = ("INVALID_HANDLE", "SESSION_CLOSED", "SESSION_NOT_FOUND", "STREAMING_QUERY_NOT_FOUND")
"""In errors about a session or query that the server does not have any more."""
_READ_ONLY = ("kafkaConsumer.pollTimeoutMs", "kafka.fetch.max.wait.ms", "kafka.max.poll.records")
"""Options of a reader that mean nothing to a writer."""
_WRITER = {
    "kafka.max.request.size": "33554432",  # the topic decides how large a row may be
    "kafka.compression.type": "lz4",
    "kafka.batch.size": "262144",
    "kafka.linger.ms": "20",
}
"""How rows are sent, where the cluster's own properties do not set it. See decision 0121 for what it saves."""
STREAMING = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # One bound of memory for the state of all views of an engine, not one for each.
    "spark.sql.streaming.stateStore.rocksdb.boundedMemoryUsage": "true",
    "spark.sql.streaming.stateStore.rocksdb.maxMemoryUsageMB": "256",
    "spark.sql.streaming.stopActiveRunOnRestart": "true",
    "spark.sql.streaming.minBatchesToRetain": "10",
    "spark.sql.streaming.numRecentProgressUpdates": "100",
    "spark.sql.shuffle.partitions": "2",
}
"""Set in every session of a view. The number of shuffle partitions stays with a checkpoint for its life."""
LOCAL_CHECKPOINTS = {
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.FileSystemBasedCheckpointFileManager"
    ),
}
"""For checkpoints in a folder of this machine. Spark's default starts `readlink` as a process for each rename there, which
costs a batch of a grouped view 90 to 130 ms of processor time more, of 420. Both rename, so neither leaves half a file."""


class SparkStreams:
    """Implements `views.ports.StreamEngine`."""

    def __init__(self, remote: str, decoder: Decoder | None = None) -> None:
        self._remote = remote
        self._views = GovernedViews(decoder)

    def columns(self, plan: StreamPlan) -> list[tuple[str, str]]:
        with self._session() as session:
            return schema_of(self._frame(session, plan))

    def start(self, plan: StreamPlan, session: str) -> StreamingQuery:
        opened = self._connect(session)
        try:
            local = LOCAL_CHECKPOINTS if local_path(plan.checkpoint) is not None else {}
            configure(opened, {**local, **_python_of_streams(opened)})
            writer = (
                (copies if plan.copy_to else records)(self._frame(opened, plan), plan)
                .writeStream.format("kafka")
                .queryName(f"{plan.view} {plan.generation}")
                .outputMode(plan.mode)
                .trigger(processingTime=spark_interval(plan.trigger))
                .option("checkpointLocation", plan.checkpoint)
                .option("topic", plan.topic)
                .options(**_WRITER | {name: value for name, value in plan.kafka.items() if name not in _READ_ONLY})
            )
            return SparkStream(opened, writer.start())
        except BaseException as error:
            release(opened)
            raise _translated(error) from None

    def unfit(self, plan: StreamPlan, ranges: Mapping[str, Mapping[int, tuple[int, int]]], most: int) -> list[Unfit]:
        unfit: dict[tuple[str, int, int], set[str]] = {}
        with self._session() as session:
            for each in plan.tables:
                table, parts = each.table, ranges.get(each.table.topic, {})
                if each.tabular or not any(first < end for first, end in parts.values()):
                    continue
                avro = self._views.prepare(session, [table])
                frame = self._views.unfit(table, avro, _between(session, table, parts))
                for partition, offset, places in (
                    frame.orderBy("offset").limit(most).collect() if frame is not None else ()
                ):
                    fields = unfit.setdefault((table.topic, partition, offset), set())
                    fields |= {table.watched[place][1] for place in places}
        return [Unfit(*at, tuple(sorted(fields))) for at, fields in sorted(unfit.items())]

    def end(self, session: str) -> None:
        # The server ends the streaming queries of a session that it closes.
        opened = None
        try:
            opened = connect(self._remote, _CALL_SECONDS, session)
            opened.client.release_session()
        except Exception as error:
            if any(word in str(error) for word in _FORGOTTEN):
                return
            raise _translated(error) from None
        finally:
            if opened is not None:
                release(opened)

    def forget(self, checkpoint: str) -> None:
        delete_checkpoint(checkpoint)

    def tidy(self, checkpoints: str) -> None:
        delete_empty_folders(checkpoints)

    @contextlib.contextmanager
    def _session(self) -> Iterator[Any]:
        session = self._connect()
        try:
            yield session
        except Exception as error:
            raise _translated(error) from None
        finally:
            release(session)

    def _connect(self, session_id: str | None = None) -> Any:
        session = connect(self._remote, _CALL_SECONDS, session_id)
        try:
            session.client.set_retry_policies([])
            session.client.disable_reattachable_execute()
            configure(session, PINNED | STREAMING)
        except Exception as error:
            release(session)
            raise _translated(error) from None
        return session

    def _frame(self, session: Any, plan: StreamPlan) -> Any:
        avro = self._views.prepare(session, [each.table for each in plan.tables])
        for each in plan.tables:
            if each.table.case_sensitive:
                session.conf.set("spark.sql.caseSensitive", "true")
            source = _table(session, each) if each.tabular else _source(session, each, plan)
            table = replace(each.table, columns=(*each.table.columns, *COPIED)) if plan.copy_to else each.table
            copied_to: Literal["", "compacted", "kept"] = (
                "" if not plan.copy_to else "compacted" if plan.compacted else "kept"
            )
            frame = self._views.governed(table, avro, source, exact=True, strict=plan.strict, copied=copied_to)
            if each.watermark is not None:
                delay = spark_interval(each.watermark.delay)
                frame = frame.withWatermark(quote_identifier(each.watermark.column), delay)
            if each.tabular and plan.keys and plan.mode == "append":  # see views.shape.in_order; for IN and EXISTS
                frame = frame.hint("broadcast")
            frame.createOrReplaceTempView(each.table.view)
        frame = frame_of(session, plan.sql)
        return copied(session, plan, frame.columns) if plan.copy_to else frame


class SparkStream:
    """Implements `views.ports.StreamingQuery`. Its session lives as long as the query: the engine ends a query whose
    client is silent for a while."""

    def __init__(self, session: Any, query: Any) -> None:
        self._session, self._query = session, query
        self._reports = Reports()

    def progress(self) -> Progress:
        try:
            progress = self._reports.next(self._query.lastProgress, lambda: self._query.recentProgress)
            if self._query.isActive:
                return progress
            ended = self._query.exception()
        except Exception as error:
            raise _translated(error) from None
        raise failure(str(ended) if ended is not None else "")

    def stop(self) -> None:
        try:
            self._query.stop()
        except Exception as error:
            translated = _translated(error)
            if isinstance(translated, Unavailable):
                raise translated from None
        finally:
            release(self._session)


def _python_of_streams(session: Any) -> dict[str, str]:
    """Workers of a session run in a folder of it on the executor, those of its streams in the folder around that one: what is
    `../` for a session is `./` for its streams."""
    name = "spark.sql.execution.pyspark.python"
    python = str(session.conf.get(name, ""))
    return {name: python.removeprefix(".")} if python.startswith("../") else {}


def _source(session: Any, each: StreamTable, plan: StreamPlan) -> Any:
    table = each.table
    options = {
        **{name: value for name, value in table.kafka.items() if name != "kafka.fetch.max.wait.ms"},
        "subscribe": table.topic,
        "includeHeaders": str(reads_headers(table)).lower(),
        "failOnDataLoss": "true",
        "kafka.isolation.level": "read_committed",
        "maxOffsetsPerTrigger": str(plan.most_offsets),
        **_starting(plan.start, table.topic),
    }
    records = session.readStream.format("kafka").options(**options).load()
    if table.rows is None:
        # Where each change is kept, a record that deletes another is none.
        return records.where("value IS NOT NULL") if each.compacted and not plan.keys else records
    records = of_generation(records, table.rows)
    # Where each change is kept, a row that goes is none.
    return records.where("value IS NOT NULL") if table.rows.newest and not plan.keys else records


def _between(session: Any, table: TablePlan, parts: Mapping[int, tuple[int, int]]) -> Any:
    """The stored records between offsets."""
    some = {str(partition): each for partition, each in parts.items() if each[0] < each[1]}
    options = {
        **table.kafka,
        "assign": json.dumps({table.topic: [int(partition) for partition in some]}),
        "startingOffsets": json.dumps({table.topic: {partition: first for partition, (first, _) in some.items()}}),
        "endingOffsets": json.dumps({table.topic: {partition: end for partition, (_, end) in some.items()}}),
        "includeHeaders": "true",
        "failOnDataLoss": "false",
        "kafka.isolation.level": "read_committed",
    }
    frame = session.read.format("kafka").options(**options).load()
    return of_generation(frame, table.rows) if table.rows is not None else frame


def _table(session: Any, each: StreamTable) -> Any:
    """The newest record of each key, as the topic is when a batch is planned; a key whose newest value is NULL is gone."""
    options = {
        **each.table.kafka,
        "subscribe": each.table.topic,
        "includeHeaders": "true",
        "startingOffsets": "earliest",
        "endingOffsets": "latest",
        "failOnDataLoss": "false",
        "kafka.isolation.level": "read_committed",
    }
    records = session.read.format("kafka").options(**options).load()
    return newest(records if each.table.rows is None else of_generation(records, each.table.rows))


def _starting(start: Start, topic: str) -> dict[str, str]:
    if start.offsets is not None:
        return {"startingOffsets": json.dumps({topic: {str(p): offset for p, offset in start.offsets.items()}})}
    if isinstance(start.at, datetime):
        # A partition without a record that late begins with what comes next.
        return {
            "startingTimestamp": str(int(start.at.timestamp() * 1000)),
            "startingOffsetsByTimestampStrategy": "latest",
        }
    return {"startingOffsets": start.at}


def _translated(error: BaseException) -> WeirError:
    """What to raise instead of what Spark or gRPC raised."""
    text = str(error)
    if any(word in text for word in _FORGOTTEN):
        return Unavailable("The engine has forgotten the view; it is started again.", details={"server": "spark"})
    if type(error).__name__ == "StreamingQueryException":
        return failure(text)
    translated = translate(error)
    sentence = errors.sentence(str(translated.details.get("condition", "")), text)
    return ViewFailed(sentence, details={"condition": "sql"}) if sentence is not None else translated
