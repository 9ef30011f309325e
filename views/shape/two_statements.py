"""The two statements that aggregate the newest rows of a compacted topic: a view of these rows, and a query over it. Pure."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from policies.sql.lexer import DIALECT
from policies.sql.names import fold, name_sql
from policies.sql.tables import TableRef
from views.shape.relations import own_nodes
from views.shape.roles import Followed

_KEY, _RECORD_KEY = "_key", "record_key"


def two_statements(followed: Followed, ref: TableRef) -> tuple[str, str] | None:
    """What creates the view, and what reads it, in SQL; texts in the query are written '...'. None for a query that is not one
    SELECT of whole columns of this topic with GROUP BY."""
    select = followed.select
    relation = followed.relations[0]
    if len(followed.relations) != 1 or relation.table != ref:
        return None
    if (
        select.parent is not None
        or select.args.get("with_")
        or select.args.get("laterals")
        or select.args.get("distinct")
    ):
        return None
    columns = _columns(select, relation.alias)
    if columns is None:
        return None
    view = "newest_" + "".join(letter if letter.isalnum() else "_" for letter in ref.name.rpartition(".")[2].lower())
    return _create(select, view, columns, relation.node), _read(select, view, relation.alias)


def _columns(select: Any, alias: str) -> list[str] | None:
    """The columns that are read but in WHERE, as they are written first; None where one is a part of a column or all columns."""
    names: dict[str, str] = {}
    where = select.args.get("where")
    if any(each is not select for each in select.find_all(exp.Query)):
        return None
    for node in own_nodes(select):
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Anonymous | exp.Count):
            return None
        if not isinstance(node, exp.Column) or (where is not None and node.find_ancestor(exp.Where) is where):
            continue
        parts = [fold(part.name) for part in node.parts]
        if len(parts) > 2 or (len(parts) == 2 and parts[0] != alias):
            return None
        if parts[-1].startswith("_") and parts[-1] != _KEY:
            return None
        names.setdefault(parts[-1], str(node.name))
    return list(names.values())


def _create(select: Any, view: str, columns: list[str], topic: Any) -> str:
    listed = ", ".join([f"{_KEY} AS {_RECORD_KEY}", *(name_sql(each) for each in columns if fold(each) != _KEY)])
    where = select.args.get("where")
    chosen = f" {_text(where)}" if where is not None else ""
    return f"CREATE MATERIALIZED VIEW {view} AS SELECT {listed} FROM {_text(topic)}{chosen}"


def _read(select: Any, view: str, alias: str) -> str:
    read = select.copy()
    read.set("where", None)
    source = read.args["from_"]
    renamed = exp.alias_(exp.to_table(view), source.this.alias, table=True) if source.this.alias else exp.to_table(view)
    source.set("this", renamed)
    for column in list(read.find_all(exp.Column)):
        if fold(column.name) == _KEY:
            column.set("this", exp.to_identifier(_RECORD_KEY))
        if column.table and fold(column.table) == alias and not source.this.alias:
            column.set("table", None)
    return _text(read)


def _text(node: Any) -> str:
    """In one line, without texts, which may be personal data."""
    shown = node.copy()
    for literal in [each for each in shown.find_all(exp.Literal) if each.is_string]:
        literal.set("this", "...")
    return str(shown.sql(dialect=DIALECT, comments=False, normalize_functions=False))
