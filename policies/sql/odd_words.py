"""Words that would be read as something else, refused with what to write instead.

Parameters, `orders@v1` and STREAM of other products; ON, USING, OVER, EMIT and AS OF with nothing behind them, which
would be taken for names; quotation marks of a text processor.
"""

from __future__ import annotations

from typing import Any

from sqlglot.tokens import TokenType

from policies.sql.errors import refused
from policies.sql.words import words

_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_BEHIND = (*_NAMES, TokenType.R_PAREN, TokenType.STRING, TokenType.NUMBER)
_CLAUSES = words(
    "select from where group order having limit join left right inner full cross natural semi anti on using union except"
    " intersect minus window lateral tablesample pivot unpivot qualify emit sort cluster distribute ) ,"
)
_DANGLING = {
    "ON": "ON takes a condition, as in ON o.customer_id = c.id",
    "USING": "USING takes the columns that both sides have, as in USING (id)",
    "OVER": "OVER takes a window in brackets, as in OVER (PARTITION BY region ORDER BY _timestamp)",
}
_TYPOGRAPHIC = dict.fromkeys("\u2018\u2019\u201a\u201b", "'") | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", "'")
_TYPOGRAPHIC |= {
    "\uff0c": ",",
    "\uff1b": ";",
    "\uff08": "(",
    "\uff09": ")",
    "\uff1d": "=",
    "\u2212": "-",
    "\u2013": "-",
}
_VALUES = (TokenType.STRING, TokenType.NUMBER)
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
    if token.token_type not in _QUOTED:
        _refuse_dangling(sql, tokens, at)
        _refuse_typographic(sql, token)
        _refuse_in(sql, tokens, at)
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
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.token_type is TokenType.EQ and after is not None and after.text == "!" and after.start == token.end + 1:
        raise refused(sql, token.start, "Write != instead of =!.", "syntax")
    if _is_parameter(tokens, at):
        raise refused(sql, token.start, "Parameters are not filled in; write the value itself.", "parameter")


def _refuse_dangling(sql: str, tokens: list[Any], at: int) -> None:
    """ON, USING, OVER and EMIT behind a name and without what belongs to them would be read as an alias."""
    token, word = tokens[at], tokens[at].text.upper()
    before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
    if before is None or before.token_type not in _BEHIND:
        return
    ends = after is None or (after.token_type not in _QUOTED and after.text.lower() in _CLAUSES)
    if word in _DANGLING and ends:
        raise refused(sql, token.start, f"{_DANGLING[word]}; nothing is behind it.", "syntax")
    if word == "EMIT" and ends:
        sentence = "EMIT CHANGES are the last two words of a query; a column or topic called emit goes in back-quotes."
        raise refused(sql, token.start, sentence, "syntax")
    if word == "AS" and after is not None and after.text.upper() == "OF" and after.token_type not in _QUOTED:
        _refuse_window(sql, tokens, at)


def _refuse_in(sql: str, tokens: list[Any], at: int) -> None:
    """IN without brackets: the second value would be a topic."""
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if tokens[at].token_type is not TokenType.IN or after is None or after.token_type not in _VALUES:
        return
    if at > 2 and tokens[at - 2].token_type is TokenType.L_PAREN and tokens[at - 3].text.upper() == "POSITION":
        return
    raise refused(sql, after.start, "IN takes values in brackets, as in region IN ('EU', 'US').", "syntax")


def _refuse_window(sql: str, tokens: list[Any], at: int) -> None:
    """AS OF and what is not a time: OF would be an alias, and OFFSET behind it the number of rows to leave out."""
    value = tokens[at + 2] if at + 2 < len(tokens) else None
    if tokens[at - 1].text.upper() in ("TIMESTAMP", "VERSION"):
        return  # Spark's own form
    if value is None or value.token_type is TokenType.STRING or value.text.lower() in _CLAUSES:
        return
    then = tokens[at + 3] if at + 3 < len(tokens) else None
    quoted = then is not None and then.token_type is TokenType.STRING
    if value.text.upper() == "EARLIEST" or (value.text.upper() in ("TIMESTAMP", "OFFSETS") and quoted):
        return
    sentence = "AS OF takes a time in quotes, as in AS OF '2026-11-20', or EARLIEST, or OFFSETS '0:100-200'."
    raise refused(sql, value.start, sentence, "window")


def _refuse_typographic(sql: str, token: Any) -> None:
    """Marks that look like those of SQL, and would be part of a name."""
    for at in range(token.start, token.end + 1):
        instead = _TYPOGRAPHIC.get(sql[at])
        if instead is not None:
            sentence = f"The character {sql[at]} is not a mark of SQL; write {instead} instead."
            raise refused(sql, at, sentence, "character")


def _is_stream(tokens: list[Any], at: int) -> bool:
    """STREAM before a topic: the engine would read it so, and sqlglot takes it for the topic's name."""
    token, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
    if at > 0 and tokens[at - 1].token_type is TokenType.SELECT and after is not None:
        return token.text.upper() == "STREAM" and token.token_type not in _QUOTED and after.token_type is TokenType.STAR
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
