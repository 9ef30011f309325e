"""A star includes the fields of a record: the columns beside them (`_key`, `_offset`...) are there by their names only.

So `DISTINCT *`, NATURAL JOIN, PIVOT and `AS t(a, b)` work on the fields. The view of a table has such a column only where
the query names it somewhere. There this takes it out again of each star, and of each place that takes all columns of a
table without a star. Spark resolves the names; nothing here does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.tables import TableRef


def counts_rows(call: Any) -> bool:
    """Whether a star is alone in `count(*)`."""
    return isinstance(call, exp.Anonymous) and str(call.this).lower() == "count" and len(call.expressions) == 1


def without_system_columns(root: Any, system: Mapping[TableRef, Sequence[str]]) -> None:
    """Take the system columns of each table, as its view has them, out of all that is not named. Changes `root`.

    Every table has its alias and the name of its view by now.
    """
    for table in list(root.find_all(exp.Table)):
        names = system.get(table.meta.get("weir"), ())
        if not names:
            continue
        select = table.find_ancestor(exp.Select)
        if select is None or _takes_all(table, select):
            _project(table, names)
            continue
        alias = table.args["alias"].this.name
        for star in list(select.find_all(exp.Star)):
            if star.find_ancestor(exp.Select) is select and not counts_rows(star.parent):
                _leave_out(star, alias, names)


def _takes_all(table: exp.Table, select: exp.Select) -> bool:
    """Whether the columns of a table are used by their place, or all together, without a star."""
    if table.args["alias"].args.get("columns") or table.args.get("pivots"):
        return True
    joins = [join for join in select.find_all(exp.Join) if join.find_ancestor(exp.Select) is select]
    return any(str(join.args.get("method") or "").upper() == "NATURAL" for join in joins)


def _project(table: exp.Table, names: Sequence[str]) -> None:
    """`t PIVOT (...)` -> `(SELECT * EXCEPT (_offset) FROM t) PIVOT (...)`; what a PIVOT itself names stays."""
    pivoted = {fold(i.name) for pivot in table.args.get("pivots") or () for i in pivot.find_all(exp.Identifier)}
    hidden = [exp.to_identifier(name, quoted=True) for name in names if fold(name) not in pivoted]
    if not hidden:
        return
    inner = exp.Table(this=table.this.copy(), sample=table.args.get("sample"))
    query = exp.select(exp.Star(except_=hidden)).from_(inner)
    outer = exp.Subquery(this=query)
    for key in ("alias", "pivots", "joins", "laterals"):
        outer.set(key, table.args.get(key))
    table.replace(outer)


def _leave_out(star: Any, alias: str, names: Sequence[str]) -> None:
    holder = star.parent if isinstance(star.parent, exp.Column) else None
    if holder is not None and [fold(part.name) for part in holder.parts[:-1]] != [fold(alias)]:
        return  # of another table, or of a struct
    hidden = {fold(name) for name in names}
    kept = [each for each in star.args.get("except_") or () if not _is_one(each, alias, hidden)]
    star.set("except_", [*kept, *(exp.column(name, table=alias, quoted=True) for name in names)])


def _is_one(each: Any, alias: str, names: set[str]) -> bool:
    """Whether the query leaves the same column out by itself."""
    parts = [fold(part.name) for part in each.parts] if isinstance(each, exp.Column) else [fold(each.name)]
    return parts[-1] in names and (len(parts) == 1 or parts[:-1] == [fold(alias)])


def lacks_a_table(star: Any) -> bool:
    """Whether a star of SELECT has no FROM whose columns it means."""
    around = star.parent
    while isinstance(around, (exp.Alias, exp.Column)):
        around = around.parent
    return isinstance(around, exp.Select) and not any(around.args.get(part) for part in ("from_", "laterals"))
