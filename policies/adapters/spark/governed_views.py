"""Governed tables as frames: what a query or a stream sees in place of a topic.

    stored records -> decoded -> row filters on stored values -> masks -> the columns of the view

Two things make the views hold:

- A filtered row cannot be probed. Spark merges a query's own conditions with a filter of ours and promises no order
  within one condition; an error (1/(amount-5)) could then disclose a row that is not there. A filter with a
  non-deterministic part is one that Spark neither merges with others nor moves conditions through;
  `spark_partition_id() >= 0` is such a part, and always true.
- A mask or filter never fails. The session analyses the views with ANSI mode off, so what cannot be converted is NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from catalog.datatypes import quote_identifier, to_ddl
from policies.adapters.spark import by_key, hidden_records, reading
from policies.adapters.spark.decode import AVRO_IS_BOUNDED, by_python
from policies.adapters.spark.headers import framed_sql, head_sql, shown_sql
from policies.adapters.spark.map_keys import keyed, text_keyed
from policies.plan.errors import QueryFailed
from policies.plan.model import PartRead, Rows, TablePlan
from policies.plan.ports import Decoder
from policies.sql.literals import literal

BARRIER = "spark_partition_id() >= 0"


class GovernedViews:
    """Makes them. Safe for threads."""

    def __init__(self, decoder: Decoder | None = None) -> None:
        self._decoder = decoder
        self._avro: bool | None = None

    def prepare(self, session: Any, tables: Sequence[TablePlan]) -> bool:
        """Whether the session's JVM may decode the Avro of these tables, for `governed`."""
        return self._jvm_reads_avro(session) if any(_has_avro(t) for t in tables) else False

    def _jvm_reads_avro(self, session: Any) -> bool:
        if self._avro is None:
            self._avro = bool(session.sql(AVRO_IS_BOUNDED).collect()[0][0])
        return self._avro

    def governed(
        self,
        table: TablePlan,
        avro: bool,
        source: Any,
        exact: bool = False,
        strict: bool = False,
        copied: Literal["", "compacted", "kept"] = "",
    ) -> Any:
        """The view over `source`, a frame of stored records as Spark's Kafka source gives them. A record without a value
        that takes a row away has the values of the row's key. `strict` (with `exact`): a value that does not fit ends the
        query with an error, see `reading.refusal`. `copied`: into a topic that is compacted, or keeps all records; then keys
        of hidden records come where a consumer may have their rows, see `hidden_records`; those of a table with `by_key`
        come, too."""
        frame = self._stored(table, avro, source, exact)
        if (copied or table.by_key is not None) and table.filters and not hidden_records.by_key(table):
            frame = frame.selectExpr("*", f"{hidden_records.shown(table)} AS {hidden_records.SHOWN}")
            frame = frame.where(f"({hidden_records.kept(copied != 'kept')}) AND {BARRIER}")
            frame = frame.selectExpr(*hidden_records.without_values(frame.columns))
        else:
            frame = self._filtered(table, frame)
        if strict and (refusal := reading.refusal(table)) is not None:
            frame = frame.where(f"{refusal} AND {BARRIER}")
        if (refusal := by_key.refusal(table)) is not None:
            frame = frame.where(f"{refusal} AND {BARRIER}")
        if (value := by_key.value_or_key(table)) is not None:
            frame = frame.selectExpr(
                *(f"{value} AS {name}" if name == "weir_value" else name for name in frame.columns)
            )
        frame = reading.counted(frame, table, exact)
        if table.conditions:
            frame = frame.selectExpr("*", *(f"{sql} AS {quote_identifier(name)}" for name, sql in table.conditions))
        return frame.selectExpr(*(f"{sql} AS {quote_identifier(name)}" for name, sql in table.columns))

    def unfit(self, table: TablePlan, avro: bool, source: Any) -> Any | None:
        """partition, offset and places (numbers in `table.watched`) of each record with values that do not fit and that
        the asker sees. None where there are no such places."""
        places = reading.places(table)
        if places is None:
            return None
        frame = self._filtered(table, self._stored(table, avro, source, exact=True))
        return frame.selectExpr("partition", "offset", f"{places} AS places").where("size(places) > 0")

    @staticmethod
    def _filtered(table: TablePlan, frame: Any) -> Any:
        return frame.where(" AND ".join((*table.filters, BARRIER))) if table.filters else frame

    def _stored(self, table: TablePlan, avro: bool, source: Any, exact: bool) -> Any:
        parts = (("key", table.key), ("value", table.value))
        heads = [head for part, read in parts for head in head_sql(part, read)]
        frame = (source.selectExpr("*", *heads) if heads else source).selectExpr(
            *(f"{framed_sql(part, read)} AS {part}" for part, read in parts),
            "value AS weir_raw",
            *(("headers",) if reads_headers(table) else ()),
            "partition",
            "offset",
            "timestamp",
        )
        for part, read in parts:
            if by_python(part, read, avro):
                frame = self._decoded(frame, part, read)
        frame = reading.read(frame, table, avro, exact)
        if table.rows is not None and table.rows.key_header:
            frame = frame.withColumns({"weir_value": _value_or_key(table, table.rows)})
        values = shown_sql("h", (table.key, table.value))
        about = {
            "weir_headers": "map_from_entries(transform(filter(headers, h -> h.value IS NOT NULL),"
            f" h -> struct(h.key, {values})))",
            "weir_partition": "partition",
            "weir_offset": "offset",
            "weir_timestamp": "timestamp",
        }
        # Each column is planned, even one that nothing uses.
        extra = [f"{sql} AS {name}" for name, sql in about.items() if reading.uses(table, name)]
        return frame.selectExpr("*", *extra) if extra else frame

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


def reads_headers(table: TablePlan) -> bool:
    """Whether the view rests on the headers of the stored records; a source that leaves them out is quicker."""
    heads = any(head_sql(part, read) for part, read in (("key", table.key), ("value", table.value)))
    return heads or table.rows is not None or reading.uses(table, "weir_headers")


def _value_or_key(table: TablePlan, rows: Rows) -> Any:
    from pyspark.sql.connect.functions import expr

    header = f"get(filter(headers, h -> h.key = {literal(rows.key_header)}), 0).value"
    kind = table.value.kind
    key = keyed(kind, f"from_json(CAST({header} AS STRING), {literal(to_ddl(text_keyed(kind)))})")
    return expr(f"CASE WHEN weir_raw IS NULL THEN {key} ELSE weir_value END")


def _has_avro(table: TablePlan) -> bool:
    return any(read.format == "decoded avro" for read in (table.key, table.value))
