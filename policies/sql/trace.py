"""Where each column of an answer comes from: for the header of the answer, for the audit, and for what a stream view holds.

What cannot be followed is marked (`Output.followed`): the header calls it "derived", and what is enforced by a column's
sources takes it for one of every field that the query can read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from policies.sql.expression_sources import Output, Relation, Source, of_column, of_expression, of_star, starred
from policies.sql.names import fold
from policies.sql.tables import TableRef

_WINDOWS = frozenset({"window", "session_window"})
"""Functions whose name is that of a column where a query groups by them."""


@dataclass(frozen=True, slots=True)
class Visible:
    """The columns of a table: all their names, and which of them a star does not include."""

    names: Sequence[str]
    system: Sequence[str] = ()


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
    sources: set[Source] = set()
    try:
        for select in tree.find_all(exp.Select):
            env = _Env(columns)
            relations = list(_relations(select, env))
            for column in select.find_all(exp.Column):
                sources |= set() if isinstance(column.this, exp.Star) else of_column(column, relations).sources
        for each in outputs(tree, columns):
            sources |= each.sources
    except (AttributeError, TypeError, KeyError, IndexError, RecursionError):
        pass
    return sources


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
        by_place = len(left) == len(right) and not node.args.get("by_name")
        return [
            Output(
                a.name,
                a.sources | b.sources,
                a.direct and b.direct,
                followed=by_place and a.followed and b.followed,
                # Spark joins structs by place: a name below the one may be another below the other.
                shaped=by_place and a.shaped and b.shaped and a.sources == b.sources,
            )
            for a, b in zip(left, right, strict=False)
        ]
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
        of_struct = of_star(item, relations) if isinstance(star, exp.Star) else None
        if of_struct is not None:
            yield replace(of_struct, name="", direct=False, followed=False, shaped=False)
            continue
        if isinstance(star, exp.Star):
            hidden = {fold(e.name) for e in star.args.get("except_") or star.args.get("except") or ()}
            changed = bool(star.args.get("replace") or star.args.get("rename"))
            prefix = fold(item.parts[0].name) if isinstance(item, exp.Column) else None
            for relation in relations:
                if prefix is None or fold(relation.alias) == prefix:
                    sure = relation.known and not changed
                    outputs = (o for o in starred(relation) if fold(o.name) not in hidden)
                    yield from (o if sure else replace(o, followed=False) for o in outputs)
            continue
        if isinstance(item, exp.Aliases):
            output = of_expression(item.this, relations)
            yield from (Output(each.name, output.sources, followed=output.followed) for each in item.expressions)
            continue
        inner = item.this if isinstance(item, exp.Alias) else item
        output = of_expression(inner, relations)
        # Spark names `(email)` email.
        yield replace(output, name=item.alias_or_name or inner.unnest().alias_or_name, system=False)


def places(select: exp.Select) -> list[Any]:
    """What a select reads from: tables, queries in brackets, laterals, in their order."""
    start = select.args.get("from_")
    read = [start.this] if start else []
    read += [join.this for join in select.args.get("joins") or ()]
    if read and isinstance(read[0], exp.Table):
        read += [join.this for join in read[0].args.get("joins") or ()]
    return [*read, *(select.args.get("laterals") or [])]


def _relations(node: exp.Select, env: _Env) -> Iterator[Relation]:
    clause = node.args.get("with_")
    if clause is not None:
        env = _Env(env.columns, dict(env.ctes))
        for cte in clause.expressions:
            env.ctes[fold(cte.alias)] = _renamed(_query(cte.this, env), cte.args.get("alias"))
    earlier: list[Relation] = []
    for place in places(node):
        relation = _relation(place, env, earlier)
        earlier.append(relation)
        yield relation
    yield from _windows(node, earlier)


def _windows(node: exp.Select, relations: list[Relation]) -> Iterator[Relation]:
    """The columns `window` and `session_window` of a select that groups by them. No star has them."""
    for call in node.args["group"].expressions if node.args.get("group") else ():
        name = fold(call.name) if isinstance(call, exp.Anonymous) else ""
        if name in _WINDOWS:
            output = of_expression(call, relations)
            yield Relation("", [Output(name, output.sources, system=True, followed=output.followed)])


def _relation(place: Any, env: _Env, before: list[Relation]) -> Relation:
    alias = place.args.get("alias")
    name = place.alias_or_name
    if place.args.get("pivots"):
        return Relation(name, [], known=False)
    if isinstance(place, exp.Table):
        ref = place.meta.get("weir")
        if ref is not None:
            visible = env.columns.get(ref, Visible(()))
            own = [Output(c, frozenset({(ref, (c,))}), True, c in visible.system, shaped=True) for c in visible.names]
            return Relation(name, _renamed(own, alias))
        return Relation(name, _renamed(env.ctes.get(fold(place.name), []), alias), fold(place.name) in env.ctes)
    if isinstance(place, exp.Subquery):
        if not isinstance(place.this, exp.Query):  # brackets around a table or a join
            return Relation(name, [], known=False)
        return Relation(name, _renamed(_query(place.this, env), alias))
    if isinstance(place, exp.Lateral) and isinstance(place.this, exp.Subquery):
        return Relation(name, _renamed(_query(place.this.this, env), alias))
    if isinstance(place, exp.Lateral):
        output = of_expression(place.this, before)
        columns = [c.name for c in (alias.args.get("columns") or ())] if alias is not None else []
        shaped = output.shaped and len(columns) == 1
        outputs = [Output(c, output.sources, followed=output.followed, shaped=shaped) for c in columns or ["col"]]
        return Relation(name, outputs, known=bool(columns))
    return Relation(name, _renamed(_query(place, env), alias), known=isinstance(place, exp.Values))


def _renamed(outputs: list[Output], alias: Any) -> list[Output]:
    names = [c.name for c in (alias.args.get("columns") or ())] if alias is not None else []
    if not names:
        return outputs
    plain = [output for output in outputs if not output.system]
    same = len(plain) == len(names)
    return [replace(o, name=n, followed=same and o.followed) for n, o in zip(names, plain, strict=False)]
