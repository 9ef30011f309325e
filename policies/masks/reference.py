"""The masks in plain Python: what `primitives` must do in Spark, written a second time to be compared with it.

Also what `preview` shows. Values are Python's: str, int, Decimal, float, bool, date, aware datetime, bytes, None.
"""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from catalog.datatypes import Primitive
from policies.masks import spark_decimals
from policies.masks.keys import MaskKeys
from policies.masks.primitives import family
from policies.model import Mask, MaskType

_SIGNS = frozenset(chr(n) for n in range(128) if not chr(n).isalnum())
# Digits of Unicode 15, which Java 21 knows and Python 3.11 does not.
_NEW_DIGITS = frozenset(
    chr(n)
    for first, last in ((0x11F50, 0x11F59), (0x1D2C0, 0x1D2D3), (0x1E4F0, 0x1E4F9))
    for n in range(first, last + 1)
)
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
        kind = "No" if character in _NEW_DIGITS else unicodedata.category(character)
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
        digits = keys.hexdigest(keys.purpose(mask), _bytes(value, of, kind))
        return digits if mask.type is MaskType.MASK_HASH else f"tok_{digits[:26]}"
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


def _bytes(value: Any, of: str, kind: Primitive) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, bool):
        return str(value).lower().encode()
    if isinstance(value, datetime):
        text = value.astimezone(UTC).replace(tzinfo=None).isoformat(" ")
        return (text.rstrip("0") if value.microsecond else text).encode()
    # Java and Python write a decimal alike: 0E-8, 1E-7, 0.000001.
    return str(spark_decimals.fitting(value, kind) if of == "decimal" else value).encode()


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
            replacement = r"\1.\2" if places else r"\1"
            return re.sub(rf"(-?[0-9]+)\.([0-9]{{1,{places or 1}}})[0-9]*", replacement, value)
        case _:
            return redacted(value)


def _number(mask: Mask, value: Any, of: str, kind: Primitive) -> Any:
    zero: Any = 0 if of == "integer" else spark_decimals.fitting(Decimal(0), kind) if of == "decimal" else 0.0
    show = max(0, min(9, int(mask.params.get("show", 4))))
    match mask.type:
        case MaskType.MASK_SHOW_LAST_4 if of == "integer":
            return abs(value) % 10**show if abs(value) >= 10**show else 0
        case MaskType.MASK_SHOW_FIRST_4 if of == "integer":
            digits = str(abs(value))
            return int(digits[:show].ljust(len(digits), "0")) if len(digits) > show else 0
        case MaskType.GENERALIZE:
            step = float(mask.params.get("step", 10))
            step = step if 0 < step < 1e15 else 10.0
            if of == "float":
                return _multiple_below(value, step, kind)
            whole = Decimal(int(step)) if step == int(step) else Decimal(repr(step))
            if of == "decimal":
                return spark_decimals.multiple_below(value, whole, kind)
            below = int(math.floor(Fraction(value) / Fraction(whole)) * Fraction(whole))
            low = {"TINYINT": 7, "SMALLINT": 15, "INT": 31}.get(kind.name, 63)
            return below if below >= -(2**low) else None
        case MaskType.TRUNCATE_GEO if abs(value) <= 180:
            places = max(0, min(6, int(mask.params.get("decimals", 1))))
            if of == "integer":
                return value
            rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, spark_decimals.WIDE)
            # A small negative number becomes 0.0, never -0.0.
            return float(rounded) + 0.0 if of == "float" else spark_decimals.fitting(rounded, kind)
        case _:
            return zero


def _multiple_below(value: float, step: float, kind: Primitive) -> float:
    """By Spark's own steps: a division of doubles whose floor is a BIGINT; from 1e15 on, and for NaN, the rest above the
    multiple is taken off."""
    exact = Decimal(int(step)) if step == int(step) else Decimal(repr(step))
    if abs(value) < 1e15:
        return float(max(-(2**63), min(2**63 - 1, math.floor(value / step))) * Fraction(exact))
    if not math.isfinite(value):
        return math.nan
    narrow = _float32 if kind.name.upper() == "FLOAT" else float
    above = math.fmod(value, step)
    return narrow(value - (math.fmod(narrow(above + step), step) if above < 0 else above))


def _float32(number: float) -> float:
    return float(struct.unpack("f", struct.pack("f", number))[0])
