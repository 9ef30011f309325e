"""Whether an answer's values are those that were sent: worked out in plain Python, without the product's own rules."""

from __future__ import annotations

import base64
import json
from collections import Counter
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from catalog.paths import FieldPath

NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def differing(kind: DataType, sent: Any, got: Any, path: FieldPath) -> Counter[str]:
    """Places where `got` (as an answer has it) is not `sent` (JSON, numbers as int or Decimal), and how often."""
    counter: Counter[str] = Counter()
    _differing(kind, sent, got, path, counter)
    return counter


def _differing(kind: DataType, sent: Any, got: Any, path: FieldPath, counts: Counter[str]) -> None:
    match kind:
        case StructType(fields) if isinstance(sent, dict) and isinstance(got, dict):
            for name, inner in fields:
                _differing(inner, sent.get(name), got.get(name), path.field(name), counts)
        case ArrayType(element) if isinstance(sent, list) and isinstance(got, list) and len(sent) == len(got):
            for one, other in zip(sent, got, strict=True):
                _differing(element, one, other, path.elements(), counts)
        case MapType(_, inner) if isinstance(sent, dict) and isinstance(got, dict) and set(sent) == set(got):
            for key, one in sent.items():
                _differing(inner, one, got[key], path.values(), counts)
        case _:
            if not (got is None if sent is None else isinstance(kind, Primitive) and _same(sent, got)):
                counts[str(path)] += 1


def _same(sent: Any, got: Any) -> bool:
    if got is None:
        return False
    if isinstance(sent, bool):
        return got is sent or got == str(sent).lower()
    if isinstance(sent, (int, float, Decimal)):
        return not isinstance(got, bool) and _number(sent) == _number(got)
    if isinstance(sent, str):
        return isinstance(got, str) and (got == sent or _moment(got, sent) or _bytes(got, sent))
    try:
        return bool(json.loads(got, parse_float=Decimal) == sent)
    except (TypeError, ValueError):
        return False


def _number(value: Any) -> Decimal | str | None:
    if isinstance(value, str) and value in NOT_FINITE:
        return value
    try:
        decimal = Decimal(repr(value) if isinstance(value, float) else str(value))
    except InvalidOperation:
        return None
    return decimal if decimal.is_finite() else "NaN" if decimal.is_nan() else "Infinity" if decimal > 0 else "-Infinity"


def _moment(got: str, sent: str) -> bool:
    try:
        return datetime.fromisoformat(got) == datetime.fromisoformat(sent) or date.fromisoformat(got) == (
            date.fromisoformat(sent)
        )
    except (ValueError, TypeError):
        return False


def _bytes(got: str, sent: str) -> bool:
    try:
        return base64.b64decode(got, validate=True) == base64.b64decode(sent, validate=True)
    except ValueError:
        return False
