"""Types of fields as a tree, to and from Spark's DDL.

One small algebra serves every room: what a query reads (`from_json` needs a Spark schema), what a mask must keep,
what a schema document shows. Standard library only, but for `parse_ddl`, which asks sqlglot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from catalog.errors import InvalidInput
from catalog.paths import FieldPath


@dataclass(frozen=True, slots=True)
class Primitive:
    """A leaf: `name` is Spark's DDL name in upper case, e.g. STRING, BIGINT, DECIMAL(12,2), TIMESTAMP."""

    name: str


@dataclass(frozen=True, slots=True)
class StructType:
    fields: tuple[tuple[str, DataType], ...] = ()

    def get(self, name: str) -> DataType | None:
        return next((kind for key, kind in self.fields if key == name), None)

    def path_of(self, at: FieldPath, name: str) -> FieldPath:
        """The path of a member of a struct at `at`."""
        return at.field(name)


@dataclass(frozen=True, slots=True)
class Alternatives(StructType):
    """A place that holds an object in one record and an array or a scalar in another, as a struct with a member for each.

    The members are some of MEMBERS. They are one place of the record: a rule on `value.x.email` holds for the object's
    field, one on `value.x[].email` for the array's, and one on `value.x` for all of them.
    """

    def path_of(self, at: FieldPath, name: str) -> FieldPath:
        return at


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

DEEPEST = 20
"""Levels of nesting that a query sees as fields; what is deeper is its JSON text. Spark Connect's messages nest three
levels for each of ours, and protobuf's readers stop at 100."""

MEMBERS = ("as_object", "as_array", "as_scalar")
"""The alternatives of a place, in the order of their columns. `x.array[0]` would be read as a call of a function."""


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


def alternatives(members: Mapping[str, DataType]) -> DataType:
    """One type for what a place holds: the member itself where there is only one of MEMBERS."""
    pairs = tuple((name, members[name]) for name in MEMBERS if name in members)
    return pairs[0][1] if len(pairs) == 1 else Alternatives(pairs)


def has_alternatives(kind: DataType) -> bool:
    """Whether a type has a place, at any depth, that holds values of several kinds."""
    match kind:
        case Alternatives():
            return True
        case StructType(fields):
            return any(has_alternatives(child) for _, child in fields)
        case ArrayType(element):
            return has_alternatives(element)
        case MapType(_, value):
            return has_alternatives(value)
        case _:
            return False


def without_alternatives(kind: DataType) -> DataType:
    """The type for readers that know no alternatives: such a place is its JSON text."""
    match kind:
        case Alternatives():
            return STRING
        case StructType(fields):
            return StructType(tuple((name, without_alternatives(child)) for name, child in fields))
        case ArrayType(element):
            return ArrayType(without_alternatives(element))
        case MapType(key, value):
            return MapType(key, without_alternatives(value))
        case _:
            return kind


def parse_type(text: str) -> DataType:
    """Read one type written as Spark DDL (`BIGINT`, `STRUCT<id: BIGINT>`). Raises InvalidInput naming the text."""
    try:
        columns = parse_ddl(f"part {text}").fields
    except InvalidInput:
        columns = ()
    if len(columns) != 1:
        raise InvalidInput(
            f"{_short(text)!r} is not a type of Spark; write one such as STRING, BIGINT or STRUCT<id: BIGINT>."
        )
    return columns[0][1]


def leaves(kind: DataType, at: FieldPath) -> Iterator[tuple[FieldPath, Primitive]]:
    """Every leaf below a place, with its path; a map gives its keys (`@keys`) and its values (`{}`)."""
    match kind:
        case Primitive():
            yield at, kind
        case StructType(fields):
            for name, child in fields:
                yield from leaves(child, kind.path_of(at, name))
        case ArrayType(element):
            yield from leaves(element, at.elements())
        case MapType(key, value):
            yield from leaves(key, at.keys())
            yield from leaves(value, at.values())


def family(kind: Primitive) -> str:
    """integer | decimal | float | string | boolean | date | timestamp | binary | other."""
    return _FAMILIES.get(kind.name.split("(")[0].upper(), "other")


_FAMILIES = {
    "TINYINT": "integer",
    "SMALLINT": "integer",
    "INT": "integer",
    "BIGINT": "integer",
    "DECIMAL": "decimal",
    "DOUBLE": "float",
    "FLOAT": "float",
    "STRING": "string",
    "VARCHAR": "string",
    "CHAR": "string",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_NTZ": "timestamp",
    "BINARY": "binary",
}
