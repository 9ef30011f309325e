"""MASK_DATE_SHOW_YEAR: the year of a date."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from catalog.datatypes import Primitive
from policies.masks.kind import MaskKind, Meaning
from policies.masks.texts import redacted, redacted_sql
from policies.model import Mask

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}|\Z)")
_WRITTEN = re.compile(r"[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}\Z")


class DateShowYear(MaskKind):
    """Hides day and month. A text that is not a date is masked as by MASK."""

    name = "MASK_DATE_SHOW_YEAR"
    rank = 28
    meaning = Meaning("`1987-01-01` from ISO and day-month-year", "0", "first of January", "day and month")
    example = ("1987-03-14", "1987-01-01")
    aliases = ("DATE_SHOW_YEAR",)
    proven = True

    def text_sql(self, mask: Mask, value: str) -> str:
        return (
            f"CASE WHEN {value} RLIKE '^\\\\d{{4}}-\\\\d{{2}}(-\\\\d{{2}}|\\\\z)'"
            f" THEN concat(substring({value}, 1, 4), '-01-01')"
            f" WHEN {value} RLIKE '^\\\\d{{1,2}}[./-]\\\\d{{1,2}}[./-]\\\\d{{4}}\\\\z' THEN concat(right({value}, 4), '-01-01')"
            f" ELSE {redacted_sql(value)} END"
        )

    def text(self, mask: Mask, value: str) -> str:
        if _ISO.match(value):
            return value[:4] + "-01-01"
        return value[-4:] + "-01-01" if _WRITTEN.match(value) else redacted(value)

    def moment_sql(self, mask: Mask, value: str, kind: Primitive) -> str:
        return f"CAST(date_trunc('YEAR', {value}) AS {kind.name})"

    def moment(self, mask: Mask, value: Any, kind: Primitive) -> Any:
        if isinstance(value, datetime):
            return value.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
        return value.replace(month=1, day=1)
