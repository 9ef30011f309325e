"""One expression (of a mask or a row condition) read by the rules of the gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from catalog.errors import SqlRefused
from policies.gate.cost import sequences
from policies.gate.generate import to_sql
from policies.gate.tree import Checker
from policies.sql.errors import refused
from policies.sql.lexer import DIALECT, lex
from policies.sql.live import AGGREGATES
from policies.sql.words import words

_FORBIDDEN = (exp.Query, exp.Window, exp.Star, exp.Alias, exp.Aliases)
_UNSTABLE = words("rand randn random uuid uniform randstr shuffle monotonically_increasing_id")
_LEAD = "SELECT "


@dataclass(frozen=True, slots=True)
class Fragment:
    tree: exp.Expression

    def sql(self) -> str:
        return to_sql(self.tree)

    def columns(self) -> Iterator[Any]:
        yield from self.tree.find_all(exp.Column)


def read_fragment(text: str) -> Fragment:
    """Read one expression that looks at one record. Raises SqlRefused; columns count from the start of `text`."""
    try:
        first = _read(text)
    except SqlRefused as error:
        raise _shifted(error) from error
    again = _read(first.sql())
    if again.sql() != first.sql():
        raise refused(text, 0, "The expression cannot be written back without a change of its meaning.", "unstable")
    return again


def _shifted(error: SqlRefused) -> SqlRefused:
    """Places that counted the SELECT before the expression."""
    details = dict(error.details)
    sentence = error.message.rsplit(" (line", 1)[0]
    if details.get("line") == 1:
        details["column"] = max(1, int(details["column"]) - len(_LEAD))
    return SqlRefused(f"{sentence} (line {details['line']}, column {details['column']})", details=details)


def _read(text: str) -> Fragment:
    lexed = lex(_LEAD + text)
    if lexed.emit_changes or lexed.emit_final or lexed.windows:
        raise refused(text, 0, "The expression holds words of a query.", "expression")
    try:
        trees = [tree for tree in sqlglot.parse(lexed.text, dialect=DIALECT) if tree is not None]
        if (
            len(trees) != 1
            or not isinstance(trees[0], exp.Select)
            or {k for k, v in trees[0].args.items() if v} != {"expressions"}
        ):
            raise refused(text, 0, "One expression is wanted here, not a query.", "expression")
        if len(trees[0].expressions) != 1:
            raise refused(text, 0, "One expression is wanted here, not several.", "expression")
        Checker(lexed).check(trees[0])
    except (SqlglotError, RecursionError) as error:
        raise refused(text, 0, "The expression is not SQL that Weir understands.", "syntax") from error
    root: Any = trees[0].expressions[0]
    for node in root.walk():
        if isinstance(node, _FORBIDDEN):
            raise refused(text, 0, "The expression may look at one record only, without aliases.", "expression")
        if isinstance(node, exp.Anonymous) and str(node.this).lower() == "sequence" and not sequences.is_bounded(node):
            raise refused(text, 0, "sequence takes numbers or times that are written out here.", "size")
        if isinstance(node, exp.Anonymous) and str(node.this).lower() in AGGREGATES | _UNSTABLE:
            raise refused(
                text, 0, f"{node.this} cannot be used here: it looks at other records or at chance.", "expression"
            )
    return Fragment(root.copy())
