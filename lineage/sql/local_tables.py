"""Names that exist only inside a text of SQL: what WITH defines, aliases of subqueries, temporary views and tables.

Producers with a small parser report such a name as if it was a dataset. Here it is answered what each of its columns is
made of, in tables outside the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lineage.sql.columns import Statements
from lineage.sql.dialects import statements
from lineage.sql.from_clause import table_name
from lineage.sql.model import INDIRECT, Columns, NotUnderstood, Origin, SqlLineage, TooComplex, Way, Ways
from lineage.sql.relations import Relation, Value, step
from lineage.sql.table_names import last_part

_DEEPEST = 50
_DEFINES = re.compile(r"\bwith\b|\(\s*(?:select|with|values)\b|\bcreate\b", re.IGNORECASE)
_NAME = r'["`\[]?(?P<name>\w+)["`\]]?'
_DEFINED = (
    re.compile(rf"{_NAME}\s*(?:\([^()]*\)\s*)?\bas\s+(?:(?:not\s+)?materialized\s+)?\(", re.IGNORECASE),
    re.compile(rf"\)\s*(?:as\s+)?{_NAME}", re.IGNORECASE),
    re.compile(rf"\bcreate\s+[\w\s]*?temp(?:orary)?\s+(?:view|table)\s+{_NAME}", re.IGNORECASE),
)


@dataclass(slots=True)
class LocalTables:
    """The names a text defines for itself, all in lower case.

    relations  name -> what it means, in each place that defines it; none where the text could not be read
    reads      name -> tables outside the text that it reads, directly or through other names
    outside    tables that the text reads or writes and does not define, as it names them
    temporary  names of temporary views and tables
    lineage    what the text shows as a whole
    """

    relations: dict[str, list[Relation]] = field(default_factory=dict)
    reads: dict[str, frozenset[str]] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()
    temporary: frozenset[str] = frozenset()
    lineage: SqlLineage = field(default_factory=SqlLineage)

    def column(self, table: str, column: str) -> Ways | None:
        """What a column of a local name is made of, in tables outside; empty for a constant, None where it is not known."""
        try:
            return self._column(last_part(table), column, 0)
        except (TooComplex, RecursionError):
            return None

    def _column(self, table: str, column: str, depth: int) -> Ways | None:
        parts = [
            _value(each, column)
            for each in self.relations.get(table, ())
            if each.has(column.split(".")[0]) is not False
        ]
        if not parts or None in parts or depth > _DEEPEST:
            return None
        made_of: dict[Origin, frozenset[Way]] = {}
        for value in parts:
            ways = self._outside(value.ways, depth) if value is not None else None
            if ways is None:
                return None
            for origin, more in ways.items():
                made_of[origin] = made_of.get(origin, frozenset()) | more
        if not made_of and self.lineage.unknown:
            return None  # nothing, or something that could not be read
        return made_of

    def _outside(self, ways: Ways, depth: int) -> Ways | None:
        """The same in tables outside: what comes of a table that the text makes itself is followed further."""
        outside: dict[Origin, frozenset[Way]] = {}
        for origin, last in ways.items():
            name = last_part(origin.table)
            if origin.table.lower() in self.outside or name not in self.relations:
                outside[origin] = outside.get(origin, frozenset()) | last
                continue
            before = self._column(name, ".".join(origin.path), depth + 1)
            if before is None:
                return None
            for further, first in before.items():
                through = frozenset(after(one, then) for one in first for then in last)
                outside[further] = outside.get(further, frozenset()) | through
        return outside


def after(first: Way, then: Way) -> Way:
    """One way, and then another."""
    if INDIRECT in (first.type, then.type):
        return then if then.type == INDIRECT else first
    return first.then(then.subtype, then.masking)


def _value(relation: Relation, column: str) -> Value | None:
    """A column, or a place inside one (`customer.email`)."""
    if relation.has(column) is True:
        return relation.find(column)
    first, *rest = column.split(".")
    value = relation.find(first)
    for part in rest:
        value = step(value, part) if value is not None else None
    return value


def local_tables(sql: str, dialect: str | None, columns: Callable[[str], Columns | None]) -> LocalTables:
    """The names that a text defines. Never raises: of a text that cannot be read, the names alone.

    columns: the columns of a table outside, by its name in the text; None where they are not known.
    """
    if _DEFINES.search(sql) is None:
        return LocalTables()
    try:
        trees = statements(sql, dialect)
        reading = Statements(SqlLineage(), dialect, columns)
        reading.read(trees)
    except (TooComplex, NotUnderstood, RecursionError):
        return _names_alone(sql)
    bodies: dict[str, list[exp.Expression]] = {}
    temporary: set[str] = set()
    for tree in trees:
        for node in tree.find_all(exp.CTE, exp.Subquery, exp.Table):
            if node.alias:
                bodies.setdefault(node.alias.lower(), []).append(node)
        created = _made(tree)
        if created is not None and last_part(created[0]) in reading.named:
            bodies.setdefault(last_part(created[0]), []).append(tree)
            if created[1]:
                temporary.add(last_part(created[0]))
    makes = {created[0].lower() for tree in trees if (created := _made(tree)) is not None}
    lineage = reading.sql_lineage
    outside = frozenset(name.lower() for name in lineage.inputs | lineage.outputs if name) - makes
    return LocalTables(
        relations=reading.named,
        reads={name: _reads(name, bodies) for name in bodies},
        outside=outside,
        temporary=frozenset(temporary),
        lineage=lineage,
    )


def _names_alone(sql: str) -> LocalTables:
    names = {match["name"].lower() for pattern in _DEFINED for match in pattern.finditer(sql)}
    return LocalTables(relations={name: [] for name in names})


def _made(tree: exp.Expression) -> tuple[str, bool] | None:
    """The table that a statement makes of a query, and whether it is temporary."""
    if isinstance(tree, exp.Create) and tree.expression is not None:
        holder = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        if isinstance(holder, exp.Table):
            return table_name(holder), tree.find(exp.TemporaryProperty) is not None
    into = tree.args.get("into")
    if isinstance(into, exp.Into) and isinstance(into.this, exp.Table):
        return table_name(into.this), bool(into.args.get("temporary"))
    return None


def _reads(name: str, bodies: Mapping[str, Iterable[exp.Expression]]) -> frozenset[str]:
    """Tables outside that a local name reads. In its own body the name is a table outside, unless WITH is RECURSIVE."""
    reads: set[str] = set()
    seen: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        for body in bodies.get(current, ()):
            created = _made(body)
            for table in body.find_all(exp.Table):
                full = table_name(table)
                if not full or (created is not None and full == created[0]):
                    continue
                local = not table.db and full.lower() in bodies
                if local and (full.lower() != current or _recursive(body)):
                    todo.append(full.lower())
                elif not local or full.lower() == current:
                    reads.add(full.lower())
    return frozenset(reads)


def _recursive(body: exp.Expression) -> bool:
    holder = body.parent
    return isinstance(holder, exp.With) and bool(holder.args.get("recursive"))
