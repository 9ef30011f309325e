"""Types of fields as a tree, to and from Spark's DDL, and from an inferred schema.

One small algebra serves every room: what a query reads (`from_json` needs a Spark schema), what a mask must keep,
what a schema document shows. Standard library only, but for `parse_ddl`, which asks sqlglot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from catalog.errors import InvalidInput
from catalog.model import FieldProfile
from catalog.paths import ELEMENTS, VALUES, FieldPath, Step, StepKind


@dataclass(frozen=True, slots=True)
class Primitive:
    """A leaf: `name` is Spark's DDL name in upper case, e.g. STRING, BIGINT, DECIMAL(12,2), TIMESTAMP."""

    name: str


@dataclass(frozen=True, slots=True)
class StructType:
    fields: tuple[tuple[str, DataType], ...] = ()

    def get(self, name: str) -> DataType | None:
        return next((kind for key, kind in self.fields if key == name), None)


@dataclass(frozen=True, slots=True)
class ArrayType:
    element: DataType


@dataclass(frozen=True, slots=True)
class MapType:
    key: DataType
    value: DataType


DataType = Primitive | StructType | ArrayType | MapType

STRING = Primitive("STRING")
BINARY = Primitive("BINARY")

# Spark's names for what the scanners count; several types at once become STRING, which keeps the text as it was sent.
_SPARK = {
    "boolean": "BOOLEAN", "int32": "INT", "int64": "BIGINT", "integer": "DECIMAL(38,0)", "double": "DOUBLE",
    "decimal": "DECIMAL(38,10)", "string": "STRING", "date": "STRING", "timestamp": "STRING", "uuid": "STRING",
    "binary": "BINARY",
}  # fmt: skip
DEEPEST = 20
"""Levels of nesting that a query sees as fields; what lies deeper is its JSON text. Spark Connect's messages nest three
levels for each of ours, and protobuf's readers stop at 100."""

_WIDENING = ("int32", "int64", "integer", "decimal", "double")


def quote_identifier(name: str) -> str:
    """A name between back-quotes, as Spark SQL reads it."""
    return "`" + name.replace("`", "``") + "`"


def to_ddl(kind: DataType) -> str:
    """Spark's DDL of a type, e.g. ``STRUCT<`sku`: STRING, `qty`: INT>``. Names are always back-quoted."""
    match kind:
        case Primitive(name):
            return name
        case StructType(fields):
            return "STRUCT<" + ", ".join(f"{quote_identifier(n)}: {to_ddl(k)}" for n, k in fields) + ">"
        case ArrayType(element):
            return f"ARRAY<{to_ddl(element)}>"
        case MapType(key, value):
            return f"MAP<{to_ddl(key)}, {to_ddl(value)}>"


def columns_ddl(struct: StructType) -> str:
    """The columns of a struct as Spark's `from_json` and `DataFrame.schema` take them."""
    return ", ".join(f"{quote_identifier(n)} {to_ddl(k)}" for n, k in struct.fields)


def parse_ddl(text: str) -> StructType:
    """Read columns written as Spark DDL (`order_id STRING, items ARRAY<STRUCT<sku: STRING>>`).

    Raises InvalidInput naming the text.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(f"CREATE TABLE t ({text})", dialect="spark")
    except (SqlglotError, RecursionError) as error:
        raise InvalidInput(f"The schema {_short(text)!r} is not Spark DDL; write name TYPE, name TYPE ...") from error

    def convert(node: exp.Expression | None) -> DataType:
        if not isinstance(node, exp.DataType):
            raise InvalidInput(f"The schema {_short(text)!r} has a column without a type.")
        if node.is_type("array", "list"):
            return ArrayType(convert(node.expressions[0]))
        if node.is_type("map"):
            return MapType(convert(node.expressions[0]), convert(node.expressions[1]))
        if node.is_type("struct"):
            return StructType(tuple((child.name, convert(child.args.get("kind"))) for child in node.expressions))
        return Primitive(node.sql(dialect="spark").upper().replace(", ", ","))

    schema = tree.find(exp.Schema)
    columns = [c for c in schema.expressions if isinstance(c, exp.ColumnDef)] if schema else []
    if not columns:
        raise InvalidInput(f"The schema {_short(text)!r} names no column; write name TYPE, name TYPE ...")
    return StructType(tuple((column.name, convert(column.args.get("kind"))) for column in columns))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


@dataclass(slots=True)
class _Node:
    profile: FieldProfile | None = None
    children: dict[Step, _Node] = field(default_factory=dict)


def from_profile(fields: Sequence[FieldProfile], root: str = "value") -> DataType:
    """The type that reads every sampled record of one part (key, value or headers) without loss of fields.

    A struct has every field seen in any shape; numbers widen; what is sometimes an object or array and sometimes not,
    or sometimes a number and sometimes text, is STRING (Spark's from_json then keeps its JSON text).
    """
    top = _Node()
    for profile in fields:
        path = profile.field_path
        if path.root != root:
            continue
        node = top
        for step in path.steps:
            node = node.children.setdefault(step, _Node())
        node.profile = profile
    shares = top.profile.types if top.profile is not None else {}
    if top.profile is not None and shares and max(shares, key=lambda name: shares[name]) == "object":
        # Mostly objects with a few other values among them: the fields are what is asked for, the others read as NULL.
        top.profile = replace(top.profile, types={"object": 1.0})
    return _type_of(top)


def _type_of(node: _Node, depth: int = 0) -> DataType:
    if depth == DEEPEST:
        return STRING
    depth += 1
    seen = {name for name, share in node.profile.types.items() if share > 0} if node.profile else set()
    seen.discard("null")
    fields = {step.name: child for step, child in node.children.items() if step.kind is StepKind.FIELD}
    keyed = [step for step in node.children if step.kind in (StepKind.VALUES, StepKind.MAP_KEY, StepKind.KEYS)]
    if not seen:
        seen = {"object"} if fields else {"map"} if keyed else {"array"} if ELEMENTS in node.children else {"string"}
    if seen == {"object"} and not keyed:
        return (
            StructType(tuple((name or "", _type_of(child, depth)) for name, child in fields.items()))
            if fields
            else STRING
        )
    if seen <= {"object", "map"} and keyed:
        return MapType(STRING, _type_of(node.children[VALUES], depth) if VALUES in node.children else STRING)
    if seen == {"array"}:
        return ArrayType(_type_of(node.children[ELEMENTS], depth) if ELEMENTS in node.children else STRING)
    if seen <= set(_WIDENING):
        return Primitive(_SPARK[max(seen, key=_WIDENING.index)])
    return Primitive(_SPARK[seen.pop()]) if len(seen) == 1 and seen <= set(_SPARK) else STRING


def leaves(kind: DataType, at: FieldPath) -> Iterator[tuple[FieldPath, Primitive]]:
    """Every leaf below a place, with its path; a map gives its keys (`@keys`) and its values (`{}`)."""
    match kind:
        case Primitive():
            yield at, kind
        case StructType(fields):
            for name, child in fields:
                yield from leaves(child, at.field(name))
        case ArrayType(element):
            yield from leaves(element, at.elements())
        case MapType(key, value):
            yield from leaves(key, at.keys())
            yield from leaves(value, at.values())
