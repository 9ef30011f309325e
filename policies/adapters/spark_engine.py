"""Governed queries on Spark, by Spark Connect.

One session per query. It holds, as temporary views built by the DataFrame API, the governed tables and nothing else:

    Kafka by offsets -> decoded -> row filters on stored values -> masks -> the columns of the view

Two things make the views hold:

- A filtered row cannot be probed. Spark merges a query's own conditions with a filter of ours and promises no order
  within one condition; an error (1/(amount-5)) could then tell of a row that is not there. A filter with a
  non-deterministic part is one that Spark neither merges with others nor moves conditions through;
  `spark_partition_id() >= 0` is such a part, and always true.
- A mask or filter never fails. The views are analysed with ANSI mode off, so what cannot be converted is NULL; the
  mode is then switched on for the query itself. Spark fixes the mode of an expression when it is analysed.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from catalog.datatypes import quote_identifier
from catalog.errors import Unavailable
from policies.adapters import spark_reading
from policies.adapters.spark_batches import Ending, SparkBatches
from policies.adapters.spark_counts import Drift
from policies.adapters.spark_decode import AVRO_IS_BOUNDED, by_python
from policies.adapters.spark_errors import translate
from policies.adapters.spark_headers import framed_sql, head_sql, shown_sql
from policies.adapters.spark_sessions import Sessions
from policies.plan import Batches, PartRead, QueryPlan, Result, TablePlan
from policies.query_errors import QueryFailed
from policies.query_ports import Decoder

BARRIER = "spark_partition_id() >= 0"


class SparkEngine:
    """Implements `policies.query_ports.Engine`."""

    def __init__(self, sessions: Sessions, decoder: Decoder | None = None) -> None:
        self._sessions = sessions
        self._decoder = decoder
        self._avro: bool | None = None
        self._drift = Drift()

    def run(self, plan: QueryPlan) -> Result:
        begun = time.monotonic()
        if not self._drift.seen(plan):
            with self._open(plan, exact=False) as batches:
                rows = batches.rows(list(batches))
            if not batches.odd:
                return Result(batches.columns, rows, batches.limit is not None, batches.limit, batches.unreadable)
            # A value may not fit: the records are read again, each value by its own form.
            self._drift.note(plan)
        left = max(1.0, plan.seconds - (time.monotonic() - begun))
        with self._open(replace(plan, seconds=left), exact=True) as batches:
            rows = batches.rows(list(batches))
        return Result(batches.columns, rows, batches.limit is not None, batches.limit, batches.unreadable)

    @contextlib.contextmanager
    def open(self, plan: QueryPlan) -> Iterator[Batches]:
        with self._open(plan, exact=True) as batches:
            yield batches

    @contextlib.contextmanager
    def _open(self, plan: QueryPlan, exact: bool) -> Iterator[SparkBatches]:
        with self._sessions.one() as session:
            session.registerProgressHandler(_telling(plan))
            ending = Ending(session, plan)
            with ending.watching():
                try:
                    batches = SparkBatches(session, self._frame(session, plan, exact), plan, ending.failure, exact)
                except Exception as error:
                    raise ending.failure(error) from None
                try:
                    yield batches
                finally:
                    # Closing the stream, and then the session, ends what still runs of it.
                    batches.close()

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        with self._sessions.one() as session:
            try:
                schema = self._frame(session, plan).schema
            except Exception as error:
                raise translate(error) from None
        return [(field.name, field.dataType.simpleString()) for field in schema.fields]

    def _frame(self, session: Any, plan: QueryPlan, exact: bool = False) -> Any:
        avro = self._jvm_reads_avro(session) if any(_has_avro(t) for t in plan.tables) else False
        if any(_needs_decoder(t, avro) for t in plan.tables) and self._decoder is not None and self._decoder.files():
            session.addArtifacts(*self._decoder.files(), pyfile=True)
        for table in plan.tables:
            if table.case_sensitive:
                session.conf.set("spark.sql.caseSensitive", "true")
            try:
                self._governed(session, table, avro, exact).createOrReplaceTempView(table.view)
            except Exception as error:
                failure = translate(error)
                if isinstance(failure, Unavailable):
                    raise failure from None
                # The words of this error are about masks and stored fields, not about the query.
                raise QueryFailed(
                    f"A mask or row filter does not fit the records of {table.topic!r}; its owner must mend the policy.",
                    details={"condition": "view"},
                ) from None
        session.conf.set("spark.sql.ansi.enabled", str(plan.ansi).lower())
        return session.sql(plan.sql)

    def _jvm_reads_avro(self, session: Any) -> bool:
        if self._avro is None:
            self._avro = bool(session.sql(AVRO_IS_BOUNDED).collect()[0][0])
        return self._avro

    def _governed(self, session: Any, table: TablePlan, avro: bool, exact: bool = False) -> Any:
        frame = self._stored(session, table, avro, exact)
        if table.filters:
            frame = frame.where(" AND ".join((*table.filters, BARRIER)))
        frame = spark_reading.counted(frame, table, exact)
        if table.conditions:
            frame = frame.selectExpr("*", *(f"{sql} AS {quote_identifier(name)}" for name, sql in table.conditions))
        return frame.selectExpr(*(f"{sql} AS {quote_identifier(name)}" for name, sql in table.columns))

    def _stored(self, session: Any, table: TablePlan, avro: bool, exact: bool) -> Any:
        parts = (("key", table.key), ("value", table.value))
        heads = [head for part, read in parts for head in head_sql(part, read)]
        frame = _kafka(session, table).selectExpr("*", *heads).selectExpr(
            *(f"{framed_sql(part, read)} AS {part}" for part, read in parts),
            "value AS weir_raw", "headers", "partition", "offset", "timestamp",
        )  # fmt: skip
        for part, read in parts:
            if by_python(part, read, avro):
                frame = self._decoded(frame, part, read)
        return spark_reading.read(frame, table, avro, exact).selectExpr(
            "*",
            "map_from_entries(transform(filter(headers, h -> h.value IS NOT NULL),"
            f" h -> struct(h.key, {shown_sql('h', (table.key, table.value))}))) AS weir_headers",
            "partition AS weir_partition",
            "offset AS weir_offset",
            "timestamp AS weir_timestamp",
        )

    def _decoded(self, frame: Any, part: str, read: PartRead) -> Any:
        if self._decoder is None:
            raise QueryFailed(
                f"Records of the format {read.format!r} cannot be read by queries here.",
                details={"condition": "format"},
            )
        from pyspark.sql.connect.functions import col, udf
        from pyspark.sql.types import StringType

        # A type given as text would be parsed by whatever session is the process's active one.
        decode = udf(self._decoder.function(part, read), returnType=StringType(), useArrow=True)
        return frame.withColumn(f"weir_text_{part}", decode(col(part)))


def _telling(plan: QueryPlan) -> Any:
    """What Spark Connect calls every two seconds, for the plan to be told how far it came."""

    def told(stages: Iterable[Any] | None, **_: Any) -> None:
        known = list(stages or ())
        tasks = sum(stage.num_tasks for stage in known)
        if tasks:
            plan.progress(sum(stage.num_completed_tasks for stage in known) / tasks)

    return told


def _has_avro(table: TablePlan) -> bool:
    return any(read.format == "decoded avro" for read in (table.key, table.value))


def _needs_decoder(table: TablePlan, avro: bool) -> bool:
    return any(by_python(part, read, avro) for part, read in (("key", table.key), ("value", table.value)))


def _kafka(session: Any, table: TablePlan) -> Any:
    ranges = [each for each in table.window.ranges if each.count]
    if not ranges:
        return session.sql(
            "SELECT CAST(NULL AS BINARY) AS key, CAST(NULL AS BINARY) AS value, CAST(NULL AS STRING) AS topic, 0 AS partition,"
            " 0L AS offset, current_timestamp() AS timestamp, CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"
            " AS headers WHERE false"
        )
    options = {
        **table.kafka,
        "assign": json.dumps({table.topic: [each.partition for each in ranges]}),
        "startingOffsets": json.dumps({table.topic: {str(each.partition): each.start for each in ranges}}),
        "endingOffsets": json.dumps({table.topic: {str(each.partition): each.end for each in ranges}}),
        "includeHeaders": "true",
        # Retention may take a record between the look at the offsets and the read.
        "failOnDataLoss": "false",
        "kafka.isolation.level": "read_committed",
        # Spark's own two minutes would keep a task of the engine for records that will not come.
        "kafkaConsumer.pollTimeoutMs": "20000",
        # What was fetched last stays in the engine's heap after the read, until `spark.kafka.consumer.fetchedData.cache
        # .timeout` (a setting of the server): with 500 records a query, 600 queries filled a heap of 1 GiB.
        "kafka.max.poll.records": "100",
        # Spark asks for a partition's ends after each fetch, behind the next fetch on the same connection, which at the
        # end of the partition would wait half a second for records nobody needs.
        "kafka.fetch.max.wait.ms": "1",
    }
    return session.read.format("kafka").options(**options).load()
