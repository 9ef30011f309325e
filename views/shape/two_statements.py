"""The two statements that aggregate the newest rows of a compacted topic: a view of these rows, and a query over it. Pure.

The view has what FROM, JOIN and WHERE give, with the columns that the rest of the SELECT reads; the query has the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from policies.sql.lexer import DIALECT
from policies.sql.names import fold, name_sql
from policies.sql.tables import TableRef
from views.shape.relations import is_call, own_name, own_nodes
from views.shape.roles import Followed, Roles

_RECORD_KEY = "record_key"
_SYSTEM = {
    "_key": _RECORD_KEY,
    "_timestamp": "record_time",
    "_partition": "record_partition",
    "_offset": "record_offset",
}
"""Columns beside those of the value, and their names in the view."""
_WINDOWS = ("window", "session_window")
_CLAUSES = ("from_", "joins", "where")


def two_statements(reading: Roles, ref: TableRef) -> tuple[str, str] | None:
    """What creates the view, and what reads it, in SQL; texts in the query are written '...'. None for a query that is not one
    SELECT of named columns over this topic, or a SELECT over such a SELECT."""
    if len(reading.streams) != 1 or reading.sets or len(reading.selects) > 2:
        return None
    view = "newest_" + "".join(letter if letter.isalnum() else "_" for letter in ref.name.rpartition(".")[2].lower())
    inner = reading.selects[-1]
    if not inner.relations or inner.relations[0].table != ref:
        return None
    if len(reading.selects) == 1:
        return _of_one(inner, view) if inner.select.parent is None else None
    return _of_two(reading.selects[0], inner, view)


def _of_one(followed: Followed, view: str) -> tuple[str, str] | None:
    select = followed.select
    if select.args.get("with_") or not _plain_relations(followed):
        return None
    columns = _columns(followed)
    if columns is None:
        return None
    source = exp.Select(**{clause: _copied(select.args.get(clause)) for clause in _CLAUSES})
    shown = {_record_key(followed): _RECORD_KEY} | columns
    source.set("expressions", [_item(column, name) for column, name in shown.items()])
    read = select.copy()
    for column in list(read.find_all(exp.Column)):
        _rename(column, columns, {each.alias for each in followed.relations})
    read.set("joins", None)
    read.set("where", None)
    read.set("from_", exp.From(this=exp.to_table(view)))
    return f"CREATE MATERIALIZED VIEW {view} AS {_text(source)}", _text(read)


def _of_two(outer: Followed, inner: Followed, view: str) -> tuple[str, str] | None:
    """A SELECT over a query in brackets, or of WITH, that chooses and computes."""
    select, node = inner.select, outer.relations[0].node
    with_ = outer.select.args.get("with_")
    below = node if with_ is None else with_
    named = isinstance(node, exp.Subquery) if with_ is None else len(with_.expressions) == 1
    clauses = ("with_", "group", "having", "distinct", "laterals")
    if not named or len(outer.relations) != 1 or any(select.args.get(each) for each in clauses):
        return None
    if outer.select.parent is not None or not _plain_relations(inner) or _asks(outer.select, below):
        return None
    source = select.copy()
    key = _item(_record_key(inner), _RECORD_KEY)
    source.set("expressions", [key, *source.expressions])
    read = outer.select.copy()
    read.set("with_", None)
    table, alias = exp.to_table(view), node.alias_or_name
    read.args["from_"].set("this", exp.alias_(table, alias, table=True) if alias else table)
    return f"CREATE MATERIALIZED VIEW {view} AS {_text(source)}", _text(read)


def _plain_relations(followed: Followed) -> bool:
    return all(each.table is not None for each in followed.relations) and not _asks(followed.select, None)


def _asks(select: Any, but: Any) -> bool:
    """Whether a SELECT has a query in it; `but`: one that does not count."""
    within = set() if but is None else {id(each) for each in but.walk()}
    return any(each is not select and id(each) not in within for each in select.find_all(exp.Query))


Place = tuple[str, str]
"""The alias before a column, or "", and the column as it is written first."""


def _record_key(followed: Followed) -> Place:
    return (followed.relations[0].alias if len(followed.relations) > 1 else "", "_key")


def _columns(followed: Followed) -> dict[Place, str] | None:
    """The columns that are read behind FROM, JOIN and WHERE, and their names in the view. None where they are not known."""
    select = followed.select
    aliases = {each.alias for each in followed.relations}
    own = _own_names(select)
    windows = [name for name in _WINDOWS if any(is_call(node, name) for node in own_nodes(select))]
    columns: dict[Place, str] = {}
    taken: dict[str, Place] = {"record_key": _record_key(followed)}
    for node in own_nodes(select):
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Anonymous | exp.Count):
            return None
        if not isinstance(node, exp.Column) or _in_clause(node, select):
            continue
        alias, name = _place(node, aliases)
        if not alias and (fold(name) in windows or _is_own(node, fold(name), own, select)):
            continue
        at = next((each for each in columns if _same(each, (alias, name))), None)
        if at is not None:
            continue
        if name.startswith("_") and name not in _SYSTEM:
            return None
        at = (alias if len(aliases) > 1 else "", name)
        shown = _SYSTEM.get(name, name)
        if alias and not _same(at, _record_key(followed)) and fold(shown) in taken:
            shown = f"{alias}_{shown}"
        if fold(shown) in taken and not _same(taken[fold(shown)], at):
            return None
        columns[at] = shown
        taken[fold(shown)] = at
    return columns


def _same(one: Place, other: Place) -> bool:
    """Whether two places are one column; where only one has an alias, that is taken for the same."""
    return fold(one[1]) == fold(other[1]) and (one[0] == other[0] or not one[0] or not other[0])


def _place(column: Any, aliases: set[str]) -> Place:
    parts = [str(part.name) for part in column.parts]
    return (fold(parts[0]), parts[1]) if len(parts) > 1 and fold(parts[0]) in aliases else ("", parts[0])


def _own_names(select: Any) -> frozenset[str]:
    """Names that the query gives itself: of LATERAL VIEW and lambdas."""
    names: set[str] = set()
    for lateral in select.args.get("laterals") or ():
        alias = lateral.args.get("alias")
        if alias is not None:
            names |= {fold(alias.name), *(fold(each.name) for each in alias.columns)}
    for each in select.find_all(exp.Lambda):
        names |= {fold(name.name) for name in each.expressions}
    return frozenset(names)


def _is_own(column: Any, name: str, own: frozenset[str], select: Any) -> bool:
    """Whether a name is one that the query gives itself; GROUP BY, HAVING and ORDER BY may use those of SELECT."""
    if name in own:
        return True
    later = column.find_ancestor(exp.Group, exp.Having, exp.Order)
    named = {fold(own_name(each) or "") for each in select.expressions if isinstance(each, exp.Alias)}
    return later is not None and name in named


def _in_clause(column: Any, select: Any) -> bool:
    """Whether a column is read by FROM, JOIN or WHERE, which the view has."""
    node = column
    while node.parent is not None and node.parent is not select:
        node = node.parent
    return any(node is each for clause in _CLAUSES for each in _listed(select.args.get(clause)))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _copied(value: Any) -> Any:
    return [each.copy() for each in value] if isinstance(value, list) else value.copy() if value is not None else None


def _item(at: Place, name: str) -> Any:
    alias, column = at
    node = exp.column(exp.to_identifier(column), table=exp.to_identifier(alias) if alias else None)
    return node if name == column else exp.alias_(node, name_sql(name), dialect=DIALECT)


def _rename(column: Any, columns: Mapping[Place, str], aliases: set[str]) -> None:
    """A column of the query as the view calls it: without the alias before it."""
    at = _place(column, aliases)
    name = next((name for each, name in columns.items() if _same(each, at)), None)
    if name is None:
        return
    parts = [exp.to_identifier(name), *(part.copy() for part in column.parts[2 if at[0] else 1 :])]
    keys = ("this", "table", "db", "catalog")
    for key in keys:
        column.set(key, None)
    for key, part in zip(keys, reversed(parts), strict=False):
        column.set(key, part)


def _text(node: Any) -> str:
    """In one line, without texts, which may be personal data."""
    shown = node.copy()
    for literal in [each for each in shown.find_all(exp.Literal) if each.is_string]:
        literal.set("this", "...")
    return str(shown.sql(dialect=DIALECT, comments=False, normalize_functions=False))
