"""The answer to a query that asks for nothing but how many records there are and where, without the engine."""

from __future__ import annotations

from typing import Any, Protocol

from policies.adapters.spark import values
from policies.plan.cancellation import Stop
from policies.plan.model import PositionOutput, PositionTotals, QueryPlan, Result, ResultColumn, TablePlan


class PositionReader(Protocol):
    def totals(self, table: TablePlan, times: bool, stop: Stop) -> PositionTotals | None:
        """Of the records that Spark would read of the table's window: how many there are, and where; with `times`, when they
        were stamped. None where the engine must count them."""
        ...


def position_result(reader: PositionReader, plan: QueryPlan) -> Result | None:
    """What Spark would answer to `plan.positions`; None where it must."""
    times = any(each.column == "timestamp" for each in plan.positions)
    totals = reader.totals(plan.tables[0], times, plan.stop)
    plan.stop.check()
    if totals is None:
        return None
    columns = tuple(ResultColumn(each.name, each.type) for each in plan.positions)
    return Result(columns, [_row(plan.positions, totals)], False, notes=(_note(totals),))


def _row(outputs: tuple[PositionOutput, ...], totals: PositionTotals) -> list[object]:
    import pyarrow as pa

    types = {"bigint": pa.int64(), "int": pa.int32(), "timestamp": pa.timestamp("us", "UTC")}
    arrays = [pa.array([_value(each, totals)], types[each.type]) for each in outputs]
    return values.rows(pa.Table.from_arrays(arrays, names=[each.name for each in outputs]))[0]


def _value(output: PositionOutput, totals: PositionTotals) -> Any:
    if output.function == "count":
        return totals.records
    bounds: tuple[int, int] | None = getattr(totals, output.column)
    if bounds is None:
        return None
    bound = bounds[output.function == "max"]
    return bound * 1000 if output.column == "timestamp" else bound


def _note(totals: PositionTotals) -> str:
    if totals.read == totals.records:
        return f"The records were counted by reading them: {totals.read:,}."
    return (
        f"Of {totals.records:,} records, {totals.read:,} were read; the others were counted before, and stay as they are in a"
        " topic without compaction."
    )
