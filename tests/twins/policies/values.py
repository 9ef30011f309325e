"""Which values fit which types, in plain Python: what `spark_exact` promises, stated a second time for tests."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections import Counter
from decimal import Decimal
from typing import Any

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from catalog.paths import FieldPath

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}


def read(kind: DataType, value: Any, path: FieldPath, slips: Counter[str]) -> Any:
    """A JSON value as `kind` holds it, None where it does not fit; what does not fit or is rounded is in `slips`.

    Numbers are int, float and Decimal, as `json.loads(..., parse_float=Decimal)` gives them.
    """
    if value is None:
        return None
    match kind:
        case Primitive(name):
            leaf = _leaf(name, value)
            if leaf is None or (isinstance(leaf, (int, float, Decimal)) and not _same(leaf, value)):
                slips[str(path)] += 1
            return leaf
        case StructType(fields) if isinstance(value, dict):
            return {n: read(k, value.get(n), kind.path_of(path, n), slips) for n, k in fields}
        case ArrayType(element) if isinstance(value, list):
            return [read(element, each, path.elements(), slips) for each in value]
        case MapType(_, inner) if isinstance(value, dict):
            return {k: read(inner, each, path.values(), slips) for k, each in value.items()}
    slips[str(path)] += 1
    return None


def _leaf(name: str, value: Any) -> Any:
    number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    if name == "STRING":
        return value if isinstance(value, str) else _text(value)
    if name == "BOOLEAN":
        return value if isinstance(value, bool) else None
    if name in _BITS:
        whole = number and math.isfinite(value) and value == int(value)
        return int(value) if whole and -(1 << _BITS[name] - 1) <= value < 1 << _BITS[name] - 1 else None
    if name in ("DOUBLE", "FLOAT"):
        return float(value) if number or value in ("NaN", "Infinity", "-Infinity") else None
    if name.startswith("DECIMAL"):
        precision, scale = (int(each) for each in name.removeprefix("DECIMAL(").removesuffix(")").split(","))
        if not number or not math.isfinite(value):
            return None
        exact = Decimal(str(value))
        # Further than Decimal's 28 digits of working precision.
        rounded = Decimal(f"{exact:.{scale}f}")
        return rounded if len(str(abs(int(rounded)))) <= precision - scale or abs(rounded) < 1 else None
    if name == "BINARY":
        try:
            return base64.b64decode(value, validate=True)
        except (TypeError, binascii.Error):
            return None
    return value


def _text(value: Any) -> str:
    """JSON text of a value. A Decimal keeps its digits, which `json.dumps` knows no way to do."""
    match value:
        case Decimal():
            return str(value)
        case dict():
            return "{" + ", ".join(f"{json.dumps(str(name))}: {_text(each)}" for name, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(_text(each) for each in value) + "]"
    return json.dumps(value)


def _same(number: float | Decimal, value: Any) -> bool:
    if isinstance(value, str) or isinstance(number, bool):
        return True
    if not math.isfinite(number) or not math.isfinite(value):
        return str(float(number)) == str(value).replace("Inf", "inf")
    return Decimal(repr(number) if isinstance(number, float) else str(number)) == Decimal(str(value))
