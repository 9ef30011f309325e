"""The stored records of a window as a frame with the columns of Spark's Kafka source, read in one of two ways:

- by Spark's source: windows of any size;
- by a WindowReader, and handed to Spark with the query: small windows.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

from policies.plan.cancellation import Stop
from policies.plan.model import Rows, TablePlan, Window
from policies.sql.literals import literal

_LEAST_POLLED, _MOST_POLLED = 100, 2_000
_POLLS = 100
"""A window is read in about so many polls, within these bounds."""


class WindowReader(Protocol):
    def read(self, table: TablePlan, stop: Stop) -> Any | None:
        """The records of the table's window as a pyarrow.Table with the columns key, value, partition, offset,
        timestamp, headers: the very records that Spark's source would read. None where it must read them itself."""
        ...


def frame_of(session: Any, sql: str) -> Any:
    """A frame of a text. `session.sql` would have the server analyse the text once more, before it is used."""
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import SQL

    return DataFrame(SQL(sql), session)


def records_frame(session: Any, records: Any) -> Any:
    """A frame of the records in a pyarrow.Table.

    They are handed over as one row that holds them all, and unpacked by the engine. A relation of as many rows as there
    are records would let the planner count them, those behind a row filter included, and choose a plan by that.
    """
    import pyarrow as pa
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import LocalRelation

    columns = [records.column(name).combine_chunks() for name in records.column_names]
    each = pa.StructArray.from_arrays(columns, names=records.column_names)
    packed = pa.ListArray.from_arrays(pa.array([0, len(each)], pa.int32()), each)
    return DataFrame(LocalRelation(pa.table({"records": packed})), session).selectExpr("inline(records)")


def rows_of(records: Any, rows: Rows | None) -> Any:
    """Of a frame of stored records those that are rows; see `policies.plan.model.Rows`."""
    if rows is None:
        return records
    records = of_generation(records, rows)
    if rows.newest:
        return newest(records)
    return _last_runs(records, rows.run_header) if rows.run_header else records


def _last_runs(records: Any, header: str) -> Any:
    """Of records whose header is `BATCH,RUN` those of the last run of their batch, and those without the header."""
    written = f"CAST(get(filter(headers, h -> h.key = {literal(header)}), 0).value AS STRING)"
    columns = list(records.columns)
    numbered = records.selectExpr("*", f"split({written}, ',') AS weir_run")
    last = "max(CAST(weir_run[1] AS INT)) OVER (PARTITION BY weir_run[0]) AS weir_last"
    newest = numbered.selectExpr("*", last).where("weir_run IS NULL OR CAST(weir_run[1] AS INT) = weir_last")
    return newest.selectExpr(*columns)


def of_generation(records: Any, rows: Rows) -> Any:
    """The records with the header; also of a stream."""
    condition = f"h -> h.key = {literal(rows.header)} AND h.value = CAST({literal(rows.value)} AS BINARY)"
    return records.where(f"exists(headers, {condition})")


def newest(records: Any) -> Any:
    """The last record of each key that has one; a key whose last record has no value is gone."""
    from pyspark.sql.connect.functions import expr

    beside = ", ".join(name for name in records.columns if name != "key")
    last = records.where("key IS NOT NULL").groupBy("key").agg(expr(f"max_by(struct({beside}), offset)").alias("last"))
    return last.selectExpr("key", "last.*").where("value IS NOT NULL")


def kafka_frame(session: Any, table: TablePlan) -> Any:
    """A frame that Spark reads from Kafka itself."""
    ranges = [each for each in table.window.ranges if each.count]
    if not ranges:
        return frame_of(
            session,
            "SELECT CAST(NULL AS BINARY) AS key, CAST(NULL AS BINARY) AS value, CAST(NULL AS STRING) AS topic, 0 AS partition,"
            " 0L AS offset, current_timestamp() AS timestamp, CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"
            " AS headers WHERE false",
        )
    options = {
        **table.kafka,
        "assign": json.dumps({table.topic: [each.partition for each in ranges]}),
        "startingOffsets": json.dumps({table.topic: {str(each.partition): each.start for each in ranges}}),
        "endingOffsets": json.dumps({table.topic: {str(each.partition): each.end for each in ranges}}),
        "includeHeaders": "true",
        # Retention may take a record between the look at the offsets and the read.
        # Of a view's topic that is being replaced, part of the rows would be a wrong answer.
        "failOnDataLoss": "false" if table.rows is None else "true",
        "kafka.isolation.level": "read_committed",
        # Spark's own two minutes would keep a task of the engine for records that will not come.
        "kafkaConsumer.pollTimeoutMs": "20000",
        "kafka.max.poll.records": str(poll_records(table.window)),
        # Spark asks for a partition's ends after each fetch, behind the next fetch on the same connection, which at the
        # end of the partition would wait half a second for records nobody needs.
        "kafka.fetch.max.wait.ms": "1",
    }
    return session.read.format("kafka").options(**options).load()


def poll_records(window: Window) -> int:
    """How many records Spark takes from Kafka's client at a time.

    After each time it looks up both ends of the partition, two round trips, so a large window takes many at a time. What was
    taken last stays in the engine's heap after the read, until `spark.kafka.consumer.fetchedData.cache.timeout` (a setting
    of the server): with 500 records a query, 600 queries filled a heap of 1 GiB. So a small one takes few.
    """
    most = max((each.count for each in window.ranges), default=0)
    return min(_MOST_POLLED, max(_LEAST_POLLED, most // _POLLS))
