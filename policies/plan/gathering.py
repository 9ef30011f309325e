"""How many records the values of one row can come from. An answer that is limited in rows is limited in these, too. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from catalog.errors import SqlRefused
from policies.model import Subject
from policies.plan.packing import (
    TABLE,
    UNKNOWN,
    Columns,
    call_weight,
    columns_of,
    join_makes_rows,
    source_of,
)
from policies.sql.words import words

_GATHERING = words(
    "array_agg bitmap_construct_agg bitmap_or_agg collect_list collect_set count_min_sketch histogram_numeric hll_sketch_agg"
    " hll_union_agg listagg schema_of_variant_agg string_agg"
)
_AT_SHARES = words("approx_percentile percentile percentile_approx")
"""Their second argument may list many shares, each of which gives a value."""
_AT_SHARES_FIRST = words("percentile_cont percentile_disc")
"""Their first argument may."""
_SOURCES = frozenset({"from", "from_", "joins", "laterals"})
_WITH = ("with", "with_")


def require_rows(subject: Subject, tree: Any) -> None:
    """Raises SqlRefused for an agent whose query gathers values of many records in one row: its token limits rows."""
    agent = subject.agent
    if agent is None:
        return
    for call in tree.find_all(exp.Anonymous):
        name = str(call.this).lower()
        if name in _GATHERING or not all(map(_is_number, _shares(name, call))):
            raise SqlRefused(
                f"{name} puts values of many rows into one, and the token of agent {agent.name} limits rows; select the rows.",
                details={"line": 1, "column": 1, "reasons": ["agent"]},
            )
    weight = row_weight(subject, tree)
    if weight > agent.rows:
        raise SqlRefused(
            f"A row of this query can hold values of {weight:,} rows, and the token of agent {agent.name} gives {agent.rows:,} in"
            " an answer; select the rows, or ask for count(*), or for the sum of a column as it is.",
            details={"line": 1, "column": 1, "reasons": ["agent"]},
        )


def row_weight(subject: Subject, tree: Any) -> int:
    """As how many rows each row of an answer counts for an agent; 1 for a person, who has no limit of them.

    Joined tables, subqueries that give a value, window functions, a second aggregate and each column of a PIVOT add the values of
    other records to a row. What a number of many records can carry: see `policies.plan.packing`.
    """
    return 1 if subject.agent is None else _read(tree, {}).weight


def _shares(name: str, call: exp.Anonymous) -> list[Any]:
    if name in _AT_SHARES:
        return list(call.expressions[1:])
    return list(call.expressions[:1]) if name in _AT_SHARES_FIRST else []


def _is_number(node: Any) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string


@dataclass(frozen=True, slots=True)
class _Query:
    """A query: as how many rows one of its rows counts, and what its columns are."""

    weight: int
    columns: Columns


def _read(query: Any, outer: Mapping[str, _Query]) -> _Query:
    """`outer`: the named queries that are known around this one."""
    named = dict(outer)
    for arg in _WITH:
        for cte in getattr(query.args.get(arg), "expressions", ()):
            columns = getattr(cte.args.get("alias"), "args", {}).get("columns")
            inner = _read(cte.this, named)
            named[cte.alias.lower()] = replace(inner, columns=UNKNOWN) if columns else inner
    if isinstance(query, exp.SetOperation):
        sides = [_read(each, named) for each in (query.this, query.expression)]
        generated = any(each.columns.generated for each in sides)
        return _Query(max(each.weight for each in sides), replace(UNKNOWN, generated=generated))
    if isinstance(query, exp.Select):
        return _of_select(query, named)
    return _Query(_of_sources([query.args], named), UNKNOWN)


def _of_select(select: exp.Select, named: Mapping[str, _Query]) -> _Query:
    sources = [{key: value for key, value in select.args.items() if key in _SOURCES}]
    rows, scope = _of_sources(sources, named), _scope(sources, named)
    picks = windows = inner = 0
    for node in _within(select.args.get("expressions")):
        if isinstance(node, (exp.Select, exp.SetOperation)):
            inner += _read(node, named).weight
        elif isinstance(node, exp.Window):
            windows += any(call_weight(each, scope) for each in _within(node.this))  # counted below, too, as a pick
        else:
            picks += call_weight(node, scope, filtered=isinstance(node.parent, exp.Filter))
    return _Query(rows * (1 + picks if windows else max(1, picks)) + inner, columns_of(select, scope))


def _scope(given: list[Any], named: Mapping[str, _Query]) -> dict[str, Columns]:
    """The columns of each source of a query."""
    scope: dict[str, Columns] = {}
    columns = {name: each.columns for name, each in named.items()}
    for number, node in enumerate(_within(given)):
        key = getattr(node, "alias_or_name", "").lower() or f"\0{number}"
        if isinstance(node, exp.Subquery):
            renamed = getattr(node.args.get("alias"), "args", {}).get("columns") or node.args.get("pivots")
            columns_there = _read(node.this, named).columns
            scope[key] = replace(UNKNOWN, generated=columns_there.generated) if renamed else columns_there
        elif isinstance(node, (exp.Table, exp.Lateral, exp.Values, exp.Unnest)):
            scope[key] = source_of(node, columns)
        elif isinstance(node, exp.Join) and join_makes_rows(node):
            scope[f"\0{number}"] = Columns(None, generated=True)
    return scope


def _of_sources(given: list[Any], named: Mapping[str, _Query]) -> int:
    """As how many rows a row of tables and queries side by side counts."""
    rows, pivoted = 0, 1
    for node in _within(given):
        if isinstance(node, exp.Table):
            rows += named[node.name.lower()].weight if not node.db and node.name.lower() in named else 1
        elif isinstance(node, (exp.Select, exp.SetOperation)):
            rows += _read(node, named).weight
        elif isinstance(node, exp.Pivot) and not node.args.get("unpivot"):
            values = sum(len(each.expressions) for each in node.args.get("fields") or ())
            calls = [call_weight(each, {"": TABLE}) for call in node.expressions for each in _within(call)]
            pivoted *= max(1, values) * max(1, sum(calls))
    return max(1, rows) * pivoted


def _within(given: Any) -> Iterator[Any]:
    """The nodes below, none of those within a query among them."""
    waiting = [given]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, tuple)):
            waiting.extend(each)
        elif isinstance(each, Mapping):
            waiting.extend(each.values())
        elif isinstance(each, exp.Expression):
            yield each
            if not isinstance(each, (exp.Select, exp.SetOperation)):
                waiting.extend(each.args.values())
