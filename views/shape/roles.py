"""Which tables of a query are followed as streams and which are joined as tables. Pure.

What FROM names is followed, and what is joined to it by a bound of time; in every branch of UNION ALL. All else,
queries within conditions included, is a table: its newest records by key, as they are when a record of a stream comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.tables import TableRef
from views.shape.places import Places
from views.shape.relations import NamedQuery, Relation, own_nodes, relations, with_names
from views.shape.time_bounds import Bounds, bounds, conditions


@dataclass(frozen=True, slots=True)
class Followed:
    """A SELECT over a stream. `streams`: of its relations, those that are followed; `tied` how the joined ones are."""

    select: Any
    names: Mapping[str, NamedQuery]
    relations: list[Relation]
    streams: list[Relation]
    tied: list[tuple[Relation, Bounds]]


@dataclass(slots=True)
class Roles:
    """streams, tables   with the node of the first mention
    selects           of streams, the outer before the inner
    sets              UNION and its kind over streams
    around            brackets over streams, which may have an ORDER BY or LIMIT
    """

    streams: dict[TableRef, Any] = field(default_factory=dict)
    tables: dict[TableRef, Any] = field(default_factory=dict)
    selects: list[Followed] = field(default_factory=list)
    sets: list[Any] = field(default_factory=list)
    around: list[Any] = field(default_factory=list)


def roles(tree: Any, places: Places, clocks: frozenset[str]) -> Roles:
    """Raises SqlRefused for a query without a stream, and for a topic that would be both."""
    result = _Finder(places, clocks)
    result.stream(tree, {})
    both = next((ref for ref in result.roles.tables if ref in result.roles.streams), None)
    if both is not None:
        raise places.refuse(
            result.roles.tables[both],
            f"{both.name} is followed and joined as a table in one view; join it with a bound of time, as in"
            f" b._timestamp BETWEEN a._timestamp AND a._timestamp + INTERVAL 5 MINUTES, or declare a view of its newest"
            f" rows and join that.",
            "both-roles",
        )
    return result.roles


@dataclass(slots=True)
class _Finder:
    places: Places
    clocks: frozenset[str]
    roles: Roles = field(default_factory=Roles)
    walked: set[int] = field(default_factory=set)

    def stream(self, query: Any, names: Mapping[str, NamedQuery]) -> None:
        names = with_names(query, names)
        if isinstance(query, exp.SetOperation):
            self.roles.sets.append(query)
            self.stream(query.left, names)
            self.stream(query.right, names)
        elif isinstance(query, exp.Subquery):
            self.roles.around.append(query)
            self.stream(query.this, names)
        elif isinstance(query, exp.Select) and query.args.get("from_") is not None:
            self._select(query, names)
        else:
            raise self.places.refuse(
                query, "A view follows a topic; name one behind FROM of each query it consists of.", "no-stream"
            )

    def _select(self, select: Any, names: Mapping[str, NamedQuery]) -> None:
        if id(select) in self.walked:
            return  # a query of WITH that is named twice
        self.walked.add(id(select))
        around = relations(select, names)
        streams = around[:1]
        tied: list[tuple[Relation, Bounds]] = []
        for relation in around[1:]:
            limits = bounds(relation, around, conditions(select, relation.join), self.clocks)
            if limits.tied and (relation.table is not None or relation.query is not None):
                streams.append(relation)
                tied.append((relation, limits))
        self.roles.selects.append(Followed(select, names, around, streams, tied))
        for relation in around:
            if not any(relation is each for each in streams):
                self._table(relation.node, names)
                continue
            if relation.table is not None:
                self.roles.streams.setdefault(relation.table, relation.node)
            elif relation.query is not None:
                if isinstance(relation.node, exp.Subquery):
                    self.roles.around.append(relation.node)
                self.stream(relation.query, relation.names)
            else:
                raise self.places.refuse(
                    relation.node, "A view follows a topic; name one behind FROM and join the rest to it.", "no-stream"
                )
        read = {id(each) for relation in around for each in _up_to(relation.node, select)}
        for node in (select, *own_nodes(select)):
            for child in node.iter_expressions():
                if isinstance(child, exp.Query) and id(child) not in read and not isinstance(node, exp.CTE):
                    self._table(child, names)

    def _table(self, node: Any, names: Mapping[str, NamedQuery]) -> None:
        """All topics under a node, and under the names of WITH it uses."""
        for table in node.find_all(exp.Table):
            ref = table.meta.get("weir")
            if ref is not None:
                self.roles.tables.setdefault(ref, table)
                continue
            query_named = names.get(fold(table.name)) if isinstance(table.this, exp.Identifier) else None
            if query_named is not None:
                self._table(query_named.query, query_named.names)


def _up_to(node: Any, end: Any) -> Iterator[Any]:
    while node is not None and node is not end:
        yield node
        node = node.parent
