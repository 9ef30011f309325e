"""Evidence over several scans: that of new records is added, and a smaller look at the same records replaces nothing. Pure.

The counts of an evidence are of the records in its `window`: `records`, `timeFrom`, `timeTo`, `offsets` ([partition, first,
last] of what was read) and, where several scans were added, `scans`. `latest` holds the counts and the window of a later,
smaller scan of records that may be the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.datasets.recheck import recognizer_versions

_COUNTS = ("matched", "sampled", "candidates", "validated", "lookedAt", "public", "private", "role")
_COUNTS_OF_MARKS = ("international", "given", "grouped")
_LATEST = ("matched", "sampled", "rate", "window")
_MOST_OFFSETS = 100

Json = Mapping[str, Any]


def joined(before: Json, now: Json, complete: bool) -> dict[str, object]:
    """The evidence to keep of the one before and of a new scan's.

    complete    the new scan read every retained record: its counts alone are what is true now
    """
    if complete or not before.get("sampled") or not now.get("sampled") or _other_recognizers(before, now):
        return dict(now)
    windows = before.get("window") or {}, now.get("window") or {}
    if _are_apart(*windows):
        return _added(before, now)
    if now["sampled"] >= before["sampled"] or _created_again(*windows):
        return dict(now)
    kept = {name: value for name, value in before.items() if name != "change"}
    return {**kept, "latest": {name: now[name] for name in _LATEST if name in now}}


def _other_recognizers(before: Json, now: Json) -> bool:
    """Whether another version looks now: the counts of two rules are not of one kind."""
    versions = recognizer_versions(before), recognizer_versions(now)
    return any(versions[0].get(name) != version for name, version in versions[1].items())


def _offsets(window: Json) -> list[tuple[int, int, int]]:
    return [(int(partition), int(first), int(last)) for partition, first, last in window.get("offsets") or ()]


def _are_apart(before: Json, now: Json) -> bool:
    """Whether no record can be in both windows: no span of offsets of one partition meets one of the other."""
    old, new = _offsets(before), _offsets(now)
    if not old or not new or len(old) + len(new) > _MOST_OFFSETS:
        return False
    return not any(p == q and first <= end and start <= last for p, first, last in old for q, start, end in new) and (
        not _created_again(before, now)
    )


def _created_again(before: Json, now: Json) -> bool:
    """Whether later records have earlier offsets, as in a topic that was deleted and made again."""
    old, new = before.get("timeTo"), now.get("timeFrom")
    if not old or not new or new <= old:
        return False
    ends = {partition: last for partition, _, last in _offsets(before)}
    return any(partition in ends and first <= ends[partition] for partition, first, _ in _offsets(now))


def _added(before: Json, now: Json) -> dict[str, object]:
    counts = {
        name: int(before.get(name) or 0) + int(now.get(name) or 0)
        for name in (*_COUNTS, *_COUNTS_OF_MARKS)
        if name in before or name in now
    }
    rest = {name: value for name, value in before.items() if name not in ("change", "latest")}
    return {
        **rest,
        **now,
        **counts,
        "rate": round(counts["matched"] / counts["sampled"], 6),
        "window": _window(before["window"], now["window"]),
    }


def _window(before: Json, now: Json) -> dict[str, object]:
    times = [w[name] for w in (before, now) for name in ("timeFrom", "timeTo") if w.get(name)]
    return {
        **now,
        "records": int(before.get("records") or 0) + int(now.get("records") or 0),
        "timeFrom": min(times, default=None),
        "timeTo": max(times, default=None),
        "offsets": [list(each) for each in _closed([*_offsets(before), *_offsets(now)])],
        "scans": int(before.get("scans") or 1) + int(now.get("scans") or 1),
    }


def _closed(spans: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Spans of offsets in order, those that follow on each other as one."""
    whole: list[tuple[int, int, int]] = []
    for partition, first, last in sorted(spans):
        if whole and whole[-1][0] == partition and first == whole[-1][2] + 1:
            whole[-1] = (partition, whole[-1][1], last)
        else:
            whole.append((partition, first, last))
    return whole
