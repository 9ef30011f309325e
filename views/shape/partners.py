"""Inner joins of rows that replace one another, as LEFT JOINs that show whether there is a partner. Pure.

An inner join sends nothing for a record without a partner, so the row of the older record would stay. A LEFT JOIN sends each
record, and a condition on an expression that is NULL without a partner takes the row away. Conditions of WHERE on the joined table
are conditions of the join then, so that a partner that does not meet them is none, whatever else fits the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from views.shape.relations import Relation
from views.shape.time_bounds import conditions, conjuncts

_NULL_OF_NULL = frozenset((
    "upper", "ucase", "lower", "lcase", "trim", "ltrim", "rtrim", "btrim", "substring", "substr", "left", "right", "replace",
    "concat", "reverse", "length", "char_length", "abs", "negative", "round", "floor", "ceil", "ceiling", "pmod", "mod",
    "string", "bigint", "int", "smallint", "tinyint", "double", "float", "decimal", "date", "timestamp", "to_date",
    "to_timestamp", "date_trunc", "year", "month", "day", "md5", "sha1", "sha2", "hex", "unhex", "base64", "unbase64",
    "element_at", "get", "get_json_object",
))  # fmt: skip
"""Functions that are NULL where one of their arguments is."""
_OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv, exp.DPipe)


_TRUE_OF_VALUES = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like)
"""Comparisons that are true of two values only, and of no NULL."""


def with_conditions_in_joins(select: Any, relations: Sequence[Relation]) -> None:
    """Move each condition of WHERE on an inner joined table to ON of the last table that it names; which is the same in SQL."""
    where = select.args.get("where")
    if where is None:
        return
    places = {each.alias: number for number, each in enumerate(relations)}
    kept = []
    for test in conjuncts(where.this):
        named = [fold(each.parts[0].name) if len(each.parts) > 1 else "" for each in test.find_all(exp.Column)]
        last = max((places.get(name, -1) for name in named), default=-1)
        join = relations[last].join if last > 0 and all(name in places for name in named) else None
        if join is None or not is_inner(join) or join.args.get("using") or test.find(exp.Query) is not None:
            kept.append(test)
        else:
            join.set("on", exp.and_(join.args["on"], test) if join.args.get("on") is not None else test.copy())
    select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)


def with_partner(select: Any, relation: Relation) -> bool:
    """Make an inner join a LEFT JOIN whose WHERE asks for the partner; False for a join for which there is none."""
    join = relation.join
    if join.side == "LEFT" and _kind(join) in ("", "OUTER"):
        return True
    if not is_inner(join):
        return False
    partner = _partner(join, relation)
    if partner is None:
        return False
    join.set("side", "LEFT")
    join.set("kind", None)
    select.where(exp.Not(this=exp.Is(this=partner, expression=exp.Null())), copy=False)
    return True


def is_inner(join: Any) -> bool:
    """Whether a join gives the pairs that fit, and nothing else."""
    return not join.side and _kind(join) in ("", "INNER", "CROSS") and not join.args.get("method")


def _kind(join: Any) -> str:
    return str(join.args.get("kind") or "").upper()


def may_be_several(select: Any, relations: Sequence[Relation]) -> list[str]:
    """Aliases of joined topics of which several rows may fit one record, where a condition is asked of each of these rows."""
    result = []
    for each in relations[1:]:
        if each.table is None or each.join is None or _by_key(each):
            continue
        where = select.args.get("where")
        later = [
            other.join for other in relations if other.join is not None and other is not each and is_inner(other.join)
        ]
        if any(_names(test, each.alias) for test in (*later, where) if test is not None):
            result.append(each.alias)
    return result


def _by_key(relation: Relation) -> bool:
    """Whether ON has the whole key of a table, as it is, in CAST or with texts around it."""
    for test in conditions(exp.Select(), relation.join):
        for side, other in (
            ((test.this, test.expression), (test.expression, test.this)) if isinstance(test, exp.EQ) else ()
        ):
            columns = list(side.find_all(exp.Column))
            if len(columns) == 1 and _is_key(columns[0], relation.alias) and not _names(other, relation.alias):
                return all(_keeps_apart(node) for node in side.walk())
    return False


def _is_key(column: Any, alias: str) -> bool:
    return len(column.parts) == 2 and fold(column.parts[0].name) == alias and fold(column.name) == "_key"


def _keeps_apart(node: Any) -> bool:
    if isinstance(node, exp.Anonymous):
        return fold(str(node.this)) in ("concat", "string")
    return isinstance(node, exp.Column | exp.Identifier | exp.Cast | exp.DataType | exp.Paren | exp.DPipe | exp.Literal)


def _names(node: Any, alias: str) -> bool:
    return any(len(each.parts) > 1 and fold(each.parts[0].name) == alias for each in node.find_all(exp.Column))


def _partner(join: Any, relation: Relation) -> Any:
    """What is NULL exactly where there is no partner: one side of a comparison of the join, over a column of the table."""
    for name in join.args.get("using") or ():
        return exp.column(name.name, table=relation.node.alias_or_name, quoted=True)
    tests = conditions(exp.Select(), join)
    for test in sorted(tests, key=lambda each: not isinstance(each, exp.EQ)):
        for side in (test.this, test.expression) if isinstance(test, _TRUE_OF_VALUES) else ():
            if null_without(side, relation.alias):
                return exp.paren(side.copy(), copy=False) if isinstance(side, exp.Binary) else side.copy()
    return None


def null_without(node: Any, alias: str) -> bool:
    """Whether an expression is NULL where each column of `alias` is. Columns without a table before them are of none."""
    match node:
        case exp.Column():
            return len(node.parts) > 1 and fold(node.parts[0].name) == alias
        case exp.Cast() | exp.Paren() | exp.Neg() | exp.Dot() | exp.Bracket():
            return null_without(node.this, alias)
        case exp.Anonymous() if fold(str(node.this)) in _NULL_OF_NULL:
            return any(null_without(each, alias) for each in node.expressions)
        case exp.Binary() if isinstance(node, _OPERATORS):
            return null_without(node.this, alias) or null_without(node.expression, alias)
        case _:
            return False
