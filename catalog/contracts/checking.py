"""Whether a rule holds in what was observed. Pure; no value of a record is looked at or named.

A sample proves that a rule is broken. That a rule holds is what the sample shows, not a proof for records that it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from catalog.contracts.field_checks import FIELD_CHECKS, broken, holds, undecided
from catalog.contracts.observed import Observed
from catalog.contracts.rules import Result, Rule, RuleKind
from catalog.datasets.compatibility import compatibility
from catalog.datasets.diff import differences
from catalog.first_seen import RecordPlace

_LEAST_SECONDS = 60.0
"""For how long arrivals are counted before their rate means something."""
_REGISTERED = {"json-schema": "json"}


def check(rules: Iterable[Rule], seen: Observed) -> dict[str, Result]:
    """Rule id -> how it was decided."""
    return {rule.id: check_rule(rule, seen) for rule in rules}


def check_rule(rule: Rule, seen: Observed) -> Result:
    """One rule. A fault of the check itself is a rule that is not decided, never a scan that fails."""
    if rule.never is not None:
        return undecided(rule.never)
    if seen.only_schema and not rule.is_of_schema:
        return undecided("a schema alone does not show it")
    decide = TIME_KINDS.get(rule.kind) or RECORD_CHECKS.get(rule.kind) or FIELD_CHECKS.get(rule.kind)
    if decide is None:
        return undecided("scans do not measure it")
    if rule.kind not in TIME_KINDS and not seen.records and not seen.fields:
        return undecided("the scan read no record")
    try:
        return decide(rule, seen)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return undecided("the profile of the scan could not be compared with it")


# --- of the records ---------------------------------------------------------------------------------------------------


def _format(rule: Rule, seen: Observed) -> Result:
    name = seen.schema.format.get("value", "null")
    promised = rule.params["format"]
    if name == "null":
        return undecided("no record has a value")
    if promised in (name, _REGISTERED.get(name)):
        return holds(f"the schema is one of {name}" if seen.only_schema else f"values are {name}")
    return broken(f"the schema is one of {name}" if seen.only_schema else f"most values are {name}")


def _closed(rule: Rule, seen: Observed) -> Result:
    allowed = set(rule.params["paths"])
    others = [
        profile
        for path, profile in seen.fields.items()
        if path not in allowed and len(profile.field_path.steps) == 1 and profile.field_path.root == "value"
    ]
    if not others:
        return holds("no other field was seen")
    largest = max(others, key=lambda each: each.count)
    first = min((o.details["firstSeen"] for o in others if o.details.get("firstSeen")), key=_moment, default=None)
    fields = "1 field more" if len(others) == 1 else f"{len(others)} fields more"
    return broken(f"values have {fields}", largest.count, largest.presence, first)


def _record_types(rule: Rule, seen: Observed) -> Result:
    field, allowed = rule.path or "", set(rule.params["values"])
    named = [(s.share, str(s.when[field])) for s in seen.schema.shapes if s.when and field in s.when]
    if not named:
        return undecided(f"the scan saw no types of records by {field}")
    other = [share for share, value in named if value not in allowed]
    if other:
        share = min(1.0, sum(other))
        return broken(f"{len(other)} other types of records", round(share * seen.records), round(share, 6))
    if len(named) < len(seen.schema.shapes):
        return undecided(f"some records have no one value of {field}")
    return holds(f"{len(named)} types of records were seen")


def _row_count(rule: Rule, seen: Observed) -> Result:
    from catalog.contracts.bounds import Interval

    if not seen.schema.window.complete:
        return undecided("the scan read a part of the records, so it does not know how many there are")
    bounds = Interval.from_params(rule.params)
    return (holds if bounds.holds(seen.records) else broken)(f"the topic holds {seen.records:,} records")


def _compatibility(rule: Rule, seen: Observed) -> Result:
    if seen.before is None and seen.only_schema:
        return undecided("there is no schema before it to compare with")
    if seen.before is None:
        return holds("the schema did not change")
    judged = compatibility(differences(seen.before, seen.schema))
    level = str(rule.params["level"]).removesuffix("_TRANSITIVE")
    kept = {"BACKWARD": judged.backward, "FORWARD": judged.forward, "FULL": judged.full, "NONE": True}[level]
    return holds(f"the last change is {level}") if kept else broken(f"the last change of the schema is not {level}")


# --- of time ----------------------------------------------------------------------------------------------------------


def _freshness(rule: Rule, seen: Observed) -> Result:
    newest = _time(seen.newest or seen.schema.window.time_to)
    if newest is None:
        return undecided("no record with a time was seen")
    age, allowed = seen.now - newest, timedelta(seconds=rule.params["seconds"])
    if age < timedelta(0):
        return undecided("the newest record is dated after the clock of this server")
    if age <= allowed:
        return holds(f"the newest record seen is {_words(age)} old")
    if not _ends_read(seen):
        return undecided("the scan did not read the newest records")
    return broken(f"the newest record is {_words(age)} old", last=_last_place(seen))


def _rate(rule: Rule, seen: Observed) -> Result:
    window = seen.schema.window
    start, end = _time(window.time_from), _time(window.time_to)
    if "compact" in str(seen.topic.get("cleanupPolicy") or ""):
        return undecided("the topic is compacted, so its offsets do not count what arrived")
    spans = [
        p["last"] - p["first"] for p in window.partitions if p.get("first") is not None and p.get("last") is not None
    ]
    seconds = (end - start).total_seconds() if start and end else 0.0
    if seen.only_new:
        return _arrived(rule, seen)
    if not spans or seconds <= 0 or sum(spans) <= 0:
        return undecided("the records of the scan cover no span of time")
    rate = sum(spans) / seconds
    return (holds if rate >= rule.params["perSecond"] else broken)(f"{rate:.3g} records a second arrived")


def _arrived(rule: Rule, seen: Observed) -> Result:
    if seen.arrived is None or seen.arrived[1] < _LEAST_SECONDS:
        return undecided("it was not measured for a minute yet")
    count, seconds = seen.arrived
    reason = f"{count / seconds:.3g} records a second arrived"
    return (holds if count / seconds >= rule.params["perSecond"] else broken)(reason)


def _retention(rule: Rule, seen: Observed) -> Result:
    kept = seen.topic.get("retentionMs")
    if kept is None:
        return undecided("the brokers do not report how long the topic keeps records")
    if kept < 0:
        return holds("the topic keeps records for ever")
    days = kept / 86_400_000
    enough = kept / 1000 >= rule.params["seconds"]
    return (holds if enough else broken)(f"the topic keeps records for {days:g} days")


def _ends_read(seen: Observed) -> bool:
    """Whether the scan read the last record of every partition that has one."""
    if seen.only_new:
        return True
    return all(
        p.get("end", 0) <= p.get("begin", 0) or (p.get("last") is not None and p["last"] >= p["end"] - 1)
        for p in seen.schema.window.partitions
    )


def _last_place(seen: Observed) -> RecordPlace | None:
    ends = [p for p in seen.schema.window.partitions if p.get("last") is not None]
    if len(ends) != 1:
        return None
    return {"time": seen.newest, "partition": ends[0]["partition"], "offset": ends[0]["last"]}


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None


def _words(age: timedelta) -> str:
    seconds = age.total_seconds()
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _moment(place: Any) -> tuple[str, int, int]:
    return str(place.get("time") or ""), int(place.get("partition", 0)), int(place.get("offset", 0))


Check = Callable[[Rule, Observed], Result]
RECORD_CHECKS: dict[RuleKind, Check] = {
    RuleKind.FORMAT: _format,
    RuleKind.CLOSED: _closed,
    RuleKind.RECORD_TYPES: _record_types,
    RuleKind.ROW_COUNT: _row_count,
    RuleKind.COMPATIBILITY: _compatibility,
}
TIME_KINDS: dict[RuleKind, Check] = {
    RuleKind.FRESHNESS: _freshness,
    RuleKind.RATE: _rate,
    RuleKind.RETENTION: _retention,
}
"""What can be decided of a scan that read no new record."""
