"""`FROM t |> LIMIT 3 |> WHERE ...`: each step works on what the step before gave.

sqlglot puts the steps into one SELECT, which filters before it limits, and forgets DISTINCT. So the tokens of a pipe
are put in the order of queries before it parses: a step that one SELECT would not take in this order reads from a
query of what came before, under the name of its only table where the columns are still those of the table. Tokens
keep their places in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot.tokens import Token, TokenType

from policies.sql.errors import refused
from policies.sql.lexer import Lexed

_OPEN = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_CLOSE = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)
_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_SETS = (TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT)
_JOINS = frozenset("JOIN INNER LEFT RIGHT FULL CROSS NATURAL SEMI ANTI".split())  # noqa: SIM905
_PARTS = (
    *_SETS,
    TokenType.SELECT,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
    TokenType.OFFSET,
    TokenType.WINDOW,
    TokenType.QUALIFY,
    TokenType.SORT_BY,
    TokenType.CLUSTER_BY,
    TokenType.DISTRIBUTE_BY,
)
Tokens = Sequence[Any]


def unfold(lexed: Lexed, tokens: Tokens) -> list[Any]:
    """The same query without pipes. Raises SqlRefused for a step that is not known."""
    if not any(token.token_type is TokenType.PIPE_GT for token in tokens):
        return list(tokens)
    current: list[Any] = []
    around: list[list[Any]] = []
    for token in tokens:
        if token.token_type in _OPEN:
            around.append([*current, token])
            current = []
        elif token.token_type in _CLOSE and around:
            group = _Group(_unpiped(lexed, current), token)
            current = [*around.pop(), group]
        else:
            current.append(token)
    while around:  # a bracket that is not closed: sqlglot says so
        current = around.pop() + current
    return _flat(_unpiped(lexed, current))


@dataclass(slots=True)
class _Group:
    """The content of brackets, and the closing one; the opening one is before it."""

    tokens: list[Any]
    closing: Any
    token_type: TokenType = TokenType.UNKNOWN
    text: str = ""


def _flat(tokens: Tokens) -> list[Any]:
    flat: list[Any] = []
    for token in tokens:
        flat += [*_flat(token.tokens), token.closing] if isinstance(token, _Group) else [token]
    return flat


def _unpiped(lexed: Lexed, tokens: list[Any]) -> list[Any]:
    parts = _split(tokens, TokenType.PIPE_GT)
    if len(parts) == 1:
        return tokens
    query = _Query.of(parts[0])
    for step in parts[1:]:
        if not step:
            raise refused(lexed.original, len(lexed.original), "A |> has no step behind it.", "syntax")
        query = _step(lexed, query, step)
    return query.tokens()


@dataclass(slots=True)
class _Query:
    """A query in the making. `name` is that of its only table, if there is one."""

    source: list[Any]
    name: Any = None
    joined: bool = False
    select: list[Any] = field(default_factory=list)
    where: list[list[Any]] = field(default_factory=list)
    group: list[Any] = field(default_factory=list)
    tail: list[Any] = field(default_factory=list)
    order: list[Any] = field(default_factory=list)
    limit: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, head: list[Any]) -> _Query:
        if not head or head[0].token_type is not TokenType.FROM or any(t.token_type in _PARTS for t in head):
            return cls(_bracketed(head))
        source = head[1:]
        return cls(source, _only_name(source), joined=_only_name(source) is None)

    def tokens(self) -> list[Any]:
        own = (self.select, self.where, self.group, self.tail, self.order, self.limit, self.joined)
        whole = self._reads_from()
        if whole and not any(own) and whole[0].token_type is TokenType.SELECT:
            return whole  # nothing was added to what it reads from
        at = self.source[0]
        tokens = [_new(at, TokenType.SELECT, "SELECT"), *(self.select or [_new(at, TokenType.STAR, "*")])]
        tokens += [_new(at, TokenType.FROM, "FROM"), *self.source]
        for n, condition in enumerate(self.where):
            word = _new(at, TokenType.AND, "AND") if n else _new(at, TokenType.WHERE, "WHERE")
            tokens += [word, *_bracketed(condition)]
        return [*tokens, *self.group, *self.tail, *self.order, *self.limit]

    def _reads_from(self) -> list[Any]:
        """What is between the brackets of `(...)` or `(...) AS name`."""
        alias = self.source[2:3]
        if len(self.source) < 2 or not isinstance(self.source[1], _Group):
            return []
        return self.source[1].tokens if not alias or alias[0].token_type is TokenType.ALIAS else []

    def around(self, named: bool = True) -> _Query:
        """A query that reads from this one; it keeps the name of its table where `named`."""
        name = self.name if named and not self.joined else None
        alias = [_new(name, TokenType.ALIAS, "AS"), name] if name is not None else []
        return _Query([*_bracketed(self.tokens()), *alias], name)

    def ready(self, *parts: str) -> _Query:
        """This query if it holds none of the parts, else one around it."""
        return self.around() if any(getattr(self, part) for part in parts) else self


def _step(lexed: Lexed, query: _Query, step: list[Any]) -> _Query:
    word, rest = " ".join(step[0].text.upper().split()), step[1:]
    if word in ("SELECT", "EXTEND", "DROP", "AGGREGATE"):
        query = query.ready("order", "limit")
        if word == "AGGREGATE":
            return _aggregate(lexed, query, step)
        return _columns(lexed, query, word, step)
    if word == "WHERE":
        query = query.ready("order", "limit")
        query.where.append(rest)
    elif word in ("ORDER BY", "SORT BY", "CLUSTER BY", "DISTRIBUTE BY"):
        query = query.ready("limit")
        query.order = step
    elif word in ("LIMIT", "OFFSET"):
        query = query.ready("limit")
        query.limit = step
    elif word == "AS" and len(rest) == 1:
        query = query.around(named=False)
        query.name = rest[0]
        query.source += step
    elif word in ("PIVOT", "UNPIVOT", "TABLESAMPLE"):
        query = query.around()
        # The name stands behind a PIVOT, and its columns are others.
        alias = 2 if query.name is not None else 0
        query.source = query.source[: len(query.source) - alias] + step
        query = query if word == "TABLESAMPLE" else query.around(named=False)
    elif step[0].token_type in _SETS:
        return _Query(_bracketed([*_bracketed(query.tokens()), *step]))
    elif word in _JOINS or (word == "LATERAL" and not _says(rest, "VIEW")):
        query = query.ready("where", "order", "limit")
        if any(t.token_type is TokenType.COMMA for t in query.source):
            query = query.around()  # a comma binds less than JOIN
        query.source += step
        query.joined = True
    else:
        sentence = f"The step {word[:40]} is not one that Weir knows; to change columns write |> EXTEND or |> SELECT."
        raise refused(lexed.original, lexed.original_position(step[0].start), sentence, "syntax")
    return query


def _columns(lexed: Lexed, query: _Query, word: str, step: list[Any]) -> _Query:
    rest = step[1:]
    if word == "DROP":
        query.select = [
            _new(step[0], TokenType.STAR, "*"),
            _new(step[0], TokenType.EXCEPT, "EXCEPT"),
            *_bracketed(rest),
        ]
        return query.around()
    if word == "EXTEND":
        query.select = [_new(step[0], TokenType.STAR, "*"), _new(step[0], TokenType.COMMA, ","), *rest]
        return query.around()
    window = next((n for n, t in enumerate(rest) if t.token_type is TokenType.WINDOW and n), len(rest))
    query.select, query.tail = rest[:window], rest[window:]
    for token in query.select:
        if token.token_type in _PARTS:
            sentence = "A step SELECT names columns; what else it holds is a step of its own."
            raise refused(lexed.original, lexed.original_position(token.start), sentence, "syntax")
    return query.around(named=False)


def _aggregate(lexed: Lexed, query: _Query, step: list[Any]) -> _Query:
    at = next((n for n, t in enumerate(step) if t.token_type is TokenType.GROUP_BY), len(step))
    aggregates, groups = step[1:at], [g for g in _split(step[at + 1 :], TokenType.COMMA) if g]
    for group in groups:
        if len(group) == 1 and group[0].token_type not in _NAMES and not group[0].text.isidentifier():
            sentence = "GROUP BY of a step AGGREGATE takes columns by their names."
            raise refused(lexed.original, lexed.original_position(group[0].start), sentence, "syntax")
    comma = _new(step[0], TokenType.COMMA, ",")
    names = _listed([*groups, *([aggregates] if aggregates else [])], comma)
    query.select = names
    if groups:
        query.group = [step[at], *_listed([_without_alias(group) for group in groups], comma)]
    return query.around(named=False)


def _listed(parts: Sequence[Tokens], comma: Any) -> list[Any]:
    return [token for n, part in enumerate(parts) for token in ([comma, *part] if n else part)]


def _without_alias(group: list[Any]) -> list[Any]:
    at = next((n for n, t in enumerate(group) if t.token_type is TokenType.ALIAS), None)
    if at is not None:
        return group[:at]
    if (
        len(group) > 1
        and group[-1].token_type in _NAMES
        and (isinstance(group[-2], _Group) or group[-2].token_type in _NAMES)
    ):
        return group[:-1]
    return group


def _only_name(source: list[Any]) -> Any:
    """The last word of `a.b`, `a.b c`, `a.b AS c`: what the table is called."""
    names = [t for t in source if t.token_type not in (TokenType.DOT, TokenType.ALIAS)]
    plain = all(isinstance(t, Token) and (t.token_type in _NAMES or t.text.isidentifier()) for t in names)
    return names[-1] if names and plain else None


def _says(tokens: Tokens, word: str) -> bool:
    return bool(tokens) and tokens[0].text.upper() == word


def _split(tokens: Tokens, kind: TokenType) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token.token_type is kind:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _bracketed(tokens: list[Any]) -> list[Any]:
    at = next((t for t in tokens if isinstance(t, Token)), None) or tokens[0].closing
    return [_new(at, TokenType.L_PAREN, "("), _Group(list(tokens), _new(at, TokenType.R_PAREN, ")"))]


def _new(at: Any, kind: TokenType, text: str) -> Any:
    """A token that nobody wrote, at the place of one that somebody did."""
    return Token(kind, text, line=at.line, col=at.col, start=at.start, end=at.end)
