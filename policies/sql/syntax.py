"""The message for a text that cannot be parsed: the word where it ends to be SQL, and the slip that is likely. Pure."""

from __future__ import annotations

import itertools
import re

from policies.sql.slips import slip
from policies.sql.unfinished import Token, tokens_of
from policies.sql.words import words

_CLAUSES = words("select from where group order having limit join on using union qualify window")
_UNFINISHED = words(
    "where by having on and or not in from join select as limit like between then when case union escape"
)
_OPERATORS = (",", "=", "<", ">", "+", "(", ".", "|")
_TABLE_WORDS = words("from join")
_HEX = re.compile(r"'[0-9a-fA-F]*'")
_OTHERS = {
    "top": "Spark has no TOP; write LIMIT at the end.",
    "fetch": "FETCH is not Spark's; write LIMIT.",
    "isnull": "Write IS NULL.",
    "notnull": "Write IS NOT NULL.",
    "returning": "Topics are read here, not written.",
    "into": "Topics are read here, not written; leave out INTO.",
    "go": "Leave out GO; one statement at a time.",
    "descending": "Write DESC.",
    "ascending": "Write ASC.",
    "replace": "Spark has no * REPLACE; write * EXCEPT (a), and the column with its new value.",
    "similar": "SIMILAR TO is not Spark's; write RLIKE.",
}


def sentence(sql: str, at: int) -> str:
    """One sentence or two: where the text is not SQL, and what to write instead where that is known."""
    tokens = [token for token in tokens_of(sql) if token.kind != "comment"]
    here = next((n for n, token in enumerate(tokens) if token.end > at), None)
    if (tokens and tokens[-1].is_word(_UNFINISHED)) or (tokens and tokens[-1].text in _OPERATORS):
        return f"The query is not SQL that Weir understands: it ends too early, behind {_shown(tokens[-1])}."
    hint = _hint(tokens, here if here is not None else len(tokens))
    near = f", near {_shown(tokens[here])}" if here is not None else ", which ends too early"
    return f"The query is not SQL that Weir understands{near}.{' ' + hint if hint else ''}"


def unreadable(sql: str) -> tuple[int, str]:
    """What keeps a text from being cut into words: an open quote, or X'...' with other than hexadecimal digits."""
    tokens = list(tokens_of(sql))
    for one, other in itertools.pairwise(tokens):
        if (
            one.is_word(words("x"))
            and one.end == other.start
            and other.kind == "string"
            and not _HEX.fullmatch(other.text)
        ):
            return one.start, "X and a text in quotes are bytes; write them as digits from 0 to F."
    at = next((token.start for token in reversed(tokens) if token.is_open()), 0)
    return at, "The query cannot be read: a string, name or comment is not closed."


def _shown(token: Token) -> str:
    """A word or mark as written; a text is a value, so only that it is one."""
    return "a text in quotes" if token.kind == "string" else token.text[:40]


def _hint(tokens: list[Token], here: int) -> str | None:
    opened = sum(t.text in ("(", "[") for t in tokens) - sum(t.text in (")", "]") for t in tokens)
    for n, token in enumerate(tokens):
        if token.kind == "string" and token.text.startswith('"') and n and tokens[n - 1].is_word(_TABLE_WORDS):
            return 'Names go in back-quotes; "..." is a text.'
        if token.is_word(words("top")) and n and tokens[n - 1].is_word(words("select")):
            return _OTHERS["top"]
    likely = slip(tokens, here)
    if likely is not None:
        return likely
    around = tokens[max(0, here - 1) : here + 2]
    for token in around:
        if token.kind == "word" and token.text.lower() in _OTHERS and token.text.lower() != "top":
            return _OTHERS[token.text.lower()]
    for one, other in itertools.pairwise(tokens):
        if one.text == "," and (other.is_word(_CLAUSES - words("select")) or other.text == ")"):
            return f"There is a comma too many before {other.text[:20]}."
        if one.text == "," and other.text == ",":
            return "There is a comma too many."
    if opened > 0:
        return "A bracket is not closed."
    if opened < 0:
        return "A bracket is closed that was not opened."
    if any(t.text == "-" and _touches(tokens, n) for n, t in enumerate(tokens) if 0 < n < len(tokens) - 1):
        return "A name with a dash goes in back-quotes: `orders-v2`."
    if any(t.text == "/" and _touches(tokens, n) for n, t in enumerate(tokens) if 0 < n < len(tokens) - 1):
        return "Between a cluster and a topic there is a dot: prod.orders."
    if (
        0 < here < len(tokens)
        and tokens[here].kind in ("word", "quoted", "number")
        and tokens[here - 1].kind in ("word", "quoted")
        and not tokens[here].is_word(_CLAUSES)
    ):
        return f"A comma may be missing before {_shown(tokens[here])}."
    return None


def _touches(tokens: list[Token], at: int) -> bool:
    """`a-b` without spaces, behind FROM or JOIN."""
    one, dash, other = tokens[at - 1 : at + 2]
    behind = at > 1 and (tokens[at - 2].is_word(_TABLE_WORDS) or tokens[at - 2].text == ".")
    return behind and one.end == dash.start and dash.end == other.start


__all__ = ["sentence", "unreadable"]
