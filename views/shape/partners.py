"""Inner joins of rows that replace one another, as LEFT JOINs that show whether there is a partner. Pure.

An inner join sends nothing for a record without a partner, so the row of the older record would stay. A LEFT JOIN sends each
record, and a condition on an expression that is NULL without a partner takes the row away.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from views.shape.relations import Relation
from views.shape.time_bounds import conditions

_NULL_OF_NULL = frozenset((
    "upper", "ucase", "lower", "lcase", "trim", "ltrim", "rtrim", "btrim", "substring", "substr", "left", "right", "replace",
    "concat", "reverse", "length", "char_length", "abs", "negative", "round", "floor", "ceil", "ceiling", "pmod", "mod",
    "string", "bigint", "int", "smallint", "tinyint", "double", "float", "decimal", "date", "timestamp", "to_date",
    "to_timestamp", "date_trunc", "year", "month", "day", "md5", "sha1", "sha2", "hex", "unhex", "base64", "unbase64",
))  # fmt: skip
"""Functions that are NULL where one of their arguments is."""
_OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv, exp.DPipe)


def with_partner(select: Any, relation: Relation) -> bool:
    """Make an inner join a LEFT JOIN whose WHERE asks for the partner; False for a join for which there is none."""
    join = relation.join
    kind = str(join.args.get("kind") or "").upper()
    if join.side == "LEFT" and kind in ("", "OUTER"):
        return True
    if join.side or kind not in ("", "INNER") or join.args.get("method"):
        return False
    partner = _partner(join, relation)
    if partner is None:
        return False
    join.set("side", "LEFT")
    join.set("kind", None)
    select.where(exp.Not(this=exp.Is(this=partner, expression=exp.Null())), copy=False)
    return True


def _partner(join: Any, relation: Relation) -> Any:
    """What is NULL exactly where there is no partner: one side of an equality of the join, over a column of the table."""
    for name in join.args.get("using") or ():
        return exp.column(name.name, table=relation.node.alias_or_name, quoted=True)
    for test in conditions(exp.Select(), join):
        for side in (test.this, test.expression) if isinstance(test, exp.EQ) else ():
            if null_without(side, relation.alias):
                return exp.paren(side.copy(), copy=False) if isinstance(side, exp.Binary) else side.copy()
    return None


def null_without(node: Any, alias: str) -> bool:
    """Whether an expression is NULL where each column of `alias` is. Columns without a table before them are of none."""
    match node:
        case exp.Column():
            return len(node.parts) > 1 and fold(node.parts[0].name) == alias
        case exp.Cast() | exp.Paren() | exp.Neg() | exp.Dot():
            return null_without(node.this, alias)
        case exp.Anonymous() if fold(str(node.this)) in _NULL_OF_NULL:
            return any(null_without(each, alias) for each in node.expressions)
        case exp.Binary() if isinstance(node, _OPERATORS):
            return null_without(node.this, alias) or null_without(node.expression, alias)
        case _:
            return False
