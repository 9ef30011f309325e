"""Whether a join is of two streams: its condition bounds a time of the one side by a time of the other. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from views.shape.relations import Relation, time_window

_RANGES = (exp.GT, exp.GTE, exp.LT, exp.LTE)


@dataclass(frozen=True, slots=True)
class Bounds:
    """how a condition ties two times. `columns` are those that it compares.

    tied    it compares times of both sides: the join is of two streams
    closed  by that each row finds its last partner after a bounded time
    """

    tied: bool = False
    closed: bool = False
    columns: tuple[Any, ...] = ()


def conditions(select: Any, join: Any) -> list[Any]:
    """What must hold for a row of a join, one by one: ON, and WHERE for a join that drops what does not fit."""
    result = list(conjuncts(join.args.get("on")))
    if not join.side:
        where = select.args.get("where")
        result += conjuncts(where.this if where is not None else None)
    return result


def conjuncts(node: Any) -> Iterator[Any]:
    """The conditions that AND joins."""
    if isinstance(node, exp.And | exp.Paren):
        for part in (node.this, node.args.get("expression")):
            yield from conjuncts(part)
    elif node is not None:
        yield node


def bounds(right: Relation, around: Sequence[Relation], tests: Sequence[Any], clocks: frozenset[str]) -> Bounds:
    """How `right` is tied to the relations before it. `clocks`: folded names of columns that are times of records."""
    low = high = False
    columns: list[Any] = []
    scope = list(around)
    for test in tests:
        if isinstance(test, exp.EQ) and _same_moment(test, right, scope, clocks):
            return Bounds(True, True, tuple(test.find_all(exp.Column)))
        for smaller, larger in _comparisons(test):
            mine, theirs = (_sides(each, right) for each in (smaller, larger))
            crosses = mine != theirs and None not in (mine, theirs)
            result = [*smaller.find_all(exp.Column), *larger.find_all(exp.Column)]
            if not crosses or not _are_times(smaller, larger, result, clocks):
                continue
            columns += result
            low, high = low or theirs is True, high or mine is True
    return Bounds(bool(columns), low and high, tuple(columns))


def _comparisons(test: Any) -> Iterator[tuple[Any, Any]]:
    """A range condition as pairs (what is smaller, what is larger)."""
    if isinstance(test, exp.Between):
        yield test.args["low"], test.this
        yield test.this, test.args["high"]
    elif isinstance(test, exp.GT | exp.GTE):
        yield test.expression, test.this
    elif isinstance(test, exp.LT | exp.LTE):
        yield test.this, test.expression


def _sides(node: Any, right: Relation) -> bool | None:
    """True: of the joined relation alone; False: of others alone; None: of both or of none."""
    result = {fold(column.table) == right.alias for column in node.find_all(exp.Column)}
    return result.pop() if len(result) == 1 else None


def _are_times(smaller: Any, larger: Any, columns: Sequence[Any], clocks: frozenset[str]) -> bool:
    if any(side.find(exp.Interval) is not None for side in (smaller, larger)):
        return True
    return all(fold(column.name) in clocks for column in columns)


def _same_moment(test: exp.EQ, right: Relation, around: list[Relation], clocks: frozenset[str]) -> bool:
    """`a.w = b.w` of windows, or `a._timestamp = b._timestamp`."""
    sides = (test.this, test.expression)
    if {_sides(each, right) for each in sides} != {True, False}:
        return False
    if all(time_window(each, around) is not None for each in sides):
        return True
    return all(isinstance(each, exp.Column) and fold(each.name) in clocks for each in sides)
