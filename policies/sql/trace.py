"""Where each column of an answer comes from: for the header of the answer and for the audit, never for enforcement.

Best effort: what cannot be followed is reported as coming from nowhere known, and the header says "derived".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.stars import counts_rows
from policies.sql.tables import TableRef

Source = tuple[TableRef, tuple[str, ...]]
"""A column of a table, with the names below it: (orders, ("customer", "email"))."""


@dataclass(frozen=True, slots=True)
class Output:
    """One column of a result. `direct` = it is the source itself, not something computed from it; `system` = no star
    stands for it."""

    name: str
    sources: frozenset[Source] = frozenset()
    direct: bool = False
    system: bool = False


@dataclass(frozen=True, slots=True)
class Visible:
    """The columns of a table: all their names, and which of them no star stands for."""

    names: Sequence[str]
    system: Sequence[str] = ()


@dataclass(slots=True)
class _Relation:
    alias: str
    outputs: list[Output]


@dataclass(slots=True)
class _Env:
    columns: Mapping[TableRef, Visible]
    ctes: dict[str, list[Output]] = field(default_factory=dict)


def outputs(tree: exp.Expression, columns: Mapping[TableRef, Visible]) -> list[Output]:
    """The columns of a gated query's result, `columns` naming those of each table."""
    try:
        return _query(tree, _Env(columns))
    except (AttributeError, TypeError, KeyError, IndexError, RecursionError):
        return []


def used(tree: exp.Expression, columns: Mapping[TableRef, Visible]) -> set[Source]:
    """Every column of a table that the query names anywhere."""
    found: set[Source] = set()
    try:
        for select in tree.find_all(exp.Select):
            env = _Env(columns)
            relations = list(_relations(select, env))
            for column in select.find_all(exp.Column):
                found |= set() if isinstance(column.this, exp.Star) else _column(column, relations).sources
        for each in outputs(tree, columns):
            found |= each.sources
    except (AttributeError, TypeError, KeyError, IndexError, RecursionError):
        pass
    return found


def _query(node: Any, env: _Env) -> list[Output]:
    clause = node.args.get("with_")
    if clause is not None:
        env = _Env(env.columns, dict(env.ctes))
        for cte in clause.expressions:
            env.ctes[fold(cte.alias)] = _renamed(_query(cte.this, env), cte.args.get("alias"))
    if isinstance(node, exp.Subquery):
        return _query(node.this, env)
    if isinstance(node, exp.SetOperation):
        left, right = _query(node.left, env), _query(node.right, env)
        return [Output(a.name, a.sources | b.sources, a.direct and b.direct) for a, b in zip(left, right, strict=False)]
    if isinstance(node, exp.Select):
        return list(_select(node, env))
    if isinstance(node, exp.Values):
        first = node.expressions[0]
        count = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        return [Output(f"col{i + 1}") for i in range(count)]
    return []


def _select(node: exp.Select, env: _Env) -> Iterator[Output]:
    relations = list(_relations(node, env))
    for item in node.expressions:
        star = item if isinstance(item, exp.Star) else item.this if isinstance(item, exp.Column) else None
        if isinstance(star, exp.Star):
            hidden = {fold(e.name) for e in star.args.get("except_") or star.args.get("except") or ()}
            prefix = fold(item.parts[0].name) if isinstance(item, exp.Column) else None
            for relation in relations:
                if prefix is None or fold(relation.alias) == prefix:
                    yield from (o for o in _starred(relation) if fold(o.name) not in hidden)
            continue
        if isinstance(item, exp.Aliases):
            found = _expression(item.this, relations)
            yield from (Output(each.name, found.sources) for each in item.expressions)
            continue
        inner = item.this if isinstance(item, exp.Alias) else item
        found = _expression(inner, relations)
        yield Output(item.alias_or_name, found.sources, found.direct)


def _relations(node: exp.Select, env: _Env) -> Iterator[_Relation]:
    clause = node.args.get("with_")
    if clause is not None:
        env = _Env(env.columns, dict(env.ctes))
        for cte in clause.expressions:
            env.ctes[fold(cte.alias)] = _renamed(_query(cte.this, env), cte.args.get("alias"))
    start = node.args.get("from_")
    seen: list[_Relation] = []
    places = [start.this] if start else []
    places += [join.this for join in node.args.get("joins") or ()]
    if places and isinstance(places[0], exp.Table):
        places += [join.this for join in places[0].args.get("joins") or ()]
    places += node.args.get("laterals") or []
    for place in places:
        relation = _relation(place, env, seen)
        seen.append(relation)
        yield relation


def _relation(place: Any, env: _Env, before: list[_Relation]) -> _Relation:
    alias = place.args.get("alias")
    name = place.alias_or_name
    if isinstance(place, exp.Table):
        ref = place.meta.get("weir")
        if ref is not None:
            known = env.columns.get(ref, Visible(()))
            own = [Output(c, frozenset({(ref, (c,))}), True, c in known.system) for c in known.names]
            if place.args.get("pivots"):
                own = []
            return _Relation(name, _renamed(own, alias))
        return _Relation(name, _renamed(env.ctes.get(fold(place.name), []), alias))
    if isinstance(place, exp.Subquery):
        return _Relation(name, _renamed(_query(place.this, env), alias))
    if isinstance(place, exp.Lateral) and isinstance(place.this, exp.Subquery):
        return _Relation(name, _renamed(_query(place.this.this, env), alias))
    if isinstance(place, exp.Lateral):
        found = _expression(place.this, before)
        columns = [c.name for c in (alias.args.get("columns") or ())] if alias is not None else []
        return _Relation(name, [Output(c, found.sources) for c in columns or ["col"]])
    return _Relation(name, _renamed(_query(place, env), alias))


def _renamed(outputs: list[Output], alias: Any) -> list[Output]:
    names = [c.name for c in (alias.args.get("columns") or ())] if alias is not None else []
    if not names:
        return outputs
    plain = (output for output in outputs if not output.system)
    return [Output(n, o.sources, o.direct) for n, o in zip(names, plain, strict=False)]


def _starred(relation: _Relation) -> list[Output]:
    """The columns of a relation that a star stands for."""
    return [output for output in relation.outputs if not output.system]


def _expression(node: Any, relations: list[_Relation]) -> Output:
    if isinstance(node, exp.Column):
        return _column(node, relations)
    if isinstance(node, exp.Paren):
        return _expression(node.this, relations)
    if isinstance(node, exp.Dot):
        inner = _expression(node.this, relations)
        name = node.expression.name
        return Output(name, frozenset((ref, (*path, name)) for ref, path in inner.sources), inner.direct)
    sources: set[Source] = set()
    for column in node.find_all(exp.Column):
        if not isinstance(column.this, exp.Star):
            sources |= _column(column, relations).sources
    for star in node.find_all(exp.Star):
        if not counts_rows(star.parent) and star.find_ancestor(exp.Query) is node.find_ancestor(exp.Query):
            prefix = fold(star.parent.parts[0].name) if isinstance(star.parent, exp.Column) else None
            for relation in relations:
                if prefix is None or fold(relation.alias) == prefix:
                    sources |= {source for each in _starred(relation) for source in each.sources}
    return Output("", frozenset(sources))


def _column(column: Any, relations: list[_Relation]) -> Output:
    names = [part.name for part in column.parts]
    for skip in (1, 0):
        if len(names) <= skip:
            continue
        for relation in relations:
            if skip and fold(relation.alias) != fold(names[0]):
                continue
            for output in relation.outputs:
                if fold(output.name) == fold(names[skip]):
                    rest = tuple(names[skip + 1 :])
                    return Output(names[-1], frozenset((r, (*p, *rest)) for r, p in output.sources), output.direct)
    return Output(names[-1])
