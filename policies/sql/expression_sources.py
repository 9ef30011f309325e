"""Where the value of an expression comes from: the columns of the relations that a query reads, by their names."""

from __future__ import annotations

from dataclasses import dataclass, replace
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


@dataclass(slots=True)
class Relation:
    """What a select reads from, by its alias; empty where it has none."""

    alias: str
    outputs: list[Output]
    known: bool = True
    """Whether `outputs` are all its columns."""


def starred(relation: Relation) -> list[Output]:
    """The columns of a relation that a star includes."""
    return [output for output in relation.outputs if not output.system]


def of_expression(node: Any, relations: list[Relation]) -> Output:
    """Where its value comes from; without a name where it has none of its own."""
    if isinstance(node, exp.Column):
        return of_column(node, relations)
    if isinstance(node, exp.Paren):
        return of_expression(node.this, relations)
    if isinstance(node, exp.Dot):
        name = node.expression.name
        return replace(of_expression(node.this, relations).below(name), name=name)
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
            one = of_column(column, relations)
            sources |= one.sources
            followed = followed and one.followed
    for star in node.find_all(exp.Star):
        if not counts_rows(star.parent) and star.find_ancestor(exp.Query) is node.find_ancestor(exp.Query):
            of_struct = of_star(star.parent, relations)
            if of_struct is not None:
                sources |= of_struct.sources
                followed = followed and of_struct.followed
                continue
            prefix = fold(star.parent.parts[0].name) if isinstance(star.parent, exp.Column) else None
            for relation in relations:
                if prefix is None or fold(relation.alias) == prefix:
                    sources |= {source for each in starred(relation) for source in each.sources}
                    followed = followed and relation.known and all(each.followed for each in starred(relation))
    return Output("", frozenset(sources), followed=followed)


def of_star(star: Any, relations: list[Relation]) -> Output | None:
    """What `who.*` is a star of, where no table of the FROM has that name."""
    names = star.parts[:-1] if isinstance(star, exp.Column) else []
    if not names or (len(names) == 1 and fold(names[0].name) in {fold(each.alias) for each in relations}):
        return None
    return _named([each.name for each in names], relations)


def _part(node: Any, relations: list[Relation]) -> Output | None:
    """What an index, or a function that takes its argument apart or gives it as it is, has of columns alone."""
    if isinstance(node, exp.Bracket):
        whole, places = node.this, node.expressions
    elif isinstance(node, exp.Anonymous) and fold(node.name) in _ELEMENTS and node.expressions:
        whole, *places = node.expressions
    elif isinstance(node, exp.Anonymous) and fold(node.name) in _SAME:
        parts = [of_expression(each, relations) for each in node.expressions]
        if not parts or not all(each.shaped for each in parts):
            return None
        sources = frozenset(source for each in parts for source in each.sources)
        # Structs are alike by place, so a name below one may be another name below the next.
        alike = all(each.sources == sources for each in parts)
        return Output("", sources, followed=all(each.followed for each in parts), shaped=alike)
    else:
        return None
    inner = of_expression(whole, relations)
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


def of_column(column: Any, relations: list[Relation]) -> Output:
    """What a column is, by its name and the relation that it may name."""
    return _named([part.name for part in column.parts], relations)


def _named(names: list[str], relations: list[Relation]) -> Output:
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
