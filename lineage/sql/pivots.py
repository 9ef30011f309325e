"""PIVOT and UNPIVOT: columns whose names are values of the text, or columns whose values become rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.model import CONDITIONAL, GROUP_BY
from lineage.sql.relations import Opaque, Output, QueryTable, Relation, Value, renamed, union
from lineage.sql.scope import Scope

if TYPE_CHECKING:
    from lineage.sql.queries import Queries

_HIDDEN = ("?", "0")
"""The replacements of values in stored statements: they show no name of a column."""


def pivoted(node: exp.Pivot, base: Relation, name: str, scope: Scope, queries: Queries) -> Relation:
    """What a relation is after a PIVOT or UNPIVOT. Columns that cannot be determined are reported, and left open."""
    inner = Scope(scope.sql_lineage, scope.budget, None, scope.ctes, {name.lower(): base})
    relation = (_unpivot if node.args.get("unpivot") else _pivot)(node, base, name, inner, queries)
    alias = node.args.get("alias")
    column_names = [column.name for column in alias.columns] if isinstance(alias, exp.TableAlias) else []
    return renamed(relation, name, column_names)


def _pivot(node: exp.Pivot, base: Relation, name: str, inner: Scope, queries: Queries) -> QueryTable:
    fields = [each for each in node.args.get("fields") or () if isinstance(each, exp.In)]
    keys = [column for each in fields for column in each.this.find_all(exp.Column)]
    used = {column.name.lower() for part in node.expressions for column in part.find_all(exp.Column)}
    used |= {column.name.lower() for column in keys}
    kept, open_relations = _kept(node, base, used)
    for output in kept:  # each row is one group of these
        for origin in output.get().ways:
            queries.influences.setdefault(origin, set()).add(GROUP_BY)
    cells = _cells(node, fields)
    if cells is None:
        queries.sql_lineage.doubt("the columns that a pivot gives cannot be determined")
        return QueryTable(name, kept, [Opaque(name)])
    when = union([queries.expressions.value(key, inner).indirect(CONDITIONAL) for key in keys], inner.budget)
    values = [union([queries.expressions.value(part, inner), when], inner.budget) for part in node.expressions]
    outputs = [Output(column, Value, values[at]) for column, at in cells]
    return QueryTable(name, [*kept, *outputs], open_relations)


def _cells(node: exp.Pivot, fields: list[exp.In]) -> list[tuple[str, int]] | None:
    """Name and aggregation (its place) of each column that a PIVOT makes; None where they cannot be determined."""
    names = [column.name for column in node.args.get("columns") or ()]
    count = 1
    for each in fields:
        if not each.expressions or not all(_is_named(value) for value in each.expressions):
            return None
        count *= len(each.expressions)
    aggregations = len(node.expressions)
    if not fields or len(names) != count * aggregations or len({name.lower() for name in names}) != len(names):
        return None
    return [(name, at % aggregations) for at, name in enumerate(names)] if all(names) else None


def _is_named(value: exp.Expression) -> bool:
    """Whether a value of the list names a column: an alias does, and a plain value that is not hidden."""
    if isinstance(value, exp.PivotAlias | exp.Column):
        return True
    return isinstance(value, exp.Literal) and value.name not in _HIDDEN


def _unpivot(node: exp.Pivot, base: Relation, name: str, inner: Scope, queries: Queries) -> QueryTable:
    fields = [each for each in node.args.get("fields") or () if isinstance(each, exp.In)]
    listed = [_columns(value) for each in fields for value in each.expressions]
    targets = _names(node.expressions)
    if len(fields) != 1 or not listed or any(len(columns) != len(targets) for columns in listed):
        queries.sql_lineage.doubt("the columns that an unpivot gives cannot be determined")
        return QueryTable(name, [], [Opaque(name)])
    kept, open_relations = _kept(node, base, {column.name.lower() for columns in listed for column in columns})
    values = [
        Output(target, Value, union([queries.expressions.value(c[at], inner) for c in listed], inner.budget))
        for at, target in enumerate(targets)
    ]
    labels = [Output(label, Value, Value()) for label in _names([fields[0].this])]
    new_outputs = [*values, *labels] if node.args.get("value_columns_first") else [*labels, *values]
    return QueryTable(name, [*kept, *new_outputs], open_relations)


def _kept(node: exp.Pivot, base: Relation, used: set[str]) -> tuple[list[Output], list[Relation]]:
    """The columns that pass through, and what holds further ones that are not known."""
    group = node.args.get("group")
    if isinstance(group, exp.Group):
        return [_output(base, column.name) for column in group.expressions], []
    names = base.names()
    if names is None:
        # What a star took of known columns passes as well, unless it is used up.
        known = [output.name for output in base.outputs] if isinstance(base, QueryTable) else []
        return [_output(base, each) for each in known if each.lower() not in used], [base]
    return [_output(base, each) for each in names if each.lower() not in used], []


def _columns(value: exp.Expression) -> list[exp.Expression]:
    inner = value.this if isinstance(value, exp.PivotAlias) else value
    parts = inner.expressions if isinstance(inner, exp.Tuple) else [inner]
    return [part for part in parts if isinstance(part, exp.Column)]


def _names(parts: Iterable[exp.Expression]) -> list[str]:
    return [each.name for part in parts for each in (part.expressions if isinstance(part, exp.Tuple) else [part])]


def _output(base: Relation, name: str) -> Output:
    return Output(name, lambda: base.find(name) or Value())
