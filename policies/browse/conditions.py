"""Filters of a page as SQL over the governed view: they compare what the asker sees, masks included. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from catalog.datatypes import Alternatives, ArrayType, DataType, MapType, Primitive, StructType
from catalog.errors import InvalidInput
from catalog.paths import FieldPath, Step, StepKind
from policies.plan.value_columns import kind_of
from policies.plan.views import Column, GovernedTable
from policies.sql.literals import literal
from policies.sql.names import fold, name_sql

PARTS = ("key", "value", "headers")
_TEXT_MOST = 1000


@dataclass(frozen=True, slots=True)
class FieldFilter:
    """A field that has, or has not, a value; `value` None is NULL."""

    path: FieldPath
    value: str | None
    equal: bool = True


@dataclass(frozen=True, slots=True)
class Filters:
    """text    anywhere in the record, or in one of `parts`; upper and lower case are one
    key     the whole key as text
    fields  all must hold
    """

    text: str | None = None
    parts: tuple[str, ...] = PARTS
    key: str | None = None
    fields: tuple[FieldFilter, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text) or self.key is not None or bool(self.fields)


def read_field(text: str) -> FieldFilter:
    """`value.customer.region=EU`, `value.customer.region!=EU`; `PATH=` without a value is NULL, `PATH=""` the empty text.

    Raises InvalidInput.
    """
    at = -1
    while (at := text.find("=", at + 1)) > 0:
        equal = text[at - 1] != "!"
        try:
            path = FieldPath.parse(text[: at if equal else at - 1].strip())
        except InvalidInput:
            continue
        value = text[at + 1 :]
        return FieldFilter(path, None if value == "" else "" if value == '""' else value, equal)
    raise InvalidInput(
        f"The filter {text[:80]!r} cannot be read; write PATH=VALUE, as in value.customer.region=EU.",
        details={"field": "field"},
    )


def conditions(filters: Filters, view: GovernedTable) -> list[str]:
    """Conditions joined by AND. Raises InvalidInput for a field or part that the asker does not see."""
    results = []
    if filters.text:
        results.append(_text(filters.text, filters.parts, view))
    if filters.key is not None:
        key = system(view, "_key")
        if key is None:
            raise _hidden("key", "The key")
        results.append(f"{_as_text('_key', view.table.key.kind)} = {literal(filters.key)}")
    for each in filters.fields:
        same = _field(each, view)
        # A list has not a value where none of its elements has it.
        results.append(same if each.equal else f"NOT coalesce({same}, false)")
    return results


def system(view: GovernedTable, name: str) -> Column | None:
    """A column that comes with every record, where it is shown and no field of the value has its name."""
    column = view.names.get(name)
    return column if column is not None and column.system and column.sql is not None else None


def value_columns(view: GovernedTable) -> list[Column]:
    """The shown columns of the value."""
    return [c for c in view.shown if not c.system]


def _text(text: str, parts: Sequence[str], view: GovernedTable) -> str:
    if len(text) > _TEXT_MOST:
        raise InvalidInput(f"The text to look for has more than {_TEXT_MOST} characters.", details={"field": "text"})
    places: list[tuple[str, bool]] = []
    if "key" in parts and system(view, "_key") is not None:
        places.append((_as_text("_key", view.table.key.kind), not isinstance(view.table.key.kind, Primitive)))
    if "headers" in parts and system(view, "_headers") is not None:
        places.append(("to_json(_headers)", True))
    columns = value_columns(view)
    if "value" in parts and columns:
        if [c.name for c in columns] == ["value"] and isinstance(view.table.value.kind, Primitive):
            places.append(("CAST(value AS STRING)", False))
        else:
            pairs = ", ".join(f"{literal(c.name)}, {name_sql(c.name)}" for c in columns)
            places.append((f"to_json(named_struct({pairs}))", True))
    if not places:
        raise InvalidInput(
            f"You see nothing of the {' or '.join(parts)} of these records, so no text can be looked for in it.",
            details={"field": "text"},
        )
    lowered = text.lower()
    plain, in_json = literal(lowered), literal(json.dumps(lowered, ensure_ascii=False)[1:-1])
    results = [f"contains(lower({sql}), {in_json if quoted else plain})" for sql, quoted in places]
    return f"({' OR '.join(results)})"


def _as_text(sql: str, kind: DataType) -> str:
    return f"CAST({sql} AS STRING)" if isinstance(kind, Primitive) else f"to_json({sql})"


def _field(condition: FieldFilter, view: GovernedTable) -> str:
    path = condition.path
    if path.root == "headers":
        if system(view, "_headers") is None or len(path.steps) != 1 or path.steps[0].name is None:
            raise _hidden(str(path), f"The header {path}")
        return _compared(f"_headers[{literal(path.steps[0].name)}]", Primitive("STRING"), condition)
    if path.root == "key":
        if system(view, "_key") is None:
            raise _hidden(str(path), f"The field {path}")
        return _inside("_key", view.table.key.kind, path.steps, condition)
    column = next(
        (c for c in value_columns(view) if c.path is not None and c.path.contains(path) and _reached(c, path)), None
    )
    if column is None or column.path is None:
        raise _hidden(str(path), f"The field {path}")
    kind = kind_of(view.table, column.name, column.path)
    if kind is None:
        raise _hidden(str(path), f"The field {path}")
    return _inside(name_sql(column.name), kind, path.steps[len(column.path.steps) :], condition)


def _reached(column: Column, path: FieldPath) -> bool:
    """Not a column that shows the whole of a value beside its fields."""
    return column.path is not None and (bool(column.path.steps) or column.path == path or column.name == "value")


def _inside(sql: str, kind: DataType, steps: Sequence[Step], condition: FieldFilter, depth: int = 0) -> str:
    """A condition on a place below `sql`; in a list or map it holds where one element meets it."""
    if isinstance(kind, Alternatives):
        return _alternatives(sql, kind, steps, condition, depth)
    if not steps:
        return _compared(sql, kind, condition)
    step, rest = steps[0], steps[1:]
    match step.kind, kind:
        case StepKind.FIELD, StructType(fields):
            name = next((n for n, _ in fields if n == step.name), None) or next(
                (n for n, _ in fields if fold(n) == fold(step.name or "")), None
            )
            inner = kind.get(name) if name is not None else None
            if name is not None and inner is not None:
                return _inside(f"{sql}.{name_sql(name)}", inner, rest, condition, depth)
        case StepKind.ELEMENTS, ArrayType(element):
            item = f"e{depth}"
            return f"exists({sql}, {item} -> {_inside(item, element, rest, condition, depth + 1)})"
        case StepKind.MAP_KEY, MapType(_, value):
            return _inside(f"{sql}[{literal(step.name or '')}]", value, rest, condition, depth)
        case StepKind.VALUES, MapType(_, value):
            item = f"e{depth}"
            return f"exists(map_values({sql}), {item} -> {_inside(item, value, rest, condition, depth + 1)})"
    raise _unknown(condition)


def _alternatives(sql: str, kind: Alternatives, steps: Sequence[Step], condition: FieldFilter, depth: int) -> str:
    """A place that is an object in one record and a list or a scalar in another: any form that has the field."""
    results = []
    for name, inner in kind.fields:
        if not steps and not isinstance(inner, Primitive) and condition.value is not None:
            continue
        try:
            results.append(_inside(f"{sql}.{name_sql(name)}", inner, steps, condition, depth))
        except InvalidInput:
            continue
    if not results:
        raise _unknown(condition)
    return f"({' OR '.join(results)})"


def _unknown(condition: FieldFilter) -> InvalidInput:
    return InvalidInput(
        f"The records have no field {condition.path}; choose one of the schema.", details={"field": str(condition.path)}
    )


def _compared(sql: str, kind: DataType, condition: FieldFilter) -> str:
    if condition.value is None:
        return f"{sql} IS NULL"
    if not isinstance(kind, Primitive):
        raise InvalidInput(
            f"{condition.path} holds fields of its own; choose one inside it.", details={"field": str(condition.path)}
        )
    if kind.name in ("TIMESTAMP", "DATE", "TIMESTAMP_NTZ"):
        # A mask may have made a text of it; a text that is no time compares as NULL.
        return f"TRY_CAST({sql} AS {kind.name}) = TRY_CAST({literal(condition.value)} AS {kind.name})"
    return f"CAST({sql} AS STRING) = {literal(condition.value)}"


def _hidden(field: str, what: str) -> InvalidInput:
    return InvalidInput(f"{what} is not shown to you, so records cannot be chosen by it.", details={"field": field})
