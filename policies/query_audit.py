"""What the audit keeps of a query: who, why, which fields, under which decision; literals never."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from policies import explain
from policies.model import Decision, Subject
from policies.query_ports import QueryRecord
from policies.sql.lexer import DIALECT
from policies.views import GovernedTable

_LITERALS = (TokenType.STRING, TokenType.RAW_STRING, TokenType.NUMBER, TokenType.HEX_STRING)
_LONGEST = 4_000


def without_literals(sql: str) -> str:
    """The text with every literal as ?; a text that cannot be read is not kept at all."""
    try:
        tokens = sqlglot.Dialect.get_or_raise(DIALECT).tokenize(sql)
    except (SqlglotError, RecursionError):
        return "(unreadable)"
    words = ["?" if t.token_type in _LITERALS else sql[t.start : t.end + 1] for t in tokens]
    return " ".join(words)[:_LONGEST]


def entry(
    subject: Subject,
    action: str,
    purpose: str | None,
    sql: str,
    outcome: str,
    reasons: Iterable[str],
    *,
    datasets: Sequence[str] = (),
    governed: Mapping[str, tuple[GovernedTable, Sequence[tuple[str, ...]]]] | None = None,
    decisions: Sequence[Decision] = (),
) -> QueryRecord:
    """An entry, `governed` giving for each dataset the names its columns were used by."""
    fields: dict[str, tuple[str, ...]] = {}
    masked: dict[str, tuple[str, ...]] = {}
    for reference, (table, uses) in (governed or {}).items():
        paths, hidden = set(), set()
        for names in uses:
            column = explain.find(table, names[0])
            if column is None:
                continue
            paths.add(str(explain.path_of(table, column, names[1:])) if column.path is not None else column.name)
            hidden |= {d.path for d in explain.within(table, column, names[1:]) if explain.is_masked(d)}
        fields[reference], masked[reference] = tuple(sorted(paths)), tuple(sorted(hidden))
    return QueryRecord(
        subject, action, purpose, without_literals(sql), tuple(datasets), fields, masked,
        tuple(sorted({g for d in decisions for g in d.grants})), outcome,
        tuple(reasons) or tuple(r.text for d in decisions for r in d.reasons),
    )  # fmt: skip
