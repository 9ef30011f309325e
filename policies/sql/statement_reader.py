"""Reading a statement that is not a query, token by token: of the catalog (`statements`) and of views (`view_statements`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from catalog.errors import SqlRefused
from policies.sql.errors import refused
from policies.sql.unfinished import Token, tokens_of

MOST_CHARACTERS = 50_000


def beginning(words: str) -> re.Pattern[str]:
    """Matches a text that begins with `words` (a regular expression), behind blanks and comments. Group 1: the words."""
    return re.compile(rf"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?!\+).*?\*/)*({words})\b", re.IGNORECASE | re.DOTALL)


def tokens(sql: str) -> list[Token]:
    """Without comments and without semicolons at the end."""
    tokens = [token for token in tokens_of(sql) if token.kind != "comment"]
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    return tokens


def blank(text: str) -> str:
    """As many blanks, and the same lines."""
    return re.sub(r"[^\n]", " ", text)


def unquoted(token: Token) -> str:
    """The text of a literal."""
    quote = token.text[0]
    return token.text[1:-1].replace(quote * 2, quote)


@dataclass(slots=True)
class StatementReader:
    """`next` is the number of the token to read."""

    sql: str
    tokens: list[Token]
    next: int = 1

    def token(self, ahead: int = 0) -> Token | None:
        at = self.next + ahead
        return self.tokens[at] if at < len(self.tokens) else None

    def text(self) -> str | None:
        token = self.token()
        return token.text if token is not None else None

    def word(self, ahead: int = 0) -> str | None:
        """In lower case; None for another token."""
        token = self.token(ahead)
        return token.text.lower() if token is not None and token.kind == "word" else None

    def name(self, missing: str = "") -> tuple[str, ...]:
        """The parts of a name, each plain or in back-quotes. Raises SqlRefused with `missing` where there is none."""
        parts: list[str] = []
        while (token := self.token()) is not None and token.name is not None:
            parts.append(token.name)
            self.next += 1
            if self.text() != ".":
                break
            self.next += 1
        else:
            parts.append("")
        if not all(parts):
            raise self.refusal(missing or "A name is missing.")
        return tuple(parts)

    def pattern(self, example: str) -> str | None:
        """`LIKE 'order*'`, or the text alone; None where there is none. `example`: of such a text."""
        liked = self.word() in ("like", "ilike")
        self.next += liked
        token = self.token()
        if token is not None and token.kind == "string" and len(token.text) > 1:
            self.next += 1
            return unquoted(token)
        if liked:
            raise self.refusal(f"LIKE takes a pattern in quotes, as in LIKE '{example}'.")
        return None

    def place(self) -> int:
        """Where the next token begins in the text; its end behind the last."""
        token = self.token()
        return token.start if token is not None else len(self.sql)

    def refusal(self, sentence: str, at: int | None = None) -> SqlRefused:
        place = self.next if at is None else at
        start = self.tokens[place].start if place < len(self.tokens) else len(self.sql)
        return refused(self.sql, start, sentence, "statement")
