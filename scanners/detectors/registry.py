"""All checked kinds of personal data: those of `checked`, and those of other packages, by entry points `weir.detectors`.

An entry point names a `CheckedKind`. One that cannot be used is a sentence in `installed().problems`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from catalog import plugs
from scanners.detectors import checked
from scanners.detectors.core.checked_kind import CheckedKind, ColumnEvidence
from scanners.detectors.core.fitness import obstacle
from scanners.detectors.lists.national_forms import IDS

GROUP = "weir.detectors"
LOOKED_AT = frozenset({
        "ADVERTISING_ID", "API_KEY", "BIOMETRIC_ID", "DATE_OF_BIRTH", "DEVICE_ID", "DRIVER_LICENSE", "ETHNICITY", "GENDER",
        "GEO_COORDINATES", "HEALTH", "LICENSE_PLATE", "LOCATION", "PASSPORT", "PASSWORD", "PERSON", "PHONE_NUMBER",
        "POLITICAL_OPINION", "RELIGION", "SEXUAL_ORIENTATION", "TRADE_UNION_MEMBERSHIP", "USERNAME", "VIN",
    })  # fmt: skip
"""Entities of `kinds`, which whole columns are looked at for; national numbers are in `lists.national_forms`."""
SUGGESTED = 0.5
"""Score of a column whose rule failed: it is suggested, never taken for clean."""


@dataclass(frozen=True, slots=True)
class Installed:
    """kinds: Weir's by name of their file, then those of other packages, whose entities are `plugged`; versions: of the
    recognizers of those, by name; problems: a sentence for each plug that is not used."""

    kinds: tuple[CheckedKind, ...]
    plugged: frozenset[str]
    versions: Mapping[str, str]
    problems: tuple[str, ...]


@cache
def installed() -> Installed:
    """Read once in a process."""
    kinds = [
        importlib.import_module(f"{checked.__name__}.{each.name}").KIND
        for each in pkgutil.iter_modules(checked.__path__)
    ]
    own = len(kinds)
    taken = LOOKED_AT | {spec.entity for spec in IDS}
    loaded, problems = plugs.load(GROUP)
    for plug in loaded:
        why = obstacle(plug.value, kinds, taken)
        if why is None:
            kinds.append(plug.value)
        else:
            problems.append(plug.refused(why))
    others = kinds[own:]
    versions = {pattern.recognizer: kind.version for kind in others for pattern in kind.patterns}
    return Installed(tuple(kinds), frozenset(kind.entity for kind in others), versions, tuple(problems))


def score_of(kind: CheckedKind) -> Callable[[ColumnEvidence], float]:
    """The kind's rule. Where one of another package raises or gives no number from 0 to 1, the column is suggested."""
    if kind.entity not in installed().plugged:
        return kind.score

    def score(e: ColumnEvidence) -> float:
        try:
            points = float(kind.score(e))
        except Exception:  # the code of another package may raise anything
            return SUGGESTED
        return points if 0.0 <= points <= 1.0 else SUGGESTED

    return score
