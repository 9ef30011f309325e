"""Names in tests of policies that the dataset does not have: a misspelt test would pass and test nothing. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import exp

from catalog.datatypes import ArrayType, DataType, StructType
from catalog.near_names import did_you_mean
from catalog.paths import FieldPath
from policies.model import DatasetFacts
from policies.plan import explain
from policies.plan.prepare import PreparedQuery
from policies.plan.value_columns import kind_of
from policies.plan.views import Column, GovernedTable
from policies.sql import inventory
from policies.sql.names import fold, nearest
from policies.whatif.policy_expectations import Unmet, problem

_MADE = re.compile(r"(col|c|_)?\d+|col|pos|key|value|id")
"""Names that explode, VALUES, range and similar give."""


def within(path: str, place: FieldPath) -> bool:
    mine = FieldPath.parse(path)
    return place.contains(mine) or mine.contains(place)


def unchecked(facts: DatasetFacts) -> list[str]:
    """What to report of a dataset whose fields are not known yet."""
    if facts.fields:
        return []
    return [f"{facts.reference} has no schema and was not scanned, so the names of its columns were not checked."]


def unknown_field(facts: DatasetFacts, place: FieldPath) -> Unmet | None:
    """A problem for a path of which the dataset has nothing; key, value and headers as such are always there."""
    if not facts.fields or not place.steps or any(within(each.path, place) for each in facts.fields):
        return None
    near = nearest(str(place), [each.path for each in facts.fields])
    return problem("field", f"a field of {facts.reference}", _no_such(str(place), near))


def unknown_columns(prepared: PreparedQuery) -> list[Unmet]:
    """A problem for each name of the query that none of its topics has and the query itself does not make."""
    tree, tables = prepared.gated.tree, prepared.tables
    if tree.find(exp.Pivot) is not None:
        return []
    aliases = _made(tree)
    topics = {fold(table.alias) for table in tree.find_all(exp.Table) if _is_topic(table) and table.alias}
    relations = {(name,) for name in topics} | {tuple(map(fold, ref.parts)) for ref in tables}
    relations |= {each[-1:] for each in relations}
    opened = _opened(tree)
    inner = {fold(n) for g in tables.values() for n in _names_inside(g.table.value.kind)} if opened else set()
    problems = {}
    for column in tree.find_all(exp.Column):
        names = [part.name for part in column.parts]
        if isinstance(column.this, exp.Star) or inventory.functions().get(names[0].lower()):
            continue
        tries = [names, *(names[len(r) :] for r in relations if len(r) < len(names) and _begins(names, r))]
        if any(fold(each[0]) in aliases | inner or (opened and _MADE.fullmatch(fold(each[0]))) for each in tries):
            continue
        near = [n for each in tries for n in _near(each, tables.values())]
        if None not in near:
            written = ".".join(names)
            problems[fold(written)] = problem(
                "column", "a column of the topics", _no_such(written, next(filter(None, near), ""))
            )
    return list(problems.values())


def _no_such(name: str, near: str | None) -> str:
    return f"there is no {name}{did_you_mean(near, lead='; ')}"


def _begins(names: Sequence[str], relation: Sequence[str]) -> bool:
    return tuple(map(fold, names[: len(relation)])) == tuple(relation)


def _made(tree: exp.Expression) -> set[str]:
    """Names that the query gives itself: aliases, names of CTEs and their columns, parameters of lambdas."""
    names = {alias.alias for alias in tree.find_all(exp.Alias, exp.CTE, exp.Subquery) if alias.alias}
    for alias in tree.find_all(exp.TableAlias):
        names |= {each.name for each in alias.args.get("columns") or ()}
        if not _is_topic(alias.parent):
            names.add(alias.name)
    for aliases in tree.find_all(exp.Aliases, exp.Lambda):
        names |= {each.name for each in aliases.expressions}
    return {fold(name) for name in names if name}


def _is_topic(node: Any) -> bool:
    return isinstance(node, exp.Table) and node.meta.get("weir") is not None


def _opened(tree: exp.Expression) -> bool:
    """Whether a part of the query makes columns that it does not name: functions of rows, VALUES, `customer.*`."""
    if tree.find(exp.Values, exp.Lateral) is not None:
        return True
    calls = (inventory.functions().get(str(call.this).lower()) for call in tree.find_all(exp.Anonymous))
    starred = any(isinstance(column.this, exp.Star) for column in tree.find_all(exp.Column))
    return starred or any(call is not None and call.note == "table" for call in calls)


def _names_inside(kind: DataType | None) -> Iterator[str]:
    while isinstance(kind, ArrayType):
        kind = kind.element
    if isinstance(kind, StructType):
        for name, inner in kind.fields:
            yield name
            yield from _names_inside(inner)


def _near(names: Sequence[str], tables: Any) -> Iterator[str | None]:
    """None where a table has the name; else, for each table, what is near it, "" when nothing is."""
    for governed in tables:
        column = explain.find(governed, names[0])
        if column is None:
            yield nearest(names[0], [each.name for each in governed.shown]) or ""
            continue
        missing = _missing_inside(governed, column, names[1:])
        yield missing


def _missing_inside(governed: GovernedTable, column: Column, names: Sequence[str]) -> str | None:
    inner = kind_of(governed.table, column.name, column.path)
    for name in names:
        while isinstance(inner, ArrayType):
            inner = inner.element
        if not isinstance(inner, StructType):
            return None
        fields = [each for each, _ in inner.fields]
        member = next((each for each in fields if fold(each) == fold(name)), None)
        if member is None:
            return nearest(name, fields) or ""
        inner = inner.get(member)
    return None
