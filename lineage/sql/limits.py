"""Bounds on SQL before it is parsed: text from strangers must not cost minutes.

sqlglot recurses with brackets and CASE, and takes exponential time on joins without a condition; long lists of literals
only cost memory. So tokens are counted first, lists of literals are cut to one, and what is too deep is refused.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from lineage.sql.model import TooComplex

MAX_CHARACTERS = 2_000_000
MAX_TOKENS = 20_000
"""After lists of literals were cut."""
_FEW = 1000
MAX_DEPTH = 60
MAX_OPEN_JOINS = 8
"""Joins without a condition: each doubles the parser's work."""
MAX_RUN = 100
"""NOT, signs and similar operators in a row, which the parser takes by recursion."""
MAX_COST = 200_000
"""Sum of the depth of all columns in the tree: resolving them costs about 3 microseconds each step."""
MAX_COLUMNS = 20_000
"""Columns of one query once its stars are written out."""

_OPEN = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSE = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
_LITERAL = {
    TokenType.STRING,
    TokenType.NUMBER,
    TokenType.NULL,
    TokenType.TRUE,
    TokenType.FALSE,
    TokenType.DASH,
    TokenType.NATIONAL_STRING,
    TokenType.HEX_STRING,
}
_PREFIX = {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL}
_END_ANGLES = {TokenType.GT, TokenType.SEMICOLON, TokenType.SELECT, TokenType.FROM}
_JOINS = {TokenType.JOIN, TokenType.STRAIGHT_JOIN}
_END_JOINS = {TokenType.SELECT, TokenType.WHERE, TokenType.SEMICOLON}
_CONDITIONS = {TokenType.ON, TokenType.USING, TokenType.CROSS, TokenType.NATURAL} | _END_JOINS
_TELLING = _OPEN | _CLOSE | _PREFIX | _END_ANGLES | _JOINS | _CONDITIONS | {TokenType.LT}


def shortened(tokens: list[Token]) -> list[Token]:
    """The tokens with lists that hold literals only cut to their first: `IN (1)` shows as much as `IN (1, 2, 3)`.

    Raises TooComplex.
    """
    if len(tokens) <= _FEW:
        return tokens
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        kept.append(token)
        at += 1
        if token.token_type is TokenType.L_PAREN:
            end = _end_of_literals(tokens, at)
            if end - at > 16:
                first = next(n for n in range(at, end) if tokens[n].token_type is TokenType.COMMA)
                kept += tokens[at:first]
                at = end
    if len(kept) > MAX_TOKENS:
        raise TooComplex(f"the statement has {len(kept):,} words; at most {MAX_TOKENS:,} are read")
    return kept


def _end_of_literals(tokens: list[Token], at: int) -> int:
    """Where the list of literals ends that begins here; `at` itself when it is none."""
    end = at
    while end < len(tokens) and (tokens[end].token_type in _LITERAL or tokens[end].token_type is TokenType.COMMA):
        end += 1
    closed = end < len(tokens) and tokens[end].token_type is TokenType.R_PAREN
    commas = any(token.token_type is TokenType.COMMA for token in tokens[at:end])
    return end if closed and commas else at


def check_tokens(tokens: list[Token]) -> None:
    """Raises TooComplex for what the parser would take too long or too deep over."""
    depth = joins = run = angles = 0
    for token in tokens:
        kind = token.token_type
        if kind not in _TELLING:
            run = 0
            continue
        depth += (kind in _OPEN) - (kind in _CLOSE)
        angles = angles + 1 if kind is TokenType.LT else max(0, angles - (kind in _END_ANGLES))
        if kind in _JOINS:
            joins += 1
        elif kind in _CONDITIONS:
            joins = 0 if kind in _END_JOINS else max(0, joins - 1)
        run = run + 1 if kind in _PREFIX else 0
        if depth > MAX_DEPTH or angles > MAX_DEPTH or run > MAX_RUN:
            raise TooComplex(f"it is nested more than {MAX_DEPTH} deep")
        if joins > MAX_OPEN_JOINS:
            raise TooComplex(f"more than {MAX_OPEN_JOINS} joins in a row have no condition")


def check_tree(tree: exp.Expression) -> None:
    """Raises TooComplex for a tree whose columns would take too long to resolve."""
    cost = 0
    todo: list[tuple[Any, int]] = [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        if isinstance(node, exp.Column):
            cost += depth
            if cost > MAX_COST:
                raise TooComplex("its expressions are too long and too deep")
            continue
        todo += [(child, depth + 1) for child in node.iter_expressions()]


class Budget:
    """Steps one text may take. Raises TooComplex when they are used up."""

    def __init__(self, steps: int = 500_000) -> None:
        self._left = steps

    def spend(self, steps: int = 1) -> None:
        self._left -= steps
        if self._left < 0:
            raise TooComplex("it names too many columns")
