"""Whether a rule on a field holds in a profile. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from catalog.contracts.bounds import Interval, of_misses
from catalog.contracts.chance import is_above, is_below
from catalog.contracts.observed import Observed
from catalog.contracts.rules import Result, Rule, RuleKind, State
from catalog.contracts.types import beyond
from catalog.first_seen import earliest, first_of
from catalog.model import FieldProfile

_NOT_THERE = "the schema has no such field"
_EXACT_DISTINCT = 40
"""Different values up to which the estimate of a profile is exact."""
_SURE_DUPLICATES = 0.75
"""An estimate below this share of the values is five standard errors (4.6 % each) below it."""
_OBJECTS = {"map", "object"}
_LIKE_A_MAP = "it is in an object that looks like a map, so that its keys are not fields"
_EXACT_EXPONENT = 15
"""Exponents of ten below which a double holds the digits, so that the exponent itself is exact."""


def holds(reason: str) -> Result:
    return Result(State.HOLDS, reason)


def undecided(reason: str) -> Result:
    return Result(State.UNDECIDED, reason)


def broken(
    reason: str,
    count: int | None = None,
    share: float | None = None,
    first: Mapping[str, Any] | None = None,
    last: Mapping[str, Any] | None = None,
) -> Result:
    return Result(State.BROKEN, reason, count, share, first, last)


def _type(rule: Rule, seen: Observed) -> Result:
    profile = seen.field(rule.path or "")
    if profile is None:
        return broken(_NOT_THERE) if seen.only_schema else undecided("no record has the field")
    types = set(rule.params["types"])
    if types & _OBJECTS and not seen.tells_maps_from_objects:
        types |= _OBJECTS
    wrong = beyond((name for name, share in profile.types.items() if share and name != "null"), types)
    if not wrong:
        return holds(_in_all(profile.count, "occurrence", seen))
    share = min(1.0, sum(profile.types[name] for name in wrong))
    at = first_of(profile, wrong)
    if seen.only_schema:
        return broken(f"the schema has {' or '.join(wrong)}")
    return broken(f"it is {' or '.join(wrong)} in {_percent(share)}", _count(share, profile.count), round(share, 6), at)


def _required(rule: Rule, seen: Observed) -> Result:
    path = rule.path or ""
    profile, tries = seen.field(path), seen.tries(path)
    if profile is None:
        if seen.only_schema:
            return broken(_NOT_THERE)
        if not tries:
            return undecided("no record has what the field is in")
        if seen.is_inside_map(path):
            return undecided(_LIKE_A_MAP)
        return broken(f"no record of {tries:,} has it", tries, 1.0)
    missing = max(0.0, 1 - profile.presence)
    without = missing + profile.presence * profile.null_share
    if without <= 0:
        return holds(_in_all(tries, "record", seen))
    if seen.only_schema:
        return broken("the schema lets it be null or missing")
    first = earliest([_null_place(profile)]) if profile.null_share else None
    words = [
        *([f"it is missing in {_percent(missing)}"] if missing else []),
        *([f"it is null in {_percent(profile.presence * profile.null_share)}"] if profile.null_share else []),
    ]
    return broken(" and ".join(words), _count(without, tries), round(min(1.0, without), 6), first)


def _presence(rule: Rule, seen: Observed) -> Result:
    path = rule.path or ""
    profile, tries, least = seen.field(path), seen.tries(path), float(rule.params["least"])
    if not tries:
        return undecided("no record has what the field is in")
    if profile is None and seen.is_inside_map(path):
        return undecided(_LIKE_A_MAP)
    presence = profile.presence if profile is not None else 0.0
    reason = f"it is in {_percent(presence)}"
    if presence >= least:
        return holds(reason)
    if not seen.schema.window.complete and not is_below(presence, tries, least):
        return holds(f"{reason}, by chance alone as far as {tries:,} show")
    return broken(reason, _count(1 - presence, tries), round(1 - presence, 6))


def _nulls(rule: Rule, seen: Observed) -> Result:
    profile = seen.field(rule.path or "")
    if profile is None:
        return undecided("no record has the field")
    count = _count(profile.null_share, profile.count)
    reason = f"it is null in {_percent(profile.null_share)}"
    bounds = Interval.from_params(rule.params)
    if not rule.params.get("percent") and not seen.schema.window.complete and bounds != Interval(0, 0):
        return undecided("the scan read a part of the records, so it does not know how many are null")
    measured = profile.null_share * 100 if rule.params.get("percent") else count
    if bounds.holds(measured):
        return holds(reason)
    if _is_chance(rule, seen, profile.null_share, profile.count):
        return holds(f"{reason}, by chance alone as far as {profile.count:,} show")
    return broken(reason, count, profile.null_share, _null_place(profile))


def _values(rule: Rule, seen: Observed) -> Result:
    profile = next((each for each in seen.schema.fields if each.path == rule.path), None)
    if profile is None and seen.only_schema:
        return broken(_NOT_THERE)
    symbols = (profile.details.get("registered") or {}).get("symbols") if profile is not None else None
    schema = "the schema" if seen.only_schema else "the registered schema"
    if not symbols and seen.only_schema:
        return undecided("the schema does not list the values of the field")
    if not symbols:
        return undecided("scans keep no values, and no registered schema lists those of the field")
    more = sum(str(each) not in set(rule.params["values"]) for each in symbols)
    few = 1e-9 if rule.params.get("percent") else 1
    if more and of_misses(rule.params).holds(few):
        return undecided(
            "scans keep no values, so they cannot count the records with another one, of which it allows some"
        )
    if more:
        return broken(f"{schema} allows 1 other value" if more == 1 else f"{schema} allows {more} other values")
    return holds(f"{schema} allows {len(symbols)} values, all promised")


_WHOLE = {"null", "int32", "int64"}


def _range(rule: Rule, seen: Observed) -> Result:
    profile = seen.field(rule.path or "")
    magnitude = profile.details.get("magnitude") if profile is not None else None
    if profile is None or not magnitude:
        return undecided("no record has a number there")
    bounds, negative, high = Interval.from_params(rule.params), bool(profile.details.get("negative")), int(magnitude[1])
    whole = high < _EXACT_EXPONENT and not set(profile.types) - _WHOLE
    beyond_all = 10.0 ** (high + 1) - (1 if whole else 0)  # the largest whole number of so many digits
    low_holds = bounds.low is None or (
        -beyond_all >= bounds.low if negative else bounds.low < 0 or (bounds.low == 0 and not bounds.low_open)
    )
    high_holds = bounds.high is None or beyond_all <= bounds.high
    sizes = (
        f"numbers have at most {high + 1} digits before the point and {'some are' if negative else 'none is'} negative"
    )
    if low_holds and high_holds and not profile.details.get("notFinite"):
        return holds(sizes)
    if bounds.low is not None and bounds.low >= 0 and negative:
        return broken("some numbers are negative")
    if bounds.high is not None and not negative and 0 < high < _EXACT_EXPONENT and 10.0**high > bounds.high:
        return broken(f"some numbers have {high + 1} digits before the point")
    return undecided(f"scans keep the size of numbers, not the numbers: {sizes}")


def _length(rule: Rule, seen: Observed) -> Result:
    profile = seen.field(rule.path or "")
    if profile is None or profile.lengths is None:
        return undecided("no record has a text or a list there")
    bounds, (shortest, longest) = Interval.from_params(rule.params), profile.lengths
    reason = f"lengths are {shortest:,} to {longest:,}"
    return (holds if bounds.holds(shortest) and bounds.holds(longest) else broken)(reason)


def _form(rule: Rule, seen: Observed) -> Result:
    profile, form = seen.field(rule.path or ""), str(rule.params["form"])
    if profile is None:
        return undecided("no record has the field")
    if form not in FORMS:
        return undecided(f"scans do not know the form {form}")
    if "uuid" in profile.types and form == "uuid" and set(profile.types) <= {"uuid", "null"}:
        return holds("all are")
    share = float((profile.details.get("formats") or {}).get(FORMS[form], 0.0))
    if share >= 1:
        return holds(f"in {profile.count:,} occurrences")
    return broken(f"{_percent(1 - share)} are not", _count(1 - share, profile.count), round(1 - share, 6))


def _unique(rule: Rule, seen: Observed) -> Result:
    profile = seen.field(rule.path or "")
    if profile is None:
        return undecided("no record has the field")
    if profile.distinct is None:
        return undecided("the scan did not count different values of it")
    values = profile.count - _count(profile.null_share, profile.count)
    bounds = of_misses(rule.params)
    if values <= _EXACT_DISTINCT and profile.distinct <= _EXACT_DISTINCT:
        twice = max(0, values - profile.distinct)
        measured = 100 * twice / max(1, values) if rule.params.get("percent") else twice
        if bounds.holds(measured) or _is_chance(rule, seen, twice / max(1, values), values):
            return holds(f"in {values:,} values")
        return broken(f"{twice:,} of {values:,} values are duplicates", twice, round(twice / max(1, values), 6))
    share = 1 - profile.distinct / max(1, values)
    if bounds == Interval(0, 0) and profile.distinct < _SURE_DUPLICATES * values:
        return broken(f"about {_percent(share)} of the values are duplicates", _count(share, values), round(share, 6))
    return undecided("the estimate of different values is exact to 5 %, which does not show single duplicates")


_FORMS = (
    *("uuid", "timestamp", "date", "date_local", "time", "duration", "integer", "decimal"),
    *("boolean", "ulid", "hex", "url", "version", "json", "base64"),
)
FORMS = {name: name for name in _FORMS} | {"uri": "url"}
"""Forms of texts by their names in contracts -> in profiles."""


def _is_chance(rule: Rule, seen: Observed, share: float, tries: int) -> bool:
    """Whether a share beyond bounds in percent is within them as far as a part of the records shows."""
    bounds = Interval.from_params(rule.params)
    if seen.schema.window.complete or not rule.params.get("percent") or not tries:
        return False
    is_high = bounds.high is not None and is_above(share, tries, bounds.high / 100)
    return not is_high and not (bounds.low is not None and is_below(share, tries, bounds.low / 100))


def _in_all(count: int, noun: str, seen: Observed) -> str:
    """A schema has no records that could be counted."""
    return "by the schema" if seen.only_schema else f"in {count:,} {noun}{'' if count == 1 else 's'}"


def _null_place(profile: FieldProfile) -> Mapping[str, Any] | None:
    return (profile.details.get("typesFirstSeen") or {}).get("null") or (
        profile.details.get("firstSeen") if profile.null_share >= 1 else None
    )


def _count(share: float, of: int) -> int:
    return max(1, round(share * of)) if share > 0 and of else 0


def _percent(share: float) -> str:
    if 0 < share < 0.0001:
        return "less than 0.01 % of the records"
    return f"{share * 100:.4g} % of the records"


FIELD_CHECKS: dict[RuleKind, Callable[[Rule, Observed], Result]] = {
    RuleKind.TYPE: _type,
    RuleKind.REQUIRED: _required,
    RuleKind.PRESENCE: _presence,
    RuleKind.NULLS: _nulls,
    RuleKind.VALUES: _values,
    RuleKind.RANGE: _range,
    RuleKind.LENGTH: _length,
    RuleKind.FORM: _form,
    RuleKind.UNIQUE: _unique,
}
