"""DROP: the field is left out. Where it cannot be, such as in some rows only, it is NULL."""

from __future__ import annotations

from typing import Any

from catalog.datatypes import Primitive
from policies.masks.keys import MaskKeys
from policies.masks.kind import MaskKind, Meaning
from policies.model import Mask


class Drop(MaskKind):
    """Hides the field."""

    name = "DROP"
    rank = 100
    meaning = Meaning("left out", "left out", "left out", "the field")
    example = ("Anna", None)
    aliases = ("REMOVE",)  # Kafbat
    reversible = False
    proven = True

    def may_give_null(self, kind: Primitive) -> bool:
        return True

    def expression(self, mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
        return f"CAST(NULL AS {kind.name})"

    def apply(self, mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
        return None
