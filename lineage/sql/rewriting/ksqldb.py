"""ksqlDB -> what Spark's parser reads: streams are tables, `->` is a dot, windows and EMIT do not concern columns."""

from __future__ import annotations

from sqlglot.tokens import Token, TokenType

from lineage.sql.rewriting.tokens import Tokens, closing, token, until, word, words_at

_ENDS_PARTITION = {"EMIT", "HAVING", "LIMIT", "GROUP", "WINDOW"}


def rewrite(tokens: Tokens) -> Tokens:
    """The same statements for Spark's parser."""
    output: Tokens = []
    at = 0
    defining = False  # inside the list of columns of CREATE STREAM
    over = 0
    while at < len(tokens):
        each = tokens[at]
        before = output[-1] if output else None
        if each.token_type is TokenType.SEMICOLON:
            defining = False
        if (
            word(each) in ("STREAM", "TABLE")
            and before is not None
            and word(before) in ("CREATE", "REPLACE", "SOURCE", "OR REPLACE")
        ):
            defining = True
            if word(before) == "SOURCE":
                output.pop()
            output.append(token(TokenType.TABLE, "TABLE", each))
            at += 1
            continue
        if word(each) in ("SELECT", "WITH"):
            defining = False
        if word(each) == "OVER":
            over = closing(tokens, at + 1)
        skipped = _skip(tokens, at, defining, at < over)
        if skipped > at:
            at = skipped
            continue
        output.append(token(TokenType.DOT, ".", each) if each.token_type is TokenType.ARROW else each)
        at += 1
    return output


def _skip(tokens: Tokens, at: int, defining: bool, over: bool) -> int:
    """The place after a clause that does not concern columns; `at` itself where there is none."""
    if words_at(tokens, at, "EMIT", "CHANGES|FINAL"):
        return at + 2
    if words_at(tokens, at, "WINDOW", "TUMBLING|HOPPING|SESSION", "("):
        return closing(tokens, at + 2) + 1
    if words_at(tokens, at, "WITHIN"):
        end = closing(tokens, at + 1) + 1 if words_at(tokens, at + 1, "(") else at + 3
        return end + 4 if words_at(tokens, end, "GRACE", "PERIOD") else end
    if words_at(tokens, at, "PARTITION", "BY") and not over:
        return until(tokens, at, _ends_partition)
    if words_at(tokens, at, "PARTITION BY") and not over:
        return until(tokens, at, _ends_partition)
    if defining and words_at(tokens, at, "PRIMARY KEY"):
        return at + 1
    if defining and words_at(tokens, at, "PRIMARY", "KEY"):
        return at + 2
    if (
        defining
        and word(tokens[at]) in ("KEY", "HEADERS")
        and at
        and tokens[at - 1].token_type
        not in (
            TokenType.COMMA,
            TokenType.L_PAREN,
        )
    ):
        return at + 1
    return at


def _ends_partition(each: Token) -> bool:
    return word(each) in _ENDS_PARTITION
