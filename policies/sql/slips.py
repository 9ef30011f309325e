"""Likely slips in a text that cannot be parsed, each with what to write instead. Pure; words only, no grammar."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from difflib import get_close_matches

from policies.sql.unfinished import Token
from policies.sql.words import words

_KEYWORDS = words(
    "select from where group order by having limit offset join left right inner outer cross union intersect except using"
    " between distinct values case when then else end like and desc asc partition changes qualify lateral with explain"
)
_KNOWN = _KEYWORDS | words("or not in is null as on over full all any true false date timestamp interval for")
_CLAUSES = words("select from where group order having limit on using union")
_BY = words("group order partition")
_JOINS = words("left right inner full cross outer semi anti natural")
_CONDITIONS = words("where on having and or not when")
_QUERIES = words("union intersect except minus")
_KSQL_WINDOWS = words("tumbling hopping tumble hop")
_TYPES = words(
    "string int bigint smallint tinyint double float decimal numeric date timestamp boolean binary array map struct"
)
_OTHER_TYPES = {
    "text": "STRING",
    "unsigned": "BIGINT",
    "signed": "BIGINT",
    "number": "DECIMAL(38,0)",
    "money": "DECIMAL(19,4)",
    "uuid": "STRING",
    "json": "STRING",
    "time": "STRING",
    "bool": "BOOLEAN",
}
_OPERATORS = {("=", ">"): ">=", ("=", "<"): "<=", ("=", "="): "="}


def slip(tokens: Sequence[Token], here: int) -> str | None:
    """What to write instead, by the words around the place `here` where the text ends to be SQL; None if unknown."""
    for rule in (_twice, _as_of, _emit, _windows, _type, _unfinished_part, _by_or_join, _marks, _nested, misspelt):
        sentence = rule(tokens, here)
        if sentence is not None:
            return sentence
    return None


def misspelt(tokens: Sequence[Token], here: int) -> str | None:
    """A word around the place that is nearly a word of SQL, and not a plural of it."""
    for at in (here - 1, here, here + 1):
        token = tokens[at] if 0 <= at < len(tokens) else None
        if token is None or token.kind != "word" or (at + 1 < len(tokens) and tokens[at + 1].text == "."):
            continue
        near = near_keyword(token.text, _KEYWORDS)
        if near is not None:
            return f"Did you mean {near} instead of {token.text}?"
    return None


def near_keyword(text: str, known: frozenset[str]) -> str | None:
    """The word of SQL that is nearly this one, in upper case; None for one that is SQL itself, and for a plural."""
    word = text.lower()
    if word in _KNOWN or len(word) < 3:
        return None
    near = get_close_matches(word, sorted(known), 1, 0.75)
    return None if not near or word == f"{near[0]}s" else near[0].upper()


def _twice(tokens: Sequence[Token], here: int) -> str | None:
    """A clause that was there already, and a JOIN without a table."""
    clause = tokens[here] if 0 < here < len(tokens) else None
    if clause is None or not clause.is_word(_CLAUSES):
        return None
    if tokens[here - 1].is_word(words("join from")):
        return f"A topic is missing behind {tokens[here - 1].text.upper()}."
    if _is(clause, "select") or not any(_is(token, clause.text.lower()) for token in tokens[:here]):
        return None
    instead = "write AND between its conditions" if clause.is_word(words("where having")) else "leave one of them out"
    return f"{clause.text.upper()} is there twice; {instead}."


def _as_of(tokens: Sequence[Token], here: int) -> str | None:
    if any(_pair(one, other, "for", "system_time") for one, other in itertools.pairwise(tokens)):
        return "Leave out FOR SYSTEM_TIME; a time is written orders AS OF '2026-11-20'."
    return None


def _emit(tokens: Sequence[Token], here: int) -> str | None:
    if any(token.is_word(words("emit")) for token in tokens[max(0, here - 2) : here + 1]):
        return "EMIT CHANGES are the last two words of a query, or EMIT FINAL of a view; LIMIT goes before them."
    return None


def _windows(tokens: Sequence[Token], here: int) -> str | None:
    for token, following in itertools.pairwise(tokens):
        if token.is_word(_KSQL_WINDOWS) and following.text == "(":
            return f"{token.text.upper()} is of other engines; write GROUP BY window(_timestamp, '5 minutes')."
    if any(token.is_word(words("within")) for token in tokens[max(0, here - 1) : here + 1]):
        return "WITHIN is of other engines; write a condition on the times of both sides behind ON."
    return None


def _type(tokens: Sequence[Token], here: int) -> str | None:
    opened = _call(tokens, here, words("cast try_cast"))
    before = tokens[here - 1] if 0 < here <= len(tokens) else None
    here_word = tokens[here] if here < len(tokens) and tokens[here].kind == "word" else None
    by_colons = here > 1 and tokens[here - 1].text == ":" == tokens[here - 2].text
    if here_word is not None and ((opened is not None and _is(before, "as")) or by_colons):
        name = here_word.text
        near = _OTHER_TYPES.get(name.lower()) or next(iter(get_close_matches(name.lower(), sorted(_TYPES), 1, 0.6)), "")
        hint = f"did you mean {near.upper()}?" if near else "write STRING, INT, DOUBLE, DATE, TIMESTAMP or another one."
        return f"{name[:40]} is not a type of Spark; {hint}"
    if opened is not None and not any(_is(token, "as") for token in tokens[opened:here]):
        return f"{tokens[opened].text.upper()} takes a value, AS and a type, as in CAST(amount AS INT)."
    return None


def _unfinished_part(tokens: Sequence[Token], here: int) -> str | None:
    """BETWEEN without AND, CASE without END, a condition that lacks a side."""
    between = next((n for n in range(min(here, len(tokens) - 1), -1, -1) if _is(tokens[n], "between")), None)
    if between is not None and not any(_is(token, "and") for token in tokens[between:]):
        return "BETWEEN takes two values with AND between them, as in BETWEEN 1 AND 9."
    if sum(_is(token, "case") for token in tokens) > sum(_is(token, "end") for token in tokens):
        return "A CASE is not ended; write END."
    for one, other in itertools.pairwise(tokens):
        if one.is_word(_CONDITIONS) and other.is_word(words("and or")):
            return f"A condition is missing between {one.text.upper()} and {other.text.upper()}."
    return None


def _by_or_join(tokens: Sequence[Token], here: int) -> str | None:
    """ORDER without BY, LEFT without JOIN, PARTITION BY outside of OVER."""
    for one, other in itertools.pairwise(tokens[max(0, here - 2) : here + 3]):
        if one.is_word(_BY) and other.kind in ("word", "quoted", "number") and not _is(other, "by"):
            return f"Write {one.text.upper()} BY."
        named = other.kind in ("word", "quoted") and not other.is_word(_JOINS | words("join"))
        if one.is_word(_JOINS) and named and near_keyword(other.text, words("join")) is None:
            return f"JOIN is missing behind {one.text.upper()}."
        if one.is_word(_QUERIES) and other.kind in ("word", "quoted") and not other.is_word(_KNOWN):
            return f"Behind {one.text.upper()} comes a query, as in SELECT * FROM {other.text[:40]}."
        if _pair(one, other, "partition", "by") and _call(tokens, here, words("over")) is None:
            return (
                "PARTITION BY goes into OVER (...); to group rows write GROUP BY. The records of a view have its key."
            )
    return None


def _marks(tokens: Sequence[Token], here: int) -> str | None:
    for n, (one, other) in enumerate(itertools.pairwise(tokens)):
        if (instead := _OPERATORS.get((one.text, other.text))) is not None and (
            one.end < other.start or instead != "="
        ):
            return f"Write {instead} instead of {one.text}{' ' if instead == '=' else ''}{other.text}."
        if one.text == "/" == other.text and one.end == other.start:
            return "A comment begins with --."
        if other.text == "[" and one.is_word(words("from join")):
            return "Names go in back-quotes, as in `orders`; brackets are for elements."
        if n + 2 < len(tokens) and _decimal_comma(tokens[n : n + 3]) and here in (n + 1, n + 2):
            return "A number is written with a point, as in 1.5."
    if here < len(tokens) and tokens[here].text == "#":
        return "A comment begins with --."
    return None


def _nested(tokens: Sequence[Token], here: int) -> str | None:
    """Queries of WITH."""
    if not tokens or not _is(tokens[0], "with"):
        return None
    if any(_pair(one, other, "as", "select") for one, other in itertools.pairwise(tokens)):
        return "The query behind AS goes in brackets, as in WITH paid AS (SELECT * FROM orders) SELECT * FROM paid."
    if 0 < here < len(tokens) and _is(tokens[here], "select") and tokens[here - 1].text == ",":
        return "There is a comma too many before SELECT."
    if here >= len(tokens) - 1 and tokens[-1].text == ")":
        return "Behind WITH and its queries comes the SELECT that uses them."
    return None


def _decimal_comma(three: Sequence[Token]) -> bool:
    one, comma, other = three
    return one.kind == "number" == other.kind and comma.text == "," and one.end == comma.start == other.start - 1


def _call(tokens: Sequence[Token], here: int, names: frozenset[str]) -> int | None:
    """The place of the call of one of these names whose brackets are open at `here`."""
    depth = 0
    for at in range(min(here, len(tokens)) - 1, 0, -1):
        depth += (tokens[at].text == ")") - (tokens[at].text == "(")
        if depth < 0:
            return at - 1 if tokens[at - 1].is_word(names) else None
    return None


def _is(token: Token | None, word: str) -> bool:
    return token is not None and token.kind == "word" and token.text.lower() == word


def _pair(one: Token, other: Token, first: str, second: str) -> bool:
    return _is(one, first) and _is(other, second)


__all__ = ["misspelt", "near_keyword", "slip"]
