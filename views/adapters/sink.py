"""Rows of a view as records of its topic, in frames of Spark.

The topic's records: value = the row as JSON or Avro, NULL where the row is gone; key = the row's key, as text where it is one
column that is not NULL, else as a JSON object; headers `weir-generation`, and `weir-key` = the key as a JSON object of its
columns. A row without a key has no key, and the header `weir-row` = `BATCH,RUN`: the time of its batch in milliseconds, which
a batch that is run again after a failure keeps, and the number of the start of the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.datatypes import STRING, DataType, Primitive, StructType, quote_identifier
from policies.sql.literals import literal
from views.adapters.wire import avro_sql, ddl, json_sql
from views.declared import COPIED_HEADERS, COPIED_KEY
from views.model import GENERATION_HEADER, KEY_HEADER, ROW_HEADER, StreamPlan
from views.runner.result import columns_of

KEPT_COLUMN = "weir_kept"
"""A BOOLEAN column of the plan's SQL that is not part of the row: false or NULL = the row is gone."""

COPIED = (
    ("weir_copied_bytes", "key"),
    ("weir_copied_gone", "weir_raw IS NULL"),
    ("weir_copied_partition", "partition"),
)
"""Columns of a copied table: name -> SQL over its stored records."""
_BESIDE = (COPIED_KEY, COPIED_HEADERS, *(name for name, _ in COPIED))


def records(frame: Any, plan: StreamPlan) -> Any:
    """The rows as records of the view's topic."""
    columns = StructType(tuple((each.name, each.kind) for each in columns_of(schema_of(frame))))
    row = avro_sql(columns, plan.schema) if plan.schema is not None else json_sql(columns)
    if KEPT_COLUMN in frame.columns:
        row = f"CASE WHEN {quote_identifier(KEPT_COLUMN)} THEN {row} END"
    headers = [(GENERATION_HEADER, literal(plan.generation))]
    key = "'{}'" if plan.single else "NULL"
    if plan.keys:
        whole = json_sql(StructType(tuple((name, columns.get(name) or STRING) for name in plan.keys)))
        # Records without a key have no order among them, and a compacted topic takes none; so NULL has a text, too.
        plain = len(plan.keys) == 1 and _is_plain(columns.get(plan.keys[0]))
        key = f"coalesce(CAST({quote_identifier(plan.keys[0])} AS STRING), {whole})" if plain else whole
        headers.append((KEY_HEADER, whole))
    if not plan.keys and not plan.single:
        headers.append((ROW_HEADER, f"concat(unix_millis(current_timestamp()), ',{plan.run}')"))
    entries = ", ".join(f"struct({literal(name)} AS key, CAST({sql} AS BINARY) AS value)" for name, sql in headers)
    return frame.selectExpr(
        f"CAST({key} AS BINARY) AS key", f"CAST({row} AS BINARY) AS value", f"array({entries}) AS headers"
    )


def copied(session: Any, plan: StreamPlan, names: Sequence[str]) -> Any:
    """The columns of a copy, and beside them what its records are made of."""
    table = plan.tables[0].table
    frame = session.table(quote_identifier(table.view))
    columns = [name for name in names if name not in _BESIDE]
    clear = dict(table.columns).get("_key") == "weir_key"
    key = "weir_copied_bytes" if clear else _bytes_of("_key", table.key.kind)
    beside = [f"{key} AS {COPIED_KEY}", f"_headers AS {COPIED_HEADERS}", "weir_copied_gone", "weir_copied_partition"]
    return frame.selectExpr(*map(quote_identifier, columns), *beside)


def copies(frame: Any, plan: StreamPlan) -> Any:
    """The records of a copy: the keys, headers and partitions of the source, as its subject sees them."""
    columns = StructType(tuple((each.name, each.kind) for each in columns_of(schema_of(frame))))
    if plan.schema is not None:
        value = avro_sql(columns, plan.schema)
    elif plan.tables[0].table.value.format in ("text", "string") and len(columns.fields) == 1:
        value = _bytes_of(columns.fields[0][0], columns.fields[0][1])
    else:
        value = json_sql(columns)
    each = "struct(weir_h.key AS key, CAST(weir_h.value AS BINARY) AS value)"
    headers = f"transform(map_entries({COPIED_HEADERS}), weir_h -> {each})"
    generation = (
        f"array(struct({literal(GENERATION_HEADER)} AS key, CAST({literal(plan.generation)} AS BINARY) AS value))"
    )
    return frame.selectExpr(
        f"CAST({COPIED_KEY} AS BINARY) AS key",
        f"CASE WHEN NOT weir_copied_gone THEN CAST({value} AS BINARY) END AS value",
        f"concat(coalesce({headers}, array()), {generation}) AS headers",
        # Of partitions that the source has got since, several share one.
        f"CAST(pmod(weir_copied_partition, {plan.copy_to}) AS INT) AS partition",
    )


def _bytes_of(name: str, kind: DataType) -> str:
    quoted = quote_identifier(name)
    return f"CAST(CAST({quoted} AS STRING) AS BINARY)" if _is_plain(kind) else f"CAST(to_json({quoted}) AS BINARY)"


def _is_plain(kind: DataType | None) -> bool:
    return isinstance(kind, Primitive) and not kind.name.startswith("TIMESTAMP")


def schema_of(frame: Any) -> list[tuple[str, str]]:
    """Names and Spark types of a frame's columns, without our own."""
    hidden = (KEPT_COLUMN, *(_BESIDE if "weir_copied_gone" in frame.columns else ()))
    return [(each.name, ddl(each.dataType)) for each in frame.schema.fields if each.name not in hidden]
