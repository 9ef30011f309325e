"""The masks in plain Python: what `primitives` must do in Spark, written a second time to be compared with it.

Also what `preview` shows. Values are Python's: str, int, Decimal, float, bool, date, aware datetime, bytes, None.
"""

from __future__ import annotations

from typing import Any

from catalog.datatypes import Primitive
from policies.masks import registry
from policies.masks.keys import MaskKeys
from policies.masks.registry import guarded
from policies.model import Mask


def apply(mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
    """The masked value. CUSTOM is not known here: it gives None. Raises Unavailable where the code of another package fails."""
    of = registry.of(mask.type)
    return None if value is None else guarded(of, lambda: of.apply(mask, value, kind, keys))
