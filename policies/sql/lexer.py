"""The user's text as tokens, before sqlglot parses it.

What this does, and always by tokens, never by searching the text (which would also find it in strings and comments):

- measures: length, number of tokens, depth of brackets; a bomb for the parser is refused here;
- refuses `${`, which Spark substitutes inside the text, and everything that asks for a parameter;
- takes off `EMIT CHANGES` or `EMIT FINAL` at the end, and the `AS OF` windows behind tables, which no dialect knows;
  leaves out hints;
- puts a prefix before the names of function calls. sqlglot knows functions of thirty dialects and rewrites some of
  them; with the prefix it keeps the call as it was written, and the gate sees the name that Spark will see.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

from policies.sql import inventory, syntax
from policies.sql.errors import refused
from policies.sql.odd_words import refuse_odd_words
from policies.sql.slips import near_keyword
from policies.sql.windows import AsOf, read_offsets, read_time
from policies.sql.words import words

DIALECT = "spark"
PREFIX = "weirfn_"
WINDOW_VERSION = "weir-window-"

MAX_CHARACTERS = 50_000
MAX_TOKENS = 5_000
MAX_DEPTH = 60
MAX_QUANTIFIERS = 100
"""Above these sqlglot recurses too deep (400 brackets) or takes minutes (2,000 times ANY); see docs/reference/sql.md."""

# Calls whose arguments have a grammar of their own, and types, which may stand before a bracket without being called.
_SPELLED_OUT = words(
    "cast try_cast extract trim position substring overlay exists any some all case when and or not in like ilike"
    " rlike regexp between div interval date timestamp string int bigint double float boolean binary tinyint"
    " smallint decimal cube rollup"
)
_OPEN = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_CLOSE = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)
_BEGINNINGS = (TokenType.SELECT, TokenType.FROM, TokenType.VALUES, TokenType.WITH, TokenType.TABLE)
_INSTEAD = {
    "INSERT": "Topics are read here, not written",
    "UPDATE": "Topics are read here, not written",
    "DELETE": "Topics are read here, not written",
    "MERGE": "Topics are read here, not written",
    "TRUNCATE": "Topics are read here, not written",
    "CREATE": "Nothing is created here; use WITH for a query with a name",
    "DROP": "Topics are read here, not written",
    "ALTER": "Topics are read here, not written",
    "SET": "There are no settings to set in a query",
    "USE": "Write the cluster before the topic, as in prod.orders",
    "CACHE": "Nothing is kept between queries",
    "CALL": "There are no procedures",
    "LIST": "SHOW TABLES lists the topics",
    "PRINT": "SELECT * FROM orders shows the records of a topic",
    "PIVOT": "PIVOT follows a table: SELECT * FROM orders PIVOT (...)",
}
"""The first word of a statement that is not a query -> what is true instead."""
_FIRST_WORDS = words("select from values with show describe explain insert update delete create")
_BEFORE_QUERY = (
    TokenType.L_PAREN,
    TokenType.R_PAREN,
    TokenType.UNION,
    TokenType.EXCEPT,
    TokenType.INTERSECT,
    TokenType.ALL,
    TokenType.DISTINCT,
)
_NOT_A_NAME = (TokenType.STRING, TokenType.RAW_STRING, TokenType.NUMBER, TokenType.HEX_STRING)


@dataclass(slots=True)
class Lexed:
    """The text to parse, and the way back from its positions to the user's."""

    original: str
    text: str
    windows: list[AsOf]
    emit_changes: bool
    calls: dict[str, int]
    emit_final: bool = False
    hints: bool = False
    quoted_texts: list[str] = field(default_factory=list)
    _edits: list[tuple[int, int]] = field(default_factory=list)  # (position in text, shift from there on)

    def original_position(self, position: int) -> int:
        at = bisect_right(self._edits, (position, 1 << 60)) - 1
        return position - (self._edits[at][1] if at >= 0 else 0)


def lex(sql: str) -> Lexed:
    """Read the text. Raises SqlRefused."""
    if len(sql) > MAX_CHARACTERS:
        raise refused(
            sql, 0, f"The query has {len(sql):,} characters; at most {MAX_CHARACTERS:,} are read.", "too-long"
        )
    if (at := sql.find("\x00")) >= 0:
        raise refused(sql, at, "The query holds a NUL character.", "character")
    try:
        tokens = list(sqlglot.Dialect.get_or_raise(DIALECT).tokenize(sql))
    except (SqlglotError, RecursionError) as error:
        at, sentence = syntax.unreadable(sql)
        raise refused(sql, at, sentence, "syntax") from error
    if (at := sql.find("${")) >= 0:
        raise refused(
            sql, at, "The query holds ${, which Spark would substitute; write it as '$' || '{...'.", "substitution"
        )
    _measure(sql, tokens)
    tokens = _without_semicolons(tokens)
    if not tokens:
        raise refused(sql, 0, "There is no query.", "empty")
    _one_query(sql, tokens)
    emit = _emitted(tokens)
    lexed = _edit(
        _quotes_by_backslash(sql, tokens),
        tokens[:-2] if emit else tokens,
        tokens[-2].start if emit else len(sql),
        emit == "CHANGES",
    )
    lexed.original, lexed.emit_final = sql, emit == "FINAL"
    return lexed


def _quotes_by_backslash(sql: str, tokens: list[Any]) -> str:
    """Two quotes inside a text are one, as in standard SQL: `'O''Brien'`. Spark 4.0 would read two texts, one behind the
    other. The result is as long as before."""
    letters = list(sql)
    for one, following in itertools.pairwise(tokens):
        both = one.token_type is following.token_type is TokenType.STRING
        if both and one.end + 1 == following.start and sql[one.end] == sql[following.start]:
            letters[one.end] = "\\"
    return "".join(letters)


def _emitted(tokens: list[Any]) -> str | None:
    """CHANGES or FINAL of `EMIT CHANGES` and `EMIT FINAL` at the end."""
    if len(tokens) <= 2 or any(
        t.token_type in _NOT_A_NAME or t.token_type is TokenType.IDENTIFIER for t in tokens[-2:]
    ):
        return None
    first, last = (t.text.upper() for t in tokens[-2:])
    return last if first == "EMIT" and last in ("CHANGES", "FINAL") else None


def _measure(sql: str, tokens: list[Any]) -> None:
    if len(tokens) > MAX_TOKENS:
        raise refused(sql, 0, f"The query has {len(tokens):,} words; at most {MAX_TOKENS:,} are read.", "too-long")
    depth = quantifiers = 0
    for index, token in enumerate(tokens):
        if token.token_type in _OPEN:
            depth += 1
        elif token.token_type in _CLOSE:
            depth -= 1
        quantifiers += token.token_type in (TokenType.ANY, TokenType.ALL, TokenType.SOME)
        if depth > MAX_DEPTH:
            raise refused(sql, token.start, f"Brackets are nested more than {MAX_DEPTH} deep.", "too-deep")
        if quantifiers > MAX_QUANTIFIERS:
            raise refused(
                sql, token.start, f"ANY, ALL and SOME are used more than {MAX_QUANTIFIERS} times.", "too-long"
            )
        if PREFIX in token.text.lower():
            raise refused(sql, token.start, f"{PREFIX} is kept for Weir's own use.", "reserved")
        refuse_odd_words(sql, tokens, index)


def _one_query(sql: str, tokens: list[Any]) -> None:
    # Before sqlglot parses: it writes the text of a statement that it does not know to its log.
    first = next((t for t in tokens if t.token_type is not TokenType.L_PAREN), tokens[0])
    if first.token_type not in _BEGINNINGS:
        word = first.text.upper()[:40]
        near = near_keyword(word, _FIRST_WORDS)
        meant = f"Did you mean {near} instead of {word}? " if near not in (None, word) else ""
        instead = f"{_INSTEAD[word]}. " if word in _INSTEAD else meant
        sentence = f"{instead}Only a query can be run: SELECT, FROM, VALUES or WITH; SHOW, DESCRIBE and EXPLAIN alone."
        raise refused(sql, first.start, sentence, f"statement:{word}")
    for token, following in itertools.pairwise(tokens):
        if token.token_type is TokenType.SEMICOLON:
            raise refused(sql, following.start, "One statement at a time.", "several-statements")


def tables_as_queries(tokens: list[Any]) -> list[Any]:
    """`TABLE orders` where a query may begin, as `FROM orders`."""
    result = []
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        begins = before is None or before.token_type in _BEFORE_QUERY
        if (
            token.token_type is TokenType.TABLE
            and begins
            and after is not None
            and after.token_type is not TokenType.L_PAREN
        ):
            token = Token(TokenType.FROM, "FROM", line=token.line, col=token.col, start=token.start, end=token.end)
        result.append(token)
    return result


def _without_semicolons(tokens: list[Any]) -> list[Any]:
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    return tokens


def _edit(sql: str, tokens: list[Any], end: int, emit: bool) -> Lexed:
    pieces: list[str] = []
    lexed = Lexed(sql, "", [], emit, {})
    shift = length = read = 0

    def put(upto: int, replacement: str, resume: int) -> None:
        nonlocal shift, length, read
        pieces.extend((sql[read:upto], replacement))
        length += upto - read + len(replacement)
        shift += len(replacement) - (resume - upto)
        read = resume
        lexed._edits.append((length, shift))

    index = 0
    while index < len(tokens):
        token = tokens[index]
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.token_type is TokenType.HINT:
            lexed.hints = True
            put(token.start, " ", token.end + 1)
            index += 1
            continue
        if token.token_type is TokenType.STRING and sql[token.start] == '"':
            lexed.quoted_texts.append(token.text)
        count = _window(sql, tokens, index, lexed.windows)
        if count:
            put(
                token.start,
                f"VERSION AS OF '{WINDOW_VERSION}{len(lexed.windows) - 1}'",
                tokens[index + count - 1].end + 1,
            )
            index += count
            continue
        if following is not None and following.token_type is TokenType.L_PAREN and token.token_type not in _NOT_A_NAME:
            name = token.text.lower()
            lexed.calls.setdefault(name, token.start)
            before = tokens[index - 1].token_type if index else None
            if _is_call(name, before):
                quoted = sql[token.start] == "`"
                put(token.start, f"`{PREFIX}" if quoted else PREFIX, token.start + quoted)
        index += 1
    pieces.append(sql[read:end])
    lexed.text = "".join(pieces)
    return lexed


def _is_call(name: str, before: TokenType | None) -> bool:
    function = inventory.functions().get(name)
    if function is None or function.verdict == "operator" or name in _SPELLED_OUT:
        return False
    if before in (TokenType.ALIAS, TokenType.WITH):
        return False
    return not (name == "filter" and before is TokenType.R_PAREN)


def _window(sql: str, tokens: list[Any], at: int, windows: list[AsOf]) -> int:
    """How many tokens from `at` on are an AS OF window (0 = none); the window is added to `windows`."""
    words = [t.text.upper() if t.token_type not in _NOT_A_NAME else None for t in tokens[at : at + 3]]
    if len(words) < 3 or words[:2] != ["AS", "OF"]:
        return 0
    if at and tokens[at - 1].text.upper() in ("TIMESTAMP", "VERSION"):
        return 0  # Spark's own form, which sqlglot reads
    count = 2
    if words[2] == "EARLIEST":
        windows.append(AsOf(earliest=True))
        return 3
    if words[2] == "OFFSETS" and at + 3 < len(tokens) and tokens[at + 3].token_type is TokenType.STRING:
        text = tokens[at + 3]
        try:
            windows.append(read_offsets(text.text))
        except ValueError as error:
            raise refused(
                sql, text.start, "Offsets are written by partition, as in AS OF OFFSETS '0:100-200,1:50-'.", "window"
            ) from error
        return 4
    since, taken = _time(sql, tokens, at + count)
    if not taken:
        return 0
    count += taken
    until = None
    if at + count < len(tokens) and tokens[at + count].text.upper() == "TO":
        until, taken = _time(sql, tokens, at + count + 1)
        if not taken:
            raise refused(
                sql, tokens[at + count].start, "TO takes a time, as in AS OF '2026-01-01' TO '2026-01-02'.", "window"
            )
        count += taken + 1
    windows.append(AsOf(since=since, until=until) if until else AsOf(until=since))
    return count


def _time(sql: str, tokens: list[Any], at: int) -> tuple[Any, int]:
    taken = 0
    if at < len(tokens) and tokens[at].text.upper() == "TIMESTAMP" and tokens[at].token_type is not TokenType.STRING:
        at, taken = at + 1, 1
    if at >= len(tokens) or tokens[at].token_type is not TokenType.STRING:
        return None, 0
    try:
        return read_time(tokens[at].text), taken + 1
    except ValueError as error:
        raise refused(
            sql, tokens[at].start, "A time is written as '2026-11-21T10:00:00Z' or '2026-11-21'.", "window"
        ) from error
