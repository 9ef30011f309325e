"""GENERALIZE: the range that a number or a date is in."""

from __future__ import annotations

import math
import struct
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from catalog.datatypes import Primitive, family
from policies.masks import spark_decimals
from policies.masks.kind import MaskKind, Meaning, Parameter
from policies.model import Mask

_MILLION = 1_000_000


class Generalize(MaskKind):
    """Hides the exact value; a text is masked as by MASK."""

    name = "GENERALIZE"
    rank = 20
    meaning = Meaning("as MASK", "multiple of `step` (10) below", "first of the month", "the exact value")
    example = ("Anna", "Xxxx")
    parameters = (Parameter("step", 10, "width of the steps, as in 10"),)
    aliases = ("BUCKET",)
    proven = True

    def fine(self, mask: Mask) -> int:
        return min(_MILLION - 1, max(0, int(float(self.parameter(mask, "step")))))

    def step(self, mask: Mask) -> float:
        """The width of the steps: the default where the given one is of no use."""
        step = float(self.parameter(mask, "step"))
        return step if 0 < step < 1e15 else 10.0

    def may_give_null(self, kind: Primitive) -> bool:
        """The multiple below may be out of the type's range."""
        return family(kind) in ("integer", "decimal")

    def only_spark(self, mask: Mask, kind: Primitive) -> str | None:
        if family(kind) not in ("integer", "decimal", "float"):
            return None
        step = float(self.parameter(mask, "step"))
        if 0 < step < 1e-4:
            return "GENERALIZE by a step of less than 0.0001 is computed in doubles by Spark"
        if kind.name.upper() == "FLOAT" and not step.is_integer():
            return "GENERALIZE of a FLOAT by a step with a fraction gives doubles in Spark"
        return None

    def number_sql(self, mask: Mask, value: str, kind: Primitive) -> str:
        number = self.step(mask)
        step = str(int(number)) if number == int(number) else repr(number)
        if family(kind) == "integer":
            # Exact, where a division would go through doubles; NULL where the multiple below is out of range.
            whole = f"try_subtract(CAST({value} AS BIGINT), pmod(CAST({value} AS BIGINT), {step}))"
            return f"try_cast({whole} AS {kind.name})"
        masked = f"CAST(floor({value} / {step}) * {step} AS {kind.name})"
        if family(kind) == "float":
            # Spark's floor is a BIGINT; beyond it, and of NaN, what lies above the multiple is taken off.
            return f"CASE WHEN abs({value}) < 1e15 THEN {masked} ELSE {value} - pmod({value}, {step}) END"
        return masked

    def number(self, mask: Mask, value: Any, kind: Primitive) -> Any:
        step, of = self.step(mask), family(kind)
        if of == "float":
            return _multiple_below(value, step, kind)
        whole = Decimal(int(step)) if step == int(step) else Decimal(repr(step))
        if of == "decimal":
            return spark_decimals.multiple_below(value, whole, kind)
        below = int(math.floor(Fraction(value) / Fraction(whole)) * Fraction(whole))
        low = {"TINYINT": 7, "SMALLINT": 15, "INT": 31}.get(kind.name, 63)
        return below if below >= -(2**low) else None

    def moment_sql(self, mask: Mask, value: str, kind: Primitive) -> str:
        return f"CAST(date_trunc('MONTH', {value}) AS {kind.name})"

    def moment(self, mask: Mask, value: Any, kind: Primitive) -> Any:
        if isinstance(value, datetime):
            return value.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return value.replace(day=1)


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
