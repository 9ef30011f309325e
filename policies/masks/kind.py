"""What a mask is. A mask is one class in one file: a subclass of `MaskKind` with `name`, `rank`, `meaning` and methods for the
types it treats in a way of its own. All other types are hidden whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar

from catalog.datatypes import Primitive, family
from policies.masks import spark_decimals
from policies.masks.keys import MaskKeys
from policies.masks.texts import redacted, redacted_sql
from policies.model import Mask

Value = float | int | str
UNBOUNDED = 1e15


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a mask. `default`: a number for numbers from `least` to `most`, a text for any text."""

    name: str
    default: Value
    hint: str
    least: float = 0
    most: float = UNBOUNDED

    @property
    def is_number(self) -> bool:
        return not isinstance(self.default, str)

    @property
    def range(self) -> str:
        """In words, as in "a number from 0 to 6"."""
        if not self.is_number:
            return "a text"
        most = "10 to the power of 15" if self.most == UNBOUNDED else f"{self.most:g}"
        return f"a number from {self.least:g} to {most}"

    def allows(self, value: Value) -> bool:
        """Whether a policy may give this value."""
        if not self.is_number:
            return True
        return not isinstance(value, str) and self.least <= value <= self.most and value < UNBOUNDED


@dataclass(frozen=True, slots=True)
class Meaning:
    """A row of docs/reference/masks.md: what the mask makes of texts, numbers, dates and times, and what it hides."""

    text: str
    number: str
    moment: str
    hides: str


class MaskKind:
    """A mask. NULL stays NULL; booleans become NULL and bytes empty, unless `expression` and `apply` are replaced.

    rank       place in the order, higher = hides more: see `policies.decision.mask_order`. None: nobody knows how much it hides;
               beside a different mask nothing shows, as with CUSTOM
    aliases    other names
    implied    one of these names -> the parameters that it implies
    example    a text, and what the mask makes of it with its defaults, checked when the mask is loaded; None where a key decides
    equality   equal values stay equal and different ones different, by a key for each kind of personal data
    reversible whether somebody who may write values, or saw some unmasked, can recognize masked ones
    proven     tests hold the SQL against Python on Spark: rows are then masked in Python too, and NULL is given for NULL alone
    """

    name: ClassVar[str]
    rank: ClassVar[int | None] = None
    meaning: ClassVar[Meaning]
    example: ClassVar[tuple[str, str | None] | None] = None
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    aliases: ClassVar[tuple[str, ...]] = ()
    implied: ClassVar[Mapping[str, Mapping[str, Value]]] = MappingProxyType({})
    equality: ClassVar[bool] = False
    reversible: ClassVar[bool] = True
    proven: ClassVar[bool] = False

    def parameter(self, mask: Mask, name: str) -> Any:
        """The value a mask gives a parameter, or its default."""
        default = next(each.default for each in self.parameters if each.name == name)
        return mask.params.get(name, default)

    def fine(self, mask: Mask) -> int:
        """Of two masks of this kind that differ in parameters the one with more here hides more; from 0 to a million."""
        return 0

    def output(self, kind: Primitive) -> Primitive | None:
        """The type of the result; None where only Spark knows it."""
        return kind

    def may_give_null(self, kind: Primitive) -> bool:
        """Whether a value that is not NULL may become NULL, where `kind` has values to show."""
        return not self.proven

    def only_spark(self, mask: Mask, kind: Primitive) -> str | None:
        """Why values of this type cannot be masked in Python so that they are equal to Spark's; None where they can."""
        return None if self.proven else f"only Spark computes {self.name}"

    def expression(self, mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
        """Spark SQL that masks `value`, itself Spark SQL of type `kind`."""
        of = family(kind)
        if of == "string":
            return self.text_sql(mask, value)
        if of in ("integer", "decimal", "float"):
            masked = self.number_sql(mask, value, kind)
        elif of in ("date", "timestamp"):
            masked = self.moment_sql(mask, value, kind)
        else:
            masked = hidden_sql(kind)
        return f"CASE WHEN {value} IS NOT NULL THEN {masked} END"

    def apply(self, mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
        """The same in Python, of a value that is not None."""
        of = family(kind)
        if of == "string":
            return self.text(mask, str(value))
        if of in ("integer", "decimal", "float"):
            return self.number(mask, value, kind)
        return self.moment(mask, value, kind) if of in ("date", "timestamp") else hidden(kind)

    def text_sql(self, mask: Mask, value: str) -> str:
        return redacted_sql(value)

    def text(self, mask: Mask, value: str) -> str | None:
        return redacted(value)

    def number_sql(self, mask: Mask, value: str, kind: Primitive) -> str:
        return hidden_sql(kind)

    def number(self, mask: Mask, value: Any, kind: Primitive) -> Any:
        return hidden(kind)

    def moment_sql(self, mask: Mask, value: str, kind: Primitive) -> str:
        return hidden_sql(kind)

    def moment(self, mask: Mask, value: Any, kind: Primitive) -> Any:
        return hidden(kind)


def hidden_sql(kind: Primitive) -> str:
    """A value of the type that shows nothing; of a text, an empty one."""
    return {
        "string": "''",
        "boolean": f"CAST(NULL AS {kind.name})",
        "binary": "X''",
        "date": "DATE'1900-01-01'",
        "timestamp": f"CAST('1900-01-01T00:00:00Z' AS {kind.name})",
        "other": f"CAST(NULL AS {kind.name})",
    }.get(family(kind), f"CAST(0 AS {kind.name})")


def hidden(kind: Primitive) -> Any:
    """The same in Python."""
    match family(kind):
        case "string":
            return ""
        case "integer":
            return 0
        case "float":
            return 0.0
        case "decimal":
            return spark_decimals.fitting(Decimal(0), kind)
        case "date":
            return date(1900, 1, 1)
        case "timestamp":
            return datetime(1900, 1, 1, tzinfo=UTC)
        case "binary":
            return b""
        case _:
            return None
