"""The masks in plain Python: what `primitives` must do in Spark, written a second time to be compared with it.

Also what `preview` shows. Values are Python's: str, int, Decimal, float, bool, date, aware datetime, bytes, None.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from catalog.datatypes import Primitive
from policies.masks.keys import MaskKeys
from policies.masks.primitives import family
from policies.model import Mask, MaskType

_SIGNS = frozenset(chr(n) for n in range(128) if not chr(n).isalnum())
_EMAIL = re.compile(r"[^@ \t\n\x0b\f\r]+@[^@ \t\n\x0b\f\r]+\Z")
_IP4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?\Z")
_IP6 = re.compile(
    r"[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?::?[0-9]{1,3}(?:\.[0-9]{1,3}){3})?(?:%[A-Za-z0-9_]+)?\Z"
)
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}|\Z)")
_WRITTEN = re.compile(r"[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}\Z")
_DEGREES = r"[-+]?[0-9]{1,3}(?:\.[0-9]+)?"
_GAP = r"[ \t\n\x0b\f\r]*"
_PLACE = re.compile(rf"{_GAP}{_DEGREES}(?:{_GAP}[,; ]{_GAP}{_DEGREES})?{_GAP}\Z")


def redacted(text: str) -> str:
    """Letters become x or X, digits n; all else of ASCII stays; anything else becomes x."""

    def one(character: str) -> str:
        if character in _SIGNS:
            return character
        kind = unicodedata.category(character)
        return "X" if kind in ("Lu", "Lt") else "n" if kind.startswith("N") else "x"

    return "".join(map(one, text))


def crossed(text: str) -> str:
    return "".join(c if c in _SIGNS else "x" for c in text)


def apply(mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
    """The masked value. CUSTOM is not known here: it gives None."""
    if value is None or mask.type in (MaskType.MASK_NULL, MaskType.DROP, MaskType.CUSTOM):
        return None
    of = family(kind)
    if mask.type is MaskType.MASK_NONE:
        return value
    if mask.type in (MaskType.MASK_HASH, MaskType.TOKEN):
        if mask.type is MaskType.MASK_HASH:
            return keys.hexdigest("hash", _bytes(value, of))
        return "tok_" + keys.hexdigest("token" + str(mask.params.get("scope", "")), _bytes(value, of))[:26]
    if of == "string":
        return _text(mask, str(value))
    if of in ("integer", "decimal", "float"):
        return _number(mask, value, of, kind)
    if of == "date":
        return {
            MaskType.MASK_DATE_SHOW_YEAR: value.replace(month=1, day=1) if isinstance(value, date) else None,
            MaskType.GENERALIZE: value.replace(day=1) if isinstance(value, date) else None,
        }.get(mask.type, date(1900, 1, 1))
    if of == "timestamp":
        start = {"hour": 0, "minute": 0, "second": 0, "microsecond": 0, "day": 1}
        if mask.type is MaskType.MASK_DATE_SHOW_YEAR:
            return value.replace(month=1, **start)
        return value.replace(**start) if mask.type is MaskType.GENERALIZE else datetime(1900, 1, 1, tzinfo=UTC)
    return b"" if of == "binary" else None


def _bytes(value: Any, of: str) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, bool):
        return str(value).lower().encode()
    if isinstance(value, datetime):
        return re.sub(r"\.?0*\Z", "", value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")).encode()
    return (format(value, "f") if of == "decimal" else str(value)).encode()


def _text(mask: Mask, value: str) -> str:
    show = int(mask.params.get("show", 4))
    match mask.type:
        case MaskType.MASK_SHOW_LAST_4:
            hidden = max(0, len(value) - show) or len(value)
            return crossed(value[:hidden]) + value[hidden:]
        case MaskType.MASK_SHOW_FIRST_4:
            return value[:show] + crossed(value[show:]) if len(value) > show else crossed(value)
        case MaskType.EMAIL_DOMAIN if _EMAIL.match(value):
            return "xxxx@" + value.rsplit("@", 1)[1]
        case MaskType.TRUNCATE_IP if _IP4.match(value):
            return ".".join(value.split(".")[:3]) + ".0"
        case MaskType.TRUNCATE_IP if _IP6.match(value):
            return ":".join(value.split("::", 1)[0].split(":")[:3]) + "::"
        case MaskType.MASK_DATE_SHOW_YEAR if _ISO.match(value):
            return value[:4] + "-01-01"
        case MaskType.MASK_DATE_SHOW_YEAR if _WRITTEN.match(value):
            return value[-4:] + "-01-01"
        case MaskType.TRUNCATE_GEO if _PLACE.match(value):
            places = max(0, min(6, int(mask.params.get("decimals", 1))))
            kept = r"\1.\2" if places else r"\1"
            return re.sub(rf"(-?[0-9]+)\.([0-9]{{1,{places or 1}}})[0-9]*", kept, value)
        case _:
            return redacted(value)


def _number(mask: Mask, value: Any, of: str, kind: Primitive) -> Any:
    zero: Any = 0 if of == "integer" else Decimal(0) if of == "decimal" else 0.0
    show = max(0, min(9, int(mask.params.get("show", 4))))
    match mask.type:
        case MaskType.MASK_SHOW_LAST_4 if of == "integer":
            return abs(value) % 10**show if abs(value) >= 10**show else 0
        case MaskType.MASK_SHOW_FIRST_4 if of == "integer":
            digits = str(abs(value))
            return int(digits[:show].ljust(len(digits), "0")) if len(digits) > show else 0
        case MaskType.GENERALIZE:
            step = float(mask.params.get("step", 10))
            step = step if 0 < step < 1e15 else 10
            if of == "float":
                return value // step * step if abs(value) < 1e15 else value - value % step
            whole = Decimal(str(step))
            floor = (Decimal(value) / whole).to_integral_value(rounding="ROUND_FLOOR") * whole
            if of == "integer":
                low = {"TINYINT": 7, "SMALLINT": 15, "INT": 31}.get(kind.name, 63)
                return int(floor) if int(floor) >= -(2**low) else None
            return floor
        case MaskType.TRUNCATE_GEO if abs(value) <= 180:
            places = max(0, min(6, int(mask.params.get("decimals", 1))))
            if of == "integer":
                return value
            rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
            return float(rounded) if of == "float" else rounded
        case _:
            return zero
