"""Failures of the engine in the words of the query: which column, which function, which types, and what to write instead.

Every name and literal in a sentence is taken from the query's own text; of the engine's report only names of types and
counts are used, and only where they look like such. So no value of a record gets into a sentence. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

from catalog.near_names import did_you_mean
from policies.plan.errors import QueryFailed
from policies.plan.prepare import Prepared
from policies.query.blamed import taken_apart
from policies.query.type_words import plain_type, plain_types, to_compare
from policies.sql.lexer import DIALECT
from policies.sql.live import AGGREGATES
from policies.sql.names import fold, nearest

_TYPE = re.compile(r"[A-Z][A-Z_ ]{1,30}(?:\(\d{1,3}(?:, ?\d{1,3})?\))?\Z")
_COMPARES = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_LONGEST = 120


def sentence(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    """A better sentence than the engine's class has, or None. `node` is the part of the query that failed, if known."""
    condition = str(error.details.get("condition", ""))
    for start, write in _BY_CONDITION.items():
        if condition.startswith(start):
            better = write(prepared, node, error)
            if better is None and write in (_input, _operands) and node is not None:
                return f"The types in {text_of(node)} do not fit together."
            return better
    return None


def part(prepared: Prepared, error: QueryFailed) -> Any:
    """The part of the query that the engine's report names without pointing at it; None where there is none."""
    condition = str(error.details.get("condition", ""))
    return next(_casts(prepared, error), None) if condition.startswith("DATATYPE_MISMATCH.CAST_WITH") else None


def text_of(node: Any) -> str:
    """A part of the query as its author may have written it, cut where it is long."""
    written = str(node.sql(dialect=DIALECT, comments=False, normalize_functions=False))
    return written if len(written) <= _LONGEST else written[: _LONGEST - 3] + "..."


def kind(error: QueryFailed, name: str) -> str | None:
    """The name of a type in the engine's report; None for one that is long or looks like anything else."""
    type_name = error.about.get(name, "").strip().strip('"')
    return type_name if _TYPE.match(type_name) else None


def _cast(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    target = kind(error, "targetType")
    if node is None or target is None:
        return None
    if isinstance(node, exp.Cast):
        return f"A value of {text_of(node.this)} is not of type {target}; try_cast gives NULL instead."
    columns = list(dict.fromkeys(map(text_of, node.find_all(exp.Column))))
    texts = [literal for literal in node.find_all(exp.Literal) if literal.is_string]
    numbers = [literal for literal in node.find_all(exp.Literal) if not literal.is_string]
    if isinstance(node, (*_COMPARES, exp.Between, exp.In)) and columns:
        if numbers and not texts:
            compared = exp.Literal.string(numbers[0].name).sql(dialect=DIALECT)
            return (
                f"{columns[0]} is a text, and {numbers[0].name} is a number: a value of {columns[0]} is not of type {target}."
                f" Write {compared} in quotes, or try_cast({columns[0]} AS {target})."
            )
        if len(texts) == 1:
            return _compared(text_of(texts[0]), columns[0], target)
    if columns:
        instead = f"try_cast({columns[0]} AS {target})"
        return f"{text_of(node)} takes {columns[0]} as {target}, and a value of it is none; write {instead}."
    return None


def _no_cast(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    source, target = (plain_type(error.about.get(name, "").strip('"')) for name in ("srcType", "targetType"))
    cast = node if isinstance(node, exp.Cast) else next(_casts(prepared, error), None)
    if cast is None or source is None or target is None:
        return None
    instead = _PARTS_OF.get(source, "CAST it to STRING first, or compute the value in another way")
    return f"{text_of(cast.this)} is {source}, which cannot be cast to {target}; {instead}."


_PARTS_OF = {
    "a struct": "CAST one of its fields",
    "an array": "CAST one of its elements",
    "a map": "CAST one of its values",
}


def _casts(prepared: Prepared, error: QueryFailed) -> Iterator[Any]:
    """The CASTs that the engine's report may be about, where it does not point at one."""
    written = _plain(error.about.get("sqlExpr", "").strip('"')).removeprefix("try_")
    for cast in prepared.gated.tree.find_all(exp.Cast, bfs=False):
        if written and _plain(text_of(cast)).removeprefix("try_") == written:
            yield cast


def _compared(text: str, column: str, target: str) -> str:
    if target == "BOOLEAN":
        return f"{text} is neither true nor false, and {column} is compared as one of both; write TRUE or FALSE."
    words = to_compare(target)
    if words is None:
        return f"{text} does not fit {column}, which it is compared with."
    return f"{text} is not {words[0]}, and {column} is compared as one; write {words[1]}."


def _ungrouped(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    for item in _written(prepared, error.about.get("expression", "")):
        return _grouping(item)
    for select in prepared.gated.tree.find_all(exp.Select):
        if select.args.get("group") or not any(map(_aggregates, select.expressions)):
            continue
        for item in select.expressions:
            inner = item.this if isinstance(item, exp.Alias) else item
            column = None if _aggregates(inner) else inner.find(exp.Column)
            if column is not None:
                return _grouping(text_of(column))
    return None


def _grouping(item: str) -> str:
    return f"{item} is neither in GROUP BY nor in an aggregate; write GROUP BY {item}, or any_value({item}) for one of its values."


def _aggregates(node: Any) -> bool:
    calls = (each for each in node.find_all(exp.Anonymous) if not isinstance(each.parent, exp.Window))
    return any(str(call.this).lower() in AGGREGATES for call in calls)


def _using(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    side = error.about.get("side")
    folded = fold(error.about.get("colName", "").strip("`"))
    joins = prepared.gated.tree.find_all(exp.Join)
    name = next((i.name for join in joins for i in join.args.get("using") or () if fold(i.name) == folded), None)
    if name is None or side not in ("left", "right"):
        return None
    names = [c.name for governed in prepared.tables.values() for c in governed.shown]
    if folded in map(fold, names):
        return (
            f"USING ({name}): the {side} side of the join has no column {name}; write ON with the column of each side."
        )
    hint = did_you_mean(nearest(name, names), ".", "; ")
    return f"USING ({name}): the {side} side of the join has no column {name}{hint}"


def _arguments(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    expected, actual = error.about.get("expectedNum", ""), error.about.get("actualNum", "")
    if node is None or not isinstance(node, exp.Anonymous) or not re.fullmatch(r"[\d\[\], >]{1,20}", expected):
        return None
    return f"{node.this} takes {expected} argument{'' if expected == '1' else 's'}" + (
        f" and has {actual}." if actual.isdigit() else "."
    )


def _input(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    required = plain_types(error.about.get("requiredType", ""))
    actual = plain_type(error.about.get("inputType", "").strip('"'))
    if node is None or required is None or actual is None:
        return None
    place = error.about.get("paramIndex", "")
    which = f"its {place} argument" if re.fullmatch(r"[a-z]{4,10}", place) else "an argument"
    return f"{text_of(node)} takes {required}, and {which} is {actual}."


def _operands(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    left, right = (plain_type(kind(error, side) or "") for side in ("left", "right"))
    if node is None or left is None or right is None:
        return None
    return f"{text_of(node)}: one side is {left}, the other {right}; CAST one of them."


def _extract_base(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    actual = plain_type(error.about.get("other", "").strip('"'))
    names = taken_apart(prepared, error.about.get("base", ""))
    item = ".".join(names) if names else next(_written(prepared, error.about.get("base", "")), None)
    if item is None:
        return None
    return f"{item} is {actual or 'not a struct, map or array'}, so there is no field or element in it."


def _extract_field(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    if isinstance(node, exp.Extract):
        part = node.name.upper() if node.name.isidentifier() else "that"
        instead = (
            " Write unix_timestamp(time)."
            if part == "EPOCH"
            else " There are YEAR, QUARTER, MONTH, WEEK, DAY, DOW, DOY, HOUR, MINUTE and SECOND."
        )
        return f"Spark's EXTRACT does not know {part}.{instead}"
    return None


def _written(prepared: Prepared, expression: str) -> Iterator[str]:
    """An expression of the engine's report, where the query has the same: in the query's own words."""
    written = _plain(expression.strip('"'))
    for node in prepared.gated.tree.walk():
        if isinstance(node, (exp.Column, exp.Anonymous, exp.Binary, exp.Dot)):
            mine = _plain(text_of(node))
            if written and f".{written}." in f".{mine}.":  # with the table before it, or the fields below it
                yield text_of(node)
                return


def _plain(text: str) -> str:
    return fold(re.sub(r"[`\s()]", "", text))


def _window(prepared: Prepared, node: Any, error: QueryFailed) -> str | None:
    """Spark names the arguments of its windows by its own words, and counts them in microseconds."""
    function = error.about.get("exprName") or error.about.get("leftExprName") or ""
    return _WINDOWS.get(function.strip("`"))


_WINDOWS = {
    "window_duration": "The length of a window must be above zero; write it as in window(_timestamp, '5 minutes').",
    "slide_duration": "The slide of a window must be above zero and not longer than the window; write it as in"
    " window(_timestamp, '5 minutes', '1 minute').",
    "abs(start_time)": "The shift of a window must be shorter than its slide; write it as in"
    " window(_timestamp, '10 minutes', '10 minutes', '3 minutes').",
}

_BY_CONDITION: dict[str, Callable[[Prepared, Any, QueryFailed], str | None]] = {
    "CAST_INVALID_INPUT": _cast,
    "DATATYPE_MISMATCH.CAST_WITH": _no_cast,
    "MISSING_AGGREGATION": _ungrouped,
    "MISSING_GROUP_BY": _ungrouped,
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": _using,
    "WRONG_NUM_ARGS": _arguments,
    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE": _input,
    "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES": _operands,
    "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE": _operands,
    "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE": _window,
    "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION": _window,
    "INVALID_EXTRACT_BASE_FIELD_TYPE": _extract_base,
    "INVALID_EXTRACT_FIELD": _extract_field,
}
