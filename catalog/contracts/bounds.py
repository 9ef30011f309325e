"""Bounds of ODCS: the operators of quality rules and the limits of logical types, as intervals. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

OPERATORS = (
    "mustBe",
    "mustNotBe",
    "mustBeGreaterThan",
    "mustBeGreaterOrEqualTo",
    "mustBeLessThan",
    "mustBeLessOrEqualTo",
    "mustBeBetween",
    "mustNotBeBetween",
)


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers between two limits, None for none. `outside`: those that are not between them."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    outside: bool = False

    def holds(self, number: float) -> bool:
        low = self.low is None or (number > self.low if self.low_open else number >= self.low)
        high = self.high is None or (number < self.high if self.high_open else number <= self.high)
        return (low and high) is not self.outside

    @property
    def is_empty(self) -> bool:
        """Whether no number is in it."""
        if self.outside:
            return self.low is None and self.high is None
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    @property
    def text(self) -> str:
        if self.low is not None and self.low == self.high:
            return f"{'other than' if self.outside else 'exactly'} {number_text(self.low)}"
        parts = []
        if self.low is not None:
            parts.append(f"{'more than' if self.low_open else 'at least'} {number_text(self.low)}")
        if self.high is not None:
            parts.append(f"{'less than' if self.high_open else 'at most'} {number_text(self.high)}")
        words = " and ".join(parts) or "any number"
        return f"not {words}" if self.outside else words

    def to_params(self) -> dict[str, float | bool | None]:
        return {
            "low": self.low,
            "high": self.high,
            "lowOpen": self.low_open,
            "highOpen": self.high_open,
            "outside": self.outside,
        }

    @staticmethod
    def from_params(params: Mapping[str, Any]) -> Interval:
        return Interval(
            params.get("low"),
            params.get("high"),
            bool(params.get("lowOpen")),
            bool(params.get("highOpen")),
            bool(params.get("outside")),
        )


def of_misses(params: Mapping[str, Any]) -> Interval:
    """How many values may miss a rule, by its params: none where they do not state it."""
    return Interval.from_params(params) if "high" in params else Interval(0, 0)


def of_quality(quality: Mapping[str, Any]) -> Interval | None:
    """The interval of a quality rule's operator; None where it has none that compares numbers."""
    for name in OPERATORS:
        value = quality.get(name)
        if name.endswith("Between"):
            if isinstance(value, list) and len(value) == 2:
                return Interval(value[0], value[1], outside=name == "mustNotBeBetween")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            match name:
                case "mustBe" | "mustNotBe":
                    return Interval(value, value, outside=name == "mustNotBe")
                case "mustBeGreaterThan" | "mustBeGreaterOrEqualTo":
                    return Interval(low=value, low_open=name == "mustBeGreaterThan")
                case _:
                    return Interval(high=value, high_open=name == "mustBeLessThan")
    return None


def of_options(options: Mapping[str, Any]) -> Interval | None:
    """The interval of minimum, maximum and the exclusive ones; None where none of them is a number."""

    def number(name: str) -> float | None:
        value = options.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    low, high = number("minimum"), number("maximum")
    low_open, high_open = number("exclusiveMinimum"), number("exclusiveMaximum")
    if low is None and high is None and low_open is None and high_open is None:
        return None
    opened_low = low_open is not None and (low is None or low_open >= low)
    opened_high = high_open is not None and (high is None or high_open <= high)
    return Interval(low_open if opened_low else low, high_open if opened_high else high, opened_low, opened_high)


def number_text(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
