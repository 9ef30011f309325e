"""Which column of a query the engine means by the end of its name. Pure."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from catalog.datatypes import DataType, Primitive, StructType
from policies.plan.explain import find
from policies.plan.prepare import Prepared
from policies.plan.refusals import split_name
from policies.plan.value_columns import kind_of
from policies.sql.names import fold


def whole_name(node: Any) -> list[str] | None:
    """All the names of `o.customer.email`, when nothing but names is there."""
    if isinstance(node, exp.Column):
        return [part.name for part in node.parts]
    if isinstance(node, exp.Dot):
        before = whole_name(node.this)
        return [*before, node.expression.name] if before and isinstance(node.expression, exp.Identifier) else None
    return None


def taken_apart(prepared: Prepared, base: str) -> list[str] | None:
    """The names up to `base` of the first column that has a field taken of it and is not known to be nested."""
    wanted = [fold(part) for part in split_name(base.strip('"'))]
    for node in prepared.gated.tree.find_all(exp.Column, exp.Dot, bfs=False):
        names = whole_name(node)
        folded = [fold(name) for name in names or ()]
        for at in range(len(folded) - len(wanted)):
            if names and folded[at : at + len(wanted)] == wanted and not _nested(prepared, names[: at + len(wanted)]):
                return names[: at + len(wanted)]
    return None


def _nested(prepared: Prepared, names: list[str]) -> bool:
    """Whether a name is of a field that is known to be a struct, an array or a map."""
    for table in prepared.gated.tree.find_all(exp.Table):
        governed = prepared.tables.get(table.meta.get("weir"))
        if governed is None or len(names) < 2 or fold(table.alias_or_name) != fold(names[0]):
            continue
        column = find(governed, names[1])
        kind = kind_of(governed.table, column.name, column.path) if column is not None else None
        for name in names[2:]:
            kind = _field(kind, name)
        return kind is not None and not isinstance(kind, Primitive)
    return False


def _field(kind: DataType | None, name: str) -> DataType | None:
    if not isinstance(kind, StructType):
        return None
    return next((inner for each, inner in kind.fields if fold(each) == fold(name)), None)
