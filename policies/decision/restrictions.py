"""What a decision hides, as a short text that is equal for equal decisions: masks, hidden fields, row filters. Pure."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from policies.model import ColumnDecision, Decision, Effect


def restrictions(decision: Decision) -> str:
    """16 hexadecimal digits. Two subjects with the same digits see the same values of the same rows of the dataset.

    Fields that are shown unmasked do not count, so a new one of those changes nothing. Neither do reasons, grants and times.
    """
    columns = sorted((_column(e) for e in decision.columns if e.effect is not Effect.ALLOW or e.mask), key=repr)
    filters = sorted(each.where for each in decision.filters)
    parts = [decision.reference, str(decision.effect), columns, filters]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=repr).encode()).hexdigest()[:16]


def _column(column: ColumnDecision) -> tuple[str, str, list[Any], str]:
    mask = column.mask
    how = [] if mask is None else [str(mask.type), mask.expression, sorted(mask.params.items()), mask.kind]
    return column.path, str(column.effect), how, column.clear_when or ""


def hides(decision: Decision) -> bool:
    """Whether a value or a row is not shown as it is."""
    return bool(decision.filters) or any(each.effect is not Effect.ALLOW or each.mask for each in decision.columns)
