"""What a masked copy has of records that a row filter hides, so that consumers delete what they had of their keys. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.plan.model import TablePlan

SHOWN = "weir_shown"
_PLACE = (
    "key",
    "weir_key",
    "partition",
    "offset",
    "timestamp",
    "weir_partition",
    "weir_offset",
    "weir_timestamp",
    SHOWN,
)
_CHANGING = re.compile(r"\bweir_(?!key\b)\w+")


def by_key(table: TablePlan) -> bool:
    """Whether all records of a key are shown, or none of them: then none of a hidden one's key was ever shown."""
    return not any(_CHANGING.search(each) for each in table.filters)


def shown(table: TablePlan) -> str:
    """BOOLEAN SQL over the stored columns."""
    return f"coalesce({' AND '.join(f'({each})' for each in table.filters)}, false)"


def kept(compacted: bool) -> str:
    """BOOLEAN SQL: the records of which a copy has at least the key. In a topic that keeps the newest record of each key,
    one that is hidden takes away the older one; in others a record without a value does."""
    return f"{SHOWN} OR (key IS NOT NULL{'' if compacted else ' AND weir_raw IS NULL'})"


def without_values(columns: Sequence[str]) -> list[str]:
    """Of each column its SQL: nothing of a hidden record but its key and its place."""
    return [name if name in _PLACE else f"CASE WHEN {SHOWN} THEN {name} END AS {name}" for name in columns]
