"""TOKEN: a short hash under a key."""

from __future__ import annotations

from typing import Any

from catalog.datatypes import Primitive
from policies.masks.keyed import KeyedKind
from policies.masks.keys import MaskKeys
from policies.masks.kind import Meaning
from policies.model import Mask


class Token(KeyedKind):
    """Hides all but equality."""

    name = "TOKEN"
    rank = 50
    meaning = Meaning("`tok_` and 26 hex characters, for every type", "", "", "all but equality; `scope`, `keyVersion`")
    aliases = ("TOKENIZE", "PSEUDONYMIZE")

    def expression(self, mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
        return f"concat('tok_', substring({super().expression(mask, value, kind, keys)}, 1, 26))"

    def apply(self, mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
        return f"tok_{super().apply(mask, value, kind, keys)[:26]}"
