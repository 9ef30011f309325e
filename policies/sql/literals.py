"""Literals of SQL: how a text is written, and SQL without them. Literals may be values of records, so the audit, and who may not
read another's query, get them as ?."""

from __future__ import annotations

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from policies.sql.lexer import DIALECT

_LITERALS = (
    TokenType.STRING,
    TokenType.RAW_STRING,
    TokenType.NUMBER,
    TokenType.HEX_STRING,
    TokenType.NATIONAL_STRING,
    TokenType.UNICODE_STRING,
    TokenType.BYTE_STRING,
    TokenType.BIT_STRING,
    TokenType.HEREDOC_STRING,
)
_LONGEST = 4_000


def literal(text: str) -> str:
    """A text as a Spark SQL string literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def without_literals(sql: str) -> str:
    """The text with every literal as ?; a text that cannot be read is not kept at all."""
    try:
        tokens = sqlglot.Dialect.get_or_raise(DIALECT).tokenize(sql)
    except (SqlglotError, RecursionError):
        return "(unreadable)"
    if any(token.token_type is TokenType.PARAMETER for token in tokens):
        return "(unreadable)"  # $$a text$$ of other engines; no query that may run has such a sign
    words: list[str] = []
    end = 0
    for token in tokens:
        if words and token.start < end:
            continue  # 12L comes as three tokens on one place
        # Of what stands between two words only that it is there is kept: it may be a comment.
        words.append(" " if words and token.start > end else "")
        text = sql[token.start : token.end + 1]
        if token.token_type is TokenType.HINT:
            end = token.end + 1
            words.append(" ")
            continue
        hidden = token.token_type in _LITERALS or text[:1].isdigit()
        words.append("?" if hidden else text)
        end = token.end + 1
    return "".join(words)[:_LONGEST]
