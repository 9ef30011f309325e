"""Values by the type of their column: from what a person writes to the JSON form of rows, and how they compare. Pure.

The JSON form: decimals as text with all digits of their scale, times RFC 3339 in UTC with Z (without a zone for
TIMESTAMP_NTZ), dates ISO 8601, bytes base64, NaN and infinities as text. See `policies.plan.model.Result`.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Self

from catalog.datatypes import DataType, Primitive, family
from policies.masks.spark_decimals import WIDE, precision_scale

BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "INTEGER": 32, "BIGINT": 64}
_WHOLE = re.compile(r"([+-]?[0-9]{1,40})(?:\.0{1,40})?\Z")
_NOT_FINITE = {"nan": "NaN", "infinity": "Infinity", "+infinity": "Infinity", "-infinity": "-Infinity"}
_PLUS_LOST = re.compile(r"(:\d\d(?:[.,]\d+)?) (\d\d:?\d\d)\Z")
"""An offset from UTC whose '+' was not percent-encoded, and so arrives as a space."""
_FAR_TIME = re.compile(r"([+-]?)(\d{4,})-(.*)\Z", re.S)


_BASE64 = str.maketrans(" -_", "++/")


class WrittenNumber(float):
    """A number of a JSON text with all digits that were written, which a float may not hold."""

    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


def comparable(kind: DataType) -> bool:
    """Whether values of a type can be compared with what a person writes."""
    return isinstance(kind, Primitive) and family(kind) != "other"


def json_form(value: object, kind: Primitive) -> object:
    """A text or a JSON value as rows hold it. Raises ValueError where it cannot be one of this type."""
    if value is None:
        return None
    reader = _READERS[family(kind)]
    if isinstance(value, WrittenNumber) and reader is not _number:
        value = _as_written(value, reader)
    if isinstance(value, bool) and reader is not _boolean:
        raise ValueError("a truth value")
    return reader(value, kind)


def _as_written(value: WrittenNumber, reader: Callable[[object, Primitive], object]) -> object:
    if reader is _decimal or (reader is _whole and _WHOLE.match(value.text)):
        return value.text
    return float(value)


def order_key(kind: Primitive) -> Callable[[Any], Any]:
    """What makes of a value in JSON form (not NULL) something that sorts and equals as Spark has it."""
    match family(kind):
        case "decimal":
            return Decimal
        case "float":
            return _float_order
        case "date" | "timestamp":
            return _time_order
        case "binary":
            return base64.b64decode
        case _:
            return _same


def single(number: float) -> float:
    """A FLOAT by the fewest digits that mean it: 1.1, not 1.100000023841858. As results of queries have it."""
    if not math.isfinite(number):
        return number
    bits = struct.pack("f", number)
    shorter = (float(f"{number:.{digits}g}") for digits in range(6, 9))
    # The largest one, rounded up, is out of a FLOAT's range.
    fitting = (each for each in shorter if abs(each) < 3.4028234663852886e38 and struct.pack("f", each) == bits)
    return next(fitting, struct.unpack("f", bits)[0])


def float_json(number: float) -> object:
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def moment(text: str) -> datetime:
    """A time as a person writes it; without a zone it is in UTC. Raises ValueError."""
    time = datetime.fromisoformat(_PLUS_LOST.sub(r"\1+\2", text.strip()))
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _same(value: Any) -> Any:
    return value


def _text(value: object, kind: Primitive) -> object:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


def _whole(value: object, kind: Primitive) -> object:
    if isinstance(value, str) and (digits := _WHOLE.match(value.strip())):
        value = int(digits[1])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int):
        raise ValueError("not a whole number")
    bits = BITS[kind.name.upper()]
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ValueError("out of range")
    return value


def _decimal(value: object, kind: Primitive) -> object:
    if not isinstance(value, (str, int, float)):
        raise ValueError("not a number")
    precision, scale = precision_scale(kind)
    try:
        number = Decimal(str(value).strip().replace("_", "x"))
        if not number.is_finite() or number.adjusted() > 40 or len(number.as_tuple().digits) > 80:
            raise ValueError("out of range")
        fitting = number.quantize(Decimal(1).scaleb(-scale), context=WIDE)
    except InvalidOperation as error:
        raise ValueError("not a number") from error
    if fitting != number or fitting.adjusted() >= precision - scale:
        raise ValueError("too many digits")
    return format(fitting if fitting else abs(fitting), "f")


def _number(value: object, kind: Primitive) -> object:
    if isinstance(value, str):
        special = _NOT_FINITE.get(value.strip().lower())
        if special:
            return special
        value = float(value.strip().replace("_", "x"))
    if not isinstance(value, (int, float)):
        raise ValueError("not a number")
    try:
        number = float(value)
        if kind.name.upper() == "FLOAT":
            number = single(number)
    except OverflowError as error:
        raise ValueError("out of range") from error
    if not math.isfinite(number):
        raise ValueError("out of range")
    return number


def _boolean(value: object, kind: Primitive) -> object:
    flag = {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(flag, bool):
        raise ValueError("not true or false")
    return flag


def _date(value: object, kind: Primitive) -> object:
    if not isinstance(value, str):
        raise ValueError("not a date")
    return date.fromisoformat(value.strip()).isoformat()


def _timestamp(value: object, kind: Primitive) -> object:
    if not isinstance(value, str):
        raise ValueError("not a time")
    if kind.name.upper() == "TIMESTAMP_NTZ":
        time = datetime.fromisoformat(value.strip())
        if time.tzinfo is not None:
            raise ValueError("a time with a zone")
        return time.isoformat()
    return moment(value).isoformat().replace("+00:00", "Z")


def _binary(value: object, kind: Primitive) -> object:
    # The form for addresses is taken too, and a '+' that was not percent-encoded arrives as a space.
    text = str(value).strip("\t\r\n").translate(_BASE64)
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode("ascii")
    except (binascii.Error, UnicodeEncodeError) as error:
        raise ValueError("not base64") from error


_READERS: dict[str, Callable[[object, Primitive], object]] = {
    "string": _text,
    "integer": _whole,
    "decimal": _decimal,
    "float": _number,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
    "binary": _binary,
}


def _float_order(value: Any) -> tuple[int, float]:
    """NaN is equal to itself and above all other numbers."""
    number = float(value)
    return (1, 0.0) if math.isnan(number) else (0, number)


def _time_order(value: str) -> tuple[int, str]:
    """The year, and what follows it; a whole second has no fraction, and sorts before the fractions of it."""
    parts = _FAR_TIME.match(value)
    if parts is None:
        return 0, value
    return int(parts[1] + parts[2]), parts[3].removesuffix("Z")
