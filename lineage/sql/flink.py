"""Flink SQL -> what Spark's parser reads: no watermarks and metadata columns, windowing functions as subqueries."""

from __future__ import annotations

import re

from sqlglot.tokens import Token, TokenType

from lineage.sql.rewriting import Tokens, closing, token, until, word, words_at

_WINDOWS = "TUMBLE|HOP|CUMULATE|SESSION"


_SET = re.compile(r"\b(?:EXECUTE\s+STATEMENT\s+SET\s+BEGIN\b|BEGIN\s+STATEMENT\s+SET\s*;)", re.IGNORECASE)


def unwrapped(sql: str) -> str:
    """The text without the frame of a statement set, which a tokenizer would swallow whole."""
    return _SET.sub(" ", sql)


def rewrite(tokens: Tokens) -> Tokens:
    """The same statements for Spark's parser."""
    found: Tokens = []
    at = 0
    while at < len(tokens):
        skipped = _skip(tokens, at)
        if skipped > at:
            if found and found[-1].token_type is TokenType.COMMA and _closes(tokens, skipped):
                found.pop()
            at = skipped
            continue
        if words_at(tokens, at, "JSON_VALUE|JSON_QUERY|JSON_EXISTS", "("):
            found += _json(tokens, at)
            at = closing(tokens, at + 1) + 1
            continue
        window = _window(tokens, at)
        if window is not None:
            more, at = window
            found += more
            continue
        found.append(tokens[at])
        at += 1
    return found


def _closes(tokens: Tokens, at: int) -> bool:
    return at < len(tokens) and tokens[at].token_type in (TokenType.R_PAREN, TokenType.COMMA)


def _skip(tokens: Tokens, at: int) -> int:
    """Where to go on when what stands here says nothing of columns; `at` itself otherwise."""
    if words_at(tokens, at, "WATERMARK", "FOR"):
        return until(tokens, at, lambda t: t.token_type is TokenType.COMMA)
    if words_at(tokens, at, "NOT", "ENFORCED"):
        return at + 2
    if words_at(tokens, at, "METADATA") and at and tokens[at - 1].token_type is not TokenType.DOT:
        return until(tokens, at, lambda t: t.token_type is TokenType.COMMA)
    alone = all(
        each.token_type is TokenType.SEMICOLON for each in (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])
    )
    if words_at(tokens, at, "END") and alone:
        return at + 1
    if words_at(tokens, at, "FOR", "SYSTEM_TIME", "AS", "OF"):
        end = at + 5
        while end + 1 < len(tokens) and tokens[end].token_type is TokenType.DOT:
            end += 2
        return closing(tokens, end) + 1 if end < len(tokens) and tokens[end].token_type is TokenType.L_PAREN else end
    return at


def _window(tokens: Tokens, at: int) -> tuple[Tokens, int] | None:
    """`TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), ...))` -> `(SELECT *, ts AS window_start, ... FROM t)`."""
    inner = at + 2 if words_at(tokens, at, "TABLE", "(", _WINDOWS, "(") else at
    if not (words_at(tokens, inner, _WINDOWS, "(", "TABLE") or words_at(tokens, inner, _WINDOWS, "(", "DATA")):
        return None
    end = closing(tokens, at + 1)
    table_from = inner + 3
    table_to = until(tokens, table_from, lambda t: t.token_type is TokenType.COMMA)
    descriptor = next((n for n in range(table_to, end) if word(tokens[n]) == "DESCRIPTOR"), None)
    if descriptor is None:
        return None
    like = tokens[at]
    time = tokens[descriptor + 2 : closing(tokens, descriptor + 1)]
    more: Tokens = [token(TokenType.L_PAREN, "(", like), token(TokenType.SELECT, "SELECT", like), _star(like)]
    for name in ("window_start", "window_end", "window_time"):
        more += [
            token(TokenType.COMMA, ",", like),
            *time,
            token(TokenType.ALIAS, "AS", like),
            token(TokenType.VAR, name, like),
        ]
    more += [token(TokenType.FROM, "FROM", like), *tokens[table_from:table_to], token(TokenType.R_PAREN, ")", like)]
    return more, end + 1


def _json(tokens: Tokens, at: int) -> Tokens:
    """`JSON_VALUE(v, '$.a' RETURNING INT DEFAULT 0 ON EMPTY)` -> `JSON_VALUE(v, '$.a')`: the rest says nothing of columns."""
    end = closing(tokens, at + 1)
    depth, comma = 0, end
    for n in range(at + 2, end):
        depth += (tokens[n].token_type is TokenType.L_PAREN) - (tokens[n].token_type is TokenType.R_PAREN)
        if depth == 0 and tokens[n].token_type is TokenType.COMMA:
            comma = n
            break
    inside = rewrite(tokens[at + 2 : comma])
    return [*tokens[at : at + 2], *inside, *tokens[comma : min(comma + 2, end)], *tokens[end : end + 1]]


def _star(like: Token) -> Token:
    return token(TokenType.STAR, "*", like)
