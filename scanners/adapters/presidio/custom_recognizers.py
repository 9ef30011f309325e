"""The user's own recognizers over a column: presidio's pattern recognizer fields, run so that no pattern can hold up a scan.

A pattern runs on RE2, whose time is linear whatever the pattern is. What RE2 does not know, or reads otherwise (look-around,
references back, letters beyond ASCII with \\b and \\w), runs on `regex`, which stops after a time; a recognizer that had to
be stopped three times is not asked again by this worker. Either way a field that could not be read counts as not scanned.
"""

from __future__ import annotations

import logging
import math
import re
import time
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from scanners.detectors.core.dialects import encodable, for_lines, for_re, only_regex, re2_reads_alike, unsure
from scanners.detectors.core.quick_pass import compiled, where_hits
from scanners.model import Recognizer

MAX_TEXTS = 4000
"""Texts of a column and batch that one recognizer reads closely."""
_UNBOUNDED = 2**32 - 1
"""The upper bound of `*` and `+`, as `re` has it."""
_STOPS = 3
"""Times a recognizer may take too long before this worker leaves it."""

_MAX_REPEATED = 2000
"""Characters that the repetitions {n,m} of a recognizer may write out for the quick pass: it builds them all, in minutes
and gigabytes where they are nested (38 s and 1.6 GB for a choice with `{1,400}` within `{2,400}`)."""

TIMED_OUT, FAILED = "recognizer_timed_out", "recognizer_failed"

Search = Callable[[str], bool]


class TookTooLong(Exception):
    """A pattern was stopped."""


class CustomRecognizers:
    """All recognizers of the user. A recognizer that cannot be built does not raise: it fails every field it is asked
    about, which shows in the report."""

    def __init__(self, recognizers: Sequence[Recognizer], seconds: float = 2.0) -> None:
        self._each = [_One(recognizer, seconds) for recognizer in recognizers]
        self._quick = _Quick([one.expressions for one in self._each])

    def find(self, texts: Sequence[str]) -> tuple[dict[str, set[int]], str | None]:
        """ENTITY|custom:NAME -> numbers of the texts that hold it, and why the look was not finished, or None."""
        matches: dict[str, set[int]] = {}
        failure: str | None = None
        texts = encodable(texts) if self._each else ()
        where = self._quick.find(texts)
        for number, one in enumerate(self._each):
            indexes, problem = one.find(texts, where(number))
            failure = problem or failure
            if indexes:
                matches.setdefault(one.key, set()).update(indexes)
        return matches, failure

    def custom(self, texts: Sequence[str], names: tuple[str, ...]) -> tuple[dict[str, set[int]], str | None]:
        """As `TextAnalyzer`: for trials, which need no reader of free text."""
        return self.find(texts)

    def prose(self, texts: Sequence[str], names: tuple[str, ...]) -> tuple[dict[str, set[int]], str | None]:
        return {}, None


class _One:
    """One recognizer."""

    def __init__(self, spec: Recognizer, seconds: float) -> None:
        self.key = f"{spec.supported_entity}|custom:{spec.name}"
        self._stops = 0
        self._seconds = seconds
        self._problem: str | None = None
        self.expressions: list[str] = []
        try:
            self.expressions = [str(p["regex"]) for p in spec.patterns]
            if spec.deny_list:
                # Presidio's own form: whole words, whatever is around them.
                words = "|".join(re.escape(str(word)) for word in sorted(spec.deny_list, key=len, reverse=True))
                self.expressions.append(rf"(?:^|(?<=\W))(?:{words})(?:(?=\W)|$)")
            self._searches = [search(e, seconds) for e in self.expressions]
        except Exception:
            self._problem = FAILED

    def find(self, texts: Sequence[str], where: Sequence[int]) -> tuple[set[int], str | None]:
        if self._problem is not None:
            return set(), self._problem
        matches: set[int] = set()
        # All its patterns together may take as long on a column as one may on a text, ten times over.
        deadline = time.monotonic() + 10 * self._seconds
        for index in where[:MAX_TEXTS]:
            try:
                if any(s(texts[index]) for s in self._searches):
                    matches.add(index)
            except TookTooLong:
                self._stops += 1
                if self._stops >= _STOPS:
                    self._problem = TIMED_OUT
                return matches, TIMED_OUT
            except Exception:
                return matches, FAILED
            if time.monotonic() > deadline:
                return matches, TIMED_OUT
        return matches, None


def search(expression: str, seconds: float) -> Search:
    """Whether a text holds the pattern, with presidio's flags: case is ignored, ^ and $ are those of lines, a dot is any
    character. Raises TookTooLong out of a search; `regex.error` for a pattern that cannot be read."""
    regex: Any = import_module("regex")  # ships no types
    pattern = regex.compile(expression, regex.IGNORECASE | regex.MULTILINE | regex.DOTALL)

    def stopped(text: str) -> bool:
        try:
            return pattern.search(text, timeout=seconds, concurrent=True) is not None
        except TimeoutError:
            raise TookTooLong from None

    linear = None if only_regex(expression) or not expression.isascii() else _linear(expression)
    if linear is None:
        return stopped
    alike = re2_reads_alike(expression)
    return lambda text: linear.search(text) is not None if alike(text) else stopped(text)


def _linear(expression: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(f"(?ims){expression}", options)
    except re2.error:
        return None


def sieve(expressions: Sequence[str]) -> Callable[[Sequence[str]], Sequence[int]]:
    """Numbers of the texts in which one of the patterns may match, with presidio's flags; of all texts when hyperscan
    cannot decide.
    The texts hold no lone surrogates."""
    quick = _Quick([expressions])
    return lambda texts: quick.find(texts)(0)


class _Quick:
    """Which recognizers may match which texts, by hyperscan in one pass; all texts where it cannot decide."""

    def __init__(self, expressions: Sequence[Sequence[str]]) -> None:
        self._parts: list[tuple[int, Any, set[re.Pattern[str]]]] = []
        for number, each in enumerate(expressions):
            database = _database(each) if each and sum(map(repeated, each)) <= _MAX_REPEATED else None
            if database is not None:
                self._parts.append((number, database, set(map(unsure, each))))
        self._unsure = {characters for *_, unsure_of in self._parts for characters in unsure_of}

    def find(self, texts: Sequence[str]) -> Callable[[int], Sequence[int]]:
        if not self._parts or not texts:
            return lambda number: range(len(texts))
        # A line break on either side of each text: a match that ends where a text begins is not taken for the one's before.
        bodies = [b"\n" + text.encode() for text in texts]
        bodies[-1] += b"\n"
        together = "" if sum(map(len, bodies)) == sum(map(len, texts)) + len(texts) + 1 else "\n".join(texts)
        open_ones = {
            characters: {i for i, text in enumerate(texts) if characters.search(text)}
            for characters in self._unsure
            if characters.search(together)
        }
        candidates: dict[int, Sequence[int]] = {}
        for number, database, unsure_of in self._parts:
            try:
                hits = where_hits(database, bodies)
                left_open = (open_ones.get(characters, ()) for characters in unsure_of)
                candidates[number] = sorted(set().union(*hits.values(), *left_open))
            except Exception:
                logging.getLogger(__name__).info("hyperscan could not read a column; recognizers read it themselves")
        return lambda number: candidates.get(number, range(len(texts)))


def repeated(expression: str) -> float:
    """Characters inside repetitions, each counted as often as the upper bounds around it allow; infinite when the
    pattern cannot be read."""
    parser = import_module("re._parser")  # what `re` itself reads patterns with
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of `[[`, which `regex` reads as it should be
            return _written_out(parser.parse(for_re(expression)), 1)
    except (re.error, RecursionError, OverflowError):
        return math.inf


def _written_out(tree: Any, times: int) -> int:
    total = 0
    for operator, operand in tree:
        match str(operator):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, below = operand
                most = int(most)
                # Without an upper bound the least times are written out, and a loop.
                total += _written_out(below, times * (max(least, 1) if most >= _UNBOUNDED else most))
            case "SUBPATTERN":
                total += _written_out(operand[-1], times)
            case "BRANCH":
                total += sum(_written_out(branch, times) for branch in operand[1])
            case "ASSERT" | "ASSERT_NOT":
                total += _written_out(operand[1], times)
            case "ATOMIC_GROUP":
                total += _written_out(operand, times)
            case "GROUPREF_EXISTS":
                total += sum(_written_out(branch, times) for branch in operand[1:] if branch is not None)
            case _:
                total += times if times > 1 else 0
    return total


def _database(expressions: Sequence[str]) -> Any:
    if any(map(only_regex, expressions)):
        return None
    try:
        import hyperscan as hs

        written = [for_lines(expression).encode() for expression in expressions]
    except (ImportError, UnicodeEncodeError):
        return None
    flags = (
        hs.HS_FLAG_CASELESS
        | hs.HS_FLAG_MULTILINE
        | hs.HS_FLAG_DOTALL
        | hs.HS_FLAG_UTF8
        | hs.HS_FLAG_UCP
        | hs.HS_FLAG_ALLOWEMPTY
        | hs.HS_FLAG_PREFILTER
    )
    return compiled(written, flags)
