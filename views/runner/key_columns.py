"""Which columns of a result are a column of a table, as it is or written in another way that keeps its values apart. Pure.

A row that goes is known by its key alone, so a view's key may be computed from that of its source only where no two keys give one
value and NULL alone gives NULL: texts around it (`concat('p-', _key)`, `_key || 'x'`), and `CAST(... AS STRING)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from catalog.datatypes import BINARY, ArrayType, DataType, MapType, Primitive, StructType
from catalog.paths import FieldPath
from policies.masks import registry
from policies.plan.views import GovernedTable
from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.trace import Visible
from policies.sql.untraceable import followed_outputs

_AS_TEXT = re.compile(r"(STRING|TINYINT|SMALLINT|INT|BIGINT|DATE|BOOLEAN|DECIMAL(\(.*\))?)\Z")
"""Types of which no two values have one text. Zones and roundings give others such texts."""


def masks_of_equality() -> list[str]:
    """Masks that give two values two values, by name."""
    return sorted(name for name, kind in registry.installed().kinds.items() if kind.equality)


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column of `ref`, or a part of it: `path` ("customer", "id"). `computed`: texts around it, or a text of it, which keep
    values apart only where `has_text(kind)`."""

    ref: TableRef
    path: tuple[str, ...]
    computed: bool


def key_columns(tree: exp.Expression, columns: Mapping[TableRef, Visible]) -> dict[str, KeyColumn]:
    """Folded name of a column of the result -> what it is; without those that are made in any other way."""
    as_it_is = _direct(tree, columns)
    bare = _direct(_bared(tree), columns)
    return {name: KeyColumn(*source, computed=as_it_is.get(name) != source) for name, source in bare.items()}


def has_text(kind: DataType | None) -> bool:
    """Whether a value's text is that of no other value of this type."""
    return isinstance(kind, Primitive) and _AS_TEXT.match(kind.name) is not None


def how_masked(governed: GovernedTable, kind: DataType, place: FieldPath) -> str | None:
    """How a place is masked so that two values may show as one, or one as two; None where each shows as its own."""
    if isinstance(kind, Primitive):
        rule = governed.places.rule(place)
        if rule.mask is None:
            return None
        if registry.shows_equality(rule.mask.type) and not rule.clear_when and (has_text(kind) or kind == BINARY):
            return None
        return f"masked by {rule.mask.type}" + (" in some records only" if rule.clear_when else "")
    inner: list[tuple[DataType, FieldPath]]
    match kind:
        case StructType(fields):
            inner = [(each, kind.path_of(place, name)) for name, each in fields]
        case ArrayType(element):
            inner = [(element, place.elements())]
        case MapType(key, value):
            inner = [(key, place.keys()), (value, place.values())]
            if governed.places.keys_below(place):
                return "masked in part"
    return "masked in part" if any(how_masked(governed, *each) is not None for each in inner) else None


def _direct(tree: Any, columns: Mapping[TableRef, Visible]) -> dict[str, tuple[TableRef, tuple[str, ...]]]:
    direct = {}
    for each in followed_outputs(tree, columns):
        if each.followed and each.direct and len(each.sources) == 1:
            direct[fold(each.name)] = next(iter(each.sources))
    return direct


def _bared(tree: Any) -> Any:
    """The query with the column itself where a SELECT has it with texts around it."""
    tree = tree.copy()
    for select in list(tree.find_all(exp.Select)):
        for item in select.expressions:
            column = _inner(item.this) if isinstance(item, exp.Alias) else None
            if column is not None and column is not item.this:
                item.set("this", column.copy())
    return tree


def _inner(node: Any) -> Any:
    """The one column that an expression shows with its values apart; None for any other expression."""
    if isinstance(node, exp.Column):
        return node
    if isinstance(node, exp.Dot):
        return node
    if isinstance(node, exp.Paren):
        return _inner(node.this)
    if isinstance(node, exp.Cast) and node.to.is_type("text"):  # TRY_CAST is one, too
        return _inner(node.this)
    if isinstance(node, exp.DPipe):
        parts = [node.this, node.expression]
    elif isinstance(node, exp.Anonymous) and fold(node.name) == "concat":
        parts = node.expressions
    else:
        return None
    names = [part for part in parts if not isinstance(part, exp.Literal)]
    return _inner(names[0]) if len(names) == 1 else None
