"""The JSON text of a decoded value: one stated form for what JSON has no type for.

    bytes               base64 (RFC 4648), which Spark's from_json reads as BINARY
    decimal             a JSON number with all its digits
    date                2026-11-21
    timestamp           2026-11-21T07:10:00.123456Z, in UTC; without a zone where the data has local time
    time of day         07:10:00.123456
    UUID                lower case with hyphens
    NaN, infinities     the strings NaN, Infinity, -Infinity, which from_json reads as DOUBLE
    keys of a map       text

Runs in Spark's workers.
"""

from __future__ import annotations

import base64
import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import orjson

MAX_DEPTH = 100


class TooDeep(ValueError):
    """Nested deeper than anything a query could address."""


def dumps(value: Any) -> str:
    """JSON text of a decoded value. Raises TooDeep, and orjson.JSONEncodeError for text that is not Unicode."""
    return orjson.dumps(plain(value)).decode()


def plain(value: Any, depth: int = 0) -> Any:
    """A tree that orjson writes in the stated form, from what the decoders give. Raises TooDeep."""
    kind = type(value)
    if kind in (str, bool) or value is None:
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**63 else orjson.Fragment(str(value))
    if depth > MAX_DEPTH:
        raise TooDeep
    if kind is dict:
        return {str(k): plain(v, depth + 1) for k, v in value.items()}
    if kind in (list, tuple):
        return [plain(v, depth + 1) for v in value]
    if kind is float:
        return (
            value if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        )
    if isinstance(value, Decimal):
        # A fragment is written unchanged, so that no digit is lost; its text can only be a number here.
        return orjson.Fragment(str(value).replace("E+", "E")) if value.is_finite() else str(float(value))
    return scalar_text(value)


def scalar_text(value: Any) -> str:
    """Text of a scalar that JSON has no type for."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if value.tzinfo else value.isoformat()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"PT{value.total_seconds()}S"
    if isinstance(value, UUID):
        return str(value)
    return str(value)
