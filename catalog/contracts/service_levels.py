"""Service levels of ODCS (slaProperties) as rules of a contract. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.contracts.bounds import number_text
from catalog.contracts.rules import Rule, RuleKind

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000}
_LONG = {"sec": "s", "min": "m", "hour": "h", "hr": "h", "day": "d", "week": "w", "year": "y", "yr": "y"}
_AGES = {
    "latency": (RuleKind.FRESHNESS, "the newest record is not older than"),
    "freshness": (RuleKind.FRESHNESS, "the newest record is not older than"),
    "retention": (RuleKind.RETENTION, "the topic keeps records for at least"),
}


def service_level(level: Mapping[str, Any], element: str) -> Rule | None:
    """The rule of one service level for a schema object; None for a level of another one."""
    of = str(level.get("element") or "")
    if of and element not in (each.strip().partition(".")[0] for each in of.split(",")):
        return None
    name, value, unit = str(level.get("property") or ""), level.get("value"), str(level.get("unit") or "")
    own = str(level.get("id") or f"sla:{name}")
    stated = f"{name} {value} {unit}".strip()
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    seconds = seconds_of(unit)
    if name in _AGES and number is not None and seconds is not None:
        kind, words = _AGES[name]
        return Rule(own, kind, None, f"{words} {number_text(number)} {unit}", {"seconds": number * seconds})
    if name == "throughput" and number is not None and _per_second(unit) is not None:
        rate = number * (_per_second(unit) or 1.0)
        return Rule(own, RuleKind.RATE, None, f"at least {number_text(number)} {unit} arrive", {"perSecond": rate})
    if name == "lateness":
        why = "scans do not compare the time in a record with the time at which it arrived"
        return Rule(own, RuleKind.LATENESS, None, stated, {"stated": stated}, why)
    return Rule(own, RuleKind.OTHER, None, stated, {"stated": stated}, "scans do not measure it")


def seconds_of(unit: str) -> float | None:
    """Seconds of a unit of time (`d`, `days`, `hour`); None for another word."""
    written = unit.strip().lower()
    word = written if len(written) < 3 else written.rstrip("s")
    word = next((short for long, short in _LONG.items() if word.startswith(long)), word)
    return _SECONDS.get(word)


def _per_second(unit: str) -> float | None:
    """`records/s`, `records per minute`, `/h` -> how often a second."""
    _, slash, per = unit.replace(" per ", "/").partition("/")
    seconds = seconds_of(per) if slash else None
    return 1 / seconds if seconds else None
