"""MASK_SHOW_FIRST_4: the first characters of a text, the first digits of a whole number."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from catalog.datatypes import Primitive, family
from policies.masks.kind import MaskKind, Meaning, Parameter, hidden, hidden_sql
from policies.masks.texts import crossed, partly_sql
from policies.model import Mask


class ShowFirst(MaskKind):
    """Hides all but some characters at the start; a text no longer than these is hidden whole."""

    name = "MASK_SHOW_FIRST_4"
    rank = 30
    meaning = Meaning("`4111 xxxx`", "first four digits, then 0", "1900-01-01", "all but `show` (4) characters")
    example = ("4111 1111", "4111 xxxx")
    parameters = (Parameter("show", 4, "how many characters stay; 4"),)
    aliases = ("PARTIAL_MASK_SHOW_FIRST_4", "FIRST_4", "SHOWFIRST4", "SHOW_FIRST_4", "FIRST_1")
    implied = MappingProxyType({"FIRST_1": {"show": 1}})
    proven = True

    def text_sql(self, mask: Mask, value: str) -> str:
        show = int(self.parameter(mask, "show"))
        hidden_part = f"substring({value}, {show + 1})"
        return partly_sql(value, show, hidden_part, lambda rest: f"concat(left({value}, {show}), {rest})")

    def text(self, mask: Mask, value: str) -> str:
        show = int(self.parameter(mask, "show"))
        return value[:show] + crossed(value[show:]) if len(value) > show else crossed(value)

    def number_sql(self, mask: Mask, value: str, kind: Primitive) -> str:
        if family(kind) != "integer":
            return hidden_sql(kind)
        count = self.digits(mask)
        digits = f"length(CAST(abs(CAST({value} AS DECIMAL(38,0))) AS STRING))"
        text = f"rpad(substring(CAST(abs(CAST({value} AS DECIMAL(38,0))) AS STRING), 1, {count}), {digits}, '0')"
        return f"CASE WHEN {digits} > {count} THEN CAST({text} AS {kind.name}) ELSE {hidden_sql(kind)} END"

    def number(self, mask: Mask, value: Any, kind: Primitive) -> Any:
        if family(kind) != "integer":
            return hidden(kind)
        count, digits = self.digits(mask), str(abs(value))
        return int(digits[:count].ljust(len(digits), "0")) if len(digits) > count else 0

    def digits(self, mask: Mask) -> int:
        """Digits that show of a number: nine at most."""
        return max(0, min(9, int(self.parameter(mask, "show"))))
