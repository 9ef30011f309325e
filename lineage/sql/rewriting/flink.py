"""Flink SQL -> what Spark's parser reads: no watermarks and metadata columns, windowing functions as subqueries."""

from __future__ import annotations

import re

from sqlglot.tokens import Token, TokenType

from lineage.sql.rewriting.tokens import Tokens, closing, token, until, word, words_at

_WINDOWS = "TUMBLE|HOP|CUMULATE|SESSION"


_SET = re.compile(r"\b(?:EXECUTE\s+STATEMENT\s+SET\s+BEGIN\b|BEGIN\s+STATEMENT\s+SET\s*;)", re.IGNORECASE)


def unwrapped(sql: str) -> str:
    """The text without the frame of a statement set, which a tokenizer would swallow whole."""
    return _SET.sub(" ", sql)


def rewrite(tokens: Tokens) -> Tokens:
    """The same statements for Spark's parser."""
    output: Tokens = []
    at = 0
    while at < len(tokens):
        skipped = _skip(tokens, at)
        if skipped > at:
            if output and output[-1].token_type is TokenType.COMMA and _closes(tokens, skipped):
                output.pop()
            at = skipped
            continue
        if words_at(tokens, at, "JSON_VALUE|JSON_QUERY|JSON_EXISTS", "("):
            output += _json(tokens, at)
            at = closing(tokens, at + 1) + 1
            continue
        replaced = _window(tokens, at) or _table_function(tokens, at) or _map(tokens, at)
        if replaced is not None:
            more, at = replaced
            output += more
            continue
        output.append(_renamed(tokens, at))
        at += 1
    return output


def _renamed(tokens: Tokens, at: int) -> Token:
    """Flink's word for what Spark's parser knows by another, or does not know as a keyword."""
    each = tokens[at]
    if words_at(tokens, at, "ROW") and at + 1 < len(tokens) and tokens[at + 1].token_type is TokenType.LT:
        return token(TokenType.STRUCT, "STRUCT", each)
    if words_at(tokens, at, "MATCH_RECOGNIZE", "("):
        return token(TokenType.MATCH_RECOGNIZE, each.text, each)
    return each


def _closes(tokens: Tokens, at: int) -> bool:
    return at < len(tokens) and tokens[at].token_type in (TokenType.R_PAREN, TokenType.COMMA)


def _skip(tokens: Tokens, at: int) -> int:
    """The place after a clause that does not concern columns; `at` itself where there is none."""
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
    if words_at(tokens, at, "WITHIN", "INTERVAL"):  # of a pattern
        return until(tokens, at, lambda t: word(t) == "DEFINE")
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
    table_to = until(tokens, table_from, lambda t: t.token_type is TokenType.COMMA or word(t).startswith("PARTITION"))
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


def _table_function(tokens: Tokens, at: int) -> tuple[Tokens, int] | None:
    """`LATERAL TABLE(f(x)) AS t(a, b)` -> `LATERAL (SELECT f(x) AS a, f(x) AS b) AS t`: each column is made of what goes in."""
    if not words_at(tokens, at, "LATERAL", "TABLE", "("):
        return None
    end = closing(tokens, at + 2)
    name = end + 1 + words_at(tokens, end + 1, "AS")
    if name + 1 >= len(tokens) or tokens[name + 1].token_type is not TokenType.L_PAREN:
        return None
    listed = tokens[name + 2 : closing(tokens, name + 1)]
    columns = [each for each in listed if each.token_type is not TokenType.COMMA]
    call, like = rewrite(tokens[at + 3 : end]), tokens[at]
    if call and word(call[0]):  # the job's own function, whatever Spark has by its name
        call[0] = token(TokenType.VAR, f"table_{call[0].text}", call[0])
    more: Tokens = [like, token(TokenType.L_PAREN, "(", like), token(TokenType.SELECT, "SELECT", like)]
    for each in columns:
        comma = [] if each is columns[0] else [token(TokenType.COMMA, ",", like)]
        more += [*comma, *call, token(TokenType.ALIAS, "AS", like), each]
    more += [token(TokenType.R_PAREN, ")", like), token(TokenType.ALIAS, "AS", like), tokens[name]]
    return more, closing(tokens, name + 1) + 1


def _map(tokens: Tokens, at: int) -> tuple[Tokens, int] | None:
    """`MAP['k', x]` -> `MAP('k', x)`."""
    if not words_at(tokens, at, "MAP") or at + 1 >= len(tokens):
        return None
    if tokens[at + 1].token_type is not TokenType.L_BRACKET:
        return None
    depth = 0
    for end in range(at + 1, len(tokens)):
        kind = tokens[end].token_type
        depth += (kind is TokenType.L_BRACKET) - (kind is TokenType.R_BRACKET)
        if depth == 0:
            inside = rewrite(tokens[at + 2 : end])
            brackets = token(TokenType.L_PAREN, "(", tokens[at]), token(TokenType.R_PAREN, ")", tokens[end])
            return [tokens[at], brackets[0], *inside, brackets[1]], end + 1
    return None


def _json(tokens: Tokens, at: int) -> Tokens:
    """`JSON_VALUE(v, '$.a' RETURNING INT DEFAULT 0 ON EMPTY)` -> `JSON_VALUE(v, '$.a')`: the rest does not concern columns."""
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
