"""Words that another product reads in a query, refused with what to write instead: parameters, `orders@v1`, STREAM."""

from __future__ import annotations

from typing import Any

from sqlglot.tokens import TokenType

from policies.sql.errors import refused

_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_QUOTED = (TokenType.IDENTIFIER, TokenType.STRING, TokenType.RAW_STRING)


def refuse_odd_words(sql: str, tokens: list[Any], at: int) -> None:
    """Raises SqlRefused where the token at this place is such a word."""
    token = tokens[at]
    if _is_stream(tokens, at):
        raise refused(
            sql,
            token.start,
            "STREAM is not a word of this SQL. For rows as they arrive write EMIT CHANGES at the end of the query; a topic"
            " of this name goes in back-quotes.",
            "stream",
        )
    if token.token_type is TokenType.PARAMETER and at > 0 and tokens[at - 1].end + 1 == token.start:
        start = tokens[at - 1].start
        name = sql[start : _end_of_name(tokens, at)]
        raise refused(
            sql,
            start,
            f"{name} is not a name: @ goes in back-quotes, as in `{name.replace('`', '')}`. For the records of a time write"
            " AS OF '2026-11-20'.",
            "parameter",
        )
    if _is_parameter(tokens, at):
        raise refused(sql, token.start, "Parameters are not filled in; write the value itself.", "parameter")


def _is_stream(tokens: list[Any], at: int) -> bool:
    """STREAM before a topic: the engine would read it so, and sqlglot takes it for the topic's name."""
    token, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
    return (
        token.text.upper() == "STREAM"
        and token.token_type not in _QUOTED
        and at > 0
        and tokens[at - 1].token_type in (TokenType.FROM, TokenType.JOIN)
        and after is not None
        and after.token_type in (*_NAMES, TokenType.L_PAREN)
        and after.text.upper() != "EMIT"
    )


def _end_of_name(tokens: list[Any], at: int) -> int:
    """Where a word that touches the token at this place ends."""
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    return int(after.end if after is not None and after.start == tokens[at].end + 1 else tokens[at].end) + 1


def _is_parameter(tokens: list[Any], at: int) -> bool:
    """`?`, `:name` or `@name`; the colon of a type (`a: INT`) touches the name before it."""
    token, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
    if token.token_type is not TokenType.COLON:
        return token.token_type in (TokenType.PLACEHOLDER, TokenType.PARAMETER)
    apart = at == 0 or tokens[at - 1].end + 1 < token.start
    return apart and after is not None and after.start == token.end + 1
