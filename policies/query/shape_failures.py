"""Parts of a query that do not fit together in number or place: grouping, joins, arguments, fields. Pure.

See `policies/query/failure_words.py` for what may get into a sentence.
"""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from catalog.near_names import did_you_mean
from policies.plan.errors import QueryFailed
from policies.plan.prepare import PreparedQuery
from policies.query.blamed import taken_apart, text_of, whole_name, written
from policies.query.failure_sentence import Sentence
from policies.query.type_words import plain_type
from policies.sql.live import AGGREGATES
from policies.sql.names import fold, nearest


def ungrouped(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    for part in written(prepared, error.about.get("expression", "")):
        return _grouping(part)
    for select in prepared.gated.tree.find_all(exp.Select):
        having = select.args.get("having")
        if select.args.get("group") or not (having or any(map(_aggregates, select.expressions))):
            continue
        for item in [*select.expressions, *([having.this] if having else [])]:
            inner = item.this if isinstance(item, exp.Alias) else item
            column = None if _aggregates(inner) else inner.find(exp.Column)
            if column is not None:
                return _grouping(column)
    return None


def _grouping(part: Any) -> Sentence:
    item = text_of(part)
    instead = f"write GROUP BY {item}, or any_value({item}) for one of its values"
    return Sentence(f"{item} is neither in GROUP BY nor in an aggregate; {instead}.", part)


def _aggregates(node: Any) -> bool:
    calls = (each for each in node.find_all(exp.Anonymous) if not isinstance(each.parent, exp.Window))
    return any(str(call.this).lower() in AGGREGATES for call in calls)


def counted_column(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    size = error.about.get("size", "")
    if node is None or not size.isdigit():
        return None
    clause = "GROUP BY" if str(error.details.get("condition", "")).startswith("GROUP") else "ORDER BY"
    return Sentence(f"{clause} {text_of(node)}: SELECT has {size} column{'' if size == '1' else 's'}.", node)


def set_operation(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    about = error.about
    words = [about.get(name, "") for name in ("operator", "invalidOrdinalNum")]
    counts = [about.get(name, "") for name in ("firstNumColumns", "invalidNumColumns")]
    if not all(re.fullmatch(r"[A-Za-z ]{2,20}", each) for each in words) or not all(map(str.isdigit, counts)):
        return None
    columns = f"{counts[0]} column{'' if counts[0] == '1' else 's'}"
    return Sentence(
        f"{words[0]}: the first query has {columns}, the {words[1]} {counts[1]}; name as many in each.",
        prepared.gated.tree.find(exp.SetOperation),
    )


def using(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    side = error.about.get("side")
    folded = fold(error.about.get("colName", "").strip("`"))
    joins = prepared.gated.tree.find_all(exp.Join)
    name = next((i for join in joins for i in join.args.get("using") or () if fold(i.name) == folded), None)
    if name is None or side not in ("left", "right"):
        return None
    names = [c.name for governed in prepared.tables.values() for c in governed.shown]
    start = f"USING ({name.name}): the {side} side of the join has no column {name.name}"
    if folded in map(fold, names):
        return Sentence(f"{start}; write ON with the column of each side.", name)
    return Sentence(f"{start}{did_you_mean(nearest(name.name, names), '.', '; ')}", name)


def arguments(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    name = fold(error.about.get("functionName", "").strip("`"))
    expected, actual = _number(error.about.get("expectedNum", "").strip()), error.about.get("actualNum", "")
    if node is None:
        calls = (each for each in prepared.gated.tree.find_all(exp.Func) if _called(each) == name)
        node = next(calls, None)
    if node is None or expected is None:
        return None
    plural = "" if expected.endswith("1") else "s"
    had = f" and has {actual}." if actual.isdigit() else "."
    called = str(node.this) if isinstance(node, exp.Anonymous) else _called(node)
    return Sentence(f"{called} takes {expected} argument{plural}{had}", node)


def _called(node: Any) -> str:
    if isinstance(node, exp.Anonymous):
        return fold(str(node.this))
    return fold(re.split(r"\W", text_of(node), maxsplit=1)[0])


def _number(expected: str) -> str | None:
    """`2`, `2 or 3`, `an even number of`, of what the engine expects."""
    if re.fullmatch(r"\d{1,2}", expected):
        return expected
    if re.fullmatch(r"\[\d{1,2}(, \d{1,2})*\]", expected):
        return " or ".join(expected.strip("[]").split(", "))
    if expected == "2n (n > 0)":
        return "an even number of"
    more = re.fullmatch(r">(=?) ?(\d{1,2})", expected)
    return None if more is None else f"at least {int(more[2]) + (not more[1])}"


def no_fields(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    actual = plain_type(error.about.get("other", "").strip('"'))
    names = taken_apart(prepared, error.about.get("base", ""))
    if names:
        folded = [fold(each) for each in names]
        nodes = prepared.gated.tree.find_all(exp.Column, exp.Dot, bfs=False)
        node = next((n for n in nodes if [*map(fold, whole_name(n) or ())][: len(folded)] == folded), node)
        item = ".".join(names)
    else:
        base = next(written(prepared, error.about.get("base", "")), None)
        if base is None:
            return None
        names = whole_name(base)
        inner = base.this if isinstance(base, exp.Dot) and isinstance(base.this, exp.Bracket) else base
        item, node = ".".join(names[:-1]) if names and len(names) > 2 else text_of(inner), base
    return Sentence(f"{item} is {actual or 'not a struct, map or array'}, so there is no field or element in it.", node)


def date_part(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    if node is None or not isinstance(node, (exp.Extract, exp.Anonymous)):
        return None
    if isinstance(node, exp.Extract):
        what, name = "EXTRACT", node.name
    else:
        literal = next((each for each in node.find_all(exp.Literal) if each.is_string), None)
        what, name = str(node.this), literal.name if literal is not None else ""
    part = name.upper() if name.isidentifier() else "that part"
    instead = (
        " Write unix_timestamp(time)."
        if part == "EPOCH"
        else " There are YEAR, QUARTER, MONTH, WEEK, DAY, DOW, DOY, HOUR, MINUTE and SECOND."
    )
    return Sentence(f"Spark's {what} does not know {part}.{instead}", node)


def star(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    """A star of a table that the query does not have."""
    name = fold(error.about.get("targetString", "").strip("`"))
    tables = list(dict.fromkeys(table.alias_or_name for table in prepared.gated.tree.find_all(exp.Table)))
    star = next(
        (
            column
            for column in prepared.gated.tree.find_all(exp.Column)
            if isinstance(column.this, exp.Star) and fold(column.table) == name
        ),
        None,
    )
    if star is None:
        return None
    hint = did_you_mean(nearest(star.table, tables), f"; its tables are {', '.join(tables)}.", "; ")
    return Sentence(f"{text_of(star)}: the query has no table or struct {star.table}{hint}", star)
