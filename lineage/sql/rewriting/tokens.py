"""Small steps on lists of tokens, for dialects that no parser here reads as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot.tokens import Token, TokenType

Tokens = list[Token]


def word(token: Token) -> str:
    """A token as a keyword in capitals; empty for quoted text."""
    return "" if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) else token.text.upper()


def words_at(tokens: Sequence[Token], at: int, *words: str) -> bool:
    """Whether these keywords are here. `A|B` takes either."""
    return len(tokens) >= at + len(words) and all(
        word(token) in one.split("|") for token, one in zip(tokens[at:], words, strict=False)
    )


def closing(tokens: Sequence[Token], at: int) -> int:
    """The place of the bracket that closes the one at `at`; the end where none does."""
    depth = 0
    for place in range(at, len(tokens)):
        if tokens[place].token_type is TokenType.L_PAREN:
            depth += 1
        elif tokens[place].token_type is TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return place
    return len(tokens)


def until(tokens: Sequence[Token], at: int, stops: Callable[[Token], bool]) -> int:
    """The next place outside of brackets where `stops` holds or a bracket closes what is around; else the end."""
    depth = 0
    for place in range(at, len(tokens)):
        kind = tokens[place].token_type
        if depth == 0 and (kind in (TokenType.R_PAREN, TokenType.SEMICOLON) or stops(tokens[place])):
            return place
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
    return len(tokens)


def token(kind: TokenType, text: str, like: Token) -> Token:
    """A new token at the place of another."""
    return Token(kind, text, like.line, like.col, like.start, like.end)
