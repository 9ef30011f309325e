"""Views on Spark Structured Streaming, by Spark Connect. One session a view: it keeps the query alive, and ends it.

    followed topics -> governed views (`policies`) -> watermark -> the view's SQL -> the view's topic

The topic's records: value = the row as JSON, NULL where the row is gone; key = the row's key, as text where it is one
column that is not NULL, else as a JSON object; headers `weir-generation`, and `weir-key` = the key as a JSON object of its columns.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from catalog.adapters.spark_connect import connect, release
from catalog.datatypes import quote_identifier
from catalog.errors import Unavailable, WeirError
from policies.adapters.spark.errors import translate
from policies.adapters.spark.governed_views import GovernedViews
from policies.adapters.spark.records import frame_of
from policies.adapters.spark.sessions import PINNED, configure
from policies.masks.expression import literal
from policies.plan.ports import Decoder
from views.adapters.spark_failures import failure
from views.adapters.spark_progress import read_progress
from views.durations import spark_interval
from views.errors import ViewFailed
from views.model import Progress, Start, StreamPlan, StreamTable
from views.ports import StreamingQuery
from views.shape import errors

GENERATION_HEADER, KEY_HEADER = "weir-generation", "weir-key"
KEPT_COLUMN = "weir_kept"
"""A BOOLEAN column of the plan's SQL that is not part of the row: false or NULL = the row is gone."""

_JSON = (
    "map('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS\\'Z\\'',"
    " 'timestampNTZFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS')"
)
_CALL_SECONDS = 60.0
_FORGOTTEN = ("INVALID_HANDLE", "SESSION_CLOSED", "SESSION_NOT_FOUND", "STREAMING_QUERY_NOT_FOUND")
"""In errors about a session or query that the server does not have any more."""
_READ_ONLY = ("kafkaConsumer.pollTimeoutMs", "kafka.fetch.max.wait.ms", "kafka.max.poll.records")
"""Options of a reader that mean nothing to a writer."""
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
    "spark.sql.streaming.numRecentProgressUpdates": "2",
    "spark.sql.shuffle.partitions": "2",
}
"""Set in every session of a view. The number of shuffle partitions stays with a checkpoint for its life."""


class SparkStreams:
    """Implements `views.ports.StreamEngine`."""

    def __init__(self, remote: str, decoder: Decoder | None = None) -> None:
        self._remote = remote
        self._views = GovernedViews(decoder)

    def columns(self, plan: StreamPlan) -> list[tuple[str, str]]:
        with self._session() as session:
            schema = self._frame(session, plan).schema
        return [(each.name, each.dataType.simpleString()) for each in schema.fields if each.name != KEPT_COLUMN]

    def start(self, plan: StreamPlan, session: str) -> StreamingQuery:
        opened = self._connect(session)
        try:
            writer = (
                _records(self._frame(opened, plan), plan)
                .writeStream.format("kafka")
                .queryName(f"{plan.view} {plan.generation}")
                .outputMode(plan.mode)
                .trigger(processingTime=spark_interval(plan.trigger))
                .option("checkpointLocation", plan.checkpoint)
                .option("topic", plan.topic)
                .options(**{name: value for name, value in plan.kafka.items() if name not in _READ_ONLY})
            )
            return SparkStream(opened, writer.start())
        except BaseException as error:
            release(opened)
            raise _translated(error) from None

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
        place = urlsplit(checkpoint)
        if place.scheme in ("", "file"):
            shutil.rmtree(place.path, ignore_errors=True)
            if Path(place.path).exists():
                raise Unavailable(f"The state in {place.path} cannot be deleted.", details={"server": "disk"})
            return
        from pyarrow.fs import FileSystem

        try:
            system, path = FileSystem.from_uri(checkpoint)
            system.delete_dir(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise Unavailable(f"The state in {checkpoint} cannot be deleted.", details={"server": "disk"}) from error

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
            frame = self._views.governed(each.table, avro, source, exact=True)
            if each.watermark is not None:
                delay = spark_interval(each.watermark.delay)
                frame = frame.withWatermark(quote_identifier(each.watermark.column), delay)
            frame.createOrReplaceTempView(each.table.view)
        return frame_of(session, plan.sql)


class SparkStream:
    """Implements `views.ports.StreamingQuery`. Its session lives as long as the query: the engine ends a query whose
    client is silent for a while."""

    def __init__(self, session: Any, query: Any) -> None:
        self._session, self._query = session, query
        self._last = Progress()

    def progress(self) -> Progress:
        try:
            status = self._query.lastProgress
            if status is not None:
                self._last = read_progress(status)
            if self._query.isActive:
                return self._last
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


def _source(session: Any, each: StreamTable, plan: StreamPlan) -> Any:
    table = each.table
    options = {
        **{name: value for name, value in table.kafka.items() if name != "kafka.fetch.max.wait.ms"},
        "subscribe": table.topic,
        "includeHeaders": "true",
        "failOnDataLoss": "true",
        "kafka.isolation.level": "read_committed",
        "maxOffsetsPerTrigger": str(plan.most_offsets),
        **_starting(plan.start, table.topic),
    }
    return session.readStream.format("kafka").options(**options).load()


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
    from pyspark.sql.connect.functions import expr

    columns = "value, topic, partition, offset, timestamp, timestampType, headers"
    frame = session.read.format("kafka").options(**options).load().where("key IS NOT NULL")
    newest = frame.groupBy("key").agg(expr(f"max_by(struct({columns}), offset)").alias("newest"))
    return newest.selectExpr("key", "newest.*").where("value IS NOT NULL")


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


def _records(frame: Any, plan: StreamPlan) -> Any:
    """The rows as records of the view's topic."""
    names = [name for name in frame.columns if name != KEPT_COLUMN]
    row = f"to_json(struct({', '.join(map(quote_identifier, names))}), {_JSON})"
    if KEPT_COLUMN in frame.columns:
        row = f"CASE WHEN {quote_identifier(KEPT_COLUMN)} THEN {row} END"
    headers = [(GENERATION_HEADER, literal(plan.generation))]
    key = "'{}'" if plan.single else "NULL"
    if plan.keys:
        columns = list(map(quote_identifier, plan.keys))
        whole = f"to_json(struct({', '.join(columns)}), {_JSON})"
        # Records without a key have no order among them, and a compacted topic takes none; so NULL has a text, too.
        plain = len(columns) == 1 and _is_plain(frame, plan.keys[0])
        key = f"coalesce(CAST({columns[0]} AS STRING), {whole})" if plain else whole
        headers.append((KEY_HEADER, whole))
    entries = ", ".join(f"struct({literal(name)} AS key, CAST({sql} AS BINARY) AS value)" for name, sql in headers)
    return frame.selectExpr(
        f"CAST({key} AS BINARY) AS key", f"CAST({row} AS BINARY) AS value", f"array({entries}) AS headers"
    )


def _is_plain(frame: Any, name: str) -> bool:
    kind = next(each.dataType.simpleString() for each in frame.schema.fields if each.name == name)
    return not kind.startswith(("struct", "array", "map", "timestamp"))


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
