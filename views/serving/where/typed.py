"""An expression with its type, and what makes values of two types comparable. Pure.

Values while an expression is computed: whole numbers as int, decimals as Decimal, DOUBLE and FLOAT as float, texts, dates and
times as in the JSON form of rows, NULL as None.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from sqlglot import exp

from catalog.datatypes import DataType, Primitive, family
from policies.masks.spark_decimals import bounded, precision_scale, rounded
from views.model import Column
from views.serving.values import BITS, comparable, json_form, order_key
from views.serving.where.refusals import refused, shown, unfit

Row = Mapping[str, object]
Compute = Callable[[Row], Any]

BOOLEAN, INT, BIGINT, DOUBLE, TEXT, DATE, TIMESTAMP, VOID = map(
    Primitive, ("BOOLEAN", "INT", "BIGINT", "DOUBLE", "STRING", "DATE", "TIMESTAMP", "VOID")
)
NUMBERS = ("integer", "decimal", "float")
_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "INTEGER": 10, "BIGINT": 20}


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression that is ready to be computed.

    node      its place in the tree
    constant  whether it has the same value in every row
    literal   the text of a number or text, or the truth value, that is written out; it takes the type of what it is compared with
    column    the column that it is, where it is one whole column
    """

    node: exp.Expression
    kind: DataType
    value: Compute
    constant: bool = False
    literal: str | bool | None = None
    column: Column | None = None

    @property
    def family(self) -> str:
        """As `policies.masks.primitives.family`; `null` of NULL alone, `other` of lists and objects."""
        if self.kind == VOID:
            return "null"
        return family(self.kind) if isinstance(self.kind, Primitive) else "other"

    @property
    def primitive(self) -> Primitive:
        assert isinstance(self.kind, Primitive)
        return self.kind


def loader(kind: DataType) -> Callable[[Any], Any] | None:
    """From the JSON form (not NULL) to the form of a computation; None where they are the same."""
    of = family(kind) if isinstance(kind, Primitive) else "other"
    if of == "decimal":
        return Decimal
    if of == "float":
        return to_single if kind == Primitive("FLOAT") else float
    return None


def to_single(value: Any) -> float:
    """The nearest FLOAT."""
    try:
        return float(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def common(one: Primitive, other: Primitive) -> Primitive | None:
    """The type that two are compared and mixed in, as in Spark; None where a CAST is needed."""
    first, second = family(one), family(other)
    if VOID in (one, other):
        return other if one == VOID else one
    if first in NUMBERS and second in NUMBERS:
        return _common_number(one, other)
    if first == second == "timestamp":
        return TIMESTAMP
    if {first, second} == {"date", "timestamp"}:
        return TIMESTAMP
    return one if first == second and first != "other" else None


def _common_number(one: Primitive, other: Primitive) -> Primitive:
    families = {family(one), family(other)}
    if "float" in families:
        single = "decimal" not in families and DOUBLE not in (one, other)
        return Primitive("FLOAT") if single else DOUBLE
    if families == {"integer"}:
        return max(one, other, key=lambda each: BITS[each.name])
    (p1, s1), (p2, s2) = digits(one), digits(other)
    scale = max(s1, s2)
    return decimal(max(p1 - s1, p2 - s2) + scale, scale)


def digits(kind: Primitive) -> tuple[int, int]:
    """Precision and scale of a whole number or DECIMAL."""
    return (_DIGITS[kind.name], 0) if kind.name in _DIGITS else precision_scale(kind)


def decimal(precision: int, scale: int) -> Primitive:
    """The DECIMAL that Spark makes of a result with so many digits."""
    precision, scale = bounded(precision, scale)
    return Primitive(f"DECIMAL({precision},{scale})")


def as_kind(one: Typed, kind: Primitive) -> Typed:
    """The expression in the type that `common` gave."""
    if one.kind == kind or one.family == "null":
        return replace(one, kind=kind)
    change: Callable[[Any], Any] | None = None
    of, to = one.family, family(kind)
    if to == "float":
        change = to_single if kind == Primitive("FLOAT") else float
    elif to == "decimal":
        precision, scale = precision_scale(kind)

        def change(value: Any) -> Any:
            return rounded(Decimal(value), precision, scale)

    elif of == "date" and to == "timestamp":

        def change(value: Any) -> Any:
            return f"{value}T00:00:00Z"

    return replace(one, kind=kind, value=one.value if change is None else mapped(one.value, change), literal=None)


def mapped(value: Compute, change: Callable[[Any], Any]) -> Compute:
    """`change` of what is not NULL."""

    def compute(row: Row) -> Any:
        result = value(row)
        return None if result is None else change(result)

    return compute


def together(parts: list[Typed], what: exp.Expression) -> tuple[list[Typed], Primitive]:
    """Expressions in one type: those that are written out take that of the others. Raises InvalidInput."""
    kinds = [each for each in parts if each.literal is None and each.family != "null"]
    leading = next((each for each in kinds if each.column is not None), kinds[0] if kinds else None)
    if leading is not None:
        parts = [_written_as(each, leading, what) if each.literal is not None else each for each in parts]
    kind = VOID
    for each in parts:
        fitting = common(kind, each.kind) if isinstance(each.kind, Primitive) else None
        if fitting is None:
            raise _mixed(parts, what)
        kind = fitting
    return [as_kind(each, kind) for each in parts], kind


def _written_as(literal: Typed, other: Typed, what: exp.Expression) -> Typed:
    """A value that is written out, in the type of what it is compared with."""
    if not comparable(other.kind):
        raise refused(f"where compares {shown(other.node)}, whose type has no order", what)
    is_number = literal.family in NUMBERS
    if other.column is None and is_number and other.family in NUMBERS:
        return literal
    column = other.column or Column(shown(other.node), other.primitive.name.lower(), other.kind)
    text: object = literal.literal
    if is_number and other.family not in NUMBERS:
        text = 0  # a number, which nothing but a number can be
    try:
        value = json_form(text, other.primitive)
    except ValueError as error:
        raise unfit("where", column, what) from error
    load = loader(other.kind)
    ready = value if load is None else load(value)
    return Typed(literal.node, other.kind, lambda _: ready, constant=True)


def _mixed(parts: list[Typed], what: exp.Expression) -> Exception:
    types = ", ".join(f"{shown(each.node)} ({type_of(each)})" for each in parts)
    families = {each.family for each in parts}
    how = "write a CAST of one to the type of the other"
    if families >= {"integer", "timestamp"}:
        how = "write timestamp_millis(...) around the number, or unix_millis(...) around the time"
    return refused(f"where mixes types in {shown(what)}: {types}", what, how=how)


def type_of(one: Typed) -> str:
    if one.column is not None:
        return one.column.type
    return one.kind.name.lower() if isinstance(one.kind, Primitive) else "a list or an object"


def sort_key(kind: Primitive) -> Callable[[Any], Any] | None:
    """What makes values of a computation sort and equal as Spark has it; None where they do so already."""
    return None if family(kind) in ("integer", "string", "boolean", "decimal") else order_key(kind)
