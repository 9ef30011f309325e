"""MASK_NONE: the value as it is."""

from __future__ import annotations

from typing import Any

from catalog.datatypes import Primitive
from policies.masks.keys import MaskKeys
from policies.masks.kind import MaskKind, Meaning
from policies.model import Mask


class Unmasked(MaskKind):
    """Hides nothing."""

    name = "MASK_NONE"
    rank = 0
    meaning = Meaning("unchanged", "unchanged", "unchanged", "nothing")
    example = ("Anna", "Anna")
    aliases = ("NONE", "UNMASKED")
    proven = True

    def expression(self, mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
        return value

    def apply(self, mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
        return value
