"""SQL without its literals, which may be values of records: for the audit, and for who may not read another's query."""

from __future__ import annotations

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from policies.sql.lexer import DIALECT

_LITERALS = (TokenType.STRING, TokenType.RAW_STRING, TokenType.NUMBER, TokenType.HEX_STRING)
_LONGEST = 4_000


def without_literals(sql: str) -> str:
    """The text with every literal as ?; a text that cannot be read is not kept at all."""
    try:
        tokens = sqlglot.Dialect.get_or_raise(DIALECT).tokenize(sql)
    except (SqlglotError, RecursionError):
        return "(unreadable)"
    words: list[str] = []
    end = 0
    for token in tokens:
        # Of what stands between two words only that it is there is kept: it may be a comment.
        words.append(" " if words and token.start > end else "")
        words.append("?" if token.token_type in _LITERALS else sql[token.start : token.end + 1])
        end = token.end + 1
    return "".join(words)[:_LONGEST]
