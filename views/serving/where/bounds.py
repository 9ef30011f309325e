"""Bounds of a key column, `from` and `to`, and whether a row is within them. Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from catalog.datatypes import Primitive
from views.model import Column
from views.row_ports import Comparison
from views.serving.values import order_key

_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def met_by(comparisons: Sequence[Comparison], columns: Sequence[Column]) -> Callable[[Mapping[str, object]], bool]:
    """A check of rows in JSON form. NULL, and a column that a row does not have, meet nothing."""
    kinds = {each.name: each.kind for each in columns}
    checks: list[tuple[str, Callable[[Any], Any], Callable[[Any, Any], bool], Any]] = []
    for each in comparisons:
        kind = kinds[each.column]
        assert isinstance(kind, Primitive)
        key = order_key(kind)
        checks.append((each.column, key, _CHECKS[each.op], None if each.value is None else key(each.value)))

    def check(row: Mapping[str, object]) -> bool:
        for name, key, compare, operand in checks:
            value = row.get(name)
            if value is None or operand is None or not compare(key(value), operand):
                return False
        return True

    return check
