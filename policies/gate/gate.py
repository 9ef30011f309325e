"""The gate: SQL text in, a tree that may run out, or SqlRefused before Spark is touched.

One read statement (SELECT, FROM first, VALUES, set operations, WITH, PIVOT, LATERAL VIEW, windows, lambdas) made of
nodes and functions on allow-lists (`policies/sql/`); everything else is refused with its place. What runs is the text
generated from the tree, every table replaced by the name of a governed view and every name quoted; the user's own
text never reaches Spark. The text is read and checked a second time as it was generated, so that what was approved
and what runs are the same words, but for two additions of our own: what a star leaves out (`sql/stars.py`) and the
check of a sequence's end (`sql/sequences.py`).

The gate is not the enforcement: that is the views (`policies/adapters/spark/engine.py`), which hold no raw value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from catalog.errors import SqlRefused
from policies.gate import pipes
from policies.gate.cost import expanded_plan, sequences
from policies.gate.cost.expanded_plan import Most
from policies.gate.generate import to_sql
from policies.gate.qualify import without_qualify
from policies.gate.tree import Checker
from policies.sql import live, stars, syntax, tables
from policies.sql.errors import place, refused
from policies.sql.lexer import DIALECT, WINDOW_VERSION, Lexed, lex, tables_as_queries
from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.windows import NEWEST, AsOf, read_time

__all__ = ["Gated", "SqlRefused", "TableRef", "check"]

_ROOTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)
_MOST = Most()
_LITERAL_NAMES = frozenset(
    {"user", "current_user", "session_user", "current_catalog", "current_database", "current_schema"}
)
"""Spark reads these as functions wherever no column has the name."""


@dataclass(frozen=True, slots=True)
class Gated:
    """A query that may run once its tables are decided.

    tables        each topic once, in order of first mention
    places        where each is in the text (line, column)
    emit_changes  a push query
    emit_final    a view whose rows come once
    hints         it has hints, which are left out
    quoted_texts  its texts in double quotes, which other engines read as names
    environment   names that Spark would answer itself (`user`...) unless a table has such a column, with their places
    """

    sql: str
    tables: tuple[TableRef, ...]
    places: Mapping[TableRef, tuple[int, int]]
    emit_changes: bool
    environment: Mapping[str, tuple[int, int]]
    tree: exp.Expression
    hints: bool = False
    quoted_texts: tuple[str, ...] = ()
    emit_final: bool = False

    def render(self, views: Mapping[TableRef, str], system: Mapping[TableRef, Sequence[str]] | None = None) -> str:
        """The text with `views` naming the view of each table. KeyError when one is missing.

        With `system`, the columns of each view that a star does not include, it is the text to run: stars leave them out,
        and sequences are guarded.
        """
        return _render(self.tree, views, system)

    def compared_with_null(self) -> list[exp.Expression]:
        """Comparisons of a column with NULL."""
        kinds = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
        compared = self.tree.find_all(*kinds)
        return [
            each for each in compared if isinstance(each.expression, exp.Null) and isinstance(each.this, exp.Column)
        ]

    def own_names(self) -> list[str]:
        """The names that WITH defines."""
        return [cte.alias for cte in self.tree.find_all(exp.CTE)]

    def stream_problem(self) -> str | None:
        """Why this query cannot be a push query, in words; None when it can."""
        if not self.emit_changes:
            return "A push query ends with EMIT CHANGES; add it, or ask for the rows of now at /api/v1/query."
        return live.problem(self.tree)


def check(sql: str, most: Most = _MOST, *, final: bool = False) -> Gated:
    """Read a query whose plan is at most as large as `most`; `final`: it may end in EMIT FINAL, as a view's may.

    Raises SqlRefused with `details` {line, column, reasons: [class]}, and {limit, found, most} for a plan too large.
    """
    first = _read(sql)
    if first.emit_final and not final:
        at = max(0, sql.upper().rfind("EMIT"))
        raise refused(sql, at, "EMIT FINAL is for views, whose rows it sends once; leave it out.", "emit-final")
    problem = most.problem(expanded_plan.size(first.tree))
    if problem is not None:
        sentence, limit, count, largest = problem
        error = refused(sql, 0, sentence, "plan-size")
        error.details |= {"limit": limit, "found": count, "most": largest}
        raise error
    names = {ref: f"weir_view_{index}" for index, ref in enumerate(first.tables)}
    text = first.render(names)
    try:
        again = _read(text)
    except SqlRefused as error:
        raise refused(
            sql, 0, "The query cannot be written back without a change of its meaning.", "unstable"
        ) from error
    same = {ref: ref.name for ref in again.tables}
    if sorted(same.values()) != sorted(names.values()) or again.render(same) != text:
        raise refused(sql, 0, "The query cannot be written back without a change of its meaning.", "unstable")
    return first


def _read(sql: str) -> Gated:
    lexed = lex(sql)
    try:
        tree = _parse(lexed)
        checker = Checker(lexed)
        checker.check(tree)
        places: dict[TableRef, tuple[int, int]] = {}
        for table in list(tables.references(tree)):
            ref = TableRef(tables.parts(table), _as_of(checker, table, lexed))
            places.setdefault(ref, place(sql, checker.position(table)))
            table.meta["weir"] = ref
        _one_name_each(checker, tree)
        return Gated(
            sql=sql,
            tables=tuple(places),
            places=places,
            emit_changes=lexed.emit_changes,
            environment=_environment(checker, tree),
            tree=tree,
            hints=lexed.hints,
            quoted_texts=tuple(dict.fromkeys(lexed.quoted_texts)),
            emit_final=lexed.emit_final,
        )
    except RecursionError as error:
        raise refused(sql, 0, "The query is nested too deep.", "too-deep") from error
    except (SqlglotError, ValueError, AttributeError, TypeError, KeyError, IndexError) as error:
        # sqlglot raises more than its own errors on text it did not expect; none of them may become a failure of ours.
        raise refused(sql, 0, "The query is not SQL that Weir understands.", "syntax") from error


def _parse(lexed: Lexed) -> exp.Expression:
    sql = lexed.original
    try:
        dialect = sqlglot.Dialect.get_or_raise(DIALECT)
        tokens = pipes.unfold(lexed, tables_as_queries(dialect.tokenize(lexed.text)))
        statements = [tree for tree in dialect.parser().parse(tokens, lexed.text) if tree is not None]
    except ParseError as error:
        at = _error_position(lexed, error)
        raise refused(sql, at, syntax.sentence(sql, at), "syntax") from error
    (root,) = statements  # none and several are refused where the text is read
    if not isinstance(root, _ROOTS):
        raise refused(
            sql, 0, "Only a query can be run: SELECT, FROM, VALUES or WITH.", f"statement:{type(root).__name__}"
        )
    return root


def _error_position(lexed: Lexed, error: ParseError) -> int:
    if not error.errors:
        return 0
    where = error.errors[0]
    line, column = int(where.get("line") or 1), int(where.get("col") or 1)
    lines = lexed.text.splitlines(keepends=True)
    start = sum(map(len, lines[: line - 1])) + column - len(str(where.get("highlight") or " "))
    return lexed.original_position(max(0, start))


def _as_of(checker: Checker, table: exp.Table, lexed: Lexed) -> AsOf:
    version = table.args.get("version")
    if version is None:
        return NEWEST
    literal = version.expression
    if isinstance(literal, exp.Cast):
        literal = literal.this
    if version.args.get("kind") != "AS OF" or not isinstance(literal, exp.Literal) or not literal.is_string:
        raise checker.refuse(version, "Write AS OF and a time in quotes.", "window")
    if version.name == "VERSION" and literal.name.startswith(WINDOW_VERSION):
        return lexed.windows[int(literal.name.removeprefix(WINDOW_VERSION))]
    if version.name != "TIMESTAMP":
        raise checker.refuse(version, "A topic has no versions; write AS OF and a time or OFFSETS.", "window")
    try:
        return AsOf(until=read_time(literal.name))
    except ValueError as error:
        raise checker.refuse(
            version, "A time is written as '2026-11-21T10:00:00Z' or '2026-11-21'.", "window"
        ) from error


def _one_name_each(checker: Checker, tree: exp.Expression) -> None:
    """Tables of one FROM go by the last part of their names, so these must differ. Raises SqlRefused."""
    by_name: dict[tuple[int, str], TableRef] = {}
    for table in tree.find_all(exp.Table):
        ref = table.meta.get("weir")
        if ref is None or table.args.get("alias"):
            continue
        key = (id(table.find_ancestor(exp.Select)), fold(ref.parts[-1]))
        before = by_name.setdefault(key, ref)
        if tuple(map(fold, before.parts)) != tuple(map(fold, ref.parts)):
            name = ref.parts[-1]
            raise checker.refuse(
                table,
                f"{before.name} and {ref.name} both go by the name {name} here; give one of them another, as in"
                f" {ref.name} AS {name}2.",
                "alias",
            )


def _environment(checker: Checker, tree: exp.Expression) -> dict[str, tuple[int, int]]:
    """Bare names that Spark answers itself; one that the query defines as an alias is the query's own."""
    places: dict[str, tuple[int, int]] = {}
    own = {fold(alias.alias) for alias in tree.find_all(exp.Alias)}
    own |= {fold(name.name) for alias in tree.find_all(exp.TableAlias, exp.Aliases) for name in alias_columns(alias)}
    for column in tree.find_all(exp.Column):
        name = fold(column.name)
        if len(column.parts) == 1 and name in _LITERAL_NAMES and name not in own:
            places.setdefault(name, place(checker.lexed.original, checker.position(column)))
    return places


def alias_columns(alias: Any) -> list[Any]:
    return list(alias.expressions if isinstance(alias, exp.Aliases) else alias.args.get("columns") or ())


def _render(
    tree: exp.Expression, views: Mapping[TableRef, str], system: Mapping[TableRef, Sequence[str]] | None
) -> str:
    copy: Any = tree.copy()
    bare: list[tuple[tuple[str, ...], str]] = []
    for table in list(copy.find_all(exp.Table)):
        ref = table.meta.get("weir")
        if ref is None:
            continue
        if not table.args.get("alias"):
            table.set("alias", exp.TableAlias(this=exp.to_identifier(ref.parts[-1], quoted=True)))
            if len(ref.parts) > 1:
                bare.append((tuple(map(fold, ref.parts)), ref.parts[-1]))
        for key in ("db", "catalog", "version"):
            table.set(key, None)
        table.set("this", exp.to_identifier(views[ref], quoted=True))
    for column in list(copy.find_all(exp.Column)) if bare else ():
        _shorten(column, bare)
    if system is not None:
        stars.without_system_columns(copy, system)
        sequences.guard(copy)
    copy = without_qualify(copy)
    # Within brackets, since sqlglot moves each WITH inside of a root to its top, where two of one name would meet.
    return to_sql(exp.Paren(this=copy), spent=True)[1:-1]


def _shorten(column: Any, tables_without_alias: list[tuple[tuple[str, ...], str]]) -> None:
    """`prod.orders.amount` -> `orders.amount`, where prod.orders is in FROM without an alias."""
    names = column.parts
    for table, alias in tables_without_alias:
        size = len(table)
        if len(names) > size and tuple(fold(part.name) for part in names[:size]) == table:
            parts = [exp.to_identifier(alias, quoted=True), *(part.copy() for part in names[size:])]
            for key, part in zip(
                ("this", "table", "db", "catalog"), [*reversed(parts), None, None, None], strict=False
            ):
                column.set(key, part)
            return
