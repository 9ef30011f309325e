"""MASK: letters and digits crossed out; of all other types nothing but the type."""

from __future__ import annotations

from policies.masks.kind import MaskKind, Meaning


class Redact(MaskKind):
    """Hides all but the shape of a text."""

    name = "MASK"
    rank = 60
    meaning = Meaning(
        "letters x and X, digits n, other ASCII characters kept", "0", "1900-01-01", "all but the shape of a text"
    )
    example = ("Anna-Maria 42", "Xxxx-Xxxxx nn")
    aliases = ("REDACT", "ALL", "REPLACE")  # Lenses: All; Kafbat: REPLACE
    proven = True
