"""One masked value of a row: JSON form in, JSON form out, by `policies.masks.reference`. Pure.

`value_mask` gives a function that is equal to Spark's expression of the same mask for every value, or a reason why there
is none. `tests/integration/test_view_masks.py` holds the two against each other.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from catalog.datatypes import Primitive, family
from policies.masks import reference, registry
from policies.masks.keys import MaskKeys
from policies.masks.primitives import output_type
from policies.masks.spark_decimals import precision_scale
from policies.model import Mask
from views.serving.values import float_json, single

Change = Callable[[Any], Any]


class NotExact(Exception):
    """Rows cannot be masked outside Spark so that they are equal. The text is the reason, without a value."""


def value_mask(mask: Mask, kind: Primitive, keys: MaskKeys) -> Change:
    """Raises NotExact; so does the function, for a date that Python's calendar does not have."""
    of = family(kind)
    reason = registry.of(mask.type).only_spark(mask, kind)
    if reason is not None:
        raise NotExact(reason)
    if of == "other":
        return _nothing
    output = output_type(mask, kind)
    assert output is not None
    read, write = reader(kind), writer(output)

    def change(value: Any) -> Any:
        return None if value is None else write(reference.apply(mask, read(value), kind, keys))

    return change


def _nothing(value: Any) -> Any:
    return None


def reader(kind: Primitive) -> Change:
    """From JSON form to the values of `reference`."""
    match family(kind):
        case "decimal":
            return Decimal
        case "float":
            return _single if kind.name.upper() == "FLOAT" else float
        case "date":
            return _date
        case "timestamp":
            return _time
        case "binary":
            return base64.b64decode
        case _:
            return _same


def writer(kind: Primitive) -> Change:
    """From the values of `reference` to JSON form."""
    match family(kind):
        case "decimal":
            _, scale = precision_scale(kind)
            return lambda value: None if value is None else f"{value:.{scale}f}"
        case "float":
            if kind.name.upper() == "FLOAT":
                return lambda value: None if value is None else float_json(single(_narrow(value)))
            return lambda value: None if value is None else float_json(value)
        case "date":
            return lambda value: None if value is None else value.isoformat()
        case "timestamp":
            zone = "" if kind.name.upper() == "TIMESTAMP_NTZ" else "Z"
            return lambda value: None if value is None else value.replace(tzinfo=None).isoformat() + zone
        case "binary":
            return lambda value: None if value is None else base64.b64encode(value).decode("ascii")
        case _:
            return _same


def _same(value: Any) -> Any:
    return value


def _single(value: Any) -> float:
    return _narrow(float(value))


def _narrow(number: float) -> float:
    """As a FLOAT holds it; beyond its range, infinite."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return number * float("inf")


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise NotExact("a date has a year that is not between 1 and 9999") from None


def _time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise NotExact("a time has a year that is not between 1 and 9999") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
