"""Units of time that the engine does not know: it answers them with NULL, or with an error that does not name them. Pure."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

from sqlglot import exp

from policies.sql.words import words

CALLS = words("timestampadd timestampdiff dateadd date_add datediff date_diff")
"""They take a unit first where they have three arguments."""
UNITS = words(
    "year quarter month week day dayofyear hour minute second millisecond microsecond years quarters months weeks days"
    " hours minutes seconds milliseconds microseconds"
)
_OF_INTERVALS = UNITS | words("nanosecond nanoseconds")
_OF_DATES = words("year yyyy yy quarter month mm mon week")
_IN_LENGTHS = _OF_INTERVALS | words("interval to")
_WINDOWS = words("window session_window")
_TRUNCATED = {
    "date_trunc": (0, _OF_DATES | words("day dd hour minute second millisecond microsecond"), "YEAR to MICROSECOND"),
    "trunc": (1, _OF_DATES, "YEAR, QUARTER, MONTH and WEEK; date_trunc has shorter ones"),
}
_WORD = re.compile(r"[^\W\d_]+")
_EXAMPLE = "There are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND."


def of_interval(node: Any) -> str | None:
    """What is wrong with the unit of an interval; None for one that the engine reads, or that is not written out."""
    unit, value = node.args.get("unit"), node.this
    if isinstance(unit, exp.Var):
        return None if unit.name.lower() in _OF_INTERVALS else _unknown(unit.name)
    if unit is not None or not isinstance(value, exp.Literal):
        return None
    named = _WORD.findall(value.name) if value.is_string else []
    if not named:
        return "An interval takes a number and a unit, as in INTERVAL 2 DAYS."
    wrong = [word for word in named if word.lower() not in _OF_INTERVALS | {"interval"}]
    return "The text of an interval has a number and a unit, as in INTERVAL '2 days'. " + _EXAMPLE if wrong else None


def of_call(name: str, arguments: list[Any]) -> str | None:
    """What is wrong with the unit that a call takes; None where it takes none, or one that the engine knows."""
    name = name.lower()
    if name in CALLS and len(arguments) == 3:
        first = arguments[0]
        if isinstance(first, exp.Literal) and first.is_string:
            return f"{name} takes its unit without quotes, as in {name}(DAY, 1, _timestamp)."
        if isinstance(first, exp.Column) and len(first.parts) == 1 and first.name.lower() not in UNITS:
            return _unknown(first.name)
    if name in _WINDOWS and any(map(_is_not_a_length, arguments[1:3])):
        return f"{name} takes lengths of time such as '5 minutes'. {_EXAMPLE}"
    if name in _TRUNCATED and len(arguments) == 2:
        at, known, listed = _TRUNCATED[name]
        if not _is_among(arguments[at], known, unless=False) and not _is_among(arguments[1 - at], known, unless=True):
            return f"The text that {name} takes is not a unit of time that it knows. It knows {listed}."
    return None


def _is_not_a_length(node: Any) -> bool:
    """A text that is written out and has no number, or a word that is not a unit."""
    if not isinstance(node, exp.Literal) or not node.is_string:
        return False
    named = _WORD.findall(node.name)
    return not any(sign.isdigit() for sign in node.name) or any(word.lower() not in _IN_LENGTHS for word in named)


def _is_among(node: Any, known: frozenset[str], unless: bool) -> bool:
    """Whether a text that is written out is one of these words; `not unless` for what is computed."""
    if not isinstance(node, exp.Literal) or not node.is_string:
        return not unless
    return node.name.lower() in known


def _unknown(name: str) -> str:
    near = get_close_matches(name.lower(), sorted(UNITS), 1, 0.7)
    return (
        f"{name[:40]} is not a unit of time; did you mean {near[0].upper()}?"
        if near
        else f"{name[:40]} is not a unit of time. {_EXAMPLE}"
    )
