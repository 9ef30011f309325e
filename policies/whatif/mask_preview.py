"""What a mask would make of values that the caller gives: no topic is read and nothing is kept of the values."""

from __future__ import annotations

import json
import math
import threading
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from catalog.datatypes import Primitive, StructType, family, parse_ddl
from catalog.errors import InvalidInput, LimitExceeded
from policies.declared import convert, policy_specs
from policies.masks import custom, primitives
from policies.masks.preview import PREVIEW_KEYS, MaskedValue, MaskedValues, preview
from policies.model import Mask, MaskType
from policies.plan.model import QueryPlan
from policies.plan.ports import Engine
from policies.sql.literals import literal

MOST_VALUES = 100
MOST_CHARACTERS = 10_000
_SECONDS = 20.0
_AT_ONCE = 2
"""Previews that the engine computes at a time: they run beside the queries, whose turns they do not take."""
_WAIT_SECONDS = 3.0
_MOST_DIGITS = 76
_LARGEST_EXPONENT = 38
"""A decimal of Spark has at most 38 digits; a larger one only makes a text as long as its exponent."""


class Preview(MaskedValues):
    """What a mask, by its name, makes of values."""

    mask: str


class MaskPreview:
    """The service behind `POST /api/v1/policies/masks/preview`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._places = threading.BoundedSemaphore(_AT_ONCE)

    def show(self, mask: Mapping[str, object], values: Sequence[Any], type_name: str = "STRING") -> Preview:
        """A CUSTOM mask is computed by the engine, over these values.

        `mask` is as in a policy: {type, expression?, params?}. Raises InvalidInput, QueryFailed, LimitExceeded,
        Unavailable.
        """
        if len(values) > MOST_VALUES:
            raise InvalidInput(f"{len(values)} values are too many for a preview; give at most {MOST_VALUES}.")
        if any(isinstance(value, str) and len(value) > MOST_CHARACTERS for value in values):
            raise InvalidInput(f"A value is longer than {MOST_CHARACTERS:,} characters; a preview takes shorter ones.")
        _single(values)
        try:
            parsed = convert.mask(policy_specs.MaskSpec.model_validate(mask))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            message = str(first.get("ctx", {}).get("error", first["msg"]))
            where = ".".join(map(str, ("mask", *first["loc"])))
            raise InvalidInput(f"{where}: {message.rstrip('.?')}.", details={"field": where}) from None
        kind = _kind(type_name)
        if parsed.type is not MaskType.CUSTOM:
            answer = preview(parsed, [_typed(v, kind) for v in values], kind)
            masked: list[MaskedValue] = [
                {"value": v, "masked": _plain(s["masked"])} for v, s in zip(values, answer["values"], strict=True)
            ]
            return {"mask": str(parsed.type), "type": answer["type"], "values": masked, "note": answer["note"]}
        custom.check(parsed.expression or "")
        computed = self._computed(parsed, values, kind)
        return {"mask": str(parsed.type), "type": None, "values": computed, "note": "computed by the query engine"}

    def _computed(self, mask: Mask, values: Sequence[Any], kind: Primitive) -> list[MaskedValue]:
        if not values:
            return []
        rows = ", ".join(f"({n}, {_literal(v)})" for n, v in enumerate(values))
        masked = primitives.expression(mask, f"try_cast(v AS {kind.name})", kind, PREVIEW_KEYS)
        sql = f"SELECT n, {masked} AS masked FROM VALUES {rows} AS given(n, v) ORDER BY n"
        if not self._places.acquire(timeout=_WAIT_SECONDS):
            raise LimitExceeded(
                f"{_AT_ONCE} previews are being computed already; try again shortly.", details={"limit": "previews"}
            )
        try:
            # As a view of a query computes it: without ANSI's errors.
            result = self._engine.run(QueryPlan(sql, (), len(values), _SECONDS, ansi=False))
        finally:
            self._places.release()
        return [{"value": v, "masked": row[1]} for v, row in zip(values, result.rows, strict=True)]


def _single(values: Sequence[Any]) -> None:
    """Raises InvalidInput for what is not a single value, or not a text that can be stored."""
    for value in values:
        if isinstance(value, (list, dict)):
            raise InvalidInput("A preview takes single values: texts, numbers, true, false and null.")
        if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
            raise InvalidInput("A value of the preview is not a Unicode text: it has half of a surrogate pair.")
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidInput('A value of the preview is not a number of JSON; write "NaN" or "Infinity" as a text.')


def _literal(value: Any) -> str:
    return "CAST(NULL AS STRING)" if value is None else literal(value if isinstance(value, str) else str(value))


def _kind(text: str) -> Primitive:
    try:
        struct = parse_ddl(f"v {text}")
    except InvalidInput:
        struct = StructType()
    kind = struct.fields[0][1] if len(struct.fields) == 1 else None
    if not isinstance(kind, Primitive):
        raise InvalidInput(
            f"{text[:60]!r} is not a type of a single value; write STRING, INT, DATE or another of Spark's."
        )
    return kind


def _typed(value: Any, kind: Primitive) -> Any:
    """A value as JSON gives it, as the type has it. Raises InvalidInput."""
    try:
        match family(kind) if value is not None else None:
            case "integer":
                return int(value)
            case "float":
                return float(value)
            case "decimal":
                return _bounded(Decimal(str(value)))
            case "date":
                return date.fromisoformat(str(value))
            case "timestamp":
                moment = datetime.fromisoformat(str(value))
                return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
            case "binary":
                return b64decode(str(value), validate=True)
            case "string":
                return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, ArithmeticError):
        raise InvalidInput(
            f"A value of the preview is not of type {kind.name}; give other values, or another type."
        ) from None
    return value


def _bounded(value: Decimal) -> Decimal:
    """Raises ValueError for one that no decimal of Spark could be."""
    if (
        not value.is_finite()
        or abs(value.adjusted()) > _LARGEST_EXPONENT
        or len(value.as_tuple().digits) > _MOST_DIGITS
    ):
        raise ValueError
    return value


def _plain(value: Any) -> Any:
    """A masked value as JSON has it, as answers of queries do."""
    match value:
        case bytes():
            return b64encode(value).decode()
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case Decimal():
            return format(value, "f")
        case date():
            return value.isoformat().replace("+00:00", "Z")
    return value
