"""Queries that need not read their whole window: those whose rows are records, up to a limit, and those that ask for nothing
but how many records there are and where. Pure.

    SELECT a, upper(b) FROM orders LIMIT 3        any three records of the window
    SELECT count(*), max(_offset) FROM orders     the positions of the window

Everything else, and every table that hides rows or has rows that replace one another, is for the engine alone.
"""

from __future__ import annotations

from typing import Any, cast

from sqlglot import exp

from policies.plan.model import PositionOutput, TablePlan
from policies.sql.live import is_aggregate
from policies.sql.names import fold
from policies.sql.stars import counts_rows
from policies.sql.untraceable import GENERATORS

_OF_A_TABLE = {"expressions", "from_", "limit", "offset"}
_POSITIONS = {"weir_offset": "bigint", "weir_partition": "int", "weir_timestamp": "timestamp"}


def records_enough(tree: Any, table: TablePlan, rows: int) -> int | None:
    """How many records of the table's window are enough for the first `rows` rows and to know whether there are more; None
    where each must be read."""
    if not _plain(tree, table):
        return None
    for node in tree.walk():
        if isinstance(node, (exp.Query, exp.Window, exp.AggFunc)) and node is not tree:
            return None
        if isinstance(node, exp.Anonymous) and (is_aggregate(node) or fold(str(node.this)) in GENERATORS):
            return None
    limit, offset = _number(tree.args.get("limit")), _number(tree.args.get("offset"))
    if limit is None or offset is None:
        return None
    wanted = rows + 1 if limit < 0 else min(limit, rows + 1)
    return wanted + max(0, offset)


def positions(tree: Any, table: TablePlan) -> tuple[PositionOutput, ...]:
    """The columns of a query that asks for positions alone; none for every other query."""
    if not _plain(tree, table) or tree.args.get("limit") or tree.args.get("offset"):
        return ()
    outputs = [_position(each, table) for each in tree.expressions]
    return () if None in outputs else tuple(cast(list[PositionOutput], outputs))


def _plain(tree: Any, table: TablePlan) -> bool:
    """Whether a query is over one table, whose rows are all its records, and does nothing but compute and cut."""
    if table.filters or table.rows is not None or table.by_key is not None or not isinstance(tree, exp.Select):
        return False
    if any(value and key not in _OF_A_TABLE for key, value in tree.args.items()):
        return False
    source = tree.args["from_"].this if tree.args.get("from_") else None
    return (
        isinstance(source, exp.Table)
        and source.meta.get("weir") is not None
        and not any(source.args.get(key) for key in ("joins", "laterals", "pivots", "sample"))
        and not (source.args.get("alias") and source.args["alias"].args.get("columns"))
    )


def _number(clause: Any) -> int | None:
    """The number of a LIMIT or OFFSET; -1 where there is none, None where it must be computed."""
    if clause is None:
        return -1
    value = clause.args.get("expression")
    if isinstance(value, exp.Var) and fold(value.name) == "all":
        return -1
    return int(value.name) if isinstance(value, exp.Literal) and value.is_int else None


def _position(item: Any, table: TablePlan) -> PositionOutput | None:
    call = item.this if isinstance(item, exp.Alias) else item
    if not isinstance(call, exp.Anonymous) or len(call.expressions) != 1:
        return None
    function, argument = fold(str(call.this)), call.expressions[0]
    alias = item.alias if isinstance(item, exp.Alias) else ""
    if counts_rows(call) and isinstance(argument, exp.Star) and not any(argument.args.values()):
        return PositionOutput(alias or "count(1)", "bigint", "count")
    if function == "count" and isinstance(argument, exp.Literal) and argument.is_int:
        return PositionOutput(alias or f"count({argument.name})", "bigint", "count")
    if function not in ("min", "max") or not isinstance(argument, exp.Column):
        return None
    column = next((each for each in table.columns if fold(each[0]) == fold(argument.name)), None)
    kind = None if column is None else _POSITIONS.get(column[1])
    if column is None or kind is None or len(argument.parts) > 2:
        return None
    return PositionOutput(alias or f"{function}({argument.name})", kind, function, column[1].removeprefix("weir_"))
