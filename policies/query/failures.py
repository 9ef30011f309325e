"""What the engine could not run, explained in the words and at the place of the query. Pure.

The engine's errors concern the text that runs, which is not the user's. What it points at is looked for in the tree: the part
that is written back in the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from catalog.errors import NotAllowed, WeirError
from policies.gate.gate import Gated
from policies.gate.generate import to_sql
from policies.gate.tree import Checker
from policies.plan.errors import QueryFailed
from policies.plan.explain import find
from policies.plan.prepare import PreparedQuery
from policies.plan.refusals import split_name, unknown_column
from policies.plan.views import GovernedTable
from policies.query.blamed import whole_name
from policies.query.failure_words import sentence
from policies.sql.errors import place
from policies.sql.lexer import lex
from policies.sql.names import fold

_MOST_NODES = 3_000
"""Each is written back to be compared; in longer queries the place is not looked for."""


def explained(prepared: PreparedQuery, error: QueryFailed) -> WeirError:
    """What is true for this subject: denied, misspelt, or as the engine reports it, with `line` and `column` if known.

    A name that exists and is not known at its place gets a message of its own.
    """
    gated = prepared.gated
    node = _part(gated, error.fragment)
    name = error.details.get("name")
    if not isinstance(name, str):
        missing = error.about.get("colName")  # of USING
        if missing is not None:
            refusal = unknown_column(list(prepared.tables.values()), split_name(missing), error)
            if isinstance(refusal, NotAllowed):
                return refusal
        better = sentence(prepared, node, error)
        if better is not None:
            error, node = QueryFailed(better.text, details=error.details), better.node
        return error if node is None else _placed(gated, _position(gated, node), error)
    at = _position(gated, node) if node is not None else find_name(gated, name)
    if error.details.get("condition", "").split(".")[0] == "AMBIGUOUS_REFERENCE":
        return _placed(gated, at, error)
    whole = whole_name(node) or split_name(name)
    owner = _owner(prepared, whole)
    if owner is not None and not error.known:
        others = _names_of_tables(prepared, whole[1])
        return _placed(gated, at, unknown_column([owner], whole[1:], error, of=whole[0], names_of_tables=others))
    known, tables = _names_of_tables(prepared), list(prepared.tables.values())
    return _placed(gated, at, unknown_column(tables, whole, error, _aliases(gated), names_of_tables=known))


def with_place(error: WeirError) -> WeirError:
    """The same error with its line and column in the message, for readers who do not see the query beside it."""
    line, column = error.details.get("line"), error.details.get("column")
    place_text = f" (line {line}, column {column})"
    if line is None or error.message.endswith(place_text):
        return error
    error.message = f"{error.message}{place_text}"
    error.args = (error.message,)
    return error


def find_name(gated: Gated, name: str) -> int:
    """Where a name of the engine's error is in the text; -1 when it is not there."""
    folded = [fold(part) for part in split_name(name)]
    checker = Checker(lex(gated.sql))
    spots: list[tuple[int, int]] = []
    for node in gated.tree.find_all(exp.Column, exp.Dot):
        parts = list(node.find_all(exp.Identifier))
        names = [fold(p.name) for p in node.parts] if isinstance(node, exp.Column) else [fold(p.name) for p in parts]
        if names == folded or names[-len(folded) :] == folded or names[: len(folded)] == folded:
            spots.append((0, checker.position(node)))
        elif folded[-1] in names:
            spots.append((1, checker.position(node)))
    return min(spots, default=(0, -1))[1]


def _placed(gated: Gated, at: int, error: WeirError) -> WeirError:
    if at < 0:
        return error
    line, column = place(gated.sql, at)
    error.details = {**error.details, "line": line, "column": column}
    return error


def _position(gated: Gated, node: Any) -> int:
    return Checker(lex(gated.sql)).position(node)


def _part(gated: Gated, fragment: str | None) -> Any:
    if not fragment or fragment.startswith(("SELECT ", "WITH ")):
        return None
    nodes = list(gated.tree.walk())
    if len(nodes) > _MOST_NODES:
        return None
    exact = next((node for node in nodes if not isinstance(node, exp.Identifier) and to_sql(node) == fragment), None)
    # Of `a BETWEEN 1 AND 3` and `a IN (1)` the engine points at the end only.
    ends = (
        node for node in nodes if isinstance(node, (exp.Between, exp.In, exp.Like)) and to_sql(node).endswith(fragment)
    )
    return exact if exact is not None else next(ends, None)


def _owner(prepared: PreparedQuery, names: list[str]) -> GovernedTable | None:
    """The table that `c` of `c.order_id` is the name of, where it has no such column."""
    owners = [
        prepared.tables[table.meta["weir"]]
        for table in prepared.gated.tree.find_all(exp.Table)
        if table.meta.get("weir") in prepared.tables and fold(table.alias_or_name) == fold(names[0])
    ]
    if (
        len(names) < 2
        or len(owners) != 1
        or find(owners[0], names[1]) is not None
        or find(owners[0], names[0]) is not None
    ):
        return None
    return owners[0]


def _names_of_tables(prepared: PreparedQuery, column: str | None = None) -> list[str]:
    """What the query calls its tables; with `column`, those of them that have one of exactly this name."""
    return [
        table.alias_or_name
        for table in prepared.gated.tree.find_all(exp.Table)
        if table.meta.get("weir") in prepared.tables
        and (column is None or find(prepared.tables[table.meta["weir"]], column) is not None)
    ]


def _aliases(gated: Gated) -> Iterator[str]:
    """Names that the query gives itself."""
    for each in gated.tree.find_all(exp.Alias, exp.TableAlias):
        if isinstance(each, exp.Alias) and each.alias:
            yield each.alias
        elif isinstance(each, exp.TableAlias):
            yield from (column.name for column in each.columns)
