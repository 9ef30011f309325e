"""What a detector is: a quick pattern over a whole column, a precise one on what it stops at, and a validator."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# Counters of one (entity, recognizer) at one path; all add up when sketches merge, and none holds a value.
STOPPED = "stopped"
"""texts that the quick pass stopped at"""
LOOKED = "looked"
"""those of them that were looked at closely; the counters below are of these"""
TEXTS = "texts"
"""texts that hold a candidate"""
VALID_TEXTS = "valid_texts"
"""texts that hold a candidate which passes the validator"""
WHOLE = "whole"
"""texts that are nothing but a valid candidate"""
CANDIDATES = "candidates"
VALID = "valid"
DISTINCT = "distinct"
"""different texts with a valid candidate, added up over batches: see `Evidence.distinct`"""

Verdict = tuple[bool, tuple[str, ...]] | None
"""Whether a candidate is valid, and names of further counters that it raises; None when it is plainly something else and
no candidate at all."""

VERSION = "8"
"""Of our recognizers: raised when a rule changes, so that old verdicts are known to be of an older rule."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One recognizer.

    quick   bytes regex without look-around: finds at least every text that `find` matches, in any engine
    find    exact pattern of a candidate; group `v` when there is one, else the whole match
    check   (candidate, whole text) -> Verdict
    """

    entity: str
    recognizer: str
    quick: bytes
    find: re.Pattern[str]
    check: Callable[[str, str], Verdict]

    @property
    def key(self) -> str:
        return f"{self.entity}|{self.recognizer}"


def only(valid: bool) -> Verdict:
    return valid, ()
