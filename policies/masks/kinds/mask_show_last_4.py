"""MASK_SHOW_LAST_4: the last characters of a text, the last digits of a whole number."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from catalog.datatypes import Primitive, family
from policies.masks.kind import MaskKind, Meaning, Parameter, hidden, hidden_sql
from policies.masks.texts import crossed, partly_sql
from policies.model import Mask


class ShowLast(MaskKind):
    """Hides all but some characters at the end; a text no longer than these is hidden whole."""

    name = "MASK_SHOW_LAST_4"
    rank = 32
    meaning = Meaning("`xxxx-1234`", "last four digits", "1900-01-01", "all but `show` (4) characters")
    example = ("4111-1111-1111-1234", "xxxx-xxxx-xxxx-1234")
    parameters = (Parameter("show", 4, "how many characters stay; 4"),)
    # Lenses: Last-4, Last-1; Kpow and Conduktor: show last four
    aliases = ("PARTIAL_MASK_SHOW_LAST_4", "LAST_4", "SHOWLAST4", "SHOW_LAST_4", "LAST_1")
    implied = MappingProxyType({"LAST_1": {"show": 1}})
    proven = True

    def text_sql(self, mask: Mask, value: str) -> str:
        show = int(self.parameter(mask, "show"))
        hidden_part = f"substring({value}, 1, length({value}) - {show})"
        return partly_sql(value, show, hidden_part, lambda rest: f"concat({rest}, right({value}, {show}))")

    def text(self, mask: Mask, value: str) -> str:
        covered = max(0, len(value) - int(self.parameter(mask, "show"))) or len(value)
        return crossed(value[:covered]) + value[covered:]

    def number_sql(self, mask: Mask, value: str, kind: Primitive) -> str:
        if family(kind) != "integer":
            return hidden_sql(kind)
        bound = 10 ** self.digits(mask)
        long = f"abs(CAST({value} AS DECIMAL(38,0))) >= {bound}"
        return f"CASE WHEN {long} THEN CAST(abs({value} % {bound}) AS {kind.name}) ELSE {hidden_sql(kind)} END"

    def number(self, mask: Mask, value: Any, kind: Primitive) -> Any:
        if family(kind) != "integer":
            return hidden(kind)
        bound = 10 ** self.digits(mask)
        return abs(value) % bound if abs(value) >= bound else 0

    def digits(self, mask: Mask) -> int:
        """Digits that show of a number: nine at most."""
        return max(0, min(9, int(self.parameter(mask, "show"))))
