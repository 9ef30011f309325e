"""Where each column of an answer comes from: for the header of the answer, for the audit, and for what a stream view holds.

What cannot be followed is marked (`Output.followed`): the header calls it "derived", and what is enforced by a column's
sources takes it for one of every field that the query can read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.stars import counts_rows
from policies.sql.tables import TableRef

Source = tuple[TableRef, tuple[str, ...]]
"""A column of a table, with the names below it: (orders, ("customer", "email"))."""
ELEMENT = "[]"
"""A step of a source that is an element of an array or a value of a map, and not a name."""
_ELEMENTS = frozenset({"explode", "explode_outer", "element_at"})
_SAME = frozenset({"coalesce", "first", "first_value", "last", "last_value", "any_value", "max", "min"})
"""Functions that give one of their arguments as it is."""
_WINDOWS = frozenset({"window", "session_window"})
"""Functions whose name is that of a column where a query groups by them."""


@dataclass(frozen=True, slots=True)
class Output:
    """One column of a result. `direct` = it is the source itself, not something computed from it; `system` = a star
    does not include it; `followed` = every part of it is among `sources`; `shaped` = a name below it is that of each source."""

    name: str
    sources: frozenset[Source] = frozenset()
    direct: bool = False
    system: bool = False
    followed: bool = True
    shaped: bool = False

    def below(self, *names: str) -> Output:
        """A part of it: `customer.email` of `customer`. Of what is computed, each source in whole may be in the part."""
        if not (self.shaped and names):
            return self
        return replace(self, sources=frozenset((ref, (*path, *names)) for ref, path in self.sources))


@dataclass(frozen=True, slots=True)
class Visible:
    """The columns of a table: all their names, and which of them a star does not include."""

    names: Sequence[str]
    system: Sequence[str] = ()


@dataclass(slots=True)
class _Relation:
    alias: str
    outputs: list[Output]
    known: bool = True
    """Whether `outputs` are all its columns."""


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
                sources |= set() if isinstance(column.this, exp.Star) else _column(column, relations).sources
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
        of_struct = _struct_of(item, relations) if isinstance(star, exp.Star) else None
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
                    outputs = (o for o in _starred(relation) if fold(o.name) not in hidden)
                    yield from (o if sure else replace(o, followed=False) for o in outputs)
            continue
        if isinstance(item, exp.Aliases):
            output = _expression(item.this, relations)
            yield from (Output(each.name, output.sources, followed=output.followed) for each in item.expressions)
            continue
        inner = item.this if isinstance(item, exp.Alias) else item
        output = _expression(inner, relations)
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


def _relations(node: exp.Select, env: _Env) -> Iterator[_Relation]:
    clause = node.args.get("with_")
    if clause is not None:
        env = _Env(env.columns, dict(env.ctes))
        for cte in clause.expressions:
            env.ctes[fold(cte.alias)] = _renamed(_query(cte.this, env), cte.args.get("alias"))
    earlier: list[_Relation] = []
    for place in places(node):
        relation = _relation(place, env, earlier)
        earlier.append(relation)
        yield relation
    yield from _windows(node, earlier)


def _windows(node: exp.Select, relations: list[_Relation]) -> Iterator[_Relation]:
    """The columns `window` and `session_window` of a select that groups by them. No star has them."""
    for call in node.args["group"].expressions if node.args.get("group") else ():
        name = fold(call.name) if isinstance(call, exp.Anonymous) else ""
        if name in _WINDOWS:
            output = _expression(call, relations)
            yield _Relation("", [Output(name, output.sources, system=True, followed=output.followed)])


def _relation(place: Any, env: _Env, before: list[_Relation]) -> _Relation:
    alias = place.args.get("alias")
    name = place.alias_or_name
    if place.args.get("pivots"):
        return _Relation(name, [], known=False)
    if isinstance(place, exp.Table):
        ref = place.meta.get("weir")
        if ref is not None:
            visible = env.columns.get(ref, Visible(()))
            own = [Output(c, frozenset({(ref, (c,))}), True, c in visible.system, shaped=True) for c in visible.names]
            return _Relation(name, _renamed(own, alias))
        return _Relation(name, _renamed(env.ctes.get(fold(place.name), []), alias), fold(place.name) in env.ctes)
    if isinstance(place, exp.Subquery):
        if not isinstance(place.this, exp.Query):  # brackets around a table or a join
            return _Relation(name, [], known=False)
        return _Relation(name, _renamed(_query(place.this, env), alias))
    if isinstance(place, exp.Lateral) and isinstance(place.this, exp.Subquery):
        return _Relation(name, _renamed(_query(place.this.this, env), alias))
    if isinstance(place, exp.Lateral):
        output = _expression(place.this, before)
        columns = [c.name for c in (alias.args.get("columns") or ())] if alias is not None else []
        shaped = output.shaped and len(columns) == 1
        outputs = [Output(c, output.sources, followed=output.followed, shaped=shaped) for c in columns or ["col"]]
        return _Relation(name, outputs, known=bool(columns))
    return _Relation(name, _renamed(_query(place, env), alias), known=isinstance(place, exp.Values))


def _renamed(outputs: list[Output], alias: Any) -> list[Output]:
    names = [c.name for c in (alias.args.get("columns") or ())] if alias is not None else []
    if not names:
        return outputs
    plain = [output for output in outputs if not output.system]
    same = len(plain) == len(names)
    return [replace(o, name=n, followed=same and o.followed) for n, o in zip(names, plain, strict=False)]


def _starred(relation: _Relation) -> list[Output]:
    """The columns of a relation that a star includes."""
    return [output for output in relation.outputs if not output.system]


def _expression(node: Any, relations: list[_Relation]) -> Output:
    if isinstance(node, exp.Column):
        return _column(node, relations)
    if isinstance(node, exp.Paren):
        return _expression(node.this, relations)
    if isinstance(node, exp.Dot):
        name = node.expression.name
        return replace(_expression(node.this, relations).below(name), name=name)
    part = _part(node, relations)
    if part is not None:
        return part
    sources: set[Source] = set()
    # The columns of a query within are of its own tables.
    followed = node.find(exp.Query) is None
    for column in node.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            followed = followed and all(relation.known for relation in relations)
        elif not _is_argument(column, node):
            one = _column(column, relations)
            sources |= one.sources
            followed = followed and one.followed
    for star in node.find_all(exp.Star):
        if not counts_rows(star.parent) and star.find_ancestor(exp.Query) is node.find_ancestor(exp.Query):
            of_struct = _struct_of(star.parent, relations)
            if of_struct is not None:
                sources |= of_struct.sources
                followed = followed and of_struct.followed
                continue
            prefix = fold(star.parent.parts[0].name) if isinstance(star.parent, exp.Column) else None
            for relation in relations:
                if prefix is None or fold(relation.alias) == prefix:
                    sources |= {source for each in _starred(relation) for source in each.sources}
                    followed = followed and relation.known and all(each.followed for each in _starred(relation))
    return Output("", frozenset(sources), followed=followed)


def _struct_of(star: Any, relations: list[_Relation]) -> Output | None:
    """What `who.*` is a star of, where no table of the FROM has that name."""
    names = star.parts[:-1] if isinstance(star, exp.Column) else []
    if not names or (len(names) == 1 and fold(names[0].name) in {fold(each.alias) for each in relations}):
        return None
    return _named([each.name for each in names], relations)


def _part(node: Any, relations: list[_Relation]) -> Output | None:
    """What an index, or a function that takes its argument apart or gives it as it is, has of columns alone."""
    if isinstance(node, exp.Bracket):
        whole, places = node.this, node.expressions
    elif isinstance(node, exp.Anonymous) and fold(node.name) in _ELEMENTS and node.expressions:
        whole, *places = node.expressions
    elif isinstance(node, exp.Anonymous) and fold(node.name) in _SAME:
        parts = [_expression(each, relations) for each in node.expressions]
        if not parts or not all(each.shaped for each in parts):
            return None
        sources = frozenset(source for each in parts for source in each.sources)
        # Structs are alike by place, so a name below one may be another name below the next.
        alike = all(each.sources == sources for each in parts)
        return Output("", sources, followed=all(each.followed for each in parts), shaped=alike)
    else:
        return None
    inner = _expression(whole, relations)
    if not inner.shaped or not all(isinstance(place, exp.Literal) for place in places):
        return None
    key = places[0].name if places and places[0].is_string else ELEMENT
    return replace(inner.below(key), name="", direct=False)


def _is_argument(column: Any, end: Any) -> bool:
    """Whether a name is that of an argument of a lambda around it: its values are those of what the function is given."""
    node, name = column, fold(column.parts[0].name)
    while node is not None and node is not end.parent:
        if isinstance(node, exp.Lambda) and name in {fold(each.name) for each in node.expressions}:
            return True
        node = node.parent
    return False


def _column(column: Any, relations: list[_Relation]) -> Output:
    return _named([part.name for part in column.parts], relations)


def _named(names: list[str], relations: list[_Relation]) -> Output:
    for skip in (1, 0):
        if len(names) <= skip:
            continue
        own = [each for each in relations if not skip or fold(each.alias) == fold(names[0])]
        # A name without its table's is of several where they are joined by it.
        same = [output for each in own for output in each.outputs if fold(output.name) == fold(names[skip])]
        # Where a relation has columns of no known name, one of them may be meant.
        sure = all(each.known for each in own) and (len(own) == 1 or all(o.name for each in own for o in each.outputs))
        if same:
            parts = [output.below(*names[skip + 1 :]) for output in same]
            return Output(
                names[-1],
                frozenset(source for part in parts for source in part.sources),
                len(same) == 1 and same[0].direct,
                followed=sure and all(part.followed for part in parts),
                shaped=all(part.shaped for part in parts),
            )
    return Output(names[-1], followed=False)
