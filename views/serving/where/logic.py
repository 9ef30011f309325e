"""AND, OR, NOT, comparisons, IN, BETWEEN, LIKE and CASE, with the three truth values of SQL: NULL is "not known". Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from catalog.datatypes import Primitive
from views.serving.values import comparable
from views.serving.where import texts
from views.serving.where.functions import Build
from views.serving.where.refusals import refused, shown
from views.serving.where.typed import BOOLEAN, Compute, Row, Typed, as_kind, sort_key, together, type_of

_COMPARE: dict[type[exp.Expression], Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}


def truth(one: Typed) -> Typed:
    """A part that has to be true or false. Raises InvalidInput."""
    if one.family not in ("boolean", "null"):
        raise refused(f"where holds {shown(one.node)}, which is not a condition", one.node)
    return as_kind(one, BOOLEAN)


def joined(node: exp.Expression, build: Build) -> Typed:
    """AND and OR of any number of parts."""
    stops: bool = isinstance(node, exp.Or)  # the value that decides alone
    values = [truth(build(each)).value for each in node.flatten()]

    def value(row: Row) -> bool | None:
        unknown: bool = False
        for each in values:
            result = each(row)
            if result is stops:
                return bool(stops)
            unknown = unknown or result is None
        return None if unknown else not stops

    return Typed(node, BOOLEAN, value)


def negated(node: exp.Expression, build: Build) -> Typed:
    value = truth(build(node.this)).value
    return Typed(node, BOOLEAN, _not(value))


def _not(value: Compute) -> Compute:
    def compute(row: Row) -> bool | None:
        result = value(row)
        return None if result is None else not result

    return compute


def compared(node: exp.Expression, build: Build) -> Typed:
    left, right = build(node.this), build(node.expression)
    return Typed(node, BOOLEAN, _pair(left, right, node, _COMPARE[type(node)]))


def null_safe_equal(node: exp.Expression, build: Build) -> Typed:
    """`<=>`: NULL is equal to NULL."""
    left, right = build(node.this), build(node.expression)
    if "null" in (left.family, right.family):
        other = left.value if right.family == "null" else right.value
        return Typed(node, BOOLEAN, lambda row: other(row) is None)
    equal, one, two = _pair(left, right, node, operator.eq), left.value, right.value

    def value(row: Row) -> bool:
        result = equal(row)
        return (one(row) is None and two(row) is None) if result is None else result

    return Typed(node, BOOLEAN, value)


def _pair(left: Typed, right: Typed, node: exp.Expression, compare: Callable[[Any, Any], bool]) -> Compute:
    for one, other in ((left, right), (right, left)):
        if isinstance(one.node, exp.Null):
            name = other.column.name if other.column is not None else shown(other.node)
            raise refused(f"where compares {name} with NULL, which is not a value; write {name} IS NULL", node)
        if one.family != "null" and not comparable(one.kind):
            raise refused(f"where compares {shown(one.node)}, whose type {type_of(one)} has no order", node)
    (left, right), kind = together([left, right], node)
    first, second, key = left.value, right.value, sort_key(kind)
    if right.constant and (fixed := second({})) is not None:
        operand = fixed if key is None else key(fixed)

        def beside(row: Row) -> bool | None:
            result = first(row)
            return None if result is None else compare(result if key is None else key(result), operand)

        return beside

    def value(row: Row) -> bool | None:
        a = first(row)
        if a is None:
            return None
        b = second(row)
        if b is None:
            return None
        return compare(a, b) if key is None else compare(key(a), key(b))

    return value


def between(node: exp.Between, build: Build) -> Typed:
    one = build(node.this)
    low = _pair(one, build(node.args["low"]), node, operator.ge)
    high = _pair(one, build(node.args["high"]), node, operator.le)

    def value(row: Row) -> bool | None:
        first = low(row)
        if first is False:
            return False
        second = high(row)
        return second if first or second is False else None

    return Typed(node, BOOLEAN, value)


def among(node: exp.In, build: Build) -> Typed:
    """`x IN (...)`: NULL where it is not among them and one of them is NULL."""
    if not node.expressions or any(isinstance(each, exp.Query | exp.Subquery) for each in node.expressions):
        raise refused(f"where holds {shown(node)}, which is not a list of values", node)
    one = build(node.this)
    parts = [build(each) for each in node.expressions]
    fixed = [_constant_key(one, each, node) for each in parts] if all(each.constant for each in parts) else None
    if fixed is not None and len({kind for kind, _ in fixed}) == 1:
        kind = fixed[0][0]
        key, subject = sort_key(kind), as_kind(one, kind).value
        wanted, unknown = {each for _, each in fixed if each is not None}, any(each is None for _, each in fixed)

        def value(row: Row) -> bool | None:
            result = subject(row)
            if result is None:
                return None
            return True if (result if key is None else key(result)) in wanted else None if unknown else False

        return Typed(node, BOOLEAN, value)
    equals = [_pair(one, each, node, operator.eq) for each in parts]

    def any_of(row: Row) -> bool | None:
        answers = [each(row) for each in equals]
        return True if True in answers else None if None in answers else False

    return Typed(node, BOOLEAN, any_of)


def _constant_key(one: Typed, part: Typed, node: exp.Expression) -> tuple[Primitive, Any]:
    """The type in which a constant is compared with `one`, and what it is there."""
    _pair(one, part, node, operator.eq)  # refuses what cannot be compared
    (_, part), kind = together([one, part], node)
    value, key = part.value({}), sort_key(kind)
    return kind, value if value is None or key is None else key(value)


def is_test(node: exp.Is, build: Build) -> Typed:
    """`x IS NULL`, `x IS TRUE`, `x IS FALSE`."""
    if isinstance(node.expression, exp.Null):
        value = build(node.this).value
        return Typed(node, BOOLEAN, lambda row: value(row) is None)
    if isinstance(node.expression, exp.Boolean):
        wanted, flag = bool(node.expression.this), truth(build(node.this)).value
        return Typed(node, BOOLEAN, lambda row: flag(row) is wanted)
    raise refused(f"where holds {shown(node)}, which is not IS NULL, IS TRUE or IS FALSE", node)


def like(node: exp.Expression, build: Build) -> Typed:
    escape = "\\"
    inner = node
    if isinstance(node, exp.Escape):
        inner, escape = node.this, node.expression.name
        if len(escape) != 1:
            raise refused("where has an ESCAPE that is not one character", node, how="write ESCAPE '!'")
    pattern = inner.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise refused(
            f"where holds {shown(inner)} whose pattern is not a text", node, how="write the pattern in quotes"
        )
    one = build(inner.this)
    if one.family not in ("string", "null"):
        raise refused(
            f"where looks with LIKE in {shown(one.node)} ({type_of(one)})", node, how="write a CAST to STRING"
        )
    folds = isinstance(inner, exp.ILike)
    check = texts.like(pattern.name.lower() if folds else pattern.name, escape, node)
    value = one.value

    def compute(row: Row) -> bool | None:
        result = value(row)
        return None if result is None else check(result.lower() if folds else result)

    return Typed(node, BOOLEAN, _not(compute) if inner.args.get("negate") else compute)


def case(node: exp.Case | exp.If, build: Build) -> Typed:
    """CASE with and without an operand, and `if(test, one, other)`."""
    branches = node.args["ifs"] if isinstance(node, exp.Case) else [node]
    default = node.args.get("default" if isinstance(node, exp.Case) else "false") or exp.Null()
    operand = build(node.this) if isinstance(node, exp.Case) and node.this is not None else None
    tests: list[Compute] = []
    for each in branches:
        if operand is None:
            tests.append(truth(build(each.this)).value)
        else:
            tests.append(_pair(operand, build(each.this), node, operator.eq))
    results, kind = together([build(each) for each in (*(each.args["true"] for each in branches), default)], node)
    pairs = list(zip(tests, (each.value for each in results), strict=False))
    otherwise = results[-1].value

    def value(row: Row) -> Any:
        for test, result in pairs:
            if test(row) is True:
                return result(row)
        return otherwise(row)

    return Typed(node, kind, value)


def null_if(node: exp.Nullif, build: Build) -> Typed:
    one, other = build(node.this), build(node.expression)
    equal, value = _pair(one, other, node, operator.eq), one.value
    return Typed(node, one.kind, lambda row: None if equal(row) is True else value(row))


def extreme(node: exp.Greatest | exp.Least, build: Build) -> Typed:
    """The greatest or least of what is not NULL."""
    parts, kind = together([build(each) for each in (node.this, *node.expressions)], node)
    if not comparable(kind):
        raise refused(f"where compares {shown(node)}, whose type has no order", node)
    choose, key, values = max if isinstance(node, exp.Greatest) else min, sort_key(kind), [each.value for each in parts]

    def value(row: Row) -> Any:
        result = [each for one in values if (each := one(row)) is not None]
        return choose(result, key=key) if result else None

    return Typed(node, kind, value)
