"""A query that is still being typed: the word at the cursor, what is before it, and the tables named so far.

Words only, no grammar: what cannot be parsed yet must still be completed. Nothing here decides what may run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from policies.sql.names import fold
from policies.sql.words import words

_TOKEN = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<string>'(?:[^'\\]|\\.|'')*(?:'|\Z)|\"(?:[^\"\\]|\\.)*(?:\"|\Z))"
    r"|(?P<quoted>`(?:[^`]|``)*(?:`|\Z))|(?P<word>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<mark>\S)",
    re.DOTALL,
)
_MOST_CHARACTERS = 50_000
_FROM = words("from join table")
_DESCRIBES = words("describe desc")
_DESCRIBED = words("describe desc table extended")
_NOT_AN_ALIAS = words(
    "where group order having limit join left right inner full outer cross semi anti natural on using union intersect"
    " except lateral window qualify pivot unpivot tablesample select from as of sort cluster distribute emit minus"
)
_END_OF_FROM = words(
    "where group order having limit on using union intersect except select window qualify sort cluster distribute emit"
    " pivot unpivot lateral minus"
)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What is being typed.

    start        where the word at the cursor begins; `word` is the part of it before the cursor
    chain        the names before it, as in `o.customer.|` -> ["o", "customer"]
    wants_table  the place takes a table
    tables       (alias, parts of the name) of every table named in the text; ctes: names made by WITH
    """

    start: int
    word: str
    chain: list[str] = field(default_factory=list)
    wants_table: bool = False
    tables: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    ctes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind`: comment | string | quoted | word | number | mark; `start`, `end`: its place in the text."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def name(self) -> str | None:
        """The name that a word or a back-quoted text means."""
        if self.kind == "quoted":
            inner = self.text[1:-1] if len(self.text) > 1 and self.text.endswith("`") else self.text[1:]
            return inner.replace("``", "`")
        return self.text if self.kind == "word" else None

    def is_open(self) -> bool:
        """Whether its closing quote or bracket of a comment is missing."""
        return self.kind in ("string", "quoted", "comment") and not self.text.startswith("--") and not _closed(self)

    def is_word(self, among: frozenset[str]) -> bool:
        return self.kind == "word" and self.text.lower() in among


def read(sql: str, at: int) -> Unfinished | None:
    """The text around a cursor; None inside a string, a comment or a number, where nothing is to be proposed, and
    behind the first 50,000 characters, which are all that is read."""
    if at >= _MOST_CHARACTERS:
        return None
    tokens = list(tokens_of(sql[:_MOST_CHARACTERS]))
    inside = next((t for t in tokens if t.start < at and (at < t.end or (at == t.end and not _closed(t)))), None)
    if inside is not None and inside.kind in ("string", "comment", "number"):
        return None
    if inside is not None and inside.kind == "quoted" and not _closed(inside):
        return read(f"{sql[:at]}`{sql[at:]}", at)  # the name ends at the cursor, not where the next one begins
    before = [t for t in tokens if t.end <= at and t.kind != "comment"]
    start, word = at, ""
    if inside is not None and inside.kind in ("word", "quoted"):
        start, word = inside.start, sql[inside.start : at].lstrip("`").replace("``", "`")
        before = [t for t in before if t.start < start]
    chain: list[str] = []
    last = len(before)
    while last >= 2 and before[last - 1].text == "." and before[last - 2].name is not None:
        chain.append(before[last - 2].name or "")
        last -= 2
    chain.reverse()
    before = before[:last]
    tables, ctes = _tables([t for t in tokens if t.kind != "comment" and not (t.start <= at <= t.end and t is inside)])
    return Unfinished(start=start, word=word, chain=chain, wants_table=_wants_table(before), tables=tables, ctes=ctes)


def tokens_of(sql: str) -> Iterator[Token]:
    """The words, texts, names and marks of a text, comments included; it need not be complete."""
    for match in _TOKEN.finditer(sql):
        yield Token(match.lastgroup or "mark", match[0], match.start(), match.end())


def _closed(token: Token) -> bool:
    """Whether a cursor right behind the token is outside of it."""
    match token.kind:
        case "string":
            return len(token.text) > 1 and token.text[0] == token.text[-1]
        case "quoted":
            return len(token.text) > 1 and token.text.endswith("`")
        case "comment":
            return token.text.startswith("/*") and token.text.endswith("*/") and len(token.text) > 3
        case "mark":
            return True
    return False


def _wants_table(before: Sequence[Token]) -> bool:
    """Right after FROM or JOIN, or after a comma of a FROM clause."""
    if not before:
        return False
    if before[-1].is_word(_FROM) or (before[0].is_word(_DESCRIBES) and all(t.is_word(_DESCRIBED) for t in before)):
        return True
    if before[-1].text != ",":
        return False
    depth = 0
    for token in reversed(before):
        if token.text == ")":
            depth += 1
        elif token.text == "(":
            if depth == 0:
                return False
            depth -= 1
        elif depth == 0 and token.is_word(_FROM):
            return True
        elif depth == 0 and token.is_word(_END_OF_FROM):
            return False
    return False


def _tables(tokens: Sequence[Token]) -> tuple[list[tuple[str, tuple[str, ...]]], list[str]]:
    tables: dict[tuple[str, tuple[str, ...]], None] = {}
    ctes: dict[str, None] = {}
    in_from = [False]  # for each open bracket: whether a comma here stands in a FROM clause
    for i, token in enumerate(tokens):
        if token.text == "(":
            in_from.append(False)
        elif token.text == ")" and len(in_from) > 1:
            in_from.pop()
        elif token.is_word(_FROM):
            in_from[-1] = True
        elif token.is_word(_END_OF_FROM):
            in_from[-1] = False
        if token.is_word(frozenset({"as"})) and i > 0 and i + 1 < len(tokens) and tokens[i + 1].text == "(":
            name = tokens[i - 1].name
            if name is not None:
                ctes.setdefault(name)
        wants = token.is_word(_FROM) or (token.text == "," and in_from[-1])
        if wants and i + 1 < len(tokens) and tokens[i + 1].name is not None:
            alias, parts = _table(tokens, i + 1)
            tables.setdefault((alias, parts))
    names = {fold(name) for name in ctes}
    return [t for t in tables if not (len(t[1]) == 1 and fold(t[1][0]) in names)], list(ctes)


def _table(tokens: Sequence[Token], at: int) -> tuple[str, tuple[str, ...]]:
    parts = [tokens[at].name or ""]
    at += 1
    while at + 1 < len(tokens) and tokens[at].text == "." and tokens[at + 1].name is not None:
        parts.append(tokens[at + 1].name or "")
        at += 2
    if at < len(tokens) and tokens[at].is_word(frozenset({"as"})):
        at += 1
    token = tokens[at] if at < len(tokens) else None
    aliased = token is not None and token.name is not None and not token.is_word(_NOT_AN_ALIAS)
    return (token.name or "" if aliased and token is not None else parts[-1]), tuple(parts)
