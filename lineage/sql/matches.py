"""MATCH_RECOGNIZE: rows that match a pattern -> the measures taken of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.model import FILTER, GROUP_BY, SORT
from lineage.sql.relations import Opaque, Output, QueryTable, Relation, Value
from lineage.sql.scope import Scope

if TYPE_CHECKING:
    from lineage.sql.queries import Queries

MEASURES_LAST = "measures_last"
"""Mark of a dialect in which the columns of a matched row keep their order and come before the measures."""

_WORD = re.compile(r"[^\W\d]\w*")


def matched(node: exp.Select, scope: Scope, queries: Queries) -> None:
    """Put what the pattern gives in the place of the relation that it reads."""
    match = node.args["match"]
    alias = match.args.get("alias")
    name = alias.name if isinstance(alias, exp.TableAlias) else ""
    if len(scope.sources) != 1 or (isinstance(alias, exp.TableAlias) and alias.columns):
        # The tree does not show which of the relations is matched.
        queries.sql_lineage.doubt("MATCH_RECOGNIZE beside other tables is not read")
        scope.sources, scope.full_names = {name.lower() or "matched": Opaque(name)}, {}
        return
    ((key, base),) = scope.sources.items()
    inner = Scope(scope.sql_lineage, scope.budget, None, scope.ctes, {key: base})
    _unqualify(match)
    partition = list(match.args.get("partition_by") or ())
    order = match.args.get("order")
    ordered = [part.this for part in order.expressions] if isinstance(order, exp.Order) else []
    for parts, subtype in ((partition, GROUP_BY), (ordered, SORT), (match.args.get("define") or (), FILTER)):
        for part in parts:
            queries.influence(part, inner, subtype)
    first = [each for each in partition if isinstance(each, exp.Column)]
    measures = [
        Output(each.this.alias_or_name, lambda part=each.this: queries.expressions.value(part, inner))  # type: ignore[misc]
        for each in match.args.get("measures") or ()
    ]
    rows = match.args.get("rows")
    rest: list[Output] = []
    open_relations: list[Relation] = []
    if isinstance(rows, exp.Var) and rows.name.startswith("ALL"):
        # Of every row: what it is partitioned and ordered by, the measures, then what is left of it.
        names = base.names()
        first += [each for each in ordered if isinstance(each, exp.Column)]
        if match.meta.get(MEASURES_LAST):
            first = [exp.column(each) for each in names or ()]
        taken = {each.name.lower() for each in first}
        rest = [_output(base, each) for each in names or () if each.lower() not in taken]
        open_relations = [base] if names is None else []
    heads = [Output(each.name, lambda part=each: queries.expressions.value(part, inner)) for each in first]  # type: ignore[misc]
    del scope.sources[key]
    if name:
        scope.full_names.pop(key, None)
    scope.sources[name.lower() or key] = QueryTable(name or key, [*heads, *measures, *rest], open_relations)


def _unqualify(match: exp.Expression) -> None:
    """`A.price` is the price of the row that A matched: a column of the relation itself."""
    pattern = match.args.get("pattern")
    variables = {word.lower() for word in _WORD.findall(pattern.name if isinstance(pattern, exp.Var) else "")}
    variables |= {each.alias.lower() for each in match.args.get("define") or ()}
    for column in list(match.find_all(exp.Column)):
        if column.table.lower() in variables and not column.args.get("db"):
            column.set("table", None)


def _output(base: Relation, name: str) -> Output:
    return Output(name, lambda: base.find(name) or Value())
