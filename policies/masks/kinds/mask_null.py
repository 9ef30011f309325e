"""MASK_NULL: NULL for every value."""

from __future__ import annotations

from typing import Any

from catalog.datatypes import Primitive
from policies.masks.keys import MaskKeys
from policies.masks.kind import MaskKind, Meaning
from policies.model import Mask


class Null(MaskKind):
    """Hides all but that the field exists."""

    name = "MASK_NULL"
    rank = 90
    meaning = Meaning("NULL", "NULL", "NULL", "all but that the field exists")
    example = ("Anna", None)
    aliases = ("NULL", "NULLIFY")
    reversible = False
    proven = True

    def may_give_null(self, kind: Primitive) -> bool:
        return True

    def expression(self, mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
        return f"CAST(NULL AS {kind.name})"

    def apply(self, mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
        return None
