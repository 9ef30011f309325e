"""How a new look at a classification differs from the look before: shown to reviewers, who alone decide on it. Pure.

Kept in the evidence as `change`:
    at          when the look was that differed
    found       False when the scan read the field and did not find it again
    recognizers [{name, before, now}] whose version is another one now
    rate        {before, now} when the share of matching texts moved by more than `MOVED`
A later look that agrees with the one before it leaves the note where it is until someone reviews.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from catalog.records import rfc3339

MOVED = 0.2
"""A move of the share that sampling does not explain: a fifth of the texts."""


def change(
    before: Mapping[str, Any], now: Mapping[str, Any], at: datetime, detected: bool = True
) -> dict[str, object] | None:
    """The difference between two evidences, None when there is none worth a look."""
    changes: dict[str, object] = {}
    versions = recognizer_versions(before), recognizer_versions(now)
    moved = [
        {"name": name, "before": versions[0][name], "now": versions[1][name]}
        for name in sorted(versions[0].keys() & versions[1].keys())
        if versions[0][name] != versions[1][name]
    ]
    if moved:
        changes["recognizers"] = moved
    if not detected:
        changes["found"] = False
    else:
        rates = _rate(before), _rate(now)
        if rates[0] is not None and rates[1] is not None and abs(rates[0] - rates[1]) > MOVED:
            changes["rate"] = {"before": rates[0], "now": rates[1]}
    if not changes:
        return None
    return {"at": rfc3339(at), "found": True, **changes}


def noted(before: Mapping[str, Any], now: Mapping[str, Any], at: datetime) -> dict[str, object]:
    """The new evidence, with the difference to the old one, or the note that still waits for a reviewer."""
    difference = change(before, now, at)
    standing = before.get("change")
    if difference is not None:
        return {**now, "change": difference}
    if standing is not None and standing.get("found", True):
        return {**now, "change": standing}
    return dict(now)


def missed(before: Mapping[str, Any], versions: Mapping[str, str], at: datetime) -> dict[str, object]:
    """The old evidence with the note that a scan which read the field did not find it again.

    `versions` are those of the recognizers that looked. The first such look keeps its time.
    """
    listed = [{"name": name, "version": versions[name]} for name in recognizer_versions(before) if name in versions]
    difference = change(before, {"recognizers": listed}, at, detected=False)
    standing = before.get("change") or {}
    if difference is None or (
        standing.get("found") is False and standing.get("recognizers") == difference.get("recognizers")
    ):
        return dict(before)
    return {**before, "change": difference}


def reviewed(evidence: Mapping[str, Any]) -> dict[str, object]:
    """The evidence once someone has looked at it."""
    return {name: value for name, value in evidence.items() if name != "change"}


def recognizer_versions(evidence: Mapping[str, Any]) -> dict[str, str]:
    """Name -> version of the recognizers in an evidence."""
    return {
        str(r["name"]): str(r.get("version", ""))
        for r in evidence.get("recognizers") or ()
        if hasattr(r, "get") and "name" in r
    }


def _rate(evidence: Mapping[str, Any]) -> float | None:
    matched, sampled = evidence.get("matched"), evidence.get("sampled")
    return round(matched / sampled, 4) if matched is not None and sampled else None
