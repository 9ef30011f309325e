"""MASK_HASH: a hash under a key."""

from __future__ import annotations

from policies.masks.keyed import KeyedKind
from policies.masks.kind import Meaning


class Hash(KeyedKind):
    """Hides all but equality."""

    name = "MASK_HASH"
    rank = 52
    meaning = Meaning("64 hex characters, for every type", "", "", "all but equality; `scope`, `keyVersion`")
    aliases = ("HASH", "SHA256", "SHAHASH")
