"""Arrow values that Spark sends and others cannot read: texts that are not UTF-8, times beyond the year 9999."""

from __future__ import annotations

from typing import Any


def readable(table: Any) -> Any:
    """The same table where every text is UTF-8: bytes that are none become U+FFFD.

    Spark makes any bytes a STRING (a topic of Latin-1, CAST(x AS STRING)), and readers of Arrow fail on them.
    """
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        columns = [_mended(column) for column in table.columns]
        return pa.Table.from_arrays(columns, schema=table.schema)
    return table


def _mended(column: Any) -> Any:
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        values = column.cast(_retyped(column.type, _as_bytes)).to_pylist()
        return pa.chunked_array([pa.array([_decoded(v, column.type) for v in values], column.type)])
    return column


def counted(kind: Any) -> Any:
    """The type with dates as days and times as microseconds, of which Python holds any."""
    return _retyped(kind, _as_count)


def _as_bytes(kind: Any) -> Any:
    import pyarrow as pa

    return pa.binary() if pa.types.is_string(kind) or pa.types.is_large_string(kind) else kind


def _as_count(kind: Any) -> Any:
    import pyarrow as pa

    return pa.int64() if pa.types.is_timestamp(kind) else pa.int32() if pa.types.is_date32(kind) else kind


def _retyped(kind: Any, leaf: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return pa.struct([f.with_type(_retyped(f.type, leaf)) for f in (kind.field(i) for i in range(kind.num_fields))])
    if pa.types.is_map(kind):
        return pa.map_(_retyped(kind.key_type, leaf), _retyped(kind.item_type, leaf))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_retyped(kind.value_type, leaf)))
    return leaf(kind)


def _decoded(value: Any, kind: Any) -> Any:
    import pyarrow as pa

    if value is None:
        return None
    if pa.types.is_struct(kind):
        inner = [kind.field(i) for i in range(kind.num_fields)]
        return {field.name: _decoded(value[field.name], field.type) for field in inner}
    if pa.types.is_map(kind):
        return [(_decoded(k, kind.key_type), _decoded(v, kind.item_type)) for k, v in value]
    if pa.types.is_list(kind):
        return [_decoded(each, kind.value_type) for each in value]
    return value.decode("utf-8", "replace") if pa.types.is_string(kind) else value
