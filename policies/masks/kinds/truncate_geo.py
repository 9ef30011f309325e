"""TRUNCATE_GEO: coordinates with fewer decimals."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from catalog.datatypes import Primitive, family
from policies.masks import spark_decimals
from policies.masks.kind import MaskKind, Meaning, Parameter, hidden, hidden_sql
from policies.masks.texts import redacted, redacted_sql
from policies.model import Mask

_DEGREES = r"[-+]?[0-9]{1,3}(?:\.[0-9]+)?"
_GAP = r"[ \t\n\x0b\f\r]*"
_PLACE = re.compile(rf"{_GAP}{_DEGREES}(?:{_GAP}[,; ]{_GAP}{_DEGREES})?{_GAP}\Z")
_DEGREES_SQL = r"[-+]?\\d{1,3}(\\.\\d+)?"
_PLACE_SQL = rf"^\\s*{_DEGREES_SQL}(\\s*[,; ]\\s*{_DEGREES_SQL})?\\s*\\z"


class TruncateGeo(MaskKind):
    """Hides the exact place. A text that is not a place is masked as by MASK."""

    name = "TRUNCATE_GEO"
    rank = 22
    meaning = Meaning("coordinates with `decimals` (1) places", "the same, up to 180", "1900-01-01", "the exact place")
    example = ("52.5200,13.4050", "52.5,13.4")
    parameters = (Parameter("decimals", 1, "decimals that stay, as in 1"),)
    aliases = ("GEO",)
    proven = True

    def fine(self, mask: Mask) -> int:
        return 100 - min(100, max(0, int(self.parameter(mask, "decimals"))))

    def places(self, mask: Mask) -> int:
        """Decimals that stay: six at most."""
        return max(0, min(6, int(self.parameter(mask, "decimals"))))

    def text_sql(self, mask: Mask, value: str) -> str:
        places = self.places(mask)
        replacement = "$1.$2" if places else "$1"
        pattern = rf"(-?\\d+)\\.(\\d{{1,{places or 1}}})\\d*"
        cut = f"regexp_replace({value}, '{pattern}', '{replacement}')"
        return f"CASE WHEN {value} RLIKE '{_PLACE_SQL}' THEN {cut} ELSE {redacted_sql(value)} END"

    def text(self, mask: Mask, value: str) -> str:
        if not _PLACE.match(value):
            return redacted(value)
        places = self.places(mask)
        replacement = r"\1.\2" if places else r"\1"
        return re.sub(rf"(-?[0-9]+)\.([0-9]{{1,{places or 1}}})[0-9]*", replacement, value)

    def number_sql(self, mask: Mask, value: str, kind: Primitive) -> str:
        cut = value if family(kind) == "integer" else f"CAST(round({value}, {self.places(mask)}) AS {kind.name})"
        return f"CASE WHEN {value} BETWEEN -180 AND 180 THEN {cut} ELSE {hidden_sql(kind)} END"

    def number(self, mask: Mask, value: Any, kind: Primitive) -> Any:
        if not abs(value) <= 180:
            return hidden(kind)
        if family(kind) == "integer":
            return value
        place = Decimal(1).scaleb(-self.places(mask))
        rounded = Decimal(str(value)).quantize(place, ROUND_HALF_UP, spark_decimals.WIDE)
        # A small negative number becomes 0.0, never -0.0.
        return float(rounded) + 0.0 if family(kind) == "float" else spark_decimals.fitting(rounded, kind)
