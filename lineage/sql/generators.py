"""Functions that give several columns or rows: explode, posexplode, inline, stack, json_tuple, TRANSFORM ... USING."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from lineage.sql.limits import Budget
from lineage.sql.model import TRANSFORMATION, SqlLineage
from lineage.sql.relations import ELEMENT, Output, Value, step, union

Read = Callable[[exp.Expression | None], Value]
Elements = Callable[[Value], Value]

_POSITIONED = (exp.Posexplode, exp.PosexplodeOuter)
_EXPLODES = (exp.Explode, exp.ExplodeOuter, *_POSITIONED)


def generated(
    node: exp.Expression, read: Read, elements: Elements, sql_lineage: SqlLineage, budget: Budget
) -> list[Output] | None:
    """The columns that one item of a SELECT list gives; None for an ordinary expression."""
    inner, column_names = node, list[str]()
    if isinstance(node, exp.Aliases):
        inner, column_names = node.this, [each.name for each in node.expressions]
    elif isinstance(node, exp.Alias):
        inner, column_names = node.this, [node.alias]
    if isinstance(inner, exp.QueryTransform):
        schema = inner.args.get("schema")
        names = [each.name for each in schema.expressions] if isinstance(schema, exp.Schema) else ["key", "value"]
        whole = union([read(each) for each in inner.expressions], budget).then(TRANSFORMATION)
        return [_output(name, whole) for name in names]
    columns = _columns(inner, len(column_names), read, elements, sql_lineage, budget)
    if columns is None:
        if not isinstance(node, exp.Aliases):
            return None
        sql_lineage.doubt("which part of a function's result each of its names means cannot be determined")
        return [_output(name, read(inner).then(TRANSFORMATION)) for name in column_names]
    if column_names and len(column_names) != len(columns):
        sql_lineage.doubt(f"a function that gives {len(columns)} columns has {len(column_names)} names")
        whole = union([value for _, value in columns], budget).then(TRANSFORMATION)
        return [_output(name, whole) for name in column_names]
    return [_output(column_names[at] if column_names else name, value) for at, (name, value) in enumerate(columns)]


def stacked(node: exp.Stack, read: Read, sql_lineage: SqlLineage, budget: Budget) -> list[tuple[str, Value]]:
    """`stack(2, a, b, c, d)` is two rows of two columns: a and c, b and d."""
    if not isinstance(node.this, exp.Literal) or not node.this.is_int or int(node.this.name) < 1:
        sql_lineage.doubt("how many columns stack() gives cannot be determined")
        return []
    rows = int(node.this.name)
    width = -(-len(node.expressions) // rows)
    return [
        (f"col{at}", union([read(each) for each in node.expressions[at::width]], budget).then(TRANSFORMATION))
        for at in range(width)
    ]


def _columns(
    node: exp.Expression, names: int, read: Read, elements: Elements, sql_lineage: SqlLineage, budget: Budget
) -> list[tuple[str, Value]] | None:
    called = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
    if isinstance(node, exp.Stack):
        return stacked(node, read, sql_lineage, budget)
    if isinstance(node, exp.Inline) or called == "inline_outer":
        return _inlined(elements(read(node.expressions[0] if called else node.this)), names, sql_lineage)
    if isinstance(node, _EXPLODES):
        value = read(node.this)
        element = elements(value)
        first = [("pos", Value())] if isinstance(node, _POSITIONED) else []
        left = names - len(first)
        if left == 2:  # of a map
            return [*first, ("key", value.then(TRANSFORMATION)), ("value", element)]
        if not names and (value.nested is None or ELEMENT not in value.nested):
            sql_lineage.doubt(
                "whether explode() is of an array or a map, and so what its columns are called, cannot be determined"
            )
        return [*first, ("col", element)]
    if called == "json_tuple":
        value = read(node.expressions[0] if node.expressions else None)
        return [
            (f"c{at}", (step(value, key.name) or value if key.is_string else value).decoded())
            for at, key in enumerate(node.expressions[1:])
            if isinstance(key, exp.Literal)
        ]
    return None


def _inlined(element: Value, names: int, sql_lineage: SqlLineage) -> list[tuple[str, Value]]:
    fields = list(element.nested) if element.nested is not None else list(element.fields or ())
    if not fields:
        sql_lineage.doubt("the fields that inline() gives are not known")
        return [(f"col{at + 1}", element.then(TRANSFORMATION)) for at in range(names)]
    return [(name, step(element, name) or Value()) for name in fields]


def _output(name: str, value: Value) -> Output:
    return Output(name, lambda: value)
