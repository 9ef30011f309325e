"""QUALIFY as Spark 4.0 can run it: the condition as a column of the query, and a query around it that keeps its rows.

sqlglot has a rewriting of its own; it takes columns by names that they may not have, adds one to `*`, and cuts rows off
by LIMIT before they are chosen.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

_COLUMN = "weir_qualify"


def without_qualify(root: Any) -> Any:
    """The same query without QUALIFY. Changes `root`."""
    for select in reversed(list(root.find_all(exp.Select))):
        if select.args.get("qualify"):
            around = _around(select)
            root = around if select is root else root
    return root


def _around(select: Any) -> Any:
    condition = select.args["qualify"].this
    inner = select.copy()
    inner.set("qualify", None)
    inner.append("expressions", exp.alias_(exp.paren(condition.copy()), _COLUMN, quoted=True))
    star = exp.Star(except_=[exp.to_identifier(_COLUMN, quoted=True)])
    outer = exp.select(star).where(exp.column(_COLUMN, quoted=True))
    # What comes after the choice of rows. The order holds through it, but not through DISTINCT.
    for part in ("limit", "offset", *(("distinct", "order") if select.args.get("distinct") else ())):
        outer.set(part, inner.args.get(part))
        inner.set(part, None)
    if select.args.get("with_"):
        outer.set("with_", inner.args["with_"])
        inner.set("with_", None)
    outer = outer.from_(
        exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("weir_qualified", quoted=True)))
    )
    if select.parent is not None:
        select.replace(outer)
    return outer
