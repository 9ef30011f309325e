"""National identity, tax, social and health numbers: a pattern each, and python-stdnum's validator or our own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from importlib import import_module

from scanners.detectors.core.base import LOOKED, STOPPED, TEXTS, Pattern, Verdict
from scanners.detectors.core.tally import Group, sampled
from scanners.detectors.kinds.births import RECENT
from scanners.detectors.kinds.national_checks import OWN
from scanners.detectors.kinds.phones import spread
from scanners.detectors.lists.national_forms import IDS, NationalId
from scanners.detectors.names.fields import speaks

_LEFT, _RIGHT = r"(?<![\w.+-])(?P<v>", r")(?![\w-]|\.\d)"
CALLED = "national_id_called"
"""Recognizer of numbers that only their field's name sets apart."""
_SEPARATORS = re.compile(r"[ .\-/()]")


def _module(spec: NationalId) -> Callable[[str], bool]:
    own = OWN.get(spec.entity)
    if own is not None:
        return lambda text: own(_SEPARATORS.sub("", text).upper())
    is_valid = import_module(f"stdnum.{spec.module}").is_valid
    return lambda text: bool(is_valid(text))


def _recently(year: str) -> bool:
    """Whether a year of two digits is in the last ten or, as those of plans do, in the next two."""
    return (datetime.now(UTC).year + 2 - int(year)) % 100 <= 12


def _validator(spec: NationalId) -> Callable[[str, str], Verdict]:
    accepts: list[Callable[[str], bool]] = []

    @lru_cache(maxsize=4096)
    def verdict(candidate: str) -> Verdict:
        if not accepts:
            accepts.append(_module(spec))
        digits = candidate.isdigit()
        if digits and not spec.bare:
            return None
        try:
            good = len(set(candidate)) > 2 and accepts[0](candidate)
        except Exception:
            good = False
        if not good:
            return False, ("bare",) if digits else ()
        marks = ("bare", "bare_valid") if digits else ("formatted_valid",)
        if spec.chance < 0.3:
            return True, marks
        # A validator without a check digit accepts ids that are counted up; their first digits give them away. So does the
        # year in numbers of lots and days.
        plain = re.sub(r"\D", "", candidate)
        recent = (RECENT,) if spec.year >= 0 and _recently(plain[spec.year : spec.year + 2]) else ()
        return True, (*marks, *recent, *spread(plain))

    def check(candidate: str, _text: str) -> Verdict:
        return verdict(candidate)

    return check


def patterns() -> list[Pattern]:
    """A Pattern for each; their quick patterns are the regexes themselves, none of which looks around."""
    return [
        Pattern(
            spec.entity,
            "national_id",
            rb"\b(?:" + spec.regex.encode() + rb")\b",
            re.compile(_LEFT + spec.regex + _RIGHT),
            _validator(spec),
        )
        for spec in IDS
        if spec.regex
    ]


def look(names: tuple[str, ...], every: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Counters by "ENTITY|recognizer" of a field called as a number is that its digits alone do not show."""
    announced = _announced(names)
    if not announced:
        return {}
    counts = sampled(every, _CALLED_TEXTS)
    plain = {text: _SEPARATORS.sub("", text).upper() for text in counts}
    by_key = {f"{spec.entity}|{CALLED}": _counters(spec, counts, plain) for spec in announced}
    for counters in by_key.values():
        counters[STOPPED], counters[LOOKED] = sum(every.values()), sum(counts.values())
    # A batch in which none is valid counts too: without it the valid ones of others would be all there are.
    return {key: counters for key, counters in by_key.items() if counters[TEXTS]}


_CALLED_TEXTS = 150
"""Texts that are looked at for each number a field may be called as: several of them, as often as not."""


def _counters(spec: NationalId, counts: Mapping[str, int], plain: Mapping[str, str]) -> Counter[str]:
    """Counters of the texts that are of the form as a whole, and of those that have the check digit."""
    form, accepts, group = _form(spec), _module(spec), Group(counts)
    for text, bare in plain.items():
        if form.fullmatch(bare):
            group.add(text, _accepted(accepts, bare))
    return group.counters()


def _accepted(accepts: Callable[[str], bool], plain: str) -> bool:
    try:
        return len(set(plain)) > 2 and accepts(plain)
    except (ValueError, IndexError):
        return False


@lru_cache(maxsize=16384)
def _announced(names: tuple[str, ...]) -> tuple[NationalId, ...]:
    return tuple(spec for spec in _CALLED if speaks(spec.entity, names) > 0)


_CALLED = tuple(spec for spec in IDS if spec.called)


@lru_cache(maxsize=64)
def _form(spec: NationalId) -> re.Pattern[str]:
    return re.compile(spec.called)
